// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace riffle {

/// Numbers the rows of a side table from 0, segment by segment, for SQL tables that show them.
template <typename Table>
class DetailNumbers {
public:
    /// The trace must outlive the object.
    DetailNumbers(const Trace &trace, Table SideTables::*table) : m_trace(trace), m_table(table)
    {
        m_firsts.reserve(trace.segments.size() + 1);
        m_firsts.push_back(0);
        for (const auto &segment : trace.segments)
            m_firsts.push_back(m_firsts.back() + static_cast<uint32_t>(slicesOf(*segment).size()));
    }

    uint32_t count() const { return m_firsts.back(); }
    /// Returns the segment that has a row, and the row in its part of the table. `number` is below count().
    std::pair<const Segment *, uint32_t> at(uint32_t number) const
    {
        assert(number < count());
        const auto after = std::upper_bound(m_firsts.begin(), m_firsts.end(), number);
        const auto segment = static_cast<size_t>(after - m_firsts.begin() - 1);
        return {m_trace.segments[segment].get(), number - m_firsts[segment]};
    }
    uint32_t sliceOf(uint32_t number) const
    {
        const auto [segment, row] = at(number);
        return slicesOf(*segment)[row];
    }
    /// Calls visit(first, last) for the numbers of the rows of slices with ids [firstSlice, endSlice), once for each
    /// segment that has some. Within a segment, rows are ordered by slice.
    template <typename Visit>
    void forEachRange(uint32_t firstSlice, uint32_t endSlice, Visit visit) const
    {
        const auto visitIn = [&](size_t at) {
            const Column<uint32_t> &slices = slicesOf(*m_trace.segments[at]);
            const auto first = std::lower_bound(slices.begin(), slices.end(), firstSlice);
            const auto last = std::lower_bound(first, slices.end(), endSlice);
            if (first != last)
                visit(m_firsts[at] + static_cast<uint32_t>(first - slices.begin()),
                      m_firsts[at] + static_cast<uint32_t>(last - slices.begin()));
        };
        if (firstSlice >= endSlice)
            return;
        if (!m_trace.segmentsById.empty()) {
            for (const uint32_t at : m_trace.segmentsById.segmentsIn(firstSlice, endSlice - 1))
                visitIn(at);
            return;
        }
        const size_t behind = behindFirst(firstSlice);
        for (size_t at = behind - std::min<size_t>(behind, 1); at < m_trace.segments.size(); ++at) {
            if (m_trace.segments[at]->firstSlice >= endSlice)
                break;
            visitIn(at);
        }
    }

private:
    /// The index of the first segment whose smallest id is beyond this one.
    size_t behindFirst(uint32_t slice) const
    {
        const auto behind = std::ranges::upper_bound(m_trace.segments, slice, {},
                                                     [](const auto &segment) { return segment->firstSlice; });
        return static_cast<size_t>(behind - m_trace.segments.begin());
    }
    const Column<uint32_t> &slicesOf(const Segment &segment) const { return (segment.*m_table).slice; }

    const Trace &m_trace;
    Table SideTables::*m_table;
    std::vector<uint32_t> m_firsts; ///< per segment, the number of its first row; then the count
};

} // namespace riffle
