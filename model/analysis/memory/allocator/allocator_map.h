// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/allocator/block_sizes.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <mutex>

namespace riffle {

/// The bytes in blocks that `snapshot` entries record, compared with the state at these entries.
struct RecordedSums {
    uint32_t compared = 0;                     ///< entries; a few of them stand for all
    uint32_t different = 0;                    ///< entries with another sum
    uint32_t event = MemoryAllocations::kNone; ///< the entry with the largest difference
    uint64_t recorded = 0, found = 0;          ///< the bytes in blocks at this entry
};

/// The state of a device's allocator after any event: its segments (SegmentHistory) with the blocks that are alive
/// (AliveIndex).
///
/// The block size is recorded only for blocks that are there at the end. The size of other blocks follows from the
/// allocator's rules (BlockSizes; not rounded on the host), but does not extend a block beyond the start of the next
/// one or the segment's end.
class AllocatorMap {
public:
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
    const BlockSizes &sizes() const { return m_sizes; }
    /// The comparison with the sizes of all blocks that `snapshot` entries of the history record; made at the first
    /// call.
    const RecordedSums &recordedSums() const;
    const DeviceReplay &device() const { return m_alive.device(); }
    const MemorySnapshot &snapshot() const { return m_snapshot; }

private:
    const MemorySnapshot &m_snapshot;
    const AliveIndex &m_alive;
    SegmentHistory m_history;
    BlockSizes m_sizes;
    mutable std::once_flag m_summed;
    mutable RecordedSums m_sums;
};

} // namespace riffle
