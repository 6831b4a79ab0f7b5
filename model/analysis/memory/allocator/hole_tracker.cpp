// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/hole_tracker.h"

#include "model/base/ids.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace riffle {

namespace {

void change(uint64_t &sum, uint64_t by, bool in) { sum += in ? by : 0 - by; }
void change(uint32_t &sum, bool in) { sum += in ? 1u : ~0u; }

} // namespace

HoleTracker::HoleTracker(const AllocatorMap &map)
    : m_map(map)
    , m_snapshot(map.snapshot())
    , m_device(map.device())
    , m_rowOf(m_device.events, kNoRow)
{
    const MemoryAllocations &all = m_device.allocations;
    for (uint32_t row = 0; row < all.count(); ++row) {
        if (all.freed[row] != kNoRow)
            m_rowOf[all.freed[row] - m_device.firstEvent] = row;
        if (all.end[row] != kNoRow && all.end[row] != all.begin[row])
            m_rowOf[all.end[row] - m_device.firstEvent] = row;
    }
    for (; m_nextRow < all.count() && all.begin[m_nextRow] == kNoRow; ++m_nextRow)
        m_items.emplace(Key(all.address(m_snapshot, m_nextRow), true), map.block(m_nextRow, kNoRow));
    begin(map.history().after(kNoRow));
}

/// Replaces the ranges and recounts all items.
void HoleTracker::begin(const std::vector<MappedRange> &ranges)
{
    std::erase_if(m_items, [](const auto &item) { return !item.first.second; });
    m_ranges = {};
    m_holes.clear();
    m_figures = {};
    for (auto &[stream, level] : m_streams)
        level = {};
    for (auto &[pool, level] : m_pools)
        level = {};
    for (const MappedRange &range : ranges) {
        m_ranges.append(range);
        m_items.emplace(Key(range.address, false), AllocatorPiece());
        reserve(range, range.size, true);
    }
    for (auto item = m_items.cbegin(); item != m_items.cend(); ++item)
        count(item, true);
}

void HoleTracker::reserve(const MappedRange &range, uint64_t size, bool in)
{
    change(m_figures.reserved, size, in);
    change(m_streams[range.stream].reserved, size, in);
    change(m_pools[range.pool].reserved, size, in);
}

/// Adds an item to the figures, or removes it from them if not `in`: its block, if it is one, and the hole from there
/// to the next item or the end of its range.
void HoleTracker::count(Items::const_iterator item, bool in)
{
    const auto [address, isBlock] = item->first;
    const MappedRange *range = m_ranges.at(address);
    if (!range)
        return;
    const auto next = std::next(item);
    const uint64_t limit = next != m_items.cend() ? std::min(next->first.first, range->end()) : range->end();
    uint64_t end = address;
    if (isBlock) {
        AllocatorPiece block = item->second;
        AllocatorMap::fit(block, limit, range->end());
        end += block.size;
        const bool pending = block.state == AllocatorPiece::State::Pending;
        change(m_figures.inBlocks, std::min(block.size, limit - address), in);
        change(pending ? m_figures.pending : m_figures.allocated, block.requested, in);
        change(m_figures.blocks, in);
        if (block.guessed)
            change(m_figures.guessedBlocks, in);
        if (pending)
            change(m_figures.pendingBlocks, in);
        for (Level *level : {&m_streams[range->stream], &m_pools[range->pool]}) {
            change(level->active, block.requested, in);
            change(level->allocated, pending ? 0 : block.requested, in);
        }
    }
    if (limit > end)
        countHole(limit - end, in);
}

void HoleTracker::countHole(uint64_t size, bool in)
{
    change(m_figures.free, size, in);
    change(m_figures.holes, in);
    const auto square = static_cast<AllocatorFigures::Square>(size) * size;
    m_figures.freeSquares += in ? square : -square;
    if (in) {
        ++m_holes[size];
    } else if (const auto known = m_holes.find(size); known != m_holes.end() && --known->second == 0) {
        m_holes.erase(known);
    }
}

