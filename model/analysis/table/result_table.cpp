// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/result_table.h"

#include "model/trace/tables.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace riffle {

namespace {

template <typename T>
void pick(std::vector<T> &values, const std::vector<uint32_t> &rows)
{
    if (values.empty())
        return;
    std::vector<T> picked;
    picked.reserve(rows.size());
    for (const uint32_t row : rows)
        picked.push_back(values[row]);
    values = std::move(picked);
}

/// Returns -1, 0 or 1. Values that were not recorded come last in either direction.
int compare(const ResultColumn &column, uint32_t left, uint32_t right, bool descending)
{
    const bool noLeft = column.absent(left), noRight = column.absent(right);
    if (noLeft || noRight)
        return int(noLeft) - int(noRight);
    int order = 0;
    if (column.kind == CellKind::Text) {
        const auto place = [&](uint32_t row) { return std::ranges::find(column.words, column.texts[row]); };
        if (!column.words.empty())
            order = static_cast<int>(std::clamp<ptrdiff_t>(place(left) - place(right), -1, 1));
        if (order == 0 && !column.shorts.empty()) // these are what the reader sees
            order = column.shorts[left].compare(column.shorts[right]);
        if (order == 0)
            order = column.texts[left].compare(column.texts[right]);
    } else if (column.isInteger()) {
        order = column.integers[left] < column.integers[right] ? -1 : column.integers[left] > column.integers[right];
    } else {
        order = column.numbers[left] < column.numbers[right] ? -1 : column.numbers[left] > column.numbers[right];
    }
    return descending ? -order : order;
}

} // namespace

size_t ResultColumn::size() const { return std::max({texts.size(), integers.size(), numbers.size()}); }

bool ResultColumn::absent(size_t row) const
{
    assert(row < size());
    if (kind == CellKind::Text)
        return texts[row].empty();
    return isInteger() ? integers[row] == kNoInt : std::isnan(numbers[row]);
}

double ResultColumn::number(size_t row) const
{
    if (kind == CellKind::Text || absent(row))
        return std::numeric_limits<double>::quiet_NaN();
    return isInteger() ? static_cast<double>(integers[row]) : numbers[row];
}

bool ResultTable::isRectangular() const
{
    const auto fits = [this](const ResultColumn &column) {
        const size_t cells = column.kind == CellKind::Text ? column.texts.size()
                             : column.isInteger()          ? column.integers.size()
                                                           : column.numbers.size();
        return cells == rows() && column.size() == cells;
    };
    return std::ranges::all_of(columns, fits) && (depth.empty() || depth.size() == rows()) &&
           (evidence.empty() || evidence.size() == rows());
}

const ResultColumn *ResultTable::column(std::string_view key) const
{
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const ResultColumn &column) { return column.key == key; });
    return found == columns.end() ? nullptr : &*found;
}

ResultColumn *ResultTable::column(std::string_view key)
{
    return const_cast<ResultColumn *>(std::as_const(*this).column(key));
}

ResultColumn &ResultTable::add(std::string key, std::string columnTitle, CellKind kind, std::string formula)
{
    ResultColumn column;
    column.key = std::move(key);
    column.title = std::move(columnTitle);
    column.kind = kind;
    column.formula = std::move(formula);
    return columns.emplace_back(std::move(column));
}

std::string ResultTable::keys() const
{
    std::string all;
    for (const ResultColumn &column : columns)
        all += (all.empty() ? "" : ", ") + column.key;
    return all;
}

void ResultTable::setEmpty(EmptyState state)
{
    absence = state.text;
    empty = std::move(state);
}

