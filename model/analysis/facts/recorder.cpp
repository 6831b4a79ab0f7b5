// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/recorder.h"

#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/facts/unjudged_devices.h"

#include <algorithm>

namespace riffle {

namespace {

bool hasSlicesIn(const Trace &trace, TimeSpan span)
{
    for (const auto &segment : trace.segments)
        for (uint32_t row = 0; row < segment->rows(); ++row)
            if (const auto [begin, end] = segment->overlapping(row, span); begin < end)
                return true;
    return false;
}

} // namespace

Recorder recorderOf(const TraceInfo &info)
{
    return info.format == "Kineto JSON"   ? Recorder::PyTorch
           : info.format == "Paddle JSON" ? Recorder::Paddle
           : info.format == "Riffle log"  ? Recorder::Riffle
                                          : Recorder::Other;
}

bool hasEvents(const Trace &trace)
{
    const bool hasSlices = trace.info.part ? hasSlicesIn(trace, *trace.info.part) : trace.sliceCount() > 0;
    return hasSlices || !trace.counters.time.empty() || !trace.instants.time.empty() || !trace.memory.time.empty();
}

bool isOfTraining(const TraceFacts &facts)
{
    if (recorderOf(facts.trace().info) != Recorder::Other || !facts.trace().memory.time.empty())
        return true;
    if (hasUnjudgedDevices(facts.trace()))
        return true;
    // Python frames, runtime calls and annotations also occur in the traces of other programs.
    using enum SliceClass;
    constexpr SliceClass kEvidence[]{Operator, Dataloader, StepMark, Kernel, Memcpy, Memset, StreamMark};
    return std::ranges::any_of(kEvidence, [&](SliceClass kind) { return facts.classes().has(kind); });
}

} // namespace riffle
