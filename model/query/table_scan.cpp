// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/table_scan.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <sqlite3.h>

namespace riffle {

namespace {

using Compare = QueryPlan::Compare;

constexpr QueryBounds kNone{1, 0};

QueryBounds boundsOf(Compare compare, int64_t value)
{
    switch (compare) {
    case Compare::Equal: return {value, value};
    case Compare::LessEqual: return {INT64_MIN, value};
    case Compare::GreaterEqual: return {value, INT64_MAX};
    case Compare::Less: return value == INT64_MIN ? kNone : QueryBounds{INT64_MIN, value - 1};
    case Compare::Greater: return value == INT64_MAX ? kNone : QueryBounds{value + 1, INT64_MAX};
    default: return {};
    }
}

QueryBounds boundsOf(Compare compare, double value)
{
    constexpr double kBeyond = 9223372036854775808.0; // 2^63
    const bool wantsMore = compare == Compare::Greater || compare == Compare::GreaterEqual;
    const bool wantsLess = compare == Compare::Less || compare == Compare::LessEqual;
    if (value >= kBeyond)
        return wantsLess ? QueryBounds{} : kNone;
    if (value < -kBeyond)
        return wantsMore ? QueryBounds{} : kNone;
    const auto below = static_cast<int64_t>(std::floor(value));
    if (static_cast<double>(below) == value)
        return boundsOf(compare, below);
    // The value is between two integers: `below` is the lower one.
    return wantsLess ? QueryBounds{INT64_MIN, below} : wantsMore ? QueryBounds{below + 1, INT64_MAX} : kNone;
}

bool isMatch(Compare compare, const std::string &pattern, const std::string &text)
{
    return compare == Compare::Like ? sqlite3_strlike(pattern.c_str(), text.c_str(), 0) == 0
                                    : sqlite3_strglob(pattern.c_str(), text.c_str()) == 0;
}

} // namespace

bool TableScan::take(const QueryPlan::Term &term, const QueryValue &value)
{
    assert(term.column < m_table.columns.size());
    const QueryColumn &column = m_table.columns[term.column];
    if (column.string) {
        // Comparisons of a text with values of other types are left to SQLite.
        if (const auto *text = std::get_if<std::string_view>(&value))
            m_tests.push_back({term.column, term.compare, std::string(*text), 0, {}});
        return true;
    }
    QueryBounds &bounds = m_bounds[term.column];
    if (const auto *integer = std::get_if<int64_t>(&value))
        bounds.clip(boundsOf(term.compare, *integer));
    else if (const auto *real = std::get_if<double>(&value))
        bounds.clip(boundsOf(term.compare, *real));
    return !bounds.empty();
}

void TableScan::begin(const QueryPlan &plan, std::span<const QueryValue> values)
{
    m_bounds.assign(m_table.columns.size(), {});
    m_tests.clear();
    m_ranges.clear();
    m_sorted.reset();
    m_grouped.reset();
    m_isOrdered = false;
    m_row.of = nullptr;
    m_seen = 0;
    bool possible = true;
    for (size_t at = 0; at < values.size() && at < plan.terms.size(); ++at)
        possible &= take(plan.terms[at], values[at]);
    const QueryBounds &wanted = m_bounds.back(); // of the column with the file's id
    for (uint32_t file = 0; possible && file < m_files.size(); ++file)
        if (const int64_t id = m_files[file]->id(); id >= wanted.low && id <= wanted.high)
            collectRanges(file);
    rewind();
    if (!m_run->measured && m_run->task.progress) {
        m_run->measured = this;
        uint64_t rows = 0;
        for (const FileRange &range : m_ranges)
            rows += range.rows.last - range.rows.first;
        m_run->task.progress->bytesTotal = rows;
    }
    if (!plan.order.empty())
        orderRows(plan.order);
}

void TableScan::collectRanges(uint32_t file)
{
    const QueryFile &in = *m_files[file];
    for (const TextTest &test : m_tests)
        if (test.compare == Compare::Equal && !in.stringId(test.wanted))
            return;
    m_found.clear();
    if (m_table.narrow)
        m_table.narrow(in, m_bounds, m_found);
    else
        m_found.push_back({0, m_table.rows(in)});
    for (RowRange range : m_found) {
        for (uint32_t column = 0; column < m_bounds.size(); ++column)
            narrowBy(column, in, range);
        if (range.first < range.last)
            m_ranges.push_back({file, range});
    }
}

void TableScan::narrowBy(uint32_t column, const QueryFile &file, RowRange &range)
{
    using Search = QueryColumn::Search;
    const QueryColumn &by = m_table.columns[column];
    const QueryBounds bounds = m_bounds[column];
    if ((by.search != Search::Ascending && by.search != Search::Unique) || bounds.open())
        return;
    QueryRow row;
    row.enterFile(file);
    const auto firstWhere = [&](auto reached) {
        uint32_t low = range.first, high = std::max(range.first, range.last);
        while (low < high) {
            row.number = low + (high - low) / 2;
            if (reached(by.integer(row)))
                high = row.number;
            else
                low = row.number + 1;
        }
        return low;
    };
    const uint32_t first = firstWhere([&](int64_t value) { return value >= bounds.low; });
    range.last = firstWhere([&](int64_t value) { return value > bounds.high; });
    range.first = first;
}

void TableScan::rewind()
{
    m_range = 0;
    m_nextRow = m_ranges.empty() ? 0 : m_ranges.front().rows.first;
}

void TableScan::enterFile(uint32_t file)
{
    assert(file < m_files.size());
    m_row.enterFile(*m_files[file]);
    for (TextTest &test : m_tests) {
        if (test.compare == Compare::Equal)
            test.id = m_row.of->stringId(test.wanted).value_or(UINT32_MAX);
        else
            test.answers.assign(m_row.of->stringCount(), Unknown);
    }
}

bool TableScan::accepts()
{
    for (TextTest &test : m_tests) {
        const uint32_t id = m_table.columns[test.column].string(m_row);
        if (test.compare == Compare::Equal) {
            if (id != test.id)
                return false;
        } else if (id < test.answers.size()) {
            Answer &answer = test.answers[id];
            if (answer == Unknown)
                answer = isMatch(test.compare, test.wanted, std::string(m_row.of->string(id))) ? Yes : No;
            if (answer == No)
                return false;
        }
    }
    return true;
}

bool TableScan::mayGoOn()
{
    ++m_seen;
    if (++m_run->rows % QueryRun::kRowsBetweenLooks != 0)
        return true;
    if (Progress *progress = m_run->task.progress) {
        progress->events = m_run->rows;
        if (m_run->measured == this)
            progress->bytesDone = m_seen;
    }
    return !m_run->stopped();
}

bool TableScan::nextInRanges()
{
    while (m_range < m_ranges.size()) {
        const FileRange &range = m_ranges[m_range];
        if (m_row.of != m_files[range.file].get())
            enterFile(range.file);
        while (m_nextRow < range.rows.last) {
            m_row.number = m_nextRow++;
            if (!mayGoOn())
                return false;
            if (m_table.enter(m_row) && accepts())
                return true;
        }
        if (++m_range < m_ranges.size())
            m_nextRow = m_ranges[m_range].rows.first;
    }
    return false;
}

const TextRanks &TableScan::ranksFor(uint8_t column)
{
    const QueryColumn &by = m_table.columns[column];
    const auto [known, isNew] = m_ranks.try_emplace(column);
    if (isNew && by.string)
        known->second = ranksOfStrings(m_files);
    else if (isNew && by.texts)
        known->second = ranksOfTexts(m_files, by.texts);
    return known->second;
}

int64_t TableScan::OrderKey::of(QueryRow &row) const
{
    const int64_t value = column.string ? int64_t{column.string(row)} : column.integer(row);
    if (ranks.empty() || value == kNoInt)
        return value;
    const std::vector<uint32_t> &rank = ranks[row.of->place()];
    const auto at = static_cast<uint64_t>(value);
    if (at < rank.size())
        return rank[at];
    return column.texts ? kNoInt : 0; // an unknown string counts as the empty one
}

/// Reads all rows, to put them in order: once to sort them, or twice to group them.
void TableScan::orderRows(const std::vector<QueryPlan::Order> &order)
{
    std::vector<OrderKey> keys;
    std::vector<bool> descending;
    for (const QueryPlan::Order &by : order) {
        assert(by.column < m_table.columns.size());
        keys.push_back({m_table.columns[by.column], ranksFor(by.column)});
        descending.push_back(by.descending);
    }
    const bool isGrouped = keys.front().column.groupable();
    const auto place = [this] { return uint64_t(m_row.of->place()) << 32 | m_row.number; };
    SortedPlaces sorted(descending.front());
    GroupedPlaces grouped(descending);
    std::vector<int64_t> values(keys.size());
    size_t rows = 0;
    for (; nextInRanges(); ++rows) {
        if (rows % QueryRun::kRowsBetweenLooks == 0 &&
            (isGrouped ? grouped.bytes() : sorted.bytes()) > m_run->mostBytes) {
            m_run->error = memoryLimitError(m_run->mostBytes);
            break;
        }
        for (size_t at = 0; at < keys.size(); ++at)
            values[at] = keys[at].of(m_row);
        if (isGrouped)
            grouped.add(values);
        else
            sorted.add(values.front(), place());
    }
    if (isGrouped && !m_run->error && !m_run->stopped()) {
        grouped.close();
        rewind();
        while (nextInRanges())
            grouped.place(place());
    }
    m_isOrdered = true;
    if (m_run->error || m_run->stopped()) // some rows may be missing
        return;
    if (isGrouped)
        m_grouped = std::move(grouped);
    else
        m_sorted = std::move(sorted);
}

bool TableScan::next()
{
    if (!m_isOrdered)
        return nextInRanges();
    const auto place = m_sorted ? m_sorted->next() : m_grouped ? m_grouped->next() : std::nullopt;
    if (!place || !mayGoOn())
        return false;
    const QueryFile &file = *m_files[*place >> 32];
    if (m_row.of != &file)
        m_row.enterFile(file);
    m_row.number = static_cast<uint32_t>(*place);
    return m_table.enter(m_row);
}

} // namespace riffle