void HoleTracker::insert(uint32_t allocation, uint32_t event)
{
    const AllocatorPiece block = m_map.block(allocation, event);
    const Key key(block.address, true);
    const auto next = m_items.lower_bound(key);
    if (next != m_items.end() && next->first == key)
        return;
    const bool first = next == m_items.begin();
    if (!first)
        count(std::prev(next), false);
    const auto item = m_items.emplace_hint(next, key, block);
    if (!first)
        count(std::prev(item), true);
    count(item, true);
}

/// Handles an event that frees an allocation: either its block becomes pending, or it goes back to the pool.
void HoleTracker::free(uint32_t allocation, uint32_t event)
{
    const auto item = m_items.find(Key(m_device.allocations.address(m_snapshot, allocation), true));
    if (item == m_items.end() || item->second.allocation != allocation)
        return;
    count(item, false);
    if (m_device.allocations.end[allocation] != event) {
        item->second.state = AllocatorPiece::State::Pending;
        count(item, true);
        return;
    }
    const bool first = item == m_items.begin();
    if (!first)
        count(std::prev(item), false);
    const auto next = m_items.erase(item);
    if (!first)
        count(std::prev(next), true);
}

bool HoleTracker::mayWalk(uint64_t items)
{
    m_walked += items;
    return m_walked <= 64ull * m_device.events + (1 << 20);
}

bool HoleTracker::changeRanges(uint32_t event)
{
    MappedRange range;
    if (!m_map.history().rangeOf(event, range) || range.size == 0)
        return true;
    const auto affected = [&] {
        auto first = m_items.lower_bound(Key(range.address, false));
        if (first != m_items.begin())
            --first;
        return std::pair(first, m_items.upper_bound(Key(range.end(), false)));
    };
    const auto [first, last] = affected();
    for (auto item = first; item != last; ++item) {
        count(item, false);
        if (!mayWalk(1))
            return false;
    }
    const MemoryAction action = m_snapshot.events.action[event];
    if (action == MemoryAction::SegmentAlloc || action == MemoryAction::SegmentMap) {
        const std::vector<MappedRange> wholes = m_map.history().wholes(event);
        for (const MappedRange &whole : wholes)
            m_ranges.replace(whole);
        if (wholes.empty())
            m_ranges.insert(range);
        for (const MappedRange &part : m_ranges.within(range))
            reserve(part, part.size, true);
    } else {
        for (const MappedRange &part : m_ranges.within(range))
            reserve(part, part.size, false);
        m_ranges.remove(range);
    }
    for (auto item = m_items.lower_bound(Key(range.address, false));
         item != m_items.end() && item->first <= Key(range.end(), false);)
        item = item->first.second ? std::next(item) : m_items.erase(item);
    for (auto begun = m_ranges.map().lower_bound(range.address);
         begun != m_ranges.map().end() && begun->first <= range.end(); ++begun)
        m_items.emplace(Key(begun->first, false), AllocatorPiece());
    const auto [again, end] = affected();
    for (auto item = again; item != end; ++item)
        count(item, true);
    return true;
}

bool HoleTracker::beginAgain(uint32_t event)
{
    const std::vector<MappedRange> ranges = m_map.history().after(event);
    begin(ranges);
    return mayWalk(4096 + ranges.size() + m_items.size());
}

bool HoleTracker::take(uint32_t event)
{
    const MemoryAllocations &all = m_device.allocations;
    assert(event >= m_device.firstEvent && event - m_device.firstEvent < m_rowOf.size());
    if (const uint32_t row = m_rowOf[event - m_device.firstEvent]; row != kNoRow)
        free(row, event);
    if (m_nextRow < all.count() && all.begin[m_nextRow] == event) {
        if (all.end[m_nextRow] != event)
            insert(m_nextRow, event);
        ++m_nextRow;
    }
    const MemoryAction action = m_snapshot.events.action[event];
    if (action < MemoryAction::SegmentAlloc || action > MemoryAction::SegmentUnmap)
        return true;
    return m_map.history().isOdd(event) ? beginAgain(event) : changeRanges(event);
}

AllocatorFigures HoleTracker::figures() const
{
    AllocatorFigures figures = m_figures;
    figures.segments = static_cast<uint32_t>(m_ranges.size());
    figures.largestFree = m_holes.empty() ? 0 : m_holes.rbegin()->first;
    return figures;
}

} // namespace riffle
