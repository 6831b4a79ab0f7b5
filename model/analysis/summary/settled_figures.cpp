// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/settled_figures.h"

#include "model/analysis/summary/figures.h"
#include "model/analysis/table/table_builder.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace riffle {

namespace {

constexpr Ns kSettledWindow = 1'000'000'000; ///< of the figures of logs without steps

/// The totals on the devices after the last event before `settled`, summed over devices.
void addRecordedMemory(const Trace &trace, Ns settled, SettledFigures &figures)
{
    const MemoryTable &memory = trace.memory;
    std::map<std::pair<int32_t, int32_t>, uint32_t> last; // by device: a row
    const auto end = std::ranges::lower_bound(memory.time, settled) - memory.time.begin();
    for (uint32_t row = 0; row < static_cast<uint32_t>(end); ++row)
        if (memory.totalAllocated[row] != kNoInt)
            last[{memory.deviceType[row], memory.deviceId[row]}] = row;
    const auto add = [](int64_t &sum, int64_t bytes) {
        if (bytes != kNoInt)
            sum = (sum == kNoInt ? 0 : sum) + bytes;
    };
    for (const auto &[device, row] : last) {
        if (device.first == 0)
            continue; // the host
        add(figures.allocated, memory.totalAllocated[row]);
        add(figures.reserved, memory.totalReserved[row]);
    }
}

/// The memory in use on the GPUs, as the recorder measures it by NVML.
void addMeasuredMemory(const Trace &trace, Ns settled, SettledFigures &figures)
{
    for (const Lane &lane : trace.lanes) {
        const std::string_view name = trace.string(lane.name.value);
        if (lane.kind != LaneKind::Counter || !name.starts_with("GPU ") || !name.ends_with(" memory (bytes)"))
            continue;
        for (uint32_t row = lane.counterEnd; row-- > lane.counterBegin;)
            if (trace.counters.time[row] < settled) {
                figures.gpuUsed =
                    (figures.gpuUsed == kNoInt ? 0 : figures.gpuUsed) + static_cast<int64_t>(trace.counters.value[row]);
                break;
            }
    }
}

/// The last step that ended before `settled`; null if there is none.
const StepSet::Step *lastSettledStep(const StepSet &steps, Ns settled)
{
    for (auto step = steps.steps.rbegin(); step != steps.steps.rend(); ++step)
        if (step->ended && step->host.end <= settled)
            return &*step;
    return nullptr;
}

/// The request for one step. If others have its number, the range tells it from them.
ScopeRequest requestFor(const StepSet &steps, const StepSet::Step &step)
{
    ScopeRequest request;
    request.stepNumbers = {step.number};
    if (std::ranges::count(steps.steps, step.number, &StepSet::Step::number) > 1)
        request.range = step.host;
    return request;
}

} // namespace

SettledFigures settledFigures(const std::shared_ptr<const Trace> &trace, Ns settled)
{
    SettledFigures figures;
    const TimeSpan recorded = trace->recordedSpan();
    addRecordedMemory(*trace, settled, figures);
    addMeasuredMemory(*trace, settled, figures);
    const Ns end = std::min(settled, recorded.end);
    if (end <= recorded.begin)
        return figures;
    const TraceFacts facts(trace);
    const StepSet &steps = facts.steps();
    TimeSpan span{std::max(recorded.begin, end - kSettledWindow), end};
    ScopeRequest request;
    if (!steps.marked) {
        request.range = span;
    } else if (const StepSet::Step *step = lastSettledStep(steps, end)) {
        figures.step = step->number;
        span = step->host;
        request = requestFor(steps, *step);
    } else {
        return figures;
    }
    figures.duration = span.duration();
    const Scope scope(facts, request);
    Ns window = 0, busy = 0, exposed = 0;
    for (const DeviceFigures &device : deviceFigures(scope)) {
        window += device.window;
        busy += device.busyTime;
        exposed += device.exposedCommunication;
    }
    if (window > 0) {
        figures.busy = ratio(busy, window);
        figures.exposed = ratio(exposed, window);
    } else if (facts.work().devices.empty()) {
        // Without devices it is that of the host; without any, there may be no process group.
        const Ns communication = breakdownOf(facts, span)[static_cast<size_t>(Role::Communication)];
        if (communication > 0)
            figures.exposed = ratio(communication, span.duration());
    }
    return figures;
}

} // namespace riffle
