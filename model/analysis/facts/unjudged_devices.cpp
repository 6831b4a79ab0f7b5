// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/unjudged_devices.h"

namespace riffle {

namespace {

std::string_view nameOf(const Trace &trace, ProcessId process)
{
    return process.value < trace.processes.size() ? trace.string(trace.processes[process.value].name.value) : "";
}

} // namespace

std::vector<LaneId> lanesOfProcess(const Trace &trace, std::string_view process)
{
    std::vector<LaneId> lanes;
    for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane)
        if (trace.lanes[lane].slices > 0 && nameOf(trace, trace.lanes[lane].process) == process)
            lanes.push_back(LaneId(lane));
    return lanes;
}

bool hasUnjudgedDevices(const Trace &trace) { return !lanesOfProcess(trace, kAscendDevices).empty(); }

std::string unjudgedDevicesText()
{
    return "The device work of Ascend's profiler (“Ascend Hardware”) is shown in the timeline but not judged: kernels, "
           "idle "
           "times and launches are not known. Where the trace has “Overlap Analysis”, the overview repeats its "
           "figures.";
}

} // namespace riffle
