// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// Why an allocation failed, by the figures at its `oom` event. The first that holds:
enum class OomVerdict : uint8_t {
    Refused,       ///< the device had as much free as was asked for: a limit of the process, or the driver
    OtherStream,   ///< a hole was large enough, but on another stream
    Unexplained,   ///< a hole of its stream, its pool and for its size was large enough: by the figures it should have
                   ///< been taken
    OtherPool,     ///< a hole of its stream was large enough, but in another pool, or not for blocks of its size
    Fragmentation, ///< the holes together hold what was asked for, none of them does
    Divided,       ///< only the holes and what the device had free hold it together
    Demand,        ///< more was needed than all of that
};

/// An allocation that failed, and what there was.
struct OutOfMemory {
    uint32_t device = 0; ///< row of MemoryReplay::devices
    uint32_t event = 0;
    int64_t stream = 0; ///< raw pointer
    uint32_t stack = 0;
    uint64_t asked = 0;
    std::optional<uint64_t> deviceFree; ///< as the recorder says, if it does
    AllocatorFigures figures;
    uint64_t largestOfStream = 0; ///< largest hole in segments of its stream
    uint64_t largestFitting = 0;  ///< of these, in segments of no private pool and for requests of its size
    OomVerdict verdict = OomVerdict::Demand;

    /// What would be missing if all that is cached were given back to the device; 0: nothing. Where the device's rest
    /// is not recorded, as if there were none.
    uint64_t lacking() const;
};

/// Devices and events of all failed allocations, in their order.
std::vector<std::pair<uint32_t, uint32_t>> outOfMemoryEvents(const SnapshotFacts &facts);
/// `device`: row of MemoryReplay::devices, the map's.
OutOfMemory explainOutOfMemory(const AllocatorMap &map, uint32_t device, uint32_t event);
std::vector<OutOfMemory> explainOutOfMemory(const SnapshotFacts &facts, const Task &task);

std::string_view oomVerdictWord(OomVerdict verdict);
/// The verdict in full, with its figures.
std::string oomVerdictText(const OutOfMemory &oom);
/// A row each.
ResultTable outOfMemoryTable(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all);

} // namespace riffle
