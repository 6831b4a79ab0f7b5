// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/query_table.h"

namespace riffle {

/// Returns `columns` followed by the one with which every table of snapshots ends.
std::vector<QueryColumn> withSnapshot(std::vector<QueryColumn> columns);
/// The number of the device and whether it is the host, for rows whose `device` is set.
std::vector<QueryColumn> deviceColumns();

/// Writes an address as the other commands print it: "0x7f0000000000".
void writeAddress(Cell &cell, uint64_t address);

/// Converts the number of a stack to a cell's integer; 0, which means unknown, becomes NULL.
inline int64_t stackOrNull(uint32_t stack) { return stack ? int64_t{stack} : kNoInt; }
/// Converts the state of a block to an index of stateWords().
int64_t stateIndex(BlockState state);
/// "active_allocated", "active_pending_free", "inactive"
const std::vector<std::string> &stateWords(const QueryFile &file);

} // namespace riffle
