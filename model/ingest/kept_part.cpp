// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/kept_part.h"

#include "model/trace/trace.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr TimeSpan kNothing{INT64_MAX, INT64_MIN};

void widen(TimeSpan &span, TimeSpan by) { span = {std::min(span.begin, by.begin), std::max(span.end, by.end)}; }

} // namespace

bool KeptPart::keepsOnDevice(Ns begin, Ns end, int64_t correlation) const
{
    if (!launches)
        return keeps(begin, end);
    return correlation == kNoInt ? touches(device, begin, end) : launches->contains(correlation);
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
    part.launches.emplace();
    part.device = kNothing;
    for (const auto &segment : scan.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const SliceTable &slices = segment->slices;
            const Ns start = slices.start[at];
            if (slices.correlation[at] != kNoInt && !(slices.flags[at] & slice_flag::OnStream) && part.span.contains(start))
                part.launches->insert(slices.correlation[at]);
        }
    for (const auto &segment : scan.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if ((segment->slices.flags[at] & slice_flag::OnStream) && part.launches->contains(segment->slices.correlation[at]))
                widen(part.device, {segment->slices.start[at], segment->end(at)});
    if (part.device.begin > part.device.end)
        part.device = {};
    return part;
}

} // namespace riffle
