// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/allocator_map.h"

#include "model/base/ids.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

using State = AllocatorPiece::State;

/// Fills segments with blocks and the holes between them. Both must be in order of address.
class Layer {
public:
    explicit Layer(AllocatorState &state) : m_state(state) {}

    void lay(const std::vector<MappedRange> &ranges, std::vector<AllocatorPiece> &blocks)
    {
        size_t at = 0;
        std::vector<AllocatorPiece> outside;
        const auto takeOutside = [&] {
            ++m_state.outsideBlocks;
            m_state.outsideBytes += blocks[at].requested;
            outside.push_back(blocks[at++]);
        };
        for (const MappedRange &range : ranges) {
            while (at < blocks.size() && blocks[at].address < range.address)
                takeOutside();
            AllocatorSegment segment{range, static_cast<uint32_t>(m_state.pieces.size()), 0, {}};
            segment.figures.reserved = range.size;
            segment.figures.segments = 1;
            uint64_t cursor = range.address;
            for (; at < blocks.size() && blocks[at].address < range.end(); ++at) {
                const uint64_t next =
                    at + 1 < blocks.size() ? std::min(blocks[at + 1].address, range.end()) : range.end();
                cursor = put(segment, blocks[at], cursor, next);
            }
            if (cursor < range.end())
                hole(segment, cursor, range.end());
            segment.pieces = static_cast<uint32_t>(m_state.pieces.size()) - segment.firstPiece;
            m_state.figures.add(segment.figures);
            m_state.segments.push_back(segment);
        }
        while (at < blocks.size())
            takeOutside();
        m_state.pieces.insert(m_state.pieces.end(), outside.begin(), outside.end());
    }

private:
    /// Adds a block to the segment, and the hole before it, if any. `cursor` is the end of the covered addresses;
    /// returns the new one.
    uint64_t put(AllocatorSegment &segment, AllocatorPiece block, uint64_t cursor, uint64_t next)
    {
        m_state.crossingBlocks += AllocatorMap::fit(block, next, segment.range.end());
        if (block.address < cursor)
            ++m_state.overlappingBlocks;
        else if (block.address > cursor)
            hole(segment, cursor, block.address);
        block.segment = static_cast<uint32_t>(m_state.segments.size());
        m_state.pieces.push_back(block);
        AllocatorFigures &figures = segment.figures;
        const uint64_t end = std::max(cursor, block.address + block.size);
        figures.inBlocks += end - std::max(cursor, block.address);
        ++figures.blocks;
        figures.guessedBlocks += block.guessed;
        figures.pendingBlocks += block.state == State::Pending;
        (block.state == State::Pending ? figures.pending : figures.allocated) += block.requested;
        return end;
    }

    void hole(AllocatorSegment &segment, uint64_t from, uint64_t to)
    {
        assert(from < to);
        const uint64_t size = to - from;
        m_state.pieces.push_back(
            {from, size, 0, kNoRow, static_cast<uint32_t>(m_state.segments.size()), State::Free, false});
        AllocatorFigures &figures = segment.figures;
        ++figures.holes;
        figures.free += size;
        figures.largestFree = std::max(figures.largestFree, size);
        figures.freeSquares += static_cast<AllocatorFigures::Square>(size) * size;
    }

    AllocatorState &m_state;
};

} // namespace

AllocatorMap::AllocatorMap(const SnapshotFacts &facts, uint32_t device, const Task &task)
    : m_snapshot(facts.snapshot())
    , m_alive(facts.alive(device))
    , m_history(m_snapshot, m_alive.device(), task)
    , m_sizes(m_snapshot, m_alive.device(), m_history, task)
{
}

AllocatorPiece AllocatorMap::block(uint32_t allocation, uint32_t event) const
{
    const MemoryAllocations &all = device().allocations;
    assert(allocation < all.count());
    const uint32_t final = all.block[allocation];
    const int64_t requested = all.size(m_snapshot, allocation);
    AllocatorPiece block;
    block.address = all.address(m_snapshot, allocation);
    block.requested = requested > 0 ? static_cast<uint64_t>(requested) : 0;
    block.allocation = allocation;
    block.state = m_alive.isPending(allocation, event) ? State::Pending : State::Active;
    block.guessed = final == kNoRow || m_snapshot.blocks[final].size < requested;
    block.size =
        block.guessed ? m_sizes.of(allocation, block.requested) : static_cast<uint64_t>(m_snapshot.blocks[final].size);
    return block;
}

bool AllocatorMap::fit(AllocatorPiece &block, uint64_t next, uint64_t segmentEnd)
{
    assert(block.address <= segmentEnd && block.address <= next);
    const uint64_t most = segmentEnd - block.address;
    if (block.guessed && block.size > block.requested)
        block.size = std::max(block.requested, std::min(block.size, next - block.address));
    if (block.size <= most)
        return false;
    block.size = most;
    block.requested = std::min(block.requested, most);
    return true;
}

AllocatorState AllocatorMap::after(uint32_t event) const
{
    AllocatorState state;
    state.event = event;
    std::vector<AllocatorPiece> blocks;
    for (const uint32_t row : m_alive.at(event))
        blocks.push_back(block(row, event));
    std::sort(blocks.begin(), blocks.end(), [](const AllocatorPiece &a, const AllocatorPiece &b) {
        return a.address != b.address ? a.address < b.address : a.allocation < b.allocation;
    });
    Layer(state).lay(m_history.after(event), blocks);
    return state;
}

const RecordedSums &AllocatorMap::recordedSums() const
{
    std::call_once(m_summed, [this] {
        constexpr size_t kMost = 8;
        const MemoryEventTable &events = m_snapshot.events;
        std::vector<uint32_t> entries;
        for (uint32_t event = device().firstEvent; event < device().firstEvent + device().events; ++event)
            if (events.action[event] == MemoryAction::Snapshot && events.size[event] > 0)
                entries.push_back(event);
        uint64_t worst = 0;
        for (size_t at = 0; at < std::min(entries.size(), kMost); ++at) {
            const uint32_t event = entries[at * entries.size() / std::min(entries.size(), kMost)];
            const auto recorded = static_cast<uint64_t>(events.size[event]);
            const uint64_t found = after(event).figures.inBlocks;
            const uint64_t difference = std::max(recorded, found) - std::min(recorded, found);
            ++m_sums.compared;
            m_sums.different += difference != 0;
            if (difference > worst) {
                worst = difference;
                m_sums.event = event;
                m_sums.recorded = recorded;
                m_sums.found = found;
            }
        }
    });
    return m_sums;
}

} // namespace riffle
