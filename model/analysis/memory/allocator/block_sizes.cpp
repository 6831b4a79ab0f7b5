// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/block_sizes.h"

#include "model/base/ids.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>

namespace riffle {

namespace {

bool mapsSegments(const MemorySnapshot &snapshot, const DeviceReplay &device, const SegmentHistory &history)
{
    return std::any_of(snapshot.segments.begin(), snapshot.segments.end(),
                       [&](const MemorySegment &one) {
                           return one.device == device.device && one.host == device.host && one.expandable;
                       }) ||
           std::any_of(history.events().begin(), history.events().end(), [&](uint32_t event) {
               const MemoryAction action = snapshot.events.action[event];
               return action == MemoryAction::SegmentMap || action == MemoryAction::SegmentUnmap;
           });
}

/// True if the allocator cuts blocks at 512 bytes everywhere. The setting at the end counts for the whole history; in a
/// file without settings, an expandable segment shows it.
bool cutsEverywhere(const MemorySnapshot &snapshot, const DeviceReplay &device, const SegmentHistory &history)
{
    const std::string setting = snapshot.setting("expandable_segments");
    return setting.empty() ? mapsSegments(snapshot, device, history) : setting == "True";
}

/// Follows the large blocks of a device forward.
class LargeBlocks {
public:
    LargeBlocks(const BlockRounding &rounding, std::vector<std::pair<uint32_t, uint64_t>> &larger)
        : m_rounding(rounding)
        , m_larger(larger)
    {
    }

    MappedRanges ranges;

    /// Adds a block from before the history; call finishStart() after the last one.
    void addEarlier(uint32_t row, uint64_t address, uint64_t least, bool recorded)
    {
        m_blocks.insert_or_assign(address, Block{row, least, !recorded});
    }

    void finishStart()
    {
        for (auto at = m_blocks.begin(); at != m_blocks.end(); ++at) {
            const MappedRange *range = ranges.at(at->first);
            if (!at->second.open || !range || range->expandable)
                continue;
            const uint64_t hole = holeAt(at->first, std::next(at), *range);
            if (hole >= at->second.least && hole - at->second.least <= BlockRounding::kLargestSmall)
                settle(at->second, hole);
        }
    }

    void begin(uint32_t row, uint64_t address, uint64_t least)
    {
        const auto next = m_blocks.upper_bound(address);
        if (const MappedRange *range = ranges.at(address); range && !range->expandable) {
            if (next != m_blocks.begin())
                settleBefore(*std::prev(next), address, *range);
            const uint64_t hole = holeAt(address, next, *range);
            const uint64_t kept =
                least >= m_rounding.maxSplit ? BlockRounding::kLargeSegment - 1 : BlockRounding::kLargestSmall;
            if (hole > least && hole - least <= kept)
                m_larger.emplace_back(row, hole);
        }
        m_blocks.insert_or_assign(address, Block{row, least, false});
    }

    void end(uint32_t row, uint64_t address)
    {
        const auto at = m_blocks.find(address);
        if (at != m_blocks.end() && at->second.row == row)
            m_blocks.erase(at);
    }

private:
    struct Block {
        uint32_t row;
        uint64_t least; ///< the rounded size
        bool open;      ///< true while its size is not known
    };
    using Blocks = std::map<uint64_t, Block>;

    /// The bytes from an address to the next block or the end of the segment.
    uint64_t holeAt(uint64_t address, Blocks::const_iterator next, const MappedRange &range) const
    {
        return (next == m_blocks.end() ? range.end() : std::min(next->first, range.end())) - address;
    }

    void settle(Block &block, uint64_t size)
    {
        block.open = false;
        if (size > block.least)
            m_larger.emplace_back(block.row, size);
    }

    /// A new block starts where the one before it ends, because it takes the start of a hole.
    void settleBefore(Blocks::value_type &before, uint64_t address, const MappedRange &range)
    {
        Block &block = before.second;
        const uint64_t size = address - before.first;
        if (block.open && before.first >= range.address && size >= block.least &&
            size - block.least <= BlockRounding::kLargestSmall)
            settle(block, size);
    }

