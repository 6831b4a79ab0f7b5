// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/regular_marks.h"

#include "model/analysis/facts/step_marks.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

namespace riffle {

namespace {

constexpr size_t kFewest = 3;
constexpr double kLeastScore = 0.25;

double score(const RegularMark &mark) { return mark.evenness * mark.coverage; }

std::optional<RegularMark> markOf(std::string_view name, std::vector<TimeSpan> &spans, TimeSpan whole)
{
    if (spans.size() < kFewest || whole.duration() <= 0)
        return std::nullopt;
    std::ranges::sort(spans, {}, &TimeSpan::begin);
    std::vector<Ns> periods;
    for (size_t i = 1; i < spans.size(); ++i) {
        if (spans[i].begin < spans[i - 1].end)
            return std::nullopt;
        periods.push_back(spans[i].begin - spans[i - 1].begin);
    }
    const Ns period = medianOf(periods);
    if (period <= 0)
        return std::nullopt;
    for (Ns &one : periods)
        one = std::abs(one - period);
    const double deviation = static_cast<double>(medianOf(periods)) / static_cast<double>(period);
    const auto covered = static_cast<double>(spans.back().end - spans.front().begin);
    return RegularMark{std::string(name), spans.size(), period, std::max(0.0, 1 - deviation),
                       covered / static_cast<double>(whole.duration())};
}

} // namespace

std::vector<RegularMark> regularMarks(const Trace &trace, size_t most)
{
    std::map<std::string_view, std::vector<TimeSpan>> spans;
    for (const auto &segment : trace.segments) {
        throwIfStopped();
        if (trace.lanes[segment->lane.value].kind != LaneKind::Thread)
            continue;
        for (uint32_t i = 0; i < segment->size(); ++i)
            if (segment->slices.flags[i] & slice_flag::Annotation)
                spans[withoutStepNumber(trace.string(segment->slices.name[i]))].push_back(
                    {segment->slices.start[i], segment->end(i)});
    }
    std::vector<RegularMark> marks;
    for (auto &[name, own] : spans)
        if (auto mark = markOf(name, own, trace.span); mark && score(*mark) >= kLeastScore)
            marks.push_back(std::move(*mark));
    std::ranges::stable_sort(marks, std::ranges::greater(), score);
    marks.resize(std::min(marks.size(), most));
    return marks;
}

} // namespace riffle
