// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/figures.h"
#include "model/base/big_vector.h"
#include "model/base/merge_sort.h"
#include "model/base/parallel.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace riffle {

namespace {

/// The times at which the work of one stream was launched and started. addQueue() sorts each list on its own.
struct Queue {
    BigVector<Ns> launched, begun;
};

void sortIfNeeded(BigVector<Ns> &times)
{
    if (!std::is_sorted(times.begin(), times.end())) // usually sorted already, because streams are queues
        std::sort(times.begin(), times.end());
}

/// Adds the longest queue of one stream, and the time for which the queue was full.
void addQueue(Queue &queue, const Scope &scope, LaunchStatistics &statistics)
{
    sortIfNeeded(queue.launched);
    sortIfNeeded(queue.begun);
    uint64_t queued = 0;
    Ns since = 0;
    for (size_t in = 0, out = 0; out < queue.begun.size();) {
        // At equal times, work that starts leaves the queue before launched work enters it.
        const bool comes = in < queue.launched.size() && queue.launched[in] < queue.begun[out];
        const Ns time = comes ? queue.launched[in++] : queue.begun[out++];
        const bool wasFull = queued >= kFullQueue;
        queued = comes ? queued + 1 : queued - 1;
        statistics.longestQueue = std::max(statistics.longestQueue, queued);
        if (!wasFull && queued >= kFullQueue)
            since = time;
        else if (wasFull && queued < kFullQueue)
            statistics.blocked += scope.clipped({since, time});
    }
}

bool isLaunchCall(std::string_view name)
{
    return name.find("LaunchKernel") != name.npos || name.find("GraphLaunch") != name.npos ||
           name == "hipExtModuleLaunchKernel" || name == "hipModuleLaunchKernel" ||
           name.find("LaunchCooperativeKernel") != name.npos;
}

/// The device work of the scope that has a launch, ordered by launch.
BigVector<uint32_t> workByLaunch(const Scope &scope)
{
    const DeviceWork &work = scope.facts().work();
    BigVector<uint32_t> order;
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        if (work.launch[at] != DeviceWork::kNone && scope.launches(at))
            order.push_back(at);
    }
    mergeSortRuns(order, [&](uint32_t a, uint32_t b) { return work.launch[a] < work.launch[b]; });
    return order;
}

/// Measures all launches, one call at a time.
class Launches {
public:
    Launches(const Scope &scope, LaunchStatistics &statistics)
        : m_scope(scope)
        , m_work(scope.facts().work())
        , m_statistics(statistics)
        , m_call(scope.facts().trace())
        , m_alone(m_work.size())
    {
    }

    void measure()
    {
        std::vector<uint32_t> ofCall;
        uint32_t current = DeviceWork::kNone;
        for (const uint32_t work : workByLaunch(m_scope)) {
            if (m_work.launch[work] != current)
                add(current, ofCall);
            current = m_work.launch[work];
            ofCall.push_back(work);
        }
        add(current, ofCall);
        if (m_delays.empty())
            return;
        m_statistics.minimumDelay = *std::min_element(m_delays.begin(), m_delays.end());
        m_statistics.maximumDelay = *std::max_element(m_delays.begin(), m_delays.end());
        m_statistics.meanDelay = roundedQuotient(std::accumulate(m_delays.begin(), m_delays.end(), Ns(0)),
                                                 static_cast<int64_t>(m_delays.size()));
        m_statistics.medianDelay = medianOf(m_delays);
    }
    /// For each piece of device work, true if its launch launched nothing else. Valid after measure().
    const std::vector<bool> &alone() const { return m_alone; }

private:
    void add(uint32_t launch, std::vector<uint32_t> &ofCall)
    {
        if (ofCall.size() > 1)
            ++m_statistics.graphLaunches;
        if (ofCall.size() == 1 && m_call.seek(launch))
            addSingle(ofCall.front());
        ofCall.clear();
    }
    void addSingle(uint32_t work)
    {
        const Ns delay = m_work.start[work] - m_call.end();
        const bool runsKernel = isKernel(m_work.role[work]);
        m_alone[work] = true;
        ++m_statistics.launches;
        m_delays.push_back(delay);
        m_statistics.shortKernels += runsKernel && m_work.duration(work) < m_call.duration();
        m_statistics.slowLaunches += m_call.duration() > kSlowLaunch;
        m_statistics.delayed += delay > kLongDelay;
        m_statistics.negative += delay < 0;
        m_statistics.beforeLaunch += m_work.start[work] < m_call.start();
    }

    const Scope &m_scope;
    const DeviceWork &m_work;
    LaunchStatistics &m_statistics;
    SliceReader m_call;
    BigVector<Ns> m_delays;
    std::vector<bool> m_alone;
};

/// Measures the streams' queues. A graph is one entry of a queue, however much it launches, so only work whose launch
/// launched nothing else counts.
void measureQueues(const Scope &scope, const std::vector<bool> &alone, LaunchStatistics &statistics)
{
    const DeviceWork &work = scope.facts().work();
    std::map<LaneId, Queue> queues;
    SliceReader device(scope.facts().trace());
    LaneId lane; // lane of the previous work; mostly the same for the next
    Queue *queue = nullptr;
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        if (!scope.launches(at))
            continue;
        if (work.launch[at] == DeviceWork::kNone) {
            ++statistics.workWithout;
            continue;
        }
        // Work that did not wait was not in a queue, nor was work that seems to start before its launch (the clocks
        // differ).
        if (!alone[at] || work.start[at] <= work.launched[at] || !device.seek(work.slice[at]))
            continue;
        if (!queue || device.lane() != lane) {
            lane = device.lane();
            queue = &queues[lane];
        }
        queue->launched.push_back(work.launched[at]);
        queue->begun.push_back(work.start[at]);
    }
    for (auto &[of, each] : queues)
        addQueue(each, scope, statistics);
}

} // namespace

BigVector<uint32_t> launchesWithoutWork(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    enum Answer : uint8_t { Unasked, No, Yes };
    std::vector<uint8_t> asked(trace.strings.count(), Unasked);
    std::vector<bool> hasWork(calls.size());
    for (const auto &run : trace.launches.runs())
        for (size_t link = 0; link < run->size(); ++link)
            if (const uint32_t call = calls.callThatIs(run->launchAt(link).value); call != CallTree::kNone)
                hasWork[call] = true;
    BigVector<uint32_t> without;
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        throwIfStoppedAt(call);
        if (calls.isOperator[call] || !reader.seek(calls.slice[call]) || reader.name() >= asked.size())
            continue;
        uint8_t &answer = asked[reader.name()];
        if (answer == Unasked)
            answer = isLaunchCall(trace.string(reader.name())) ? Yes : No;
        if (answer == Yes && !hasWork[call] && scope.holds(reader.start()))
            without.push_back(calls.slice[call]);
    }
    return without;
}

LaunchStatistics launchStatistics(const Scope &scope)
{
    LaunchStatistics statistics;
    Launches launches(scope, statistics);
    const auto measure = [&] {
        launches.measure();
        measureQueues(scope, launches.alone(), statistics);
    };
    parallelJobs({measure, [&] { statistics.withoutWork = launchesWithoutWork(scope).size(); }});
    return statistics;
}

} // namespace riffle