    const BlockRounding &m_rounding;
    std::vector<std::pair<uint32_t, uint64_t>> &m_larger;
    Blocks m_blocks;
};

} // namespace

BlockSizes::BlockSizes(const MemorySnapshot &snapshot, const DeviceReplay &device, const SegmentHistory &history,
                       const Task &task)
    : m_snapshot(snapshot)
    , m_rounding(BlockRounding::of(snapshot))
    , m_host(device.host)
{
    if (m_host)
        return;
    if (!cutsEverywhere(snapshot, device, history))
        follow(device, history, task);
    std::sort(m_larger.begin(), m_larger.end());
    compareWithFinalState(device);
}

void BlockSizes::follow(const DeviceReplay &device, const SegmentHistory &history, const Task &task)
{
    const MemoryAllocations &all = device.allocations;
    std::vector<std::pair<uint32_t, uint32_t>> ends; // event, row
    LargeBlocks blocks(m_rounding, m_larger);
    for (const MappedRange &range : history.after(kNoRow))
        blocks.ranges.append(range);
    const auto leastOf = [&](uint32_t row) {
        return m_rounding.rounded(static_cast<uint64_t>(std::max<int64_t>(all.size(m_snapshot, row), 0)));
    };
    std::vector<std::pair<uint32_t, uint64_t>> large; // row and rounded size of those that begin in the history
    for (uint32_t row = 0; row < all.count(); ++row) {
        const uint64_t least = leastOf(row);
        if (least <= BlockRounding::kLargestSmall || (all.begin[row] != kNoRow && all.end[row] == all.begin[row]))
            continue;
        if (all.end[row] != kNoRow)
            ends.emplace_back(all.end[row], row);
        if (all.begin[row] == kNoRow)
            blocks.addEarlier(row, all.address(m_snapshot, row), least, all.block[row] != kNoRow);
        else
            large.emplace_back(row, least);
    }
    blocks.finishStart();
    std::sort(ends.begin(), ends.end());
    auto end = ends.begin();
    auto segment = history.events().begin();
    for (size_t at = 0; at < large.size(); ++at) {
        const auto [row, least] = large[at];
        const uint32_t event = all.begin[row];
        for (; segment != history.events().end() && *segment < event; ++segment) {
            MappedRange range;
            if (!history.rangeOf(*segment, range))
                continue;
            const MemoryAction action = m_snapshot.events.action[*segment];
            if (action == MemoryAction::SegmentAlloc || action == MemoryAction::SegmentMap)
                blocks.ranges.insert(range);
            else
                blocks.ranges.remove(range);
        }
        for (; end != ends.end() && end->first <= event; ++end) // a free can stand in for a missing alloc
            blocks.end(end->second, all.address(m_snapshot, end->second));
        blocks.begin(row, all.address(m_snapshot, row), least);
        if (at % 4096 == 0 && task.stopped())
            return;
    }
}

void BlockSizes::compareWithFinalState(const DeviceReplay &device)
{
    const MemoryAllocations &all = device.allocations;
    for (uint32_t row = 0; row < all.count(); ++row) {
        if (all.block[row] == kNoRow || all.begin[row] == kNoRow)
            continue;
        const MemoryBlock &block = m_snapshot.blocks[all.block[row]];
        ++m_recorded;
        m_different += block.size < 0 || block.requested < 0 ||
                       of(row, static_cast<uint64_t>(block.requested)) != static_cast<uint64_t>(block.size);
    }
}

uint64_t BlockSizes::of(uint32_t allocation, uint64_t requested) const
{
    if (m_host)
        return requested;
    const auto at = std::lower_bound(m_larger.begin(), m_larger.end(), std::pair(allocation, uint64_t(0)));
    return at != m_larger.end() && at->first == allocation ? at->second : m_rounding.rounded(requested);
}

} // namespace riffle
