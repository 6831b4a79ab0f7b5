// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/kept_part.h"

#include "model/trace/trace.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr TimeSpan kNothing{INT64_MAX, INT64_MIN};

void widen(TimeSpan &span, TimeSpan by) { span = {std::min(span.begin, by.begin), std::max(span.end, by.end)}; }

/// Calls visit(segment, index, whether on a device) for the slices that have a correlation.
template <typename F>
void eachCorrelated(const Trace &scan, F visit)
{
    for (const auto &segment : scan.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (segment->slices.correlation[at] != kNoInt)
                visit(*segment, at, (segment->slices.flags[at] & slice_flag::OnStream) != 0);
}

/// What was launched in the part's span; of several calls with one correlation the first is the launch.
void findLaunches(const Trace &scan, KeptPart &part)
{
    std::unordered_set<int64_t> &launches = part.launches.emplace();
    eachCorrelated(scan, [&](const Segment &segment, uint32_t at, bool device) {
        if (part.span.contains(segment.slices.start[at]))
            (device ? part.launchless : launches).insert(segment.slices.correlation[at]);
    });
    eachCorrelated(scan, [&](const Segment &segment, uint32_t at, bool device) {
        if (device)
            return;
        part.launchless.erase(segment.slices.correlation[at]);
        if (segment.slices.start[at] < part.span.begin)
            launches.erase(segment.slices.correlation[at]);
    });
}

} // namespace

bool KeptPart::keepsOnDevice(Ns begin, Ns end, int64_t correlation) const
{
    if (!launches)
        return keeps(begin, end);
    if (correlation == kNoInt)
        return touches(device, begin, end);
    return launches->contains(correlation) || (span.contains(begin) && launchless.contains(correlation));
}

TimeSpan KeptPart::whole() const
{
    TimeSpan all = span;
    if (launches && !device.empty())
        widen(all, device);
    return all;
}

std::optional<KeptPart> partOfSteps(const Trace &scan, TimeSpan numbers)
{
    KeptPart part;
    part.span = kNothing;
    for (const Step &step : scan.steps)
        if (step.number >= numbers.begin && step.number <= numbers.end)
            widen(part.span, step.span);
    if (part.span.begin > part.span.end)
        return std::nullopt;
    findLaunches(scan, part);
    part.device = kNothing;
    eachCorrelated(scan, [&](const Segment &segment, uint32_t at, bool device) {
        const Ns start = segment.slices.start[at];
        if (device && part.keepsOnDevice(start, segment.end(at), segment.slices.correlation[at]))
            widen(part.device, {start, segment.end(at)});
    });
    if (part.device.begin > part.device.end)
        part.device = {};
    return part;
}

} // namespace riffle
