// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/overview.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/summary/overlap_analysis.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/parallel.h"
#include "model/base/rounding.h"

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// One figure: its section, its name and the cells that it has.
struct OverviewRow {
    const char *section;
    std::string name;
    const char *formula;
    int64_t device = kNoInt;
    Ns time = kNoInt;
    double share = kNoNumber;
    int64_t count = kNoInt;
    std::string text;
};

class Lines {
public:
    explicit Lines(std::vector<OverviewRow> &rows) : m_rows(rows) {}
    void text(const char *section, std::string name, std::string value, int64_t device = kNoInt)
    {
        if (!value.empty())
            m_rows.push_back({section, std::move(name), "", device, kNoInt, kNoNumber, kNoInt, std::move(value)});
    }
    void count(const char *section, std::string name, uint64_t value, const char *formula, int64_t device = kNoInt,
               std::string text = {})
    {
        m_rows.push_back({section, std::move(name), formula, device, kNoInt, kNoNumber, static_cast<int64_t>(value),
                          std::move(text)});
    }
    void rate(std::string name, int64_t value, double share, const char *formula, int64_t device, std::string text)
    {
        m_rows.push_back({"device", std::move(name), formula, device, kNoInt, share, value, std::move(text)});
    }
    void time(const char *section, std::string name, Ns value, double share, const char *formula,
              int64_t device = kNoInt)
    {
        m_rows.push_back({section, std::move(name), formula, device, value, share, kNoInt, {}});
    }

private:
    std::vector<OverviewRow> &m_rows;
};

const char *wordOf(const std::optional<bool> &said) { return !said ? "unknown" : *said ? "yes" : "no"; }

void describeTrace(const Scope &scope, const Overview &overview, bool isOfTraining, Lines lines)
{
    const Recording &recording = overview.recording;
    lines.text("trace", "format", recording.format);
    lines.text("trace", "framework", recording.framework);
    if (recording.rank)
        lines.count("trace", "rank", static_cast<uint64_t>(*recording.rank), "");
    if (recording.worldSize)
        lines.count("trace", "world_size", static_cast<uint64_t>(*recording.worldSize), "");
    const uint64_t whole = overview.marked ? overview.steps : 0;
    std::string steps; // views show the text in place of the number
    const auto others = [&](uint64_t count, const char *why) {
        if (count > 0)
            steps += (steps.empty() ? formatCount(static_cast<int64_t>(whole)) + " and " : ", and ") +
                     formatCount(static_cast<int64_t>(count)) + why;
    };
    others(overview.cutSteps, " that the range cuts");
    others(overview.openSteps, " that never ended");
    if (isOfTraining)
        lines.count("trace", "steps", whole, "Marked and chosen steps that ended and that the range does not cut.",
                    kNoInt, steps);
    const Trace &trace = scope.facts().trace();
    lines.time("trace", "span", (trace.info.part ? trace.askedSpan() : trace.recordedSpan()).duration(), kNoNumber,
               "From the first event to the end of the last one, of whatever kind; the requested part of a partially "
               "read trace.");
    lines.text("trace", "backend", recording.distributed.backend);
    lines.text("trace", "nccl", recording.distributed.ncclVersion);
    lines.text("trace", "process_groups", groupsText(recording.distributed));
    for (const auto &[what, version] : recording.versions)
        lines.text("trace", what, version);
    if (!isOfTraining)
        return;
    const RecordedOptions &options = recording.options;
    for (const auto &[name, said] :
         {std::pair("record_shapes", options.recordShapes), std::pair("with_stack", options.withStack),
          std::pair("profile_memory", options.profileMemory), std::pair("with_flops", options.withFlops),
          std::pair("with_modules", options.withModules)})
        lines.text("recorded", name, wordOf(said));
}

void describeSteps(const Overview &overview, Lines lines)
{
    lines.time(
        "step", "mean", overview.meanStep, kNoNumber,
        "Mean duration of the chosen steps. Steps that never ended and steps that the range cuts are left out; if it "
        "cuts all of them, their parts in the range count.");
    for (size_t role = 0; role < kRoles; ++role)
        lines.time("step", kRoleTexts[role].key, overview.meanBreakdown[role], overview.shares[role],
                   kRoleTexts[role].meaning);
}

