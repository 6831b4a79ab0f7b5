// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/kept_part.h"

#include "model/base/seeded_hash.h"
#include "model/trace/details.h"
#include "model/trace/memory/memory_lives.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace riffle {

namespace {

constexpr TimeSpan kNothing{INT64_MAX, INT64_MIN};
constexpr Ns kBefore = 10'000; ///< ns; work in the part may have waited for work that ended this long before it

void widen(TimeSpan &span, TimeSpan by) { span = {std::min(span.begin, by.begin), std::max(span.end, by.end)}; }

/// Calls visit(start, end, correlation) for each slice that has a correlation, either of the devices or of the host.
template <typename F>
void eachCorrelated(const Trace &scan, bool device, F visit)
{
    for (const auto &segment : scan.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (segment->slices.correlation[at] != kNoInt &&
                ((segment->slices.flags[at] & slice_flag::OnStream) != 0) == device)
                visit(segment->slices.start[at], segment->end(at), segment->slices.correlation[at]);
}

void keepLaunches(const Trace &scan, KeptPart &part)
{
    SeededSet<int64_t> late;
    eachCorrelated(scan, true, [&](Ns, Ns end, int64_t correlation) {
        if (end > saturatedSum(part.span.begin, -kBefore))
            late.insert(correlation);
    });
    eachCorrelated(scan, false, [&](Ns start, Ns, int64_t correlation) {
        if (start < part.span.end && (start >= part.span.begin || late.contains(correlation)))
            part.correlations.insert(correlation);
    });
}

/// Keeps the calls that recorded the CUDA events for which streams wait in the part. A wait contains the correlation of
/// that call.
void keepRecordedEvents(const Trace &scan, KeptPart &part)
{
    std::vector<int64_t> recorded;
    forEachDetail(scan, &Segment::syncs, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const int64_t correlation = segment.syncs.waitCorrelation[row];
        if (correlation != kNoInt &&
            part.keepsOnDevice(segment.slices.start[at], segment.end(at), segment.slices.correlation[at]))
            recorded.push_back(correlation);
    });
    part.correlations.insert(recorded.begin(), recorded.end());
}

/// Keeps the work nearest to the part on each device, so that a device that was idle in the part is still known.
void keepIdleDevices(const Trace &scan, KeptPart &part)
{
    struct Nearest {
        int64_t correlation = kNoInt;
        Ns distance = INT64_MAX;
    };
    std::map<ProcessId, Nearest> devices;
    for (const auto &segment : scan.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const int64_t correlation = segment->slices.correlation[at];
            if (correlation == kNoInt || !(segment->slices.flags[at] & slice_flag::OnStream))
                continue;
            if (scan.string(segment->slices.category[at]) == "cuda_sync")
                continue;
            const Ns start = segment->slices.start[at], end = segment->end(at);
            Nearest &nearest = devices[scan.lanes[segment->lane.value].process];
            const Ns distance = part.keepsOnDevice(start, end, correlation) ? 0
                                : end <= part.span.begin                    ? part.span.begin - end
                                                                            : start - part.span.end;
            if (distance < nearest.distance)
                nearest = {correlation, distance};
        }
    for (const auto &[device, nearest] : devices)
        part.correlations.insert(nearest.correlation);
}

/// Keeps the allocation and the release of memory that is alive in the part, with the operators that ran them.
void keepMemory(const Trace &scan, KeptPart &part)
{
    const MemoryTable &memory = scan.memory;
    for (const auto &[allocated, released] : MemoryLives(scan).lives) {
        if (memory.address[allocated != MemoryLives::kNone ? allocated : released] == 0 ||
            (allocated != MemoryLives::kNone && memory.time[allocated] >= part.span.end) ||
            (released != MemoryLives::kNone && memory.time[released] < part.span.begin))
            continue;
        for (const uint32_t row : {allocated, released})
            if (row != MemoryLives::kNone && !part.span.contains(memory.time[row])) {
                part.memory.insert(memory.sourceOffset[row]);
                part.moments.push_back(memory.time[row]);
            }
    }
}

void findMoments(const Trace &scan, KeptPart &part)
{
    const auto add = [&](Ns time) {
        if (!part.span.contains(time))
            part.moments.push_back(time);
    };
    eachCorrelated(scan, false, [&](Ns start, Ns, int64_t correlation) {
        if (part.correlations.contains(correlation))
            add(start);
    });
    // A backward operator takes its stack and its module from its forward operator.
    SeededSet<int64_t> backward;
    for (size_t row = 0; row < scan.flows.time.size(); ++row)
        if (scan.flows.phase[row] == 'f' && part.keepsAt(scan.flows.time[row]))
            backward.insert(scan.flows.id[row]);
    for (size_t row = 0; row < scan.flows.time.size(); ++row)
        if (scan.flows.phase[row] == 's' && backward.contains(scan.flows.id[row]))
            add(scan.flows.time[row]);
    keepMemory(scan, part);
    std::sort(part.moments.begin(), part.moments.end());
    part.moments.erase(std::unique(part.moments.begin(), part.moments.end()), part.moments.end());
}

/// Returns the span from the first to the last device work that was launched in a span; work without a launch counts by
/// its own start. If several calls have the same correlation, the first one is the launch.
TimeSpan launchedWork(const Trace &scan, TimeSpan span)
{
    SeededMap<int64_t, Ns> launches;
    eachCorrelated(scan, false, [&](Ns start, Ns, int64_t correlation) {
        const auto [launch, isNew] = launches.emplace(correlation, start);
        launch->second = std::min(launch->second, start);
    });
    TimeSpan work = kNothing;
    eachCorrelated(scan, true, [&](Ns start, Ns end, int64_t correlation) {
        const auto launch = launches.find(correlation);
        if (span.contains(launch == launches.end() ? start : launch->second))
            widen(work, {start, end});
    });
    return work;
}

} // namespace

bool KeptPart::hasMoment(Ns begin, Ns end) const
{
    assert(begin <= end);
    const auto next = std::lower_bound(moments.begin(), moments.end(), begin);
    return next != moments.end() && (*next < end || *next == begin);
}

KeptPart partOfRange(const Trace &scan, TimeSpan range)
{
    KeptPart part;
    part.span = range;
    if (range.clipped(scan.info.recorded).empty()) // the trace has nothing there, so nothing is kept
        return part;
    keepLaunches(scan, part);
    keepRecordedEvents(scan, part);
    keepIdleDevices(scan, part);
    findMoments(scan, part);
    return part;
}

std::optional<KeptPart> partOfSteps(const Trace &scan, TimeSpan numbers)
{
    TimeSpan span = kNothing;
    for (const Step &step : scan.steps)
        if (step.number >= numbers.begin && step.number <= numbers.end)
            widen(span, step.span);
    if (span.begin > span.end)
        return std::nullopt;
    if (const TimeSpan work = launchedWork(scan, span); work.begin <= work.end)
        widen(span, work);
    return partOfRange(scan, span);
}

} // namespace riffle
