// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/idle_bands.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/summary/summary.h"
#include "model/base/big_vector.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

std::shared_ptr<const BandTrack> trackOf(const TraceFacts &facts, const DeviceWork::Device &device,
                                         const DeviceIdle &idle)
{
    BandTrack track;
    track.key = "idle";
    track.title = "GPU idle: why";
    track.hatched = true;
    track.device = device.number;
    for (size_t cause = 0; cause < kIdleCauses; ++cause)
        track.names.emplace_back(textOf(static_cast<IdleCause>(cause)).title);
    track.names.emplace_back("Not recorded");
    BigVector<Band> bands;
    bands.reserve(idle.gaps.size());
    for (const IdleGap &gap : idle.gaps)
        bands.push_back({gap.span, static_cast<uint32_t>(gap.cause),
                         gap.next == DeviceWork::kNone ? SliceId() : SliceId(facts.work().slice[gap.next])});
    const RecordingGaps &missing = facts.gaps();
    auto gap = missing.gaps.begin();
    for (const TimeSpan &span : missing.times.intervals()) {
        gap = std::ranges::lower_bound(gap, missing.gaps.end(), span.begin, {},
                                       [](const RecordingGaps::Gap &one) { return one.span.begin; });
        assert(gap != missing.gaps.end()); // an interval of the union starts with a gap
        bands.push_back({span, static_cast<uint32_t>(kIdleCauses), gap->slice});
    }
    return bandTrack(std::move(track), std::move(bands));
}

SetBands bandsOf(const SetFacts &facts, std::span<const TraceId> traces)
{
    SetBands bands;
    for (const TraceId trace : facts.set().loadedOf(traces)) {
        const TraceFacts &of = facts.of(trace);
        of.roles(); // computed in parallel, before they are needed
        const std::vector<DeviceIdle> idle = idleGaps(Scope(of, {}));
        for (size_t device = 0; device < idle.size(); ++device)
            if (!idle[device].gaps.empty() || !of.gaps().gaps.empty())
                bands[trace].push_back(trackOf(of, of.work().devices[device], idle[device]));
    }
    return bands;
}

} // namespace

SetBands idleBands(const SetFacts &facts, std::span<const TraceId> traces, const std::stop_token &stop)
{
    return untilStopped(stop, [&] { return bandsOf(facts, traces); }).value_or(SetBands());
}

} // namespace riffle