std::string capabilityOf(const DeviceProperties &device)
{
    return device.computeMajor && device.computeMinor
               ? std::to_string(*device.computeMajor) + "." + std::to_string(*device.computeMinor)
               : "";
}

void describeUnused(const Recording::Device &device, Lines lines)
{
    std::string text = device.properties.name;
    if (device.properties.memoryBytes)
        text += ", " + formatBytes(*device.properties.memoryBytes);
    if (device.properties.multiprocessors)
        text += ", " + std::to_string(*device.properties.multiprocessors) + " multiprocessors";
    lines.text("unused_device", "name", text, device.number);
}

void describeHardware(const Recording::Device &device, Lines lines)
{
    const DeviceProperties &properties = device.properties;
    lines.text("device", "name", properties.name, device.number);
    lines.text("device", "compute_capability", capabilityOf(properties), device.number);
    if (properties.memoryBytes)
        lines.count("device", "memory_bytes", static_cast<uint64_t>(*properties.memoryBytes), "Memory of the device.",
                    device.number, formatBytes(*properties.memoryBytes));
    if (properties.multiprocessors)
        lines.count("device", "multiprocessors", static_cast<uint64_t>(*properties.multiprocessors),
                    "Streaming multiprocessors, or compute units on AMD.", device.number);
}

void describeDevice(const DeviceFigures &figures, Lines lines)
{
    const char *section = "device";
    const auto line = [&](const char *name, Ns time, double share, const char *formula) {
        lines.time(section, name, time, share, formula, figures.device);
    };
    const auto ofWindow = [&](const char *name, Ns time, const char *formula) {
        line(name, time, figures.share(time), formula);
    };
    line("window", figures.window, kNoNumber,
         "From the start of the first chosen step to the end of the last that ended.");
    ofWindow("utilization", figures.kernelTime, "Time with any kernel, communication included / window.");
    ofWindow("busy", figures.busyTime, "Time with any kernel, copy or memset / window.");
    ofWindow("compute", figures.compute, "Time with any kernel other than communication / window.");
    ofWindow("communication", figures.communication, "Time with any communication kernel / window.");
    ofWindow("exposed_communication", figures.exposedCommunication,
             "Time with communication but no compute kernel / window.");
    line("overlap", figures.overlap, ratio(figures.overlap, figures.communication),
         "Time with both communication and compute kernels / time with communication.");
    ofWindow("memcpy", figures.memcpy, "Time with any copy / window.");
    ofWindow("exposed_memcpy", figures.exposedMemcpy, "Time with a copy but no kernel / window.");
    ofWindow("memset", figures.memset, "Time with any memset / window.");
    line("sm_efficiency", kNoInt, figures.smEfficiency,
         "Mean over the window of min(1, blocks per SM of all running kernels).");
    line("occupancy", kNoInt, figures.occupancy,
         "Estimated achieved occupancy, averaged by time over the kernels that record it.");
    line("tensor_cores", figures.tensorSum, ratio(figures.tensorSum, figures.kernelSum),
         "Summed time of kernels that use tensor cores / summed time of all kernels.");
    line("tensor_cores_unknown", figures.tensorUnknownSum, ratio(figures.tensorUnknownSum, figures.kernelSum),
         "Summed time of kernels whose names do not show whether they use tensor cores / summed time of all "
         "kernels.");
    const Ns idle = figures.idle.total();
    ofWindow("idle", idle, "Time without any kernel, copy or memset / window.");
    for (size_t cause = 0; cause < kIdleCauses; ++cause) {
        const IdleCauseText &text = textOf(static_cast<IdleCause>(cause));
        lines.time("idle", text.key, figures.idle.sums[cause], ratio(figures.idle.sums[cause], idle), text.meaning,
                   figures.device);
    }
}

