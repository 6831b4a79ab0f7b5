// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/block_rounding.h"
#include "model/analysis/memory/allocator/segment_history.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace riffle {

/// The sizes of blocks that the final state does not record, by the rules of PyTorch's caching allocator.
///
/// A block has the requested size, rounded up (BlockRounding). The allocator cuts it from a hole and leaves the
/// remainder as a hole, except in a large segment: there a remainder of up to 1 MiB stays in the block, and so does any
/// remainder of a request that may not split (max_split_size). In expandable segments, or while they are turned on, it
/// cuts at 512 bytes everywhere. So the hole in which a block was allocated decides its size, and the holes are found
/// by following the large blocks forward. The hole of a block from before the history is not known. Its size follows
/// from the first block that is allocated behind it, because a new block takes the start of a hole, or from a gap of up
/// to 1 MiB, because large segments have no such holes; otherwise it is the rounded size.
class BlockSizes {
public:
    BlockSizes(const MemorySnapshot &snapshot, const DeviceReplay &device, const SegmentHistory &history,
               const Task &task);

    uint64_t of(uint32_t allocation, uint64_t requested) const;
    const BlockRounding &rounding() const { return m_rounding; }
    /// The number of blocks that began in the history and whose size the final state records, and how many of these
    /// sizes the rules do not give.
    uint64_t recorded() const { return m_recorded; }
    uint64_t different() const { return m_different; }

private:
    void follow(const DeviceReplay &device, const SegmentHistory &history, const Task &task);
    void compareWithFinalState(const DeviceReplay &device);

    const MemorySnapshot &m_snapshot;
    BlockRounding m_rounding;
    bool m_host;
    std::vector<std::pair<uint32_t, uint64_t>> m_larger; ///< allocations with blocks above the rounded size, by row
    uint64_t m_recorded = 0, m_different = 0;
};

} // namespace riffle
