// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/rank_timeline.h"

#include "model/analysis/facts/scope.h"
#include "model/analysis/ranks/step_rows.h"

#include <algorithm>
#include <map>
#include <utility>

namespace riffle {

namespace {

std::vector<uint8_t> blockingCalls(const TraceFacts &facts, const CallTable &calls)
{
    IntervalSet compute;
    for (const DeviceTimes &device : facts.devices())
        compute = compute | device.compute;
    std::vector<uint8_t> blocks(calls.start.size(), 0);
    for (size_t at = 0; at < blocks.size(); ++at) {
        if ((calls.flags[at] & call_flag::Timed) == 0)
            continue;
        const TimeSpan span{calls.start[at], calls.end[at]};
        blocks[at] = compute.lengthWithin(span) < span.duration();
    }
    return blocks;
}

std::vector<DeviceStep> deviceSteps(const TraceFacts &facts)
{
    constexpr uint8_t kIncomplete = step_flag::Unfinished | step_flag::Cut | step_flag::Unmarked;
    std::vector<DeviceStep> steps;
    uint32_t mark = SliceId::kNone;
    bool isContinued = false;
    for (const StepFigures &row : stepRows(Scope(facts, {}))) {
        if (row.deviceEnd == kNoInt || (row.flags & kIncomplete) != 0) {
            isContinued = false;
            continue;
        }
        if (!steps.empty() && row.mark == mark) { // another device of the same step
            steps.back().end = std::max(steps.back().end, row.deviceEnd);
            continue;
        }
        const Ns before = steps.empty() ? row.deviceStart : steps.back().end;
        isContinued = isContinued && row.number == steps.back().number + 1 &&
                      facts.gaps().times.lengthWithin({before, std::max(before, row.deviceStart)}) == 0;
        const Ns begin = isContinued ? before : std::max(before, row.deviceStart);
        mark = row.mark;
        steps.push_back({row.number, begin, std::max(begin, row.deviceEnd), mark});
        isContinued = true;
    }
    return steps;
}

} // namespace

RankTimeline rankTimelineOf(const TraceFacts &facts, const CallList &calls)
{
    return {&calls, blockingCalls(facts, calls.table), deviceSteps(facts)};
}

const RunStep::Part &RunStep::slowest() const
{
    return *std::ranges::max_element(parts, {}, [](const Part &part) { return part.step.end - part.step.begin; });
}

std::vector<RunStep> runStepsOf(std::span<const RankTimeline> ranks)
{
    std::map<std::pair<int64_t, int64_t>, RunStep> byNumber; // and how many steps of this number came before
    for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
        std::map<int64_t, int64_t> counts;
        for (const DeviceStep &step : ranks[rank].steps)
            byNumber[{step.number, counts[step.number]++}].parts.push_back({rank, step});
    }
    std::vector<RunStep> steps;
    for (auto &[key, step] : byNumber) {
        step.number = key.first;
        if (step.parts.size() > 1)
            steps.push_back(std::move(step));
    }
    return steps;
}

} // namespace riffle
