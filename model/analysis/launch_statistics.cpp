// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/figures.h"
#include "model/base/rounding.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace riffle {

namespace {

struct Pair {
    Ns launch;
    Ns start;
};

/// The longest queue of one stream and how long it was full, from what was launched and when it began.
void addQueue(std::vector<Pair> pairs, const Scope &scope, LaunchStatistics &statistics)
{
    std::vector<std::pair<Ns, int>> changes;
    changes.reserve(2 * pairs.size());
    for (const Pair &pair : pairs) {
        if (pair.start <= pair.launch)
            continue; // never waited, or the clocks are apart
        changes.emplace_back(pair.launch, 1);
        changes.emplace_back(pair.start, -1);
    }
    std::sort(changes.begin(), changes.end()); // what begins leaves before what is launched at the same time comes
    uint64_t queued = 0;
    Ns since = 0;
    for (const auto &[time, change] : changes) {
        const bool wasFull = queued >= kFullQueue;
        queued = change > 0 ? queued + 1 : queued - 1;
        statistics.longestQueue = std::max(statistics.longestQueue, queued);
        if (!wasFull && queued >= kFullQueue)
            since = time;
        else if (wasFull && queued < kFullQueue)
            statistics.blocked += scope.clipped({since, time});
    }
}

bool isLaunchCall(std::string_view name)
{
    return name.find("LaunchKernel") != name.npos || name.find("GraphLaunch") != name.npos || name == "hipExtModuleLaunchKernel" ||
           name == "hipModuleLaunchKernel" || name.find("LaunchCooperativeKernel") != name.npos;
}

/// Launch calls inside the scope that no device work names as its launch.
uint64_t launchesWithoutWork(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    std::vector<uint8_t> asked(trace.strings.count(), 0); // 1: no launch, 2: a launch
    uint64_t without = 0;
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        if (calls.isOperator[call] || !reader.seek(calls.slice[call]) || reader.name() >= asked.size())
            continue;
        uint8_t &answer = asked[reader.name()];
        if (!answer)
            answer = isLaunchCall(trace.string(reader.name())) ? 2 : 1;
        if (answer == 2 && scope.holds(reader.start()) && trace.launchedBy(SliceId(calls.slice[call])).empty())
            ++without;
    }
    return without;
}

} // namespace

LaunchStatistics launchStatistics(const Scope &scope)
{
    const TraceFacts &facts = scope.facts();
    const DeviceWork &work = facts.work();
    LaunchStatistics statistics;
    std::vector<uint32_t> order;
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (!scope.launches(at))
            continue;
        if (work.launch[at] == DeviceWork::kNone)
            ++statistics.workWithout;
        else
            order.push_back(at);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return work.launch[a] < work.launch[b]; });
    std::vector<Ns> delays;
    std::map<LaneId, std::vector<Pair>> queues;
    SliceReader launch(facts.trace()), device(facts.trace());
    for (size_t first = 0; first < order.size();) {
        size_t last = first;
        while (last < order.size() && work.launch[order[last]] == work.launch[order[first]])
            ++last;
        if (!launch.seek(work.launch[order[first]])) {
            first = last;
            continue;
        }
        for (size_t at = first; at < last; ++at)
            if (device.seek(work.slice[order[at]]))
                queues[device.lane()].push_back({launch.start(), work.start[order[at]]});
        const uint32_t one = order[first];
        const bool isAlone = last == first + 1;
        first = last;
        ++(isAlone ? statistics.launches : statistics.graphLaunches);
        if (!isAlone)
            continue;
        const Ns delay = work.start[one] - launch.end();
        const bool isKernel = work.role[one] == Role::Compute || work.role[one] == Role::Communication;
        delays.push_back(delay);
        statistics.shortKernels += isKernel && work.duration(one) < launch.duration();
        statistics.slowLaunches += launch.duration() > kSlowLaunch;
        statistics.delayed += delay > kLongDelay;
        statistics.negative += delay < 0;
        statistics.beforeLaunch += work.start[one] < launch.start();
    }
    statistics.withoutWork = launchesWithoutWork(scope);
    for (auto &[lane, pairs] : queues)
        addQueue(std::move(pairs), scope, statistics);
    if (!delays.empty()) {
        std::sort(delays.begin(), delays.end());
        statistics.minimumDelay = delays.front();
        statistics.maximumDelay = delays.back();
        statistics.medianDelay = medianOfSorted(delays);
        statistics.meanDelay = roundedQuotient(std::accumulate(delays.begin(), delays.end(), Ns(0)), static_cast<int64_t>(delays.size()));
    }
    return statistics;
}

} // namespace riffle
