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

/// Returns, for every trace, the rank of each of its strings among the strings of all traces; equal strings have equal
/// ranks.
std::vector<std::vector<uint32_t>> ranksOfStrings(const std::vector<QueryTrace> &traces, uint32_t &count)
{
    std::vector<std::vector<uint32_t>> ranks;
    for (const QueryTrace &trace : traces)
        ranks.emplace_back(trace.sortedStrings().size());
    std::vector<size_t> heads(traces.size(), 0);
    const auto head = [&](size_t trace) {
        return traces[trace].trace().string(traces[trace].sortedStrings()[heads[trace]]);
    };
    for (count = 0;; ++count) {
        std::optional<std::string_view> least;
        for (size_t trace = 0; trace < traces.size(); ++trace)
            if (heads[trace] < ranks[trace].size() && (!least || head(trace) < *least))
                least = head(trace);
        if (!least)
            return ranks;
        for (size_t trace = 0; trace < traces.size(); ++trace)
            while (heads[trace] < ranks[trace].size() && head(trace) == *least)
                ranks[trace][traces[trace].sortedStrings()[heads[trace]++]] = count;
    }
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
    m_ordered.clear();
    m_row.of = nullptr;
    m_isOrdered = false;
    m_nextOrdered = m_seen = 0;
    bool possible = true;
    for (size_t at = 0; at < values.size() && at < plan.terms.size(); ++at)
        possible &= take(plan.terms[at], values[at]);
    const QueryBounds &wanted = m_bounds.back(); // of the column `trace`
    for (uint32_t trace = 0; possible && trace < m_traces.size(); ++trace)
        if (trace >= wanted.low && trace <= wanted.high)
            collectRanges(trace);
    rewind();
    if (!m_run->measured && m_run->task.progress) {
        m_run->measured = this;
        uint64_t rows = 0;
        for (const TracedRange &range : m_ranges)
            rows += range.rows.last - range.rows.first;
        m_run->task.progress->bytesTotal = rows;
    }
    if (plan.orderedBy >= 0)
        orderRows(static_cast<uint32_t>(plan.orderedBy));
}

void TableScan::collectRanges(uint32_t trace)
{
    const QueryTrace &in = m_traces[trace];
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
            m_ranges.push_back({trace, range});
    }
}

void TableScan::narrowBy(uint32_t column, const QueryTrace &trace, RowRange &range)
{
    using Search = QueryColumn::Search;
    const QueryColumn &by = m_table.columns[column];
    const QueryBounds bounds = m_bounds[column];
    if ((by.search != Search::Ascending && by.search != Search::Unique) || bounds.open())
        return;
    QueryRow row;
    row.enterTrace(trace);
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

void TableScan::enterTrace(uint32_t trace)
{
    assert(trace < m_traces.size());
    m_row.enterTrace(m_traces[trace]);
    for (TextTest &test : m_tests) {
        if (test.compare == Compare::Equal)
            test.id = m_row.of->stringId(test.wanted).value_or(UINT32_MAX);
        else
            test.answers.assign(m_row.trace().strings.count(), Unknown);
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
                answer = isMatch(test.compare, test.wanted, std::string(m_row.trace().string(id))) ? Yes : No;
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
        const TracedRange &range = m_ranges[m_range];
        if (m_row.of != &m_traces[range.trace])
            enterTrace(range.trace);
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

void TableScan::orderRows(uint32_t column)
{
    assert(column < m_table.columns.size() && m_table.columns[column].string);
    const auto read = m_table.columns[column].string;
    uint32_t count = 0;
    const std::vector<std::vector<uint32_t>> ranks = ranksOfStrings(m_traces, count);
    const auto rank = [&] {
        const std::vector<uint32_t> &of = ranks[m_row.of->index()];
        const uint32_t id = read(m_row);
        return id < of.size() ? of[id] : 0; // an unknown string counts as the empty one
    };
    std::vector<uint64_t> begins(uint64_t(count) + 2, 0);
    while (nextInRanges())
        ++begins[rank() + 1];
    m_isOrdered = true;
    if (m_run->stopped()) // the counts may be incomplete
        return;
    for (size_t at = 1; at < begins.size(); ++at)
        begins[at] += begins[at - 1];
    m_ordered.assign(begins.back(), 0); // if the query is stopped now, some of them stay 0
    rewind();
    while (nextInRanges())
        m_ordered[begins[rank()]++] = uint64_t(m_row.of->index()) << 32 | m_row.number;
}

bool TableScan::next()
{
    if (!m_isOrdered)
        return nextInRanges();
    if (m_nextOrdered == m_ordered.size() || !mayGoOn())
        return false;
    assert(m_nextOrdered < m_ordered.size());
    const uint64_t place = m_ordered[m_nextOrdered++];
    const QueryTrace &trace = m_traces[place >> 32];
    if (m_row.of != &trace)
        m_row.enterTrace(trace);
    m_row.number = static_cast<uint32_t>(place);
    return m_table.enter(m_row);
}

} // namespace riffle
