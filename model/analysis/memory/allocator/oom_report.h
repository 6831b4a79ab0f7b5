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

/// Why an allocation failed, judged by the figures at its `oom` event. The verdicts are tested in the order Refused,
/// Unexplained, OtherPool, OtherStream, Fragmentation, Divided, Demand; the first that applies counts.
enum class OomVerdict : uint8_t {
    Refused,     ///< the device had enough free memory: a limit of the process or the driver prevented it
    OtherStream, ///< a hole was large enough, but it was on another stream
    Unexplained, ///< a hole that could serve the request (see largestFitting) was large enough, so by the figures the
                 ///< request should have succeeded
    OtherPool,   ///< a hole of its stream was large enough, but it was in another pool or not for requests of its size
    Fragmentation, ///< the holes together were large enough, but no single one was
    Divided,       ///< only the holes and the free memory of the device together were large enough
    Demand,        ///< even the holes and the free memory of the device together were too small
};

/// A failed allocation, and the state of the memory at that moment.
struct OutOfMemory {
    uint32_t device = 0; ///< row of MemoryReplay::devices
    uint32_t event = 0;
    int64_t stream = 0; ///< raw pointer, as in MemorySnapshot::streams
    uint32_t stack = 0;
    uint64_t asked = 0;                 ///< requested bytes
    std::optional<uint64_t> deviceFree; ///< free memory of the device, if it was recorded
    AllocatorFigures figures;
    uint64_t largestOfStream = 0; ///< largest hole in segments of its stream
    uint64_t largestFitting = 0;  ///< the same, but only in segments that are outside private pools and serve requests
                                  ///< of its size
    OomVerdict verdict = OomVerdict::Demand;

    /// The bytes that would still be missing if all holes were returned to the device; 0 if none. If the free
    /// memory of the device was not recorded, it counts as 0.
    uint64_t lacking() const;
};

/// The devices and events of all failed allocations, in order of device and event.
std::vector<std::pair<uint32_t, uint32_t>> outOfMemoryEvents(const SnapshotFacts &facts);
/// Explains the failed allocation of an `oom` event. `device` is the map's device, a row of MemoryReplay::devices.
OutOfMemory explainOutOfMemory(const AllocatorMap &map, uint32_t device, uint32_t event);
/// Explains all failed allocations, or only the first 1,000 if there are more.
std::vector<OutOfMemory> explainOutOfMemory(const SnapshotFacts &facts, const Task &task);

std::string_view oomVerdictWord(OomVerdict verdict);
/// The verdict in full, with its figures.
std::string oomVerdictText(const OutOfMemory &oom);
/// One row per failed allocation.
ResultTable outOfMemoryTable(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all);

} // namespace riffle
