// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/final_state_check.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace riffle {

namespace {

/// Addresses [begin, end).
struct Range {
    uint64_t begin, end;
    static Range of(uint64_t address, int64_t size)
    {
        const uint64_t room = std::numeric_limits<uint64_t>::max() - address;
        return {address, address + std::min(static_cast<uint64_t>(std::max<int64_t>(size, 0)), room)};
    }
};

uint64_t overlapping(std::vector<Range> &ranges)
{
    std::ranges::sort(ranges, {}, &Range::begin);
    uint64_t count = 0, end = 0;
    for (const Range &range : ranges) {
        count += range.begin < end;
        end = std::max(end, range.end);
    }
    return count;
}

} // namespace

FinalStateTroubles checkFinalState(const MemorySnapshot &snapshot, const DeviceReplay &device)
{
    FinalStateTroubles troubles;
    std::vector<Range> segments, blocks;
    for (const MemorySegment &segment : snapshot.segments) {
        if (segment.device != device.device || segment.host != device.host)
            continue;
        segments.push_back(Range::of(segment.address, segment.total));
        for (const MemoryBlock &block : snapshot.blocksOf(segment)) {
            if (block.state == BlockState::Inactive || block.size <= 0)
                continue;
            blocks.push_back(Range::of(block.address, block.size));
            troubles.outsideBlocks +=
                blocks.back().begin < segments.back().begin || blocks.back().end > segments.back().end;
        }
    }
    troubles.overlappingSegments = overlapping(segments);
    troubles.overlappingBlocks = overlapping(blocks);
    return troubles;
}

} // namespace riffle