/// The profiler's own figures have the names of those that Riffle computes, so that checks find them.
void describeOverlap(const std::vector<OverlapAnalysis> &devices, Lines lines)
{
    for (size_t at = 0; at < devices.size(); ++at) {
        const OverlapAnalysis &own = devices[at];
        const auto line = [&](const char *name, Ns time, const char *formula) {
            const double share = own.window > 0 ? ratio(time, own.window) : kNoNumber;
            lines.time("device", name, time, share, formula, devices.size() > 1 ? static_cast<int64_t>(at) : kNoInt);
        };
        line("window", own.window, "From the start of the first chosen step to the end of the last.");
        line("compute", own.computing, "“Computing” in the trace's “Overlap Analysis” / window.");
        line("communication", own.communication, "“Communication” in the trace's “Overlap Analysis” / window.");
        line("exposed_communication", own.exposedCommunication,
             "“Communication(Not Overlapped)” in the trace's “Overlap Analysis” / window.");
        line("idle", own.free, "“Free” in the trace's “Overlap Analysis” / window.");
    }
}

void describeFlops(const DeviceFigures &figures, const DeviceFlops &flops, Lines lines)
{
    const auto rate = [&](const char *name, double perSecond, double share, const char *formula, std::string more) {
        if (perSecond >= 0 && perSecond < 1e18)
            lines.rate(name, static_cast<int64_t>(std::llround(perSecond)), share, formula, figures.device,
                       formatNumber(perSecond / 1e12) + " TFLOP/s" + more);
    };
    lines.count("device", "flops", static_cast<uint64_t>(flops.flops),
                "Floating-point operations of the operators that launched work on the device, from their shapes.",
                figures.device);
    rate("flops_per_s", flops.perSecond(figures.window), flops.peakShare(figures.window),
         "FLOPs / window. The share is relative to the peak.", "");
    if (flops.peak)
        rate("peak_flops_per_s", *flops.peak, kNoNumber,
             "The device's peak rate in the data type that more than half of the FLOPs use.",
             std::string(" in ") + computeTypeName(flops.type));
    lines.time("device", "flops_not_counted", flops.uncounted, ratio(flops.uncounted, flops.work),
               "Summed time of device work without an operator, or whose operator has no formula or no shapes / summed "
               "time of all device work.",
               figures.device);
}

void describeLaunches(const LaunchStatistics &launches, Lines lines)
{
    const char *section = "launches";
    lines.count(section, "launches", launches.launches, "Calls that launched exactly one piece of device work.");
    lines.count(section, "graph_launches", launches.graphLaunches,
                "Calls that launched several pieces of device work (graphs). The figures below leave them out.");
    lines.count(section, "launches_without_work", launches.withoutWork,
                "Launch calls whose device work is not in the trace.");
    lines.count(section, "work_without_launch", launches.workWithout, "Device work whose launch is not in the trace.");
    lines.count(section, "short_kernels", launches.shortKernels,
                "Kernels that took less time than the call that launched them.");
    lines.count(section, "slow_launches", launches.slowLaunches, "Launch calls that took more than 50 µs.");
    lines.count(section, "delayed_work", launches.delayed,
                "Device work that started more than 100 µs after its call ended.");
    lines.count(section, "negative_delays", launches.negative, "Device work that started before its call ended.");
    lines.count(section, "before_launch", launches.beforeLaunch,
                "Device work that started before its call did: the clocks of host and device differ.");
    lines.time(section, "delay_mean", launches.meanDelay, kNoNumber,
               "Mean of the delays: start of the device work − end of the call.");
    lines.time(section, "delay_median", launches.medianDelay, kNoNumber,
               "Median of the delays: start of the device work − end of the call.");
    lines.time(
        section, "delay_min", launches.minimumDelay, kNoNumber,
        "The smallest delay. If it is negative, device work started before its call ended, or the clocks of host "
        "and device differ.");
    lines.time(section, "delay_max", launches.maximumDelay, kNoNumber, "The largest delay.");
    lines.count(section, "longest_queue", launches.longestQueue,
                "The most pieces of work on one stream that were launched but had not started.");
    lines.time(section, "queue_full", launches.blocked, kNoNumber,
               "Time with 1,024 or more pieces of work in a stream's queue, summed over streams.");
}

} // namespace

