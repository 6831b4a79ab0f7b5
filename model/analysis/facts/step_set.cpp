// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/step_set.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/step_marks.h"
#include "model/base/filled_vector.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

/// The profiler's marks, with the numbers from their names; trace.steps may lack these.
std::vector<riffle::Step> profilersMarks(const Trace &trace)
{
    std::vector<riffle::Step> marks = trace.steps;
    SliceReader reader(trace);
    std::erase_if(marks, [&](const riffle::Step &mark) { return !reader.seek(mark.slice.value); });
    for (size_t at = 0; at < marks.size(); ++at) {
        reader.seek(marks[at].slice.value);
        marks[at].number = stepNumberIn(trace.string(reader.name()), static_cast<int64_t>(at));
    }
    return marks;
}

} // namespace

StepSet::StepSet(const Trace &trace, const DeviceWork &work, std::string_view mark)
{
    for (const riffle::Step &one : mark.empty() ? profilersMarks(trace) : stepsMarkedBy(trace, mark)) {
        if (one.span.empty())
            continue;
        if (!steps.empty() && !steps.back().ended) {
            TimeSpan &open = steps.back().host;
            open.end = std::min(open.end, one.span.begin);
            if (open.empty())
                steps.pop_back();
        }
        if (!steps.empty() && one.span.begin < steps.back().host.end) {
            ++overlapping;
            continue;
        }
        const auto slice = trace.slice(one.slice);
        steps.push_back({one.number,
                         slice ? std::string(trace.string(slice->data.name)) : std::string(),
                         one.span,
                         {},
                         one.slice,
                         0,
                         !slice || !(slice->data.flags & slice_flag::Unfinished)});
    }
    marked = !steps.empty();
    onDevice = isDeviceMark(mark);
    ofPart = trace.info.part.has_value();
    if (!marked)
        steps.push_back({0, "all", trace.span, {}, {}, 0, true});

    assert(!steps.empty() && std::ranges::is_sorted(steps, {}, [](const Step &step) { return step.host.begin; }));
    ofWork = filledVector(work.size(), kNone);
    const BigVector<Ns> &belongs = onDevice ? work.start : work.launched;
    uint32_t step = 0; // consecutive work is mostly in the same step
    for (size_t i = 0; i < work.size(); ++i) {
        throwIfStoppedAt(i);
        if (marked && (step == kNone || !steps[step].host.contains(belongs[i])))
            step = at(belongs[i]);
        ofWork[i] = step;
        if (step == kNone)
            continue;
        Step &owner = steps[step];
        owner.device = owner.work++ ? TimeSpan{std::min(owner.device.begin, work.start[i]),
                                               std::max(owner.device.end, work.end[i])}
                                    : work.span(i);
    }
}

uint32_t StepSet::at(Ns time) const
{
    const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                        [](Ns value, const Step &step) { return value < step.host.begin; });
    if (after == steps.begin() || !(after - 1)->host.contains(time))
        return kNone;
    return static_cast<uint32_t>(after - 1 - steps.begin());
}

uint64_t StepSet::unfinished() const { return static_cast<uint64_t>(std::ranges::count(steps, false, &Step::ended)); }

bool StepSet::firstIsOutlier() const
{
    std::vector<riffle::Step> spans;
    for (const Step &step : steps)
        if (step.ended)
            spans.push_back({step.number, step.slice, step.host});
    return !ofPart && steps.front().ended && firstIsFarLonger(spans);
}

} // namespace riffle
