// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/findings/rules.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/format.h"
#include "model/base/parallel.h"

#include <algorithm>

namespace riffle {

namespace {

using FindingSeverity::Hint;
using FindingSeverity::Warning;
using enum FindingUnit;
constexpr bool kBelow = true, kAbove = false;

constexpr FindingRule kRules[] = {
    {"lost_records", FindingSeverity::Error, "Part of the trace is lost",
     "Events that were recorded or written but are not in the trace", kAbove, 0, Count,
     "The figures do not include the lost events. Record fewer steps or less detail, and let the profiler finish "
     "writing.",
     findLostRecords},
    {"asynchronous_steps", FindingSeverity::Error, "The marks of the steps are shorter than their device work",
     "Time with device work that the steps launch / from the start of the first step to the end of the last", kAbove,
     1.5, Times,
     "Use the steps of the device: --step-mark ProfilerStep@device, or the context menu of an annotation on a stream. "
     "Or synchronise at the end of each step while profiling.",
     findAsynchronousSteps},
    {"missing_kernels", Warning, "Launches without a kernel",
     "Launch calls without recorded device work / all launch calls", kAbove, 0.01, Share,
     "Device times are too small. Call torch.cuda.synchronize() before the profiler stops, or record fewer steps.",
     findMissingKernels},
    {"missing_launches", Hint, "Kernels without a launch",
     "Device work whose launch was not recorded / all device work", kAbove, 0.05, Share,
     "Such kernels belong to no operator unless they have an External id. Start recording earlier (use the schedule's "
     "warmup), and record CPU activities as well.",
     findMissingLaunches},
    {"profiler_overhead", Hint, "The profiler's own work", "Time that the profiler records as its own / window", kAbove,
     0.01, Share,
     "Times close to it are too long. Turn off with_stack, record_shapes or profile_memory, or skip the first steps.",
     findProfilerOverhead},
    {"clocks_apart", Hint, "The clocks of host and device differ",
     "Device work that starts before the call that launches it / launches", kAbove, 0.01, Share,
     "Launch delays, queues and causes of idle time are wrong by this difference.", findClocksApart},
    {"first_step_long", Hint, "The first step is far longer than the rest", "First step / median of the others", kAbove,
     2, Times,
     "Leave it out of the averages (--without-first-step): the first step compiles, selects kernels and fills caches.",
     findLongFirstStep},
    {"long_step", Warning, "Steps that take far longer than the rest",
     "Longest step / median of the steps, without a first step that stands out", kAbove, 1.5, Times,
     "Compare it with its neighbours: a checkpoint, an evaluation, garbage collection, a slow batch or a rank that is "
     "late is in it and not in them.",
     findLongSteps},
    {"dataloader_share", Warning, "Steps wait for data",
     "Time in which steps wait for the next batch while the device is idle / step, mean of the steps", kAbove, 0.05,
     Share, "Load with more workers (num_workers), prefetch, or move work from the loader to data preparation.",
     findDataloaderShare},
    {"input_not_overlapped", Warning, "Copies to the device are not overlapped",
     "Time in which the host loads data or copies to the device while no kernel runs / window", kAbove, 0.05, Share,
     "Copy the next batch while the current one is computed: use pin_memory=True, non_blocking=True and a separate "
     "stream.",
     findInputNotOverlapped},
    {"communication_share", Warning, "Much communication is exposed",
     "Time with communication but without compute kernels / window", kAbove, 0.10, Share,
     "Accumulate gradients over several batches, use larger batches, compress gradients, or overlap communication with "
     "backward.",
     findCommunicationShare},
    {"long_collective", Warning, "Collectives that take far longer than similar ones",
     "Longest call / median of the same kernel, size and group, if the difference is over 1 % of a step", kAbove, 10,
     Times,
     "Look at what every rank does before this call. A late rank makes the others wait, and nearly full memory shrinks "
     "communication buffers.",
     findLongCollectives},
    {"slow_collective", Warning, "Collectives that are slow for their size",
     "Bytes of a message of at least 1 MiB / shortest of its calls, if its calls together take over 1 % of the time",
     kBelow, 1, Rate,
     "Check the network and its settings (NCCL_DEBUG=INFO), and whether device memory is nearly full, which shrinks "
     "communication buffers.",
     findSlowCollectives},
    {"low_utilization", Warning, "Kernels run less than half of the time", "Time with any kernel / window", kBelow,
     0.50, Share, "Use larger batches, or reduce the host's work between launches.", findLowUtilization},
    {"launch_bound", Warning, "The host launches too slowly",
     "Idle gaps under 1 ms in which the host had not yet launched the next work / window", kAbove, 0.20, Share,
     "Use fewer, larger kernels: torch.compile, CUDA graphs, fused optimizers (foreach, fused=True), larger batches.",
     findLaunchBound},
    {"idle_after_sync", Warning, "The device is idle after synchronisations",
     "Idle gaps that start while the launching thread waits for the device / window", kAbove, 0.02, Share,
     "Avoid .item(), .cpu(), print(tensor), nonzero() and torch.cuda.synchronize() inside steps; read results a few "
     "steps later.",
     findIdleAfterSynchronisation},
    {"tiny_kernels", Hint, "Many tiny kernels",
     "Kernels that take less time than the call that launches them / individually launched kernels", kAbove, 0.50,
     Share, "Fuse them: torch.compile, CUDA graphs, foreach and fused optimizers.", findTinyKernels},
    {"tensor_cores_unused", Hint, "Tensor cores are not used",
     "Kernels of matrix products and convolutions without tensor cores, if no kernel uses them / all kernels", kAbove,
     0, Share,
     "Use mixed precision (torch.autocast) or, with compute capability 8.0 or later, TF32: "
     "torch.set_float32_matmul_precision(\"high\").",
     findTensorCoresUnused},
    {"data_parallel", Warning, "DataParallel on several devices",
     "Devices with kernels, if DataParallel.forward is called", kAbove, 1, Count,
     "Use DistributedDataParallel with one process per device.", findDataParallel},
    {"ddp_without_nccl", Warning, "DistributedDataParallel without NCCL",
     "Names of NCCL in the trace, if DistributedDataParallel.forward is called and a device has compute capability "
     "3.5 or later",
     kBelow, 1, Count, "Use the nccl backend for tensors on devices.", findDistributedWithoutNccl},
    {"out_of_memory", Warning, "The device ran out of memory",
     "Allocations that failed for lack of memory ([OutOfMemory])", kAbove, 0, Count,
     "Use smaller batches, activation checkpointing or sharded optimizer states. A snapshot of the allocator "
     "(torch.cuda.memory, riffle_profiler.memory()) shows which memory was alive and whether it was fragmented.",
     findOutOfMemory},
    {"memory_peak", Warning, "Device memory is nearly full", "Largest Total Allocated / memory of that device", kAbove,
     0.90, Share, "Use activation checkpointing, mixed precision, smaller batches or sharded optimizer states.",
     findMemoryPeak},
    {"memory_held", Hint, "The allocator holds nearly all device memory",
     "Largest Total Reserved / memory of that device", kAbove, 0.95, Share,
     "This leaves little memory for other users of the device (NCCL buffers, libraries). Try expandable_segments:True "
     "in PYTORCH_CUDA_ALLOC_CONF.",
     findMemoryHeld},
};

} // namespace

std::span<const FindingRule> findingRules() { return kRules; }

const char *textOf(FindingSeverity severity)
{
    return severity == FindingSeverity::Error ? "error" : severity == Warning ? "warning" : "hint";
}

std::string formatMeasured(double value, FindingUnit unit)
{
    switch (unit) {
    case Share: return formatShare(value);
    case Times: return formatNumber(value) + " ×";
    case Rate: return formatNumber(value) + " GB/s";
    case Count: break;
    }
    return formatCount(static_cast<int64_t>(value));
}

FindingInput::FindingInput(const Scope &asked)
    : scope(asked)
    , facts(asked.facts())
    , trace(asked.facts().trace())
    , overview(overviewOf(asked))
    , devices(devicesOf(trace.info))
    , memories(deviceMemoryOf(trace, devices))
{
}

const DeviceProperties *FindingInput::properties(int32_t device) const
{
    for (const DeviceProperties &one : devices)
        if (one.id == device)
            return &one;
    // ROCm's profiler numbers agents, not devices, so a single device matches any number.
    return devices.size() == 1 ? &devices.front() : nullptr;
}

SliceRef FindingInput::sliceAt(LaneId lane, Ns time, const std::function<bool(SliceClass)> &wanted) const
{
    for (uint32_t row = trace.lanes[lane.value].rows; row-- > 0;) {
        const SliceId id = trace.sliceAt(lane, row, time);
        const Segment *segment = id.valid() ? trace.segmentOf(id) : nullptr;
        if (segment && wanted(facts.classes().of(*segment, segment->indexOf(id))))
            return ref(id.value);
    }
    return {};
}

std::pair<LaneId, TimeSpan> FindingInput::longestLoading() const
{
    std::pair<LaneId, TimeSpan> longest;
    Ns most = 0;
    for (uint32_t lane = 0; lane < facts.roles().lanes.size(); ++lane)
        for (const TimeSpan span : facts.roles().lanes[lane].dataloader.intervals())
            if (const Ns inside = scope.clipped(span); inside > most) {
                most = inside;
                longest = {LaneId(lane), span};
            }
    return longest;
}

SliceRef FindingInput::hostSliceNamed(std::string_view name) const
{
    uint32_t id = 0;
    while (id < trace.strings.count() && trace.string(id) != name)
        ++id;
    SliceRef first;
    Ns start = INT64_MAX;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; id < trace.strings.count() && at < segment->size(); ++at)
            if (segment->slices.name[at] == id && !(segment->slices.flags[at] & slice_flag::OnStream) &&
                segment->slices.start[at] < start) {
                start = segment->slices.start[at];
                first = ref(segment->idAt(at).value);
            }
    return first;
}