void ResultTable::append(ResultTable more)
{
    assert(isRectangular() && more.isRectangular());
    if (columns.empty()) {
        *this = std::move(more);
        return;
    }
    const auto before = static_cast<uint32_t>(rows());
    const size_t added = more.rows();
    const auto appendTo = [](auto &to, auto &&from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    for (size_t at = 0; at < columns.size() && at < more.columns.size(); ++at) {
        ResultColumn &to = columns[at], &from = more.columns[at];
        appendTo(to.texts, from.texts);
        appendTo(to.shorts, from.shorts);
        appendTo(to.integers, from.integers);
        appendTo(to.numbers, from.numbers);
        to.hidden = to.hidden && from.hidden;
    }
    if (!depth.empty() || !more.depth.empty()) { // a tree without branches may have no depths
        depth.resize(before);
        more.depth.resize(added);
    }
    if (!evidence.empty() || !more.evidence.empty()) {
        evidence.resize(before);
        more.evidence.resize(added);
    }
    appendTo(depth, more.depth);
    appendTo(evidence, more.evidence);
    appendTo(notes, more.notes);
    if (rows() > 0)
        setEmpty({});
    if (more.slices)
        slices = std::make_shared<const RowSlices>(slices ? slices->with(*more.slices, before) : *more.slices);
}

void ResultTable::keepRows(const std::vector<uint32_t> &rows)
{
    const size_t before = this->rows();
    assert(isRectangular() && std::ranges::all_of(rows, [&](uint32_t row) { return row < before; }));
    for (ResultColumn &column : columns) {
        pick(column.texts, rows);
        pick(column.shorts, rows);
        pick(column.integers, rows);
        pick(column.numbers, rows);
    }
    pick(depth, rows);
    pick(evidence, rows);
    if (slices)
        slices = std::make_shared<const RowSlices>(slices->renumbered(rows, before));
}

bool isSortedBy(const ResultTable &table, const ResultColumn &by, bool descending)
{
    std::vector<uint32_t> path; // per level, the last row
    bool anyDiffers = false;
    for (uint32_t row = 0; row < table.rows(); ++row) {
        const size_t level = table.depth.empty() ? 0 : table.depth[row];
        if (level < path.size()) {
            const int order = compare(by, path[level], row, descending);
            if (order > 0)
                return false;
            anyDiffers = anyDiffers || order < 0;
        }
        path.resize(level);
        path.push_back(row);
    }
    return anyDiffers;
}

std::vector<uint32_t> allRows(const ResultTable &table)
{
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
}

std::vector<uint32_t> sortedRows(const ResultTable &table, const ResultColumn &by, bool descending)
{
    const SortKey key{&by, descending};
    return sortedRows(table, {&key, 1});
}

std::vector<uint32_t> sortedRows(const ResultTable &table, std::span<const SortKey> by)
{
    assert(table.isRectangular());
    assert(
        std::ranges::all_of(by, [&](const SortKey &key) { return key.column && key.column->size() == table.rows(); }));
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    const auto before = [&](uint32_t left, uint32_t right) {
        for (const SortKey &key : by)
            if (const int order = compare(*key.column, left, right, key.descending))
                return order < 0;
        return false;
    };
    if (table.depth.empty()) {
        std::stable_sort(rows.begin(), rows.end(), before);
        return rows;
    }
    // Sort siblings; the rows below each of them move with it.
    std::vector<uint32_t> ordered;
    ordered.reserve(rows.size());
    const auto append = [&](const auto &self, uint32_t first, uint32_t last) -> void {
        std::vector<uint32_t> siblings;
        for (uint32_t row = first; row < last; ++row)
            if (table.depth[row] <= table.depth[first])
                siblings.push_back(row);
        std::vector<uint32_t> ends(siblings.begin() + !siblings.empty(), siblings.end());
        ends.push_back(last);
        std::vector<uint32_t> order(siblings.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return before(siblings[a], siblings[b]); });
        for (const uint32_t at : order) {
            ordered.push_back(siblings[at]);
            if (siblings[at] + 1 < ends[at])
                self(self, siblings[at] + 1, ends[at]);
        }
    };
    if (!rows.empty())
        append(append, 0, static_cast<uint32_t>(rows.size()));
    return ordered;
}

} // namespace riffle
