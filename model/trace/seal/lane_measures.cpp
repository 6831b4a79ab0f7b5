// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_measures.h"

#include <algorithm>

namespace riffle {

namespace {

void widen(TimeSpan &span, TimeSpan by)
{
    span.begin = std::min(span.begin, by.begin);
    span.end = std::max(span.end, by.end);
}

void noteTimedRows(Trace &trace, const AllTimedRanges &timed)
{
    for (const TimedRange &range : timed.instants) {
        trace.lanes[range.lane].instantBegin = range.begin;
        trace.lanes[range.lane].instantEnd = range.end;
    }
    for (const TimedRange &range : timed.counters) {
        trace.lanes[range.lane].counterBegin = range.begin;
        trace.lanes[range.lane].counterEnd = range.end;
    }
}

/// Marks the lanes without contents. Lane ids do not change: such a lane stays in the list but is not shown.
void noteEmptyLanes(Trace &trace, const AllTimedRanges &timed)
{
    for (Lane &lane : trace.lanes)
        lane.empty = lane.slices == 0;
    for (const auto *ranges : {&timed.instants, &timed.counters, &timed.memory})
        for (const TimedRange &range : *ranges)
            trace.lanes[range.lane].empty = false;
}

void measureSpans(Trace &trace, const AllTimedRanges &timed)
{
    constexpr TimeSpan kNothing{INT64_MAX, INT64_MIN};
    std::vector<TimeSpan> spans(trace.lanes.size(), kNothing);
    for (const TimedRange &range : timed.counters)
        widen(spans[range.lane], range.span);
    TimeSpan all = kNothing;
    for (size_t at = 0; at < spans.size(); ++at) {
        for (const uint32_t segment : trace.lanes[at].segments)
            widen(spans[at], trace.segments[segment]->saneSpan());
        if (spans[at].begin > spans[at].end)
            continue;
        trace.lanes[at].span = spans[at];
        widen(all, spans[at]);
    }
    if (all.begin > all.end) // without slices and counter samples, instants and memory events determine the span
        for (const auto *ranges : {&timed.instants, &timed.memory})
            for (const TimedRange &range : *ranges)
                widen(all, range.span);
    trace.span = all.begin > all.end ? TimeSpan{} : all;
}

} // namespace

std::vector<TimedRange> timedRanges(const Column<uint32_t> &lane, const Column<Ns> &time)
{
    std::vector<TimedRange> ranges;
    std::vector<uint32_t> rangeOf; // by lane
    for (uint32_t row = 0; row < lane.size(); ++row) {
        if (lane[row] >= rangeOf.size())
            rangeOf.resize(lane[row] + 1, kNoRow);
        uint32_t &number = rangeOf[lane[row]];
        if (number == kNoRow) {
            number = static_cast<uint32_t>(ranges.size());
            ranges.push_back({lane[row], row, row, {INT64_MAX, INT64_MIN}});
        }
        ranges[number].end = row + 1;
        // Clamped times would make the view three hundred years long.
        if (time[row] > kEarliestTime && time[row] < kLatestTime)
            widen(ranges[number].span, {time[row], time[row]});
    }
    return ranges;
}

AllTimedRanges timedRangesOf(const Trace &trace)
{
    return {timedRanges(trace.instants.lane, trace.instants.time),
            timedRanges(trace.counters.lane, trace.counters.time), timedRanges(trace.memory.lane, trace.memory.time)};
}

void measureLanes(Trace &trace, const AllTimedRanges &timed)
{
    noteTimedRows(trace, timed);
    noteEmptyLanes(trace, timed);
    measureSpans(trace, timed);
}

void reportCrossing(Trace &trace)
{
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (segment->slices.flags[at] & slice_flag::Crossing)
                trace.report.add(Trouble::CrossingSlices, segment->slices.sourceOffset[at], {});
}

} // namespace riffle
