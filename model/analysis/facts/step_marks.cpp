// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/step_marks.h"

#include "model/base/merge_sort.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <numeric>

namespace riffle {

namespace {

/// True for annotations on a stream if `onDevice`, and otherwise for all slices of the host.
bool isCandidate(uint16_t flags, bool onDevice)
{
    const bool isOnStream = flags & slice_flag::OnStream;
    return onDevice ? isOnStream && (flags & slice_flag::Annotation) : !isOnStream;
}

/// Removes all lanes but the one whose steps take the most time.
void keepLongest(std::map<LaneId, std::vector<Step>> &byLane)
{
    const auto timeOf = [](const std::vector<Step> &steps) {
        return std::accumulate(steps.begin(), steps.end(), Ns(0),
                               [](Ns sum, const Step &step) { return sum + step.span.duration(); });
    };
    const auto longest = std::max_element(byLane.begin(), byLane.end(), [&](const auto &a, const auto &b) {
        return timeOf(a.second) < timeOf(b.second);
    });
    if (longest == byLane.end())
        return;
    byLane.erase(byLane.begin(), longest);
    byLane.erase(std::next(byLane.begin()), byLane.end());
}

} // namespace

bool isDeviceMark(std::string_view mark) { return mark.size() > kDeviceMark.size() && mark.ends_with(kDeviceMark); }

std::string_view withoutStepNumber(std::string_view name)
{
    const size_t hash = name.rfind('#');
    const bool numbered =
        hash != name.npos && hash + 1 < name.size() && name.find_first_not_of("0123456789", hash + 1) == name.npos;
    return numbered ? name.substr(0, hash) : name;
}

int64_t stepNumberIn(std::string_view name, int64_t otherwise)
{
    const size_t hash = name.rfind('#');
    int64_t number = otherwise;
    if (hash != name.npos)
        std::from_chars(name.data() + hash + 1, name.data() + name.size(), number);
    return number;
}

std::vector<Step> stepsMarkedBy(const Trace &trace, std::string_view mark)
{
    const bool onDevice = isDeviceMark(mark);
    if (onDevice)
        mark.remove_suffix(kDeviceMark.size());
    std::vector<uint8_t> marks(trace.strings.count());
    for (uint32_t name = 0; name < marks.size(); ++name)
        marks[name] = trace.string(name) == mark || withoutStepNumber(trace.string(name)) == mark;
    std::map<LaneId, std::vector<Step>> byLane;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            if (marks[segment->slices.name[at]] && isCandidate(segment->slices.flags[at], onDevice))
                byLane[segment->lane].push_back({0, segment->idAt(at), {segment->slices.start[at], segment->end(at)}});
        }
    if (onDevice)
        keepLongest(byLane);
    std::vector<Step> steps;
    for (const auto &[lane, own] : byLane)
        steps.insert(steps.end(), own.begin(), own.end());
    stoppableSort(steps, [](const Step &a, const Step &b) {
        return std::pair(a.span.begin, a.slice) < std::pair(b.span.begin, b.slice);
    });
    for (size_t at = 0; at < steps.size(); ++at) {
        const auto slice = trace.slice(steps[at].slice);
        steps[at].number = stepNumberIn(trace.string(slice->data.name), static_cast<int64_t>(at));
    }
    return steps;
}

bool firstIsFarLonger(std::span<const Step> steps)
{
    if (steps.size() < 3)
        return false;
    std::vector<Ns> others;
    for (const Step &step : steps.subspan(1))
        others.push_back(step.span.duration());
    return steps.front().span.duration() > 2 * medianOf(others);
}

} // namespace riffle
