// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/flops_figures.h"
#include "model/analysis/summary/figures.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/ordered_links.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/stopping.h"

#include <algorithm>

namespace riffle {

namespace {

struct StepRow {
    const StepSet::Step *step;
    TimeSpan span; ///< clipped to the range
    bool cut;
    TimeSpan device; ///< of the device work that the step launched inside the range
    uint64_t work;
    Breakdown parts;
    int64_t flops;
    double perDevice, peakShare; ///< TFLOP/s per device, and its share of the peak
};

/// Sets the TFLOP/s per device, averaged over the devices that have work, and the share of the peak.
void addRate(StepRow &row, int64_t flops, const std::vector<DeviceFlops> &devices)
{
    DeviceFlops one = devices.front();
    one.flops = flops / static_cast<int64_t>(devices.size());
    row.perDevice = one.perSecond(row.span.duration()) / 1e12;
    row.peakShare = one.peakShare(row.span.duration());
}

struct Launched {
    TimeSpan span; ///< first start to last end
    uint64_t work = 0;
};

/// The device work that each step launched inside the scope.
std::vector<Launched> launchedBySteps(const Scope &scope)
{
    const DeviceWork &work = scope.facts().work();
    std::vector<Launched> launched(scope.steps().steps.size());
    for (size_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        const uint32_t step = scope.steps().ofWork[at];
        if (step == StepSet::kNone || !scope.launches(at))
            continue;
        Launched &own = launched[step];
        own.span = own.work++ ? TimeSpan{std::min(own.span.begin, work.start[at]), std::max(own.span.end, work.end[at])}
                              : work.span(at);
    }
    return launched;
}

} // namespace

ResultTable stepTable(const Scope &scope, std::string_view)
{
    const TraceFacts &facts = scope.facts();
    const StepSet &steps = scope.steps();
    ResultTable table;
    std::vector<StepRow> rows;
    uint64_t cut = 0, unfinished = 0;
    RowSlices::Member member{scope.trace(), {}, {}};
    const bool flopsKnown = !facts.flops().calls.empty();
    const std::vector<Launched> launched = launchedBySteps(scope);
    const std::vector<StepFlops> flops = flopsOfSteps(scope);
    const std::vector<DeviceFlops> devices = flopsOfDevices(scope);
    const IntervalSet &gaps = facts.gaps().times;
    for (uint32_t at = 0; at < steps.steps.size(); ++at) {
        const StepSet::Step &step = steps.steps[at];
        if (!scope.hasStep(at))
            continue;
        table.evidence.push_back({scope.trace(), step.slice});
        if (step.slice.valid()) {
            member.slices.push_back(step.slice.value);
            member.rows.push_back(static_cast<uint32_t>(rows.size()));
        }
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        const TimeSpan span = scope.stepSpan(at);
        cut += scope.cutsStep(at);
        unfinished += !step.ended;
        rows.push_back({&step, span, scope.cutsStep(at), launched[at].span, launched[at].work, breakdownOf(facts, span),
                        flopsKnown ? flops[at].flops : kNoInt, kNone, kNone});
        if (flopsKnown && !devices.empty())
            addRate(rows.back(), flops[at].onDevices, devices);
    }
    TableBuilder<StepRow> build(table, rows);
    build.id("step", "Step", "The number in the mark's name.", [](const StepRow &row) { return row.step->number; });
    build.text("name", "Name", "The mark's name.", [](const StepRow &row) { return row.step->name; });
    build.integer("start_ns", "Start", CellKind::Moment, "Start of the mark, clipped to the range.",
                  [](const StepRow &row) { return row.span.begin; });
    ResultColumn &duration = build.time("duration_ns", "Duration", "Duration of the mark, clipped to the range.",
                                        [](const StepRow &row) { return row.span.duration(); });
    duration.summed = duration.barred = true;
    for (size_t role = 0; role < kRoles; ++role) {
        const RoleText &text = kRoleTexts[role];
        std::string key = text.key;
        build.time(key + "_ns", text.title, text.meaning, [role](const StepRow &row) { return row.parts[role]; })
            .summed = true;
        build
            .share(key + "_share", std::string(text.title) + " share", std::string(text.title) + " / duration.",
                   [role](const StepRow &row) { return ratio(row.parts[role], row.span.duration()); })
            .hidden = true;
    }
    const auto onDevice = [](auto get) { return [get](const StepRow &row) { return row.work ? get(row) : kNoInt; }; };
    build
        .integer("device_start_ns", "Device start", CellKind::Moment,
                 "First start of the device work that the step launched.",
                 onDevice([](const StepRow &row) { return row.device.begin; }))
        .hidden = true;
    build
        .integer("device_end_ns", "Device end", CellKind::Moment, "Last end of the device work that the step launched.",
                 onDevice([](const StepRow &row) { return row.device.end; }))
        .hidden = true;
    build.time("device_span_ns", "Device span",
               "From the first start to the last end of the device work that the step launched.",
               onDevice([](const StepRow &row) { return row.device.duration(); }));
    build
        .count("device_work", "Device work", "Kernels, copies and memsets that the step launched.",
               [](const StepRow &row) { return row.work; })
        .summed = true;
    build
        .count("flops", "FLOPs",
               "Floating-point operations of the operators that start in the step, from their shapes.",
               [](const StepRow &row) { return row.flops; })
        .summed = true;
    build.number(
        "tflops_per_gpu_s", "TFLOP/s per GPU", CellKind::Number,
        "FLOPs of the operators with device work / duration / number of devices with work, in 10¹² per second.",
        [](const StepRow &row) { return row.perDevice; });
    build.share("peak_share", "Share of peak",
                "TFLOP/s per GPU / the device's peak rate in the data type that more than half of the FLOPs use, "
                "according to the kernels' names.",
                [](const StepRow &row) { return row.peakShare; });
    build
        .count("cut", "Cut", "1 if only a part of the step is inside the range. Host times are those of that part.",
               [](const StepRow &row) { return int64_t{row.cut}; })
        .hidden = cut == 0;
    build
        .count(
            "unfinished", "Unfinished",
            "1 if the mark has no end. The step then reaches to the next step or to the end of the trace, and is left "
            "out of means, extremes and shares.",
            [](const StepRow &row) { return int64_t{!row.step->ended}; })
        .hidden = unfinished == 0;
    table.slices = orderedLinks(std::move(member));
    if (gaps.lengthWithin(facts.trace().askedSpan()) > 0)
        build.time("not_recorded_ns", "Not recorded",
                   "Time of the step in which the devices were not recorded. What they did then is in no figure.",
                   [&](const StepRow &row) { return gaps.lengthWithin(row.span); });
    if (rows.empty())
        table.absence = "No step has time in the selection.";
    if (!steps.marked && steps.ofPart)
        table.notes.push_back(facts.isPart()
                                  ? "No steps are marked in the newest part of the recording, so it counts as one step."
                                  : "No steps are marked in the part that was read, so it counts as one step.");
    else if (!steps.marked)
        table.notes.push_back(
            "No steps were marked, so the whole trace counts as one step. Call prof.step() after each "
            "iteration, or name the slices that are steps.");
    if (cut)
        table.notes.push_back(std::to_string(cut) + (cut == 1 ? " step extends" : " steps extend") +
                              " beyond the range; the time outside it is left out.");
    if (unfinished)
        table.notes.push_back(unfinishedStepsNote(unfinished));
    if (const std::string note = notRecordedNote(scope); !note.empty())
        table.notes.push_back(note);
    if (steps.overlapping)
        table.notes.push_back(std::to_string(steps.overlapping) +
                              " marks were left out because they overlap earlier ones.");
    if (steps.firstIsOutlier())
        table.notes.push_back("The first step took more than twice as long as the median of the others.");
    return table;
}

} // namespace riffle
