// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_table.h"

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
/// Does the same for a side table, whose rows are ordered by slice.
void narrowBySlice(const QueryFile &file, const Column<uint32_t> &slices, std::span<const QueryBounds> bounds,
                   std::vector<RowRange> &ranges);

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
