// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/slice_steps.h"

#include <algorithm>
#include <optional>

namespace riffle {

namespace {

/// A slice's place in the order of all slices. Slices of a lane that start at the same time have the order of
/// positions.
struct Place {
    Ns start = 0;
    uint32_t lane = 0;
    uint32_t firstSlice = 0; ///< of the segment
    uint32_t at = 0;         ///< index in the segment
    uint32_t slice = 0;      ///< SliceId
    auto operator<=>(const Place &) const = default;
};

Place placeOf(const Segment &segment, uint32_t at)
{
    return {segment.slices.start[at], segment.lane.value, segment.firstSlice, at, segment.idAt(at).value};
}

/// Returns the first of the slices [first, last) of one row that is not before `place`, or last if there is none.
uint32_t notBefore(const Segment &segment, uint32_t first, uint32_t last, const Place &place)
{
    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;
        if (placeOf(segment, middle) < place)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// Finds the nearest slice after (direction 1) or before (-1) another. Rows may be visited in any order; slices that
/// cannot be nearer than the best so far are not touched.
class NearestSlice {
public:
    NearestSlice(Place from, int direction) : m_from(from), m_direction(direction) {}

    bool hopeless(const Segment &segment) const
    {
        if (m_direction > 0)
            return segment.span.end < m_from.start || (m_best && segment.span.begin > m_best->start);
        return segment.span.begin > m_from.start || (m_best && segment.span.end < m_best->start);
    }

    template <typename Accept>
    void lookAt(const Segment &segment, uint32_t row, const Accept &accept)
    {
        uint32_t last = std::min(segment.rowBegin[row + 1], segment.size());
        uint32_t first = std::min(segment.rowBegin[row], last);
        const uint32_t here = notBefore(segment, first, last, m_from);
        const uint32_t best = m_best ? notBefore(segment, first, last, *m_best) : m_direction > 0 ? last : first;
        if (m_direction > 0) {
            first = here < last && placeOf(segment, here) == m_from ? here + 1 : here;
            for (uint32_t at = first; at < best; ++at)
                if (accept(at))
                    return void(m_best = placeOf(segment, at));
        } else {
            for (uint32_t at = here; at-- > best;)
                if (accept(at))
                    return void(m_best = placeOf(segment, at));
        }
    }

    SliceId answer() const { return m_best ? SliceId(m_best->slice) : SliceId(); }

private:
    Place m_from;
    int m_direction;
    std::optional<Place> m_best;
};

} // namespace

SliceId nextOnRow(const Trace &trace, SliceId slice, int direction, const SqueezedLane *squeezed)
{
    const Segment *own = trace.segmentOf(slice);
    if (!own || own->lane.value >= trace.lanes.size())
        return {};
    const uint32_t at = own->indexOf(slice);
    if (const auto place = squeezed ? squeezed->find(slice, own->slices.start[at]) : std::nullopt) {
        const uint32_t row = place->segment->rowOf(place->at);
        NearestSlice nearest(placeOf(*place->segment, place->at), direction);
        for (const Segment &segment : squeezed->segments)
            if (row < segment.rows())
                nearest.lookAt(segment, row, [](uint32_t) { return true; });
        return nearest.answer().valid() ? squeezed->sliceOf(nearest.answer().value) : SliceId();
    }
    const uint32_t row = own->rowOf(at);
    NearestSlice nearest(placeOf(*own, at), direction);
    for (const uint32_t number : trace.lanes[own->lane.value].segments)
        if (number < trace.segments.size() && row < trace.segments[number]->rows())
            nearest.lookAt(*trace.segments[number], row, [](uint32_t) { return true; });
    return nearest.answer();
}

SliceId nextOfName(const Trace &trace, SliceId slice, int direction)
{
    const Segment *own = trace.segmentOf(slice);
    if (!own)
        return {};
    const uint32_t name = own->slices.name[own->indexOf(slice)];
    NearestSlice nearest(placeOf(*own, own->indexOf(slice)), direction);
    const auto lookAt = [&](const Segment &segment) {
        const auto names = segment.slices.name.span();
        for (uint32_t row = 0; row < segment.rows() && !nearest.hopeless(segment); ++row)
            nearest.lookAt(segment, row, [&](uint32_t at) { return names[at] == name; });
    };
    lookAt(*own); // first, because the nearest slice is usually here; then little of the other segments is read
    for (const auto &segment : trace.segments)
        if (segment.get() != own)
            lookAt(*segment);
    return nearest.answer();
}

} // namespace riffle
