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
/// Unexplained, SegmentSize, Pending, OtherPool, OtherStream, Fragmentation, Divided, Demand; the first that applies
/// counts. A hole suits a request if it is in a segment of the same stream, pool and kind (for small or large
/// requests).
enum class OomVerdict : uint8_t {
    Refused,     ///< the device had enough free memory: a limit of the process or the driver prevented it
    OtherStream, ///< a hole was large enough, but it was on another stream
    Unexplained, ///< a suitable hole was large enough, so by the figures the request should have succeeded
    OtherPool,   ///< a hole of its stream was large enough, but it was in another pool or not for requests of its size
    Fragmentation, ///< the holes together were large enough, but no single one was
    Divided,       ///< only the holes, pending blocks and the free memory of the device together were large enough
    Demand,        ///< even these together were too small
    SegmentSize,   ///< the device had enough for the request, but not for the segment that the allocator takes for it
    Pending, ///< freed memory that waited for other streams would have been enough, together with suitable holes or
             ///< as whole segments together with the free memory of the device
};

/// The memory that there would be if every pending block were free.
struct PendingRelief {
    uint64_t bytes = 0;          ///< the sizes of all pending blocks
    uint64_t suitable = 0;       ///< the part of it in segments that suit the request
    uint64_t largestFitting = 0; ///< the largest suitable hole
    uint64_t segments = 0;       ///< segments of the default pool that would become free as a whole
};

/// A failed allocation, and the state of the memory at that moment.
struct OutOfMemory {
    uint32_t device = 0; ///< row of MemoryReplay::devices
    uint32_t event = 0;
    int64_t stream = 0; ///< raw pointer, as in MemorySnapshot::streams
    uint32_t pool = 0;  ///< row of MemorySnapshot::pools; the default pool if it is not recorded
    uint32_t stack = 0;
    uint64_t asked = 0;                 ///< requested bytes
    std::optional<uint64_t> deviceFree; ///< free memory of the device, if it was recorded
    uint64_t segment = 0;               ///< the least size of a segment that the allocator would have taken
    AllocatorFigures figures;
    PendingRelief pending;
    uint64_t largestOfStream = 0; ///< largest hole in segments of its stream
    uint64_t largestFitting = 0;  ///< largest suitable hole
    OomVerdict verdict = OomVerdict::Demand;

    /// True if the range serves requests of this size; the snapshot is that of the event.
    bool isOfKind(const MemorySnapshot &snapshot, const MappedRange &range) const;
    /// True if it also is of the stream and the pool that were asked.
    bool suits(const MemorySnapshot &snapshot, const MappedRange &range) const;
    /// The bytes that would still be missing if all holes and pending blocks were returned to the device; 0 if none. If
    /// the free memory of the device was not recorded, it counts as 0.
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
/// "update models.py:61 < forward models.py:80": the place of a stack (eventPlace) and what called it, Python frames
/// only if there are any; "no stack recorded" without frames.
std::string failedLine(const SnapshotFacts &facts, uint32_t stack);
/// One row per failed allocation.
ResultTable outOfMemoryTable(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all);

} // namespace riffle
