// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/recording_advice.h"
#include "model/analysis/summary/event_types.h"
#include "model/analysis/summary/figures.h"
#include "model/analysis/summary/stages.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/summary/timed_rows.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"

namespace riffle {

namespace {

/// The row of the chosen steps themselves: their time, and the time of the kernels that they launched.
TimedRow stepRow(const Scope &scope)
{
    const StepSet &steps = scope.steps();
    const DeviceWork &work = scope.facts().work();
    std::vector<Ns> kernels(steps.steps.size(), 0);
    for (uint32_t at = 0; at < work.size(); ++at)
        if (steps.ofWork[at] != StepSet::kNone && scope.launches(at) && isKernel(work.role[at]))
            kernels[steps.ofWork[at]] += work.duration(at);
    TimedRow row;
    row.name = "ProfileStep";
    Ns longest = -1;
    for (uint32_t step = 0; step < steps.steps.size(); ++step) {
        if (!scope.hasStep(step) || !scope.touches(steps.steps[step].host))
            continue;
        const Ns time = scope.clipped(steps.steps[step].host);
        row.host.add(time);
        row.device.add(kernels[step]);
        if (time > longest && steps.steps[step].slice.valid())
            row.longest = {scope.trace(), steps.steps[step].slice};
        longest = std::max(longest, time);
    }
    row.calls = static_cast<int64_t>(row.host.calls);
    return row;
}

std::string ruleText(ForwardRule rule)
{
    switch (rule) {
    case ForwardRule::Marked: return {};
    case ForwardRule::Modules: return "Forward consists of the outermost calls of modules.";
    case ForwardRule::Annotated:
        return "Forward consists of the slices named ….forward. Set with_stack=True to record the modules.";
    case ForwardRule::Operators:
        return "Forward consists of the operators in no other stage, up to the last backward of a step. Set "
               "with_stack=True to record the modules.";
    }
    return {};
}

} // namespace

ResultTable modelTable(const Scope &asked, std::string_view)
{
    const Scope scope = ofEndedSteps(asked);
    const Stages stages(scope);
    std::vector<TimedRow> rows{stepRow(scope)};
    std::array<TimedRow, kStages> byStage;
    std::array<Ns, kStages> longest{-1, -1, -1, -1};
    std::array<BigVector<TimeSpan>, kStages> spans;
    for (const Stages::Call &call : stages.calls) {
        const auto stage = static_cast<size_t>(call.stage);
        const Ns time = scope.clipped(call.span);
        const bool begins = scope.holds(call.span.begin);
        byStage[stage].host.add(time, begins);
        byStage[stage].device.add(call.kernels, begins);
        if (time > longest[stage])
            byStage[stage].longest = {scope.trace(), SliceId(call.slice)};
        longest[stage] = std::max(longest[stage], time);
        spans[stage].push_back(call.span);
    }
    const IntervalSet steps = stepTimes(scope);
    IntervalSet others = steps;
    TimedRow rest;
    rest.name = "Others";
    rest.device.total = rows.front().device.totalOrZero();
    for (size_t stage = 0; stage < kStages; ++stage) {
        TimedRow &row = byStage[stage];
        if (row.host.total == kNoInt)
            continue;
        row.name = kStageNames[stage];
        row.calls = static_cast<int64_t>(row.host.calls);
        const IntervalSet times = IntervalSet::unionOf(std::move(spans[stage])) & steps;
        row.hostShare = ratio(times.length(), steps.length());
        others = others - times;
        rest.device.total -= row.device.totalOrZero();
        rows.push_back(row);
    }
    const bool any = rows.size() > 1;
    rest.host.total = others.length();
    rest.hostShare = ratio(others.length(), steps.length());
    rows.push_back(rest);
    rows.front().hostShare = ratio(steps.length(), steps.length());
    const Ns deviceAll = rows.front().device.totalOrZero();
    const bool device = !scope.facts().work().empty();
    for (size_t at = 0; at < rows.size(); ++at) {
        rows[at].depth = at > 0;
        rows[at].deviceShare = ratio(rows[at].device.totalOrZero(), deviceAll);
        if (!device)
            rows[at].device = {};
    }
    ResultTable table =
        timedTable(rows, {"Stage of the training step. Others is the time of the steps that no stage covers.",
                          "of the kernels launched inside",
                          "Time of the steps during which at least one of the calls ran / time of the steps.",
                          "Device total / time of the kernels that the steps launched."});
    if (!scope.steps().marked)
        table.notes.push_back("No steps are marked, so the whole trace counts as one step.");
    if (const uint64_t unfinished = asked.chosenSteps() - scope.chosenSteps())
        table.notes.push_back(unfinishedStepsNote(unfinished));
    if (!any)
        table.notes.push_back("No stages were found." +
                              recordingAdvice(EmptySubject::Operators, recorderOf(scope.facts().trace().info)).added());
    else if (const std::string rule = ruleText(stages.forward); !rule.empty())
        table.notes.push_back(rule);
    return table;
}

} // namespace riffle
