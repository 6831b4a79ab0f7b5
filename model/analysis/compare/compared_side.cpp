// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/compared_side.h"

#include "model/analysis/summary/step_lookup.h"
#include "model/base/format.h"
#include "model/base/rounding.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace riffle {

namespace {

std::string stepsText(TimeSpan steps)
{
    return steps.begin == steps.end ? "step " + std::to_string(steps.begin)
                                    : "steps " + std::to_string(steps.begin) + " to " + std::to_string(steps.end);
}

/// Chooses one step by its number and, if several steps have this number, by its time.
void chooseStep(ScopeRequest &request, const StepSet &set, uint32_t index)
{
    const StepSet::Step &step = set.steps[index];
    request.steps = TimeSpan{step.number, step.number};
    const auto same = std::ranges::count(set.steps, step.number, &StepSet::Step::number);
    if (same > 1)
        request.range = step.host;
}

} // namespace

StepMedian medianStep(const Scope &scope)
{
    StepMedian found;
    const StepSet &set = scope.steps();
    if (!set.marked)
        return found;
    std::vector<std::pair<Ns, uint32_t>> lengths;
    for (uint32_t at = 0; at < set.steps.size(); ++at)
        if (scope.hasStep(at) && set.steps[at].ended && !scope.cutsStep(at) && !(at == 0 && set.firstIsOutlier()))
            lengths.emplace_back(set.steps[at].host.duration(), at);
    if (lengths.empty())
        return found;
    std::sort(lengths.begin(), lengths.end());
    std::vector<int64_t> sorted;
    for (const auto &[length, at] : lengths)
        sorted.push_back(length);
    found.steps = lengths.size();
    found.duration = medianOfSorted(sorted);
    const Ns middle = lengths[(lengths.size() - 1) / 2].first;
    found.middle = std::lower_bound(lengths.begin(), lengths.end(), std::pair(middle, 0u))->second;
    return found;
}

Result<ComparedSide> comparedSide(const SetFacts &facts, TraceId trace, const SideRequest &request, std::string label)
{
    const TraceFacts &own = facts.of(trace);
    const StepSet &set = own.steps(request.stepMark);
    ComparedSide side;
    side.label = std::move(label);
    side.trace = trace;
    side.whole.stepMark = request.stepMark;
    side.whole.steps = request.steps;
    side.whole.withoutFirstStep = side.whole.endedStepsOnly = request.allSteps;
    const auto wrong = [&](const std::string &why) {
        return Error{side.label + " has " + why, {}, std::nullopt, ErrorKind::Question};
    };
    if (!set.marked && !request.stepMark.empty())
        return wrong("no slices named '" + request.stepMark + "', which would be its steps.");
    if (!set.marked && (request.steps || request.allSteps))
        return wrong("no steps. Choose a range instead, or name the slices that are its steps with --step-mark.");
    const TimeSpan recorded = own.trace().recordedSpan();
    if (request.range) {
        side.whole.range = TimeSpan{saturatedSum(recorded.begin, request.range->begin),
                                    saturatedSum(recorded.begin, request.range->end)}
                               .clipped(recorded);
        if (side.whole.range->empty())
            return wrong("no events in this range.");
    }
    const Scope whole(own, side.whole, trace);
    const bool choosesSteps = request.steps || request.allSteps;
    if (choosesSteps && whole.chosenSteps() == 0)
        return wrong(request.steps ? "none of these steps." : "no step.");
    side.median = medianStep(whole);
    side.wholeText = "all of it";
    if (choosesSteps)
        side.wholeText = request.steps ? stepsText(*request.steps)
                                       : formatCounted(whole.chosenSteps(), "step", "steps") + ", all that count";
    if (request.range)
        side.wholeText = (choosesSteps ? side.wholeText + " within " : "") + "range " + timeText(request.range->begin) +
                         ":" + (side.whole.range->end == recorded.end ? std::string() : timeText(request.range->end));
    side.part = side.whole;
    side.partText = side.wholeText;
    side.isChosen = request.choosesPart();
    if (side.isChosen)
        return side;
    if (side.median.steps == 0) {
        side.partText += set.marked ? " (no step ended)" : " (no steps)";
        return side;
    }
    chooseStep(side.part, set, side.median.middle);
    side.partText = stepsText(*side.part.steps);
    if (side.median.steps > 1)
        side.partText += ", the middle of " + formatCount(static_cast<int64_t>(side.median.steps)) + " by length";
    return side;
}

} // namespace riffle
