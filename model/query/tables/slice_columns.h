// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_table.h"

#include <algorithm>

namespace riffle {

/// The positions of the first columns of every table about slices.
namespace slice_column {
enum : size_t { Id, Ts, Dur, SelfDur, Name, Category, LaneId, Lane, Depth, ParentId, Count };
}

/// Returns these columns for the slice of a row. `id` reads the slice's id from a row that need not be entered.
std::vector<QueryColumn> sliceColumns(int64_t (*id)(QueryRow &));
/// The QueryTable::rows of tables whose rows are slices. Their row numbers are ids, which may have gaps.
uint32_t sliceCount(const QueryFile &file);
/// The QueryTable::narrow of such tables that looks at no bounds.
void allSlices(const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges);
/// The QueryTable::narrow of tables whose rows are slices: by id, lane, parent and start.
void narrowSlices(const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges);
/// Does the same for a table whose rows are those of a side table.
template <typename Table>
void narrowDetails(const QueryFile &file, const DetailNumbers<Table> &numbers, std::span<const QueryBounds> bounds,
                   std::vector<RowRange> &ranges)
{
    std::vector<RowRange> ids;
    narrowSlices(file, bounds, ids);
    const auto add = [&](uint32_t first, uint32_t last) { ranges.push_back({first, last}); };
    for (const RowRange &range : ids)
        numbers.forEachRange(range.first, range.last, add);
    std::ranges::sort(ranges, {}, &RowRange::first);
}
/// Moves a row of such a table to its slice, and `detail` to the row in the side table of the slice's segment. Returns
/// false if there is no such slice.
template <typename Table>
bool enterDetail(QueryRow &row, const DetailNumbers<Table> &numbers)
{
    const auto [segment, detail] = numbers.at(row.number);
    row.slice.segment = segment;
    row.detail = detail;
    // A damaged store can contain any number, until it has been verified.
    return row.slice.goTo(row.trace(), numbers.sliceOf(row.number)) && row.slice.segment == segment;
}

/// Returns `columns` followed by the two with which every table ends: rank and trace.
std::vector<QueryColumn> withTrace(std::vector<QueryColumn> columns);
/// Returns the first columns followed by the others.
std::vector<QueryColumn> joined(std::vector<QueryColumn> first, std::vector<QueryColumn> others);

/// The texts of columns that name a lane.
const std::vector<std::string> &namesOfLanes(const QueryFile &file);

/// Converts a reference to a row of a table to a cell's integer; "none" becomes NULL.
inline int64_t idOrNull(uint32_t id) { return id == UINT32_MAX ? kNoInt : int64_t{id}; }
inline int64_t orNull(int32_t value) { return value == kNoInt32 ? kNoInt : int64_t{value}; }

} // namespace riffle
