// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/step_set.h"

#include "model/analysis/facts/slice_reader.h"

#include <algorithm>
#include <charconv>

namespace riffle {

namespace {

struct Mark {
    TimeSpan span;
    uint32_t slice;
    LaneId lane;
    int64_t number;
};

/// "ProfilerStep#12" is 12; a mark without a number counts from 0.
int64_t numberIn(std::string_view name, int64_t otherwise)
{
    const size_t hash = name.rfind('#');
    int64_t number = otherwise;
    if (hash != name.npos)
        std::from_chars(name.data() + hash + 1, name.data() + name.size(), number);
    return number;
}

std::vector<Mark> marksNamed(const Trace &trace, std::string_view name)
{
    std::vector<Mark> marks;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (!(segment->slices.flags[at] & slice_flag::OnStream) && trace.string(segment->slices.name[at]) == name)
                marks.push_back({{segment->slices.start[at], segment->end(at)}, segment->firstSlice + at, segment->lane, 0});
    std::sort(marks.begin(), marks.end(), [](const Mark &a, const Mark &b) { return a.span.begin < b.span.begin; });
    for (size_t at = 0; at < marks.size(); ++at)
        marks[at].number = static_cast<int64_t>(at);
    return marks;
}

std::vector<Mark> profilersMarks(const Trace &trace)
{
    std::vector<Mark> marks;
    SliceReader reader(trace);
    for (const riffle::Step &step : trace.steps)
        if (reader.seek(step.slice.value))
            marks.push_back({step.span, step.slice.value, reader.lane(),
                             numberIn(trace.string(reader.name()), static_cast<int64_t>(marks.size()))});
    return marks;
}

} // namespace

StepSet::StepSet(const Trace &trace, const DeviceWork &work, std::string_view mark)
{
    const std::vector<Mark> marks = mark.empty() ? profilersMarks(trace) : marksNamed(trace, mark);
    for (const Mark &one : marks) {
        if (one.span.empty())
            continue;
        if (!steps.empty() && one.span.begin < steps.back().host.end) {
            ++overlapping;
            continue;
        }
        const auto slice = trace.slice(SliceId(one.slice));
        steps.push_back({one.number, slice ? std::string(trace.string(slice->data.name)) : std::string(), one.span, {},
                         SliceId(one.slice), 0});
    }
    marked = !steps.empty();
    if (!marked)
        steps.push_back({0, "all", trace.span, {}, {}, 0});

    ofWork.assign(work.size(), kNone);
    SliceReader reader(trace);
    for (size_t i = 0; i < work.size(); ++i) {
        const bool launched = work.launch[i] != DeviceWork::kNone && reader.seek(work.launch[i]);
        const uint32_t step = marked ? at(launched ? reader.start() : work.start[i]) : 0;
        ofWork[i] = step;
        if (step == kNone)
            continue;
        Step &owner = steps[step];
        owner.device = owner.work++ ? TimeSpan{std::min(owner.device.begin, work.start[i]), std::max(owner.device.end, work.end[i])}
                                    : work.span(i);
    }
}

uint32_t StepSet::at(Ns time) const
{
    const auto after = std::upper_bound(steps.begin(), steps.end(), time, [](Ns value, const Step &step) { return value < step.host.begin; });
    if (after == steps.begin() || !(after - 1)->host.contains(time))
        return kNone;
    return static_cast<uint32_t>(after - 1 - steps.begin());
}

bool StepSet::firstIsOutlier() const
{
    if (steps.size() < 3)
        return false;
    std::vector<Ns> others;
    for (size_t at = 1; at < steps.size(); ++at)
        others.push_back(steps[at].host.duration());
    std::nth_element(others.begin(), others.begin() + static_cast<ptrdiff_t>(others.size() / 2), others.end());
    return steps.front().host.duration() / 2 > others[others.size() / 2];
}

} // namespace riffle
