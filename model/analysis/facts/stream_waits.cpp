// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/stream_waits.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/big_vector.h"
#include "model/base/filled_vector.h"
#include "model/base/seeded_hash.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"

#include <algorithm>
#include <map>

namespace riffle {

namespace {

struct Launched {
    Ns launch;
    uint32_t work;
};

/// The work of each stream's lane, in order of launch, without work of unknown launch.
std::map<LaneId, BigVector<Launched>> launchesByLane(const Trace &trace, const DeviceWork &work)
{
    std::map<LaneId, BigVector<Launched>> lanes;
    SliceReader reader(trace);
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (work.launch[at] == DeviceWork::kNone || !reader.seek(work.launch[at]))
            continue;
        const Ns launch = reader.start();
        if (reader.seek(work.slice[at]))
            lanes[reader.lane()].push_back({launch, at});
    }
    for (auto &[lane, launches] : lanes)
        std::stable_sort(launches.begin(), launches.end(),
                         [](const Launched &a, const Launched &b) { return a.launch < b.launch; });
    return lanes;
}

LaneId laneOfStream(const Trace &trace, ProcessId device, int64_t stream)
{
    for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane)
        if (trace.lanes[lane].kind == LaneKind::Stream && trace.lanes[lane].process == device &&
            trace.lanes[lane].tid == RawId{stream, RawId::Kind::Signed})
            return LaneId(lane);
    return {};
}

/// The starts of the host's calls by correlation, only for the correlations that are needed.
SeededMap<int64_t, Ns> callStarts(const Trace &trace)
{
    SeededMap<int64_t, Ns> starts;
    forEachDetail(trace, &Segment::syncs, [&](const Segment &segment, uint32_t, uint32_t row) {
        if (const int64_t correlation = segment.syncs.waitCorrelation[row]; correlation != kNoInt)
            starts.emplace(correlation, kLatestTime);
    });
    if (starts.empty())
        return starts;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            const int64_t correlation = segment->slices.correlation[at];
            if (correlation == kNoInt || (segment->slices.flags[at] & slice_flag::OnStream))
                continue;
            if (const auto found = starts.find(correlation); found != starts.end())
                found->second = segment->slices.start[at];
        }
    return starts;
}

} // namespace

StreamWaits::StreamWaits(const Trace &trace, const DeviceWork &work)
{
    if (!hasDetails(trace, &Segment::syncs) || work.empty())
        return;
    const std::map<LaneId, BigVector<Launched>> lanes = launchesByLane(trace, work);
    const SeededMap<int64_t, Ns> recorded = callStarts(trace);
    m_sources = filledVector(work.size(), DeviceWork::kNone);
    forEachDetail(trace, &Segment::syncs, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const SyncTable &syncs = segment.syncs;
        const bool isWait = trace.string(syncs.kind[row]) == "Stream Wait Event";
        const auto event = recorded.find(syncs.waitCorrelation[row]);
        if (!isWait || event == recorded.end() || event->second == kLatestTime)
            return;
        const auto waiting = lanes.find(segment.lane);
        const LaneId other = laneOfStream(trace, trace.lanes[segment.lane.value].process, syncs.waitStream[row]);
        const auto awaited = lanes.find(other);
        if (waiting == lanes.end() || awaited == lanes.end() || waiting == awaited)
            return;
        const auto first = std::lower_bound(waiting->second.begin(), waiting->second.end(), segment.slices.start[at],
                                            [](const Launched &one, Ns time) { return one.launch < time; });
        const auto after = std::upper_bound(awaited->second.begin(), awaited->second.end(), event->second,
                                            [](Ns time, const Launched &one) { return time < one.launch; });
        if (first == waiting->second.end() || after == awaited->second.begin())
            return;
        // If there are several waits before one piece of work, the one that ended last delayed it.
        uint32_t &source = m_sources[first->work];
        const uint32_t candidate = (after - 1)->work;
        if (source == DeviceWork::kNone || work.end[candidate] > work.end[source])
            source = candidate;
    });
}

} // namespace riffle
