// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/moved_references.h"

#include <algorithm>

namespace riffle {

namespace {

/// True if slices have ids in the order in which they arrived, which depends on when the file was read.
bool hasGrown(const Trace &trace) { return !trace.segmentsById.empty(); }

/// True if slices and lanes have the same ids in both: the same file was read in the same way, at once.
bool sameContents(const Trace &before, const Trace &now)
{
    return &before == &now || (!hasGrown(before) && !hasGrown(now) && before.info.path == now.info.path &&
                               before.info.part == now.info.part && before.span == now.span &&
                               before.sliceCount() == now.sliceCount() && before.lanes.size() == now.lanes.size());
}

/// The same for a trace that is not loaded any more. Traces that have grown are not unloaded.
bool sameContents(const TraceMember &before, const Trace &now)
{
    return !hasGrown(now) && before.path == now.info.path && before.span == now.span &&
           before.slices == now.sliceCount();
}

bool sameLane(const Trace &before, LaneId a, const Trace &now, LaneId b)
{
    const Lane &one = before.lanes[a.value], &other = now.lanes[b.value];
    return one.kind == other.kind && before.laneName(a) == now.laneName(b) &&
           before.processName(one.process) == now.processName(other.process);
}

LaneId laneIn(const Trace &before, LaneId lane, const Trace &now)
{
    if (lane.value >= before.lanes.size())
        return {};
    // Lanes may have the same names; the first one before is the first one now.
    size_t number = 0;
    for (uint32_t at = 0; at < lane.value; ++at)
        number += sameLane(before, LaneId(at), before, lane);
    for (uint32_t at = 0; at < now.lanes.size(); ++at)
        if (sameLane(before, lane, now, LaneId(at)) && number-- == 0)
            return LaneId(at);
    return {};
}

SliceId sliceIn(const Trace &before, SliceId id, const Trace &now)
{
    const std::optional<Slice> slice = before.slice(id);
    const Segment *segment = slice ? before.segmentOf(id) : nullptr;
    const LaneId lane = slice ? laneIn(before, slice->lane, now) : LaneId();
    if (!segment || !lane.valid())
        return {};
    const uint32_t row = segment->rowOf(segment->indexOf(id));
    const std::string_view name = before.string(slice->data.name);
    const Ns start = slice->data.start;
    // In a trace that has grown, what came late is in other rows; but the place in the source is the same.
    const bool byPlace = hasGrown(before) || hasGrown(now);
    for (const uint32_t index : now.lanes[lane.value].segments) {
        const Segment &there = *now.segments[index];
        for (uint32_t other = byPlace ? 0 : row; other < (byPlace ? there.rows() : std::min(row + 1, there.rows()));
             ++other) {
            const auto [first, last] = there.overlapping(other, {start, start + 1});
            for (uint32_t at = first; at < last; ++at)
                if (there.slices.start[at] == start && now.string(there.slices.name[at]) == name &&
                    (!byPlace || there.slices.sourceOffset[at] == slice->data.sourceOffset))
                    return there.idAt(at);
        }
    }
    return {};
}

} // namespace

MovedReferences::MovedReferences(const TraceSet &before, const TraceSet &now) : m_before(before), m_now(now)
{
    for (const TraceMember &old : before.members()) {
        const LoadedTrace *was = before.find(old.id), *is = now.find(old.id);
        if (was && is && was->reading == is->reading) {
            if (was->trace != is->trace)
                m_grown.push_back(old.id);
            continue;
        }
        const bool isGone = !now.member(old.id);
        const bool isOther =
            is && (was ? !sameContents(*was->trace, *is->trace) : old.isKnown && !sameContents(old, *is->trace));
        if (isGone || isOther)
            m_dropped.push_back(old.id);
    }
    std::ranges::sort(m_dropped);
}

bool MovedReferences::isDropped(TraceId id) const { return std::ranges::binary_search(m_dropped, id); }

SliceRef MovedReferences::now(SliceRef slice) const
{
    if (!slice.valid() || !isDropped(slice.trace))
        return slice;
    const Trace *before = m_before.trace(slice.trace), *trace = m_now.trace(slice.trace);
    const SliceId found = before && trace ? sliceIn(*before, slice.slice, *trace) : SliceId();
    return found.valid() ? SliceRef{slice.trace, found} : SliceRef{};
}

LaneRef MovedReferences::now(LaneRef lane) const
{
    if (!lane.lane.valid() || !isDropped(lane.trace))
        return lane;
    const Trace *before = m_before.trace(lane.trace), *trace = m_now.trace(lane.trace);
    return {lane.trace, before && trace ? laneIn(*before, lane.lane, *trace) : LaneId()};
}

void MovedReferences::update(std::vector<LaneRef> &lanes) const
{
    for (LaneRef &lane : lanes)
        lane = now(lane);
    std::erase_if(lanes, [](const LaneRef &lane) { return !lane.lane.valid(); });
}

} // namespace riffle
