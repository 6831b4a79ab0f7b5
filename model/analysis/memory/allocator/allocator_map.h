// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/snapshot_facts.h"

namespace riffle {

/// The state of a device's allocator after any event: its segments (SegmentHistory) with the blocks that are alive
/// (AliveIndex).
///
/// A block's size is known of those that are there at the end. Of others it is what was requested, rounded up to the
/// next 512 bytes (on the host: not rounded), but not beyond the next block or the segment's end: the allocator never
/// hands out less, and a hole of fewer bytes cannot be.
class AllocatorMap {
public:
    static constexpr uint64_t kRounding = 512;

    /// `facts` must live as long as this does. `device`: row of MemoryReplay::devices.
    AllocatorMap(const SnapshotFacts &facts, uint32_t device, const Task &task);

    /// `event` as in AliveIndex.
    AllocatorState after(uint32_t event) const;
    /// An allocation that is alive after the event, as large as it would be with all the room in the world.
    AllocatorPiece block(uint32_t allocation, uint32_t event) const;
    /// Cuts it to the room that there is up to the next block and to the segment's end. Whether it was recorded to be
    /// larger than its segment has room for.
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
