// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/newest_part.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace riffle {

namespace {

/// The time since which the slices of a trace's segments are few enough: segments that end before are left out.
Ns sinceWhen(const Trace &trace, uint64_t mostSlices)
{
    std::vector<const Segment *> newest;
    for (const auto &segment : trace.segments)
        newest.push_back(segment.get());
    std::ranges::sort(newest, std::ranges::greater(), [](const Segment *segment) { return segment->span.end; });
    uint64_t slices = 0;
    for (const Segment *segment : newest) {
        if (slices + segment->size() > mostSlices && segment->span.end < newest.front()->span.end)
            return segment->span.end;
        slices += segment->size();
    }
    return INT64_MIN;
}

void keepSegmentsSince(Trace &part, Ns since)
{
    std::vector<uint32_t> numbers(part.segments.size(), kNoRow); // of the segments, by their former ones
    std::vector<std::shared_ptr<const Segment>> kept;
    for (size_t at = 0; at < numbers.size(); ++at)
        if (part.segments[at]->span.end > since) {
            numbers[at] = static_cast<uint32_t>(kept.size());
            kept.push_back(std::move(part.segments[at]));
        }
    part.segments = std::move(kept);
    part.segmentsById = SegmentsById(part.segments);
    for (Lane &lane : part.lanes) {
        std::vector<uint32_t> own;
        lane.slices = 0;
        for (const uint32_t segment : lane.segments)
            if (numbers[segment] != kNoRow) {
                own.push_back(numbers[segment]);
                lane.slices += part.segments[own.back()]->size();
            }
        lane.segments = std::move(own);
    }
}

/// Keeps the runs of links that may be of slices which are there.
void keepLinks(Trace &part)
{
    const auto has = [&](SliceId first, SliceId last) {
        return !part.segmentsById.segmentsIn(first.value, last.value).empty();
    };
    std::vector<std::shared_ptr<const LaunchLinks::Run>> kept;
    for (const auto &run : part.launches.runs())
        if (run->size() > 0 && (has(run->launchAt(0), run->launchAt(run->size() - 1)) ||
                                has(SliceId(run->work[0]), SliceId(run->work[run->work.size() - 1]))))
            kept.push_back(run);
    part.launches = LaunchLinks(std::move(kept));
}

} // namespace

std::shared_ptr<const Trace> newestPart(std::shared_ptr<const Trace> trace, uint64_t mostSlices)
{
    const bool grows = std::ranges::all_of(trace->segments, [](const auto &segment) { return segment->grows; });
    if (!grows || trace->sliceCount() <= mostSlices)
        return trace;
    const Ns since = sinceWhen(*trace, mostSlices);
    if (since == INT64_MIN)
        return trace;
    auto part = std::make_shared<Trace>(*trace);
    keepSegmentsSince(*part, since);
    keepLinks(*part);
    std::erase_if(part->steps, [&](const Step &step) { return step.span.end <= since; });
    // Work at the begin was launched earlier, and so its launches may be missing.
    constexpr Ns kShareOfLaunches = 16, kMostForLaunches = 1'000'000'000;
    const Ns end = std::max(since, part->recordedSpan().end);
    part->span.begin = std::max(part->span.begin, since);
    part->info.part = TimeSpan{since + std::min((end - since) / kShareOfLaunches, kMostForLaunches), end};
    return part;
}

} // namespace riffle
