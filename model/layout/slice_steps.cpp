// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/slice_steps.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

using Place = std::pair<Ns, uint32_t>; ///< start, SliceId: the order in which slices follow each other

/// Nearest slice behind (before) `from` that `accept`s, over the given rows of all segments of a lane.
template <typename Accept>
SliceId nearest(const Trace &trace, const Lane &lane, Place from, int direction, uint32_t onlyRow, const Accept &accept)
{
    std::optional<Place> best;
    for (const uint32_t number : lane.segments) {
        if (number >= trace.segments.size())
            continue;
        const Segment &segment = *trace.segments[number];
        const auto place = [&](uint32_t at) { return Place{segment.slices.start[at], segment.firstSlice + at}; };
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            if (onlyRow != UINT32_MAX && row != onlyRow)
                continue;
            uint32_t first = segment.rowBegin[row];
            uint32_t last = std::min(segment.rowBegin[row + 1], segment.size());
            uint32_t low = first, high = last; // first place behind (not before) `from`
            while (low < high) {
                const uint32_t middle = low + (high - low) / 2;
                if (direction > 0 ? place(middle) <= from : place(middle) < from)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (direction > 0) {
                for (uint32_t at = low; at < last && (!best || place(at) < *best); ++at)
                    if (accept(segment, at)) {
                        best = place(at);
                        break;
                    }
            } else {
                for (uint32_t at = low; at-- > first && (!best || place(at) > *best);)
                    if (accept(segment, at)) {
                        best = place(at);
                        break;
                    }
            }
        }
    }
    return best ? SliceId(best->second) : SliceId();
}

SliceId step(const Trace &trace, SliceId id, int direction, bool sameName)
{
    const Segment *segment = trace.segmentOf(id);
    if (!segment || segment->lane.value >= trace.lanes.size())
        return {};
    const uint32_t at = id.value - segment->firstSlice;
    const uint32_t name = segment->slices.name[at];
    const Place from{segment->slices.start[at], id.value};
    return nearest(trace, trace.lanes[segment->lane.value], from, direction, sameName ? UINT32_MAX : segment->rowOf(at),
                   [&](const Segment &other, uint32_t row) { return !sameName || other.slices.name[row] == name; });
}

} // namespace

SliceId nextOnRow(const Trace &trace, SliceId slice, int direction) { return step(trace, slice, direction, false); }

SliceId nextOfName(const Trace &trace, SliceId slice, int direction) { return step(trace, slice, direction, true); }

} // namespace riffle
