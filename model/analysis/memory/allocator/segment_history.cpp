// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/segment_history.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>

namespace riffle {

namespace {

bool adds(MemoryAction action) { return action == MemoryAction::SegmentAlloc || action == MemoryAction::SegmentMap; }
bool isOfSegments(MemoryAction action)
{
    return action >= MemoryAction::SegmentAlloc && action <= MemoryAction::SegmentUnmap;
}

void note(MemoryTrouble &trouble, uint32_t event)
{
    ++trouble.count;
    trouble.firstEvent = event; // events are visited backwards, so the last one noted is the first
}

} // namespace

SegmentHistory::SegmentHistory(const MemorySnapshot &snapshot, const DeviceReplay &device, const Task &task)
    : m_snapshot(snapshot)
{
    for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event)
        if (isOfSegments(snapshot.events.action[event]))
            m_events.push_back(event);
    MappedRanges ranges;
    if (device.endIsKnown(snapshot))
        takeFinalState(ranges, device);
    else
        takeHistory(ranges);
    size_t kept = m_events.size();
    m_kept.push_back({kept, ranges.listed()});
    for (size_t at = m_events.size(); at > 0; --at) {
        undoFirstTime(ranges, m_events[at - 1]);
        if (kept - (at - 1) >= std::max(kStride, ranges.size())) {
            kept = at - 1;
            m_kept.push_back({kept, ranges.listed()});
            if (task.stopped())
                return;
        }
    }
}

void SegmentHistory::takeFinalState(MappedRanges &ranges, const DeviceReplay &device)
{
    for (uint32_t row = 0; row < m_snapshot.segments.size(); ++row) {
        const MemorySegment &segment = m_snapshot.segments[row];
        if (segment.device != device.device || segment.host != device.host)
            continue;
        const MappedRange range{
            segment.address,   static_cast<uint64_t>(segment.total), segment.stream, segment.pool, row,
            segment.expandable};
        if (segment.total <= 0 || range.end() < range.address)
            ++m_troubles.emptySegments;
        else if (ranges.overlaps(range))
            ++m_troubles.overlappingSegments;
        else
            ranges.append(range);
    }
}

/// Fills the ranges from the events, for a file without a final state.
void SegmentHistory::takeHistory(MappedRanges &ranges) const
{
    for (const uint32_t event : m_events) {
        MappedRange range;
        if (!rangeOf(event, range) || range.size == 0)
            continue;
        if (adds(m_snapshot.events.action[event]))
            ranges.insert(range);
        else
            ranges.remove(range);
    }
}

bool SegmentHistory::rangeOf(uint32_t event, MappedRange &range) const
{
    const MemoryEventTable &events = m_snapshot.events;
    assert(event < events.count());
    if (events.size[event] < 0)
        return false;
    const MemoryAction action = events.action[event];
    range.address = events.address[event];
    range.size = static_cast<uint64_t>(events.size[event]);
    const uint16_t stream = events.stream.at(event, 0);
    range.stream = stream < m_snapshot.streams.size() ? m_snapshot.streams[stream] : 0;
    range.pool = events.pool.at(event, 0);
    range.expandable = action == MemoryAction::SegmentMap || action == MemoryAction::SegmentUnmap;
    return range.end() >= range.address;
}

/// Undoes an event and notes what is needed to follow it forward.
void SegmentHistory::undoFirstTime(MappedRanges &ranges, uint32_t event)
{
    MappedRange range;
    const bool added = adds(m_snapshot.events.action[event]) && rangeOf(event, range) && range.size > 0;
    const std::vector<MappedRange> before = added ? ranges.sharing(range) : std::vector<MappedRange>();
    if (!undo(ranges, event, m_troubles)) {
        m_odd.push_back(event);
        return;
    }
    if (before.size() == 1) {
        MappedRange again = ranges.merged(range);
        again.segment = before.front().segment;
        if (again == before.front())
            return;
    }
    for (const MappedRange &whole : before)
        m_wholes.emplace_back(event, whole);
}

/// Undoes an event. Returns false if the event contradicts the ranges.
bool SegmentHistory::undo(MappedRanges &ranges, uint32_t event, SegmentTroubles &troubles) const
{
    MappedRange range;
    if (!rangeOf(event, range)) {
        note(troubles.impossibleSizes, event);
        return false;
    }
    const bool added = adds(m_snapshot.events.action[event]);
    if (range.size == 0 || (added ? ranges.remove(range) : ranges.insert(range)))
        return true;
    note(added ? troubles.unknownAllocs : troubles.overlappingFrees, event);
    return false;
}

bool SegmentHistory::isOdd(uint32_t event) const
{
    return std::binary_search(m_odd.begin(), m_odd.end(), event, std::greater<>());
}

std::vector<MappedRange> SegmentHistory::wholes(uint32_t event) const
{
    std::vector<MappedRange> all;
    for (auto at =
             std::partition_point(m_wholes.begin(), m_wholes.end(), [&](const auto &one) { return one.first > event; });
         at != m_wholes.end() && at->first == event; ++at)
        all.push_back(at->second);
    return all;
}

std::vector<MappedRange> SegmentHistory::after(uint32_t event) const
{
    const size_t come =
        event == MemoryAllocations::kNone
            ? 0
            : static_cast<size_t>(std::upper_bound(m_events.begin(), m_events.end(), event) - m_events.begin());
    // The earliest kept state that is not before the instant.
    const auto beyond =
        std::partition_point(m_kept.begin(), m_kept.end(), [&](const Kept &one) { return one.undone >= come; });
    assert(beyond != m_kept.begin());
    const Kept &kept = *std::prev(beyond);
    assert(kept.undone >= come && kept.undone <= m_events.size());
    if (kept.undone == come)
        return kept.ranges;
    MappedRanges ranges;
    for (const MappedRange &range : kept.ranges)
        ranges.append(range);
    SegmentTroubles counted;
    for (size_t at = kept.undone; at > come; --at)
        undo(ranges, m_events[at - 1], counted);
    return ranges.listed();
}

} // namespace riffle
