// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_measures.h"

#include <algorithm>

namespace riffle {

namespace {

void noteTimedRows(Trace &trace)
{
    const auto noteRanges = [&](const Column<uint32_t> &laneOf, uint32_t Lane::*begin, uint32_t Lane::*end) {
        for (uint32_t row = 0; row < laneOf.size(); ++row) {
            Lane &lane = trace.lanes[laneOf[row]];
            if (lane.*begin == lane.*end)
                lane.*begin = row;
            lane.*end = row + 1;
        }
    };
    noteRanges(trace.instants.lane, &Lane::instantBegin, &Lane::instantEnd);
    noteRanges(trace.counters.lane, &Lane::counterBegin, &Lane::counterEnd);
}

/// Marks the lanes without contents. Lane ids do not change: such a lane stays in the list but is not shown.
void noteEmptyLanes(Trace &trace)
{
    std::vector<uint8_t> used(trace.lanes.size(), 0);
    for (uint32_t lane = 0; lane < used.size(); ++lane) {
        const Lane &one = trace.lanes[lane];
        used[lane] = one.slices > 0 || one.instantBegin < one.instantEnd || one.counterBegin < one.counterEnd;
    }
    for (const uint32_t lane : trace.memory.lane)
        used[lane] = 1;
    for (uint32_t lane = 0; lane < used.size(); ++lane)
        trace.lanes[lane].empty = !used[lane];
}

void measureSpans(Trace &trace)
{
    TimeSpan all{INT64_MAX, INT64_MIN};
    const auto take = [](TimeSpan &span, Ns begin, Ns end) {
        span.begin = std::min(span.begin, begin);
        span.end = std::max(span.end, end);
    };
    // Ignore clamped times: they would make the view three hundred years long.
    const auto takeSane = [&](TimeSpan &span, Ns begin, Ns end) {
        if (begin > kEarliestTime && begin < kLatestTime)
            take(span, begin, end);
    };
    for (Lane &lane : trace.lanes) {
        TimeSpan own{INT64_MAX, INT64_MIN};
        for (const uint32_t segment : lane.segments) {
            const TimeSpan sane = trace.segments[segment]->saneSpan();
            take(own, sane.begin, sane.end);
        }
        for (uint32_t row = lane.counterBegin; row < lane.counterEnd; ++row)
            takeSane(own, trace.counters.time[row], trace.counters.time[row]);
        if (own.begin > own.end)
            continue;
        lane.span = own;
        take(all, own.begin, own.end);
    }
    if (all.begin > all.end) {
        // Without slices and counter samples, instants and memory events determine the span.
        for (const Ns time : trace.instants.time)
            takeSane(all, time, time);
        for (const Ns time : trace.memory.time)
            takeSane(all, time, time);
    }
    trace.span = all.begin > all.end ? TimeSpan{} : all;
}

} // namespace

void measureLanes(Trace &trace)
{
    noteTimedRows(trace);
    noteEmptyLanes(trace);
    measureSpans(trace);
}

void reportCrossing(Trace &trace)
{
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (segment->slices.flags[at] & slice_flag::Crossing)
                trace.report.add(Trouble::CrossingSlices, segment->slices.sourceOffset[at], {});
}

} // namespace riffle
