// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/change.h"

#include "model/base/format.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace riffle {

namespace {

constexpr std::string_view kUnitSuffix = "_ns", kShareSuffix = "delta_share";

int64_t knownSum(int64_t a, int64_t b) { return a == kNoInt ? b : b == kNoInt ? a : saturatedSum(a, b); }

/// Appends an empty cell.
void addCell(ResultColumn &column)
{
    if (column.kind == CellKind::Text) {
        column.texts.emplace_back();
        if (!column.shorts.empty())
            column.shorts.emplace_back();
    } else if (column.isInteger()) {
        column.integers.push_back(kNoInt);
    } else {
        column.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
    }
}

/// Fills the cells of a new last row, which has the sums of others.
void addSums(ResultTable &table, const std::vector<uint32_t> &folded, uint32_t depth, const std::string &name)
{
    const size_t row = table.rows();
    for (ResultColumn &column : table.columns) {
        addCell(column);
        for (size_t at = 0; column.summed && at < folded.size(); ++at) {
            const uint32_t one = folded[at];
            if (column.isInteger())
                column.integers[row] = knownSum(column.integers[row], column.integers[one]);
            else if (column.kind != CellKind::Text && !column.absent(one))
                column.numbers[row] = column.numbers[one] + (column.absent(row) ? 0 : column.numbers[row]);
        }
    }
    for (ResultColumn &column : table.columns) {
        if (!column.key.ends_with(kShareSuffix))
            continue;
        const std::string figure = column.key.substr(0, column.key.size() - kShareSuffix.size());
        const ResultColumn *a = table.column(figure + "a_ns"), *b = table.column(figure + "b_ns");
        if (!a || !b) {
            a = table.column(figure + "a");
            b = table.column(figure + "b");
        }
        if (a && b && a->isInteger() && b->isInteger())
            column.numbers[row] = Change{a->integers[row], b->integers[row]}.share();
    }
    for (ResultColumn &column : table.columns)
        if (column.kind == CellKind::Text && !column.hidden) {
            column.texts[row] = name;
            if (!column.shorts.empty())
                column.shorts[row] = name;
            break;
        }
    if (!table.depth.empty())
        table.depth.push_back(depth);
    if (!table.evidence.empty())
        table.evidence.emplace_back();
}

} // namespace

const char *textOf(ChangeState state)
{
    switch (state) {
    case ChangeState::Same: return "same";
    case ChangeState::Changed: return "changed";
    case ChangeState::New: return "new";
    case ChangeState::Gone: return "gone";
    case ChangeState::Renamed: break;
    }
    return "renamed";
}

std::vector<std::string> stateWords()
{
    std::vector<std::string> words;
    for (const ChangeState state :
         {ChangeState::New, ChangeState::Gone, ChangeState::Renamed, ChangeState::Changed, ChangeState::Same})
        words.emplace_back(textOf(state));
    return words;
}

int64_t Change::delta() const
{
    if (a == kNoInt && b == kNoInt)
        return kNoInt;
    const int64_t from = a == kNoInt ? 0 : a, to = b == kNoInt ? 0 : b;
    int64_t difference = 0;
    if (__builtin_sub_overflow(to, from, &difference) || difference == kNoInt)
        return to > from ? INT64_MAX : -INT64_MAX;
    return difference;
}

double Change::share() const
{
    return a == kNoInt || a <= 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : static_cast<double>(delta()) / static_cast<double>(a);
}

ChangeState stateOf(bool isInA, bool isInB, bool isEqual)
{
    if (isInA != isInB)
        return isInB ? ChangeState::New : ChangeState::Gone;
    return isEqual ? ChangeState::Same : ChangeState::Changed;
}

std::string changeKey(std::string_view figure, std::string_view what)
{
    const bool isTime = figure.ends_with(kUnitSuffix);
    std::string key(isTime ? figure.substr(0, figure.size() - kUnitSuffix.size()) : figure);
    key.append(key.empty() ? "" : "_").append(what);
    return isTime && !what.ends_with("share") ? key.append(kUnitSuffix) : key;
}

void addTotal(ResultTable &table, const std::string &name)
{
    assert(table.depth.empty());
    const auto before = static_cast<uint32_t>(table.rows());
    std::vector<uint32_t> order = allRows(table);
    const ResultColumn *state = table.column(kStateColumn);
    const bool isSame = state && std::ranges::all_of(state->texts, [](const std::string &text) {
                            return text == textOf(ChangeState::Same);
                        });
    addSums(table, order, 0, name);
    if (ResultColumn *own = table.column(kStateColumn))
        own->texts[before] = textOf(isSame ? ChangeState::Same : ChangeState::Changed);
    order.insert(order.begin(), before);
    table.keepRows(order);
    table.depth.assign(before + 1, 1);
    table.depth.front() = 0;
}

std::vector<uint32_t> rowsBySize(const ResultTable &table, const ResultColumn &by)
{
    ResultColumn size = by;
    for (int64_t &value : size.integers)
        value = value == kNoInt ? kNoInt : value < 0 ? -value : value;
    for (double &value : size.numbers)
        value = std::fabs(value);
    return sortedRows(table, size, true);
}

std::vector<uint8_t> changedRows(const ResultTable &table)
{
    std::vector<uint8_t> changed(table.rows(), 1);
    const ResultColumn *state = table.column(kStateColumn);
    if (!state)
        return changed;
    std::vector<uint8_t> below; // per depth: whether one of the rows since the last one above it has changed
    for (size_t row = table.rows(); row-- > 0;) {
        const size_t depth = table.depth.empty() ? 0 : table.depth[row];
        below.resize(std::max(below.size(), depth + 2));
        changed[row] = state->texts[row] != textOf(ChangeState::Same) || (!table.depth.empty() && below[depth + 1]);
        below[depth] |= changed[row];
        below[depth + 1] = 0;
    }
    return changed;
}

void foldRows(ResultTable &table, int64_t limit, std::span<const uint8_t> wanted)
{
    assert(wanted.empty() || wanted.size() == table.rows());
    if (limit < 0 && wanted.empty())
        return;
    const uint32_t level = table.depth.empty() ? 0 : 1; // the depth of the rows that are counted
    const auto depthOf = [&](size_t row) { return table.depth.empty() ? 0 : table.depth[row]; };
    const size_t before = table.rows();
    std::vector<uint32_t> order;
    std::vector<uint32_t> folded;
    int64_t kept = 0;
    const auto finish = [&] {
        if (!folded.empty()) {
            addSums(table, folded, level,
                    "(" + formatCounted(static_cast<int64_t>(folded.size()), "more row", "more rows") + ")");
            order.push_back(static_cast<uint32_t>(table.rows() - 1));
        }
        folded.clear();
        kept = 0;
    };
    bool isFolding = false;
    for (size_t row = 0; row < before; ++row) {
        const uint32_t depth = depthOf(row);
        if (depth < level) {
            finish();
            isFolding = false;
        } else if (depth == level) {
            isFolding = kept == limit || (!wanted.empty() && !wanted[row]);
            if (isFolding)
                folded.push_back(static_cast<uint32_t>(row));
            else
                ++kept;
        }
        if (!isFolding)
            order.push_back(static_cast<uint32_t>(row));
    }
    finish();
    table.keepRows(order);
}

} // namespace riffle
