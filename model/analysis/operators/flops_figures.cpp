// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/flops_figures.h"

#include "model/analysis/facts/device_peaks.h"
#include "model/analysis/summary/recording.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"

#include <algorithm>
#include <array>
#include <limits>

namespace riffle {

namespace {

/// Per counted call, the time that assigns it to a step: its start or, if the steps are those of the device, the start
/// of its first work.
std::vector<Ns> timesOfCalls(const Scope &scope)
{
    const OperatorFlops &counted = scope.facts().flops();
    std::vector<Ns> times;
    for (const OperatorFlops::Call &call : counted.calls)
        times.push_back(call.span.begin);
    if (!scope.steps().onDevice)
        return times;
    const DeviceWork &work = scope.facts().work();
    std::vector<uint8_t> hasWork(times.size());
    for (uint32_t at = 0; at < work.size(); ++at)
        if (const uint32_t call = counted.ofWork[at]; call < times.size()) {
            times[call] = hasWork[call] ? std::min(times[call], work.start[at]) : work.start[at];
            hasWork[call] = true;
        }
    return times;
}

double perSecondOver(double flops, Ns time)
{
    return time > 0 ? flops / static_cast<double>(time) * 1e9 : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

void FlopsSum::add(const OperatorFlops::Call &call)
{
    flops = addedFlops(flops, call.flops);
    ++calls;
    deviceTime += call.deviceTime;
    hostTime += call.span.duration();
}

double FlopsSum::teraPerSecond() const
{
    return perSecondOver(static_cast<double>(flops), deviceTime > 0 ? deviceTime : hostTime) / 1e12;
}

double DeviceFlops::perSecond(Ns time) const { return perSecondOver(static_cast<double>(flops), time); }

double DeviceFlops::peakShare(Ns time) const
{
    return peak ? perSecond(time) / *peak : std::numeric_limits<double>::quiet_NaN();
}

std::vector<FlopsSum> flopsOfGroups(const Scope &scope, const OperatorGroups &groups)
{
    std::vector<FlopsSum> sums(groups.rows);
    for (const OperatorFlops::Call &call : scope.facts().flops().calls)
        if (const uint32_t row = groups.rowOfCall[call.call]; row != CallTree::kNone && scope.holds(call.span.begin))
            sums[row].add(call);
    return sums;
}

std::vector<DeviceFlops> flopsOfDevices(const Scope &scope)
{
    const TraceFacts &facts = scope.facts();
    const DeviceWork &work = facts.work();
    const OperatorFlops &counted = facts.flops();
    std::vector<DeviceFlops> devices(work.devices.size());
    std::vector<std::array<double, kComputeTypes>> byType(devices.size());
    const std::vector<Ns> times = timesOfCalls(scope);
    for (size_t at = 0; at < times.size(); ++at) {
        const OperatorFlops::Call &call = counted.calls[at];
        if (call.device >= devices.size() || !scope.hasHostLane(call.lane) || !scope.hasName(call.name) ||
            !scope.holds(times[at]))
            continue;
        devices[call.device].flops = addedFlops(devices[call.device].flops, call.flops);
        byType[call.device][static_cast<size_t>(call.type)] += static_cast<double>(call.flops);
    }
    const Recording recording = recordingOf(facts);
    for (size_t device = 0; device < devices.size(); ++device) {
        DeviceFlops &sum = devices[device];
        const auto most = std::max_element(byType[device].begin(), byType[device].end());
        if (*most > static_cast<double>(sum.flops) / 2)
            sum.type = static_cast<ComputeType>(most - byType[device].begin());
        sum.peak = peakFlops(recording.nameOf(work.devices[device].number), sum.type);
        for (uint32_t at = work.devices[device].first; at < work.devices[device].last; ++at) {
            if (!scope.launches(at))
                continue;
            sum.work += work.duration(at);
            sum.uncounted += counted.ofWork[at] == OperatorFlops::kNone ? work.duration(at) : 0;
        }
    }
    return devices;
}

std::vector<StepFlops> flopsOfSteps(const Scope &scope)
{
    std::vector<StepFlops> steps(scope.steps().steps.size());
    const std::vector<Ns> times = timesOfCalls(scope);
    for (size_t at = 0; at < times.size(); ++at) {
        const OperatorFlops::Call &call = scope.facts().flops().calls[at];
        const uint32_t step = scope.steps().marked ? scope.steps().at(times[at]) : 0;
        if (step >= steps.size() || !scope.holds(times[at]))
            continue;
        steps[step].flops = addedFlops(steps[step].flops, call.flops);
        if (call.device != OperatorFlops::kNone)
            steps[step].onDevices = addedFlops(steps[step].onDevices, call.flops);
    }
    return steps;
}

std::vector<std::string> flopsNotes(const Scope &scope)
{
    const TraceFacts &facts = scope.facts();
    const DeviceWork &work = facts.work();
    const OperatorFlops &counted = facts.flops();
    if (!counted.anyShapes)
        return {"FLOPs are unknown because shapes were not recorded. Set record_shapes=True (Paddle: record_shapes: "
                "True) to record them."};
    std::vector<std::string> notes;
    Ns all = 0, without = 0;
    std::vector<bool> seen(facts.calls().size());
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (!scope.launches(at))
            continue;
        all += work.duration(at);
        if (counted.ofWork[at] != OperatorFlops::kNone)
            continue;
        without += work.duration(at);
        if (work.operation[at] != CallTree::kNone)
            seen[work.operation[at]] = true;
    }
    if (const auto calls = std::count(seen.begin(), seen.end(), true); calls || without)
        notes.push_back("No FLOPs are counted for " + formatCounted(calls, "call", "calls") +
                        " with device work but without a formula or shapes, nor for work without an operator: " +
                        formatShare(ratio(without, all)) + " of device time.");
    if (counted.notRead)
        notes.push_back("The shapes of " + formatCounted(static_cast<int64_t>(counted.notRead), "call", "calls") +
                        " were not read: the file is gone, or there are too many different shapes.");
    return notes;
}

} // namespace riffle