Overview overviewOf(const Scope &scope)
{
    Overview overview;
    parallelJobs(
        {[&] { overview.devices = deviceFigures(scope); }, [&] { overview.launches = launchStatistics(scope); }});
    if (!scope.facts().flops().calls.empty())
        overview.flops = flopsOfDevices(scope);
    overview.recording = recordingOf(scope.facts());
    overview.marked = scope.steps().marked;
    for (uint32_t at = 0; at < scope.steps().steps.size(); ++at)
        if (scope.hasStep(at))
            ++(!scope.steps().steps[at].ended ? overview.openSteps
               : scope.cutsStep(at)           ? overview.cutSteps
                                              : overview.steps);
    const bool onlyCut = overview.steps == 0;
    Ns sum = 0;
    Breakdown sums{};
    for (uint32_t at = 0; at < scope.steps().steps.size(); ++at) {
        if (!scope.hasStep(at) || !scope.steps().steps[at].ended || scope.cutsStep(at) != onlyCut)
            continue;
        const TimeSpan span = scope.stepSpan(at);
        const Breakdown parts = breakdownOf(scope.facts(), span);
        sum += span.duration();
        for (size_t role = 0; role < kRoles; ++role)
            sums[role] += parts[role];
    }
    if (const uint32_t steps = onlyCut ? overview.cutSteps : overview.steps) {
        overview.meanStep = roundedQuotient(sum, steps);
        for (size_t role = 0; role < kRoles; ++role) {
            overview.meanBreakdown[role] = roundedQuotient(sums[role], steps);
            overview.shares[role] = ratio(sums[role], sum);
        }
    }
    return overview;
}

ResultTable overviewTable(const Scope &scope, std::string_view)
{
    const Overview overview = overviewOf(scope);
    std::vector<OverviewRow> rows;
    Lines lines(rows);
    EmptyFacts known = trainingFactsOf(scope.facts());
    known.ofTraining = known.ofTraining || !scope.request().stepMark.empty();
    const EmptyState other = fileState(known);
    const bool isOfTraining = other.reason == EmptyReason::None;
    describeTrace(scope, overview, isOfTraining, lines);
    if (isOfTraining && (overview.steps + overview.cutSteps > 0 || overview.openSteps == 0))
        describeSteps(overview, lines);
    const std::vector<Recording::Device> &devices = overview.recording.devices;
    const auto unused =
        std::find_if(devices.begin(), devices.end(), [](const Recording::Device &device) { return !device.used; });
    std::for_each(devices.begin(), unused, [&](const Recording::Device &device) { describeHardware(device, lines); });
    for (size_t at = 0; at < overview.devices.size(); ++at) {
        describeDevice(overview.devices[at], lines);
        if (at < overview.flops.size())
            describeFlops(overview.devices[at], overview.flops[at], lines);
    }
    if (!overview.devices.empty())
        describeLaunches(overview.launches, lines);
    else
        describeOverlap(overlapAnalyses(scope), lines);
    std::for_each(unused, devices.end(), [&](const Recording::Device &device) { describeUnused(device, lines); });
    ResultTable table;
    TableBuilder<OverviewRow> build(table, rows);
    build.text("section", "Section", "What the figure is about.", [](const OverviewRow &row) { return row.section; });
    build.text("name", "Figure", "", [](const OverviewRow &row) { return row.name; });
    build.id("device", "Device", "Number of the device.", [](const OverviewRow &row) { return row.device; });
    build.time("time_ns", "Time", "", [](const OverviewRow &row) { return row.time; });
    build.share("share", "Share", "", [](const OverviewRow &row) { return row.share; });
    build.count("count", "Count", "", [](const OverviewRow &row) { return row.count; });
    build.text("text", "Text", "", [](const OverviewRow &row) { return row.text; });
    build.text("formula", "Meaning", "", [](const OverviewRow &row) { return row.formula; }).hidden = true;
    if (!isOfTraining)
        table.notes.push_back(other.text);
    else if (overview.devices.empty())
        table.notes.push_back(notRecorded(scope.facts(), EmptySubject::DeviceWork).text);
    if (overview.openSteps)
        table.notes.push_back(unfinishedStepsNote(overview.openSteps));
    if (const std::string note = notRecordedNote(scope); !note.empty())
        table.notes.push_back(note);
    return table;
}

} // namespace riffle
