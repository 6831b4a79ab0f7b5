// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_with_gaps.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace riffle::test {

namespace {

/// The id of the first slice of each segment.
uint32_t movedFirst(const Trace &trace, size_t segment)
{
    return trace.segments[segment]->firstSlice + static_cast<uint32_t>(1'000 + 77 * segment * (segment + 1));
}

uint32_t moved(const Trace &trace, uint32_t id)
{
    const auto after = std::ranges::upper_bound(trace.segments, id, {}, &Segment::firstSlice);
    if (after == trace.segments.begin())
        return SliceId::kNone;
    const auto segment = static_cast<size_t>(after - trace.segments.begin()) - 1;
    const uint32_t at = id - trace.segments[segment]->firstSlice;
    return at < trace.segments[segment]->size() ? movedFirst(trace, segment) + at : SliceId::kNone;
}

Column<uint32_t> moved(const Trace &trace, const Column<uint32_t> &ids)
{
    const auto made = std::make_shared<std::vector<uint32_t>>();
    for (const uint32_t id : ids)
        made->push_back(moved(trace, id));
    return {made, made->data(), made->size()};
}

} // namespace

std::shared_ptr<const Trace> withGaps(const Trace &trace)
{
    const auto made = std::make_shared<Trace>(trace);
    for (size_t at = 0; at < trace.segments.size(); ++at) {
        const auto segment = std::make_shared<Segment>(*trace.segments[at]);
        segment->firstSlice = movedFirst(trace, at);
        segment->nesting.parent = moved(trace, segment->nesting.parent);
        made->segments[at] = segment;
    }
    for (Column<uint32_t> *ids :
         {&made->operators.slice, &made->python.slice, &made->device.slice, &made->device.launch,
          &made->collectives.slice, &made->syncs.slice, &made->flows.slice})
        *ids = moved(trace, *ids);
    for (Step &step : made->steps)
        step.slice = withGaps(trace, step.slice);
    return made;
}

SliceId withGaps(const Trace &trace, SliceId slice) { return SliceId(moved(trace, slice.value)); }

} // namespace riffle::test
