// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_table.h"

namespace riffle {

/// Where the first columns of every table about slices stand.
namespace slice_column {
enum : size_t { Id, Ts, Dur, SelfDur, Name, Category, LaneId, Lane, Depth, ParentId, Count };
}

/// Those columns, of the slice that a row stands on; `id` reads the slice's id off a row that is not entered.
std::vector<QueryColumn> sliceColumns(int64_t (*id)(QueryRow &));
/// As QueryTable::narrow, for rows that are slices: by id, lane, parent and start.
void narrowSlices(const QueryTrace &trace, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges);
/// The same for the rows of a side table, which is ordered by slice.
void narrowBySlice(const QueryTrace &trace, const Column<uint32_t> &slices, std::span<const QueryBounds> bounds,
                   std::vector<RowRange> &ranges);

/// `columns` and the two that every table ends with: rank and trace.
std::vector<QueryColumn> withTrace(std::vector<QueryColumn> columns);
/// The first columns followed by the others.
std::vector<QueryColumn> joined(std::vector<QueryColumn> first, std::vector<QueryColumn> others);

/// A row number of a column or of a table that refers to another one; none is NULL.
inline int64_t idOrNull(uint32_t id) { return id == UINT32_MAX ? kNoInt : int64_t{id}; }
inline int64_t orNull(int32_t value) { return value == kNoInt32 ? kNoInt : int64_t{value}; }

} // namespace riffle
