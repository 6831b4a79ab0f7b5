// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/overlap_analysis.h"

#include "model/analysis/facts/unjudged_devices.h"

#include <algorithm>

namespace riffle {

namespace {

/// Which figure slices of this name add to; null if none.
Ns OverlapAnalysis::*figureOf(std::string_view name)
{
    return name == "Computing"                       ? &OverlapAnalysis::computing
           : name == "Communication"                 ? &OverlapAnalysis::communication
           : name == "Communication(Not Overlapped)" ? &OverlapAnalysis::exposedCommunication
           : name == "Free"                          ? &OverlapAnalysis::free
                                                     : nullptr;
}

} // namespace

std::vector<OverlapAnalysis> overlapAnalyses(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    std::vector<OverlapAnalysis> devices;
    for (const LaneId lane : lanesOfProcess(trace, kAscendOverlap)) {
        const ProcessId process = trace.lanes[lane.value].process;
        auto device = std::ranges::find(devices, process, &OverlapAnalysis::process);
        if (device == devices.end())
            device = devices.insert(device, {process, scope.window().length()});
        IntervalWalk walk(scope.window());
        for (const uint32_t segment : trace.lanes[lane.value].segments) {
            const Segment &slices = *trace.segments[segment];
            for (uint32_t at = 0; at < slices.size(); ++at)
                if (const auto figure = figureOf(trace.string(slices.slices.name[at])))
                    (*device).*figure += walk.lengthWithin({slices.slices.start[at], slices.end(at)});
        }
    }
    return devices;
}

} // namespace riffle
