// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/snapshot_facts.h"

namespace riffle {

/// The state of a device's allocator after any event: its segments (SegmentHistory) with the blocks that are alive
/// (AliveIndex).
///
/// The block size is recorded only for blocks that are there at the end. For other blocks it is the requested size,
/// rounded up to the next 512 bytes (not rounded on the host), but not beyond the next block or the segment's end: the
/// allocator never hands out less, and a smaller hole cannot exist.
class AllocatorMap {
public:
    static constexpr uint64_t kRounding = 512;

    /// `facts` must outlive the map. `device` is a row of MemoryReplay::devices.
    AllocatorMap(const SnapshotFacts &facts, uint32_t device, const Task &task);

    /// The state after an event, which has the same meaning as in AliveIndex.
    AllocatorState after(uint32_t event) const;
    /// The block of an allocation that is alive after the event, as large as it would be with unlimited room.
    AllocatorPiece block(uint32_t allocation, uint32_t event) const;
    /// Shortens the block to the room up to the next block and up to the segment's end. Returns true if the recorded
    /// size is too large for the segment.
    static bool fit(AllocatorPiece &block, uint64_t next, uint64_t segmentEnd);
    const SegmentHistory &history() const { return m_history; }
    const DeviceReplay &device() const { return m_alive.device(); }
    const MemorySnapshot &snapshot() const { return m_snapshot; }

private:
    const MemorySnapshot &m_snapshot;
    const AliveIndex &m_alive;
    SegmentHistory m_history;
};

} // namespace riffle
