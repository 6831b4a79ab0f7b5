// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/snapshot_facts.h"

namespace riffle {

/// The state of a device's allocator after any event: its segments (SegmentHistory) with the blocks that are alive
/// (AliveIndex).
///
/// The block size is recorded only for blocks that are there at the end. The size of other blocks is guessed: the
/// requested size, rounded up to a multiple of 512 bytes (not rounded on the host), because the allocator never hands
/// out less and leaves no smaller hole. Rounding does not extend a block beyond the start of the next
/// one or the segment's end.
class AllocatorMap {
public:
    static constexpr uint64_t kRounding = 512;

    /// `facts` must outlive the map. `device` is a row of MemoryReplay::devices.
    AllocatorMap(const SnapshotFacts &facts, uint32_t device, const Task &task);

    /// The state after an event, which has the same meaning as in AliveIndex.
    AllocatorState after(uint32_t event) const;
    /// The block of an allocation that is alive after the event, before fit() limits its size.
    AllocatorPiece block(uint32_t allocation, uint32_t event) const;
    /// Shortens the block: a guessed size to end at `next`, the start of the next block, but to no less than the
    /// requested bytes; any size to end at the segment's end. Returns true if the segment's end cut it off.
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
