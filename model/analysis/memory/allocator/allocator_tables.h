// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/table/result_table.h"

#include <string>
#include <vector>

namespace riffle {

/// The figures at an instant: one row for the device, then one row per stream and one per pool if there are several.
ResultTable allocatorFigures(const AllocatorMap &map, const AllocatorState &state);

/// One row per segment, in order of address.
ResultTable allocatorSegments(const AllocatorMap &map, const AllocatorState &state);

/// One row per block or hole, in order of segment and address; blocks outside all segments last.
ResultTable allocatorBlocks(const AllocatorMap &map, const AllocatorState &state);

/// Sentences about problems at the instant and with segments anywhere in the history.
std::vector<std::string> allocatorRemarks(const AllocatorMap &map, const AllocatorState &state);

/// "0x7f0000000000"
std::string memoryAddress(uint64_t address);
/// "default stream", "stream 0x1d2"
std::string memoryStreamName(int64_t stream);
/// "default pool", "pool (0, 1)"
std::string memoryPoolName(const MemorySnapshot &snapshot, uint32_t pool);
/// "active", "pending", "free"
std::string_view pieceStateWord(AllocatorPiece::State state);

} // namespace riffle
