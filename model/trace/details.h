// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/stopping.h"
#include "model/trace/trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Ways through the side tables of a whole trace. A table is named by its member: &Segment::operators.
namespace riffle {

/// Returns the number of rows of a side table in all segments.
template <typename Table>
size_t detailCount(const Trace &trace, Table SideTables::*table)
{
    size_t count = 0;
    for (const auto &segment : trace.segments)
        count += ((*segment).*table).slice.size();
    return count;
}

/// Returns true if any slice of the trace has a row in the table.
template <typename Table>
bool hasDetails(const Trace &trace, Table SideTables::*table)
{
    return std::ranges::any_of(trace.segments, [&](const auto &segment) { return !((*segment).*table).slice.empty(); });
}

/// Calls visit(segment, index, row) for the rows of a side table in all segments, ordered by slice within a segment.
/// `index` is that of the slice in the segment. Throws Stopped if the StopScope is stopped.
template <typename Table, typename Visit>
void forEachDetail(const Trace &trace, Table SideTables::*table, Visit visit)
{
    for (const auto &segment : trace.segments) {
        const Column<uint32_t> &slices = ((*segment).*table).slice;
        for (uint32_t row = 0; row < slices.size(); ++row) {
            throwIfStoppedAt(row);
            // A damaged store can contain any number, until it has been verified.
            if (const uint32_t index = segment->indexOf(SliceId(slices[row])); index != kNoRow)
                visit(*segment, index, row);
        }
    }
}

/// Finds the rows of slices that are mostly asked for by ascending id: a slice near the last one costs no search.
template <typename Table>
class DetailWalk {
public:
    explicit DetailWalk(Table SideTables::*table) : m_table(table) {}

    DetailRow<Table> at(const Segment &segment, SliceId slice)
    {
        constexpr uint32_t kNear = 64;
        const Table &table = segment.*m_table;
        const Column<uint32_t> &slices = table.slice;
        const bool isNear = &table == m_last && m_row < slices.size() && slices[m_row] <= slice.value &&
                            slice.value - slices[m_row] <= kNear;
        if (!isNear)
            m_row = static_cast<uint32_t>(std::lower_bound(slices.begin(), slices.end(), slice.value) - slices.begin());
        m_last = &table;
        while (m_row < slices.size() && slices[m_row] < slice.value)
            ++m_row;
        return m_row < slices.size() && slices[m_row] == slice.value ? DetailRow<Table>{&table, m_row}
                                                                     : DetailRow<Table>();
    }

private:
    Table SideTables::*m_table;
    const Table *m_last = nullptr;
    uint32_t m_row = 0; ///< in m_last
};

} // namespace riffle
