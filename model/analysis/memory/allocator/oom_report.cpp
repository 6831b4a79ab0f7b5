// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/oom_report.h"

#include "model/analysis/memory/allocator/allocator_state.h"

#include <algorithm>
#include <optional>

namespace riffle {

namespace {

/// The sum, clamped instead of wrapped, because damaged files can contain any number.
uint64_t sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

bool isDefaultPool(const MemorySnapshot &snapshot, uint32_t pool)
{
    return pool < snapshot.pools.size() && snapshot.pools[pool] == std::pair<int64_t, int64_t>();
}

/// True if the range serves small requests. The allocator serves requests of up to 1 MiB from separate segments of
/// 2 MiB, and other requests from larger segments.
bool isForSmall(const MemorySnapshot &snapshot, const MappedRange &range)
{
    const std::string_view type = range.segment == MemoryAllocations::kNone
                                      ? std::string_view()
                                      : snapshot.string(snapshot.segments[range.segment].type);
    return type.empty() ? range.size <= BlockRounding::kSmallSegment : type == "small";
}

bool isSmall(const OutOfMemory &oom) { return oom.asked <= BlockRounding::kLargestSmall; }

uint64_t largestFitting(const MemorySnapshot &snapshot, const AllocatorState &state, const OutOfMemory &oom)
{
    uint64_t largest = 0;
    for (const AllocatorSegment &segment : state.segments)
        if (oom.suits(snapshot, segment.range))
            largest = std::max(largest, segment.figures.largestFree);
    return largest;
}

/// The least size of a segment, or of the pages of an expandable one, that the allocator takes for the request.
uint64_t segmentFor(const MemorySnapshot &snapshot, const AllocatorState &state, const OutOfMemory &oom)
{
    constexpr uint64_t kPage = 2 << 20, kPacked = 10 << 20;
    if (isSmall(oom))
        return BlockRounding::kSmallSegment;
    const bool expands =
        std::any_of(state.segments.begin(), state.segments.end(), [&](const AllocatorSegment &segment) {
            return segment.range.expandable && oom.suits(snapshot, segment.range);
        });
    if (expands || (oom.pool == 0 && snapshot.setting("expandable_segments") == "True"))
        return std::max(oom.asked, BlockRounding::kLargeSegment);
    return oom.asked < kPacked ? BlockRounding::kLargeSegment : sum(oom.asked, kPage - 1) / kPage * kPage;
}

/// Returns what there would be if every pending block were free; adjacent holes and pending blocks are one hole then.
PendingRelief reliefOf(const MemorySnapshot &snapshot, const AllocatorState &state, const OutOfMemory &oom)
{
    PendingRelief relief;
    relief.largestFitting = oom.largestFitting;
    for (const AllocatorSegment &segment : state.segments) {
        if (segment.figures.pendingBlocks == 0)
            continue;
        uint64_t pending = 0, hole = 0, largest = 0;
        bool whole = true;
        for (const AllocatorPiece &piece : state.piecesOf(segment)) {
            const bool inUse = piece.state == AllocatorPiece::State::Active;
            pending += piece.state == AllocatorPiece::State::Pending ? piece.size : 0;
            hole = inUse ? 0 : sum(hole, piece.size);
            largest = std::max(largest, hole);
            whole = whole && !inUse;
        }
        relief.bytes += pending;
        if (whole && isDefaultPool(snapshot, segment.range.pool))
            relief.segments += segment.range.size;
        if (oom.suits(snapshot, segment.range)) {
            relief.suitable += pending;
            relief.largestFitting = std::max(relief.largestFitting, largest);
        }
    }
    return relief;
}

OomVerdict verdictOn(const OutOfMemory &oom)
{
    const uint64_t left = oom.deviceFree.value_or(0);
    if (oom.deviceFree && left >= oom.segment)
        return OomVerdict::Refused;
    if (oom.largestFitting >= oom.asked)
        return OomVerdict::Unexplained;
    if (oom.deviceFree && left >= oom.asked)
        return OomVerdict::SegmentSize;
    if (oom.pending.largestFitting >= oom.asked ||
        (oom.pending.segments > 0 && sum(oom.pending.segments, left) >= oom.segment))
        return OomVerdict::Pending;
    if (oom.largestOfStream >= oom.asked)
        return OomVerdict::OtherPool;
    if (oom.figures.largestFree >= oom.asked)
        return OomVerdict::OtherStream;
    if (oom.figures.free >= oom.asked)
        return OomVerdict::Fragmentation;
    return oom.lacking() == 0 ? OomVerdict::Divided : OomVerdict::Demand;
}

} // namespace

bool OutOfMemory::isOfKind(const MemorySnapshot &snapshot, const MappedRange &range) const
{
    return isForSmall(snapshot, range) == isSmall(*this);
}

bool OutOfMemory::suits(const MemorySnapshot &snapshot, const MappedRange &range) const
{
    return range.stream == stream && range.pool == pool && isOfKind(snapshot, range);
}

uint64_t OutOfMemory::lacking() const
{
    const uint64_t there = sum(sum(figures.free, pending.bytes), deviceFree.value_or(0));
    return asked > there ? asked - there : 0;
}

std::vector<std::pair<uint32_t, uint32_t>> outOfMemoryEvents(const SnapshotFacts &facts)
{
    std::vector<std::pair<uint32_t, uint32_t>> all;
    const std::vector<DeviceReplay> &devices = facts.replay().devices;
    for (uint32_t row = 0; row < devices.size(); ++row)
        for (uint32_t event = devices[row].firstEvent; event < devices[row].firstEvent + devices[row].events; ++event)
            if (facts.snapshot().events.action[event] == MemoryAction::OutOfMemory)
                all.emplace_back(row, event);
    return all;
}

OutOfMemory explainOutOfMemory(const AllocatorMap &map, uint32_t device, uint32_t event)
{
    const MemoryEventTable &events = map.snapshot().events;
    OutOfMemory oom;
    oom.device = device;
    oom.event = event;
    const uint16_t stream = events.stream.at(event, 0);
    oom.stream = stream < map.snapshot().streams.size() ? map.snapshot().streams[stream] : 0;
    oom.pool = events.pool.at(event, 0);
    oom.stack = events.stack.at(event, 0);
    oom.asked = events.size[event] > 0 ? static_cast<uint64_t>(events.size[event]) : 0;
    if (events.address[event] != MemoryEventTable::kNotRecorded)
        oom.deviceFree = events.address[event];
    const AllocatorState state = map.after(event);
    oom.figures = state.figures;
    for (const auto &[of, figures] : figuresByStream(state))
        if (of == oom.stream)
            oom.largestOfStream = figures.largestFree;
    oom.largestFitting = largestFitting(map.snapshot(), state, oom);
    oom.segment = segmentFor(map.snapshot(), state, oom);
    oom.pending = reliefOf(map.snapshot(), state, oom);
    oom.verdict = verdictOn(oom);
    return oom;
}

std::vector<OutOfMemory> explainOutOfMemory(const SnapshotFacts &facts, const Task &task)
{
    constexpr size_t kMost = 1000; // a program may catch the error and retry in a loop
    std::vector<OutOfMemory> all;
    std::optional<AllocatorMap> map;
    for (const auto &[device, event] : outOfMemoryEvents(facts)) {
        if (task.stopped() || all.size() == kMost)
            break;
        if (all.empty() || all.back().device != device)
            map.emplace(facts, device, task);
        all.push_back(explainOutOfMemory(*map, device, event));
    }
    return all;
}

} // namespace riffle