TimeSpan FindingInput::spanOf(SliceRef slice) const
{
    SliceReader reader(trace);
    return slice.valid() && reader.seek(slice.slice.value) ? reader.span() : TimeSpan{};
}

Ns FindingInput::stepTimeOf(const Finding &finding) const
{
    SliceReader reader(trace);
    const SliceId first = finding.evidence.empty() ? SliceId() : finding.evidence.front().slice;
    if (!scope.steps().onDevice && reader.seek(trace.launchOf(first).value))
        return reader.start();
    return finding.span.begin;
}

Findings findingsOf(const Scope &scope)
{
    const FindingInput input(scope);
    Findings answer;
    const std::span<const FindingRule> rules = findingRules();
    std::vector<std::vector<Finding>> found(rules.size());
    std::vector<const char *> reasons(rules.size());
    parallelFor(rules.size(), [&](size_t at) { reasons[at] = rules[at].find(input, rules[at], found[at]); });
    for (size_t at = 0; at < rules.size(); ++at) {
        if (reasons[at])
            answer.unjudged.push_back("The rule “" + std::string(rules[at].title) + "” could not be judged. " +
                                      reasons[at]);
        for (Finding &finding : found[at]) {
            finding.rule = &rules[at];
            if (finding.span.empty() && !finding.evidence.empty())
                finding.span = input.spanOf(finding.evidence.front());
            const uint32_t step = finding.span.empty() || !scope.steps().marked
                                      ? StepSet::kNone
                                      : scope.steps().at(input.stepTimeOf(finding));
            if (step != StepSet::kNone)
                finding.step = scope.steps().steps[step].number;
            answer.found.push_back(std::move(finding));
        }
    }
    std::stable_sort(answer.found.begin(), answer.found.end(),
                     [](const Finding &a, const Finding &b) { return a.rule->severity < b.rule->severity; });
    return answer;
}

} // namespace riffle
