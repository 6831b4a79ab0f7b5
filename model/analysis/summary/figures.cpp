// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/figures.h"

#include "model/analysis/facts/tensor_core_names.h"
#include "model/base/format.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace riffle {

namespace {

/// Integrates min(1, Σ blocks per SM) over the window; kernels are added in order of their start.
class SmSweep {
public:
    void add(TimeSpan span, double blocks)
    {
        advance(span.begin);
        m_running.emplace(span.end, blocks);
        m_sum += blocks;
    }
    double finish()
    {
        advance(INT64_MAX);
        return m_integral;
    }

private:
    void advance(Ns now)
    {
        while (!m_running.empty() && m_running.top().first <= now) {
            const auto [end, blocks] = m_running.top();
            m_running.pop();
            moveTo(end);
            m_sum = m_running.empty() ? 0 : m_sum - blocks;
        }
        if (now != INT64_MAX)
            moveTo(now);
    }
    void moveTo(Ns time)
    {
        m_integral += std::min(1.0, m_sum) * static_cast<double>(time - m_time);
        m_time = time;
    }

    using End = std::pair<Ns, double>;
    std::priority_queue<End, std::vector<End>, std::greater<>> m_running;
    double m_sum = 0, m_integral = 0;
    Ns m_time = 0;
};

DeviceFigures figuresOf(const Scope &scope, size_t index)
{
    const TraceFacts &facts = scope.facts();
    const DeviceWork &work = facts.work();
    const DeviceWork::Device &device = work.devices[index];
    const DeviceTimes &times = facts.devices()[index];
    const IntervalSet &window = scope.window();
    DeviceFigures figures;
    figures.device = device.number;
    figures.window = window.length();
    figures.kernelTime = (times.kernels & window).length();
    figures.busyTime = (times.busy & window).length();
    figures.compute = (times.compute & window).length();
    figures.memcpy = (times.memcpy & window).length();
    figures.memset = (times.memset & window).length();
    const IntervalSet communication = times.communication & window;
    figures.communication = communication.length();
    figures.exposedCommunication = (communication - times.compute).length();
    figures.overlap = figures.communication - figures.exposedCommunication;
    figures.exposedMemcpy = ((times.memcpy & window) - times.kernels).length();

    TensorCoreNames tensorCores(facts.trace());
    SmSweep sweep;
    bool anyBlocks = false;
    double occupied = 0;
    Ns occupiedTime = 0;
    IntervalWalk walk(window);
    for (uint32_t at = device.first; at < device.last; ++at) {
        throwIfStoppedAt(at);
        const bool runsKernel = isKernel(work.role[at]);
        const Ns time = runsKernel ? walk.lengthWithin(work.span(at)) : 0;
        if (time == 0)
            continue;
        ++figures.kernels;
        figures.kernelSum += time;
        const TensorCores cores = tensorCores.of(work.name[at]);
        figures.tensorSum += cores == TensorCores::Yes ? time : 0;
        figures.tensorUnknownSum += cores == TensorCores::Unknown ? time : 0;
        const float occupancy = work.detail[at][&DeviceTable::occupancy];
        if (occupancy >= 0) {
            occupied += static_cast<double>(occupancy) / 100 * static_cast<double>(time);
            occupiedTime += time;
        }
        const float blocks = work.detail[at][&DeviceTable::blocksPerSm];
        if (!(blocks > 0))
            continue;
        anyBlocks = true;
        for (const TimeSpan &part : window.intervals())
            if (const TimeSpan inside = work.span(at).clipped(part); !inside.empty())
                sweep.add(inside, static_cast<double>(blocks));
    }
    if (anyBlocks && figures.window > 0)
        figures.smEfficiency = sweep.finish() / static_cast<double>(figures.window);
    if (occupiedTime > 0)
        figures.occupancy = occupied / static_cast<double>(occupiedTime);
    return figures;
}

} // namespace

Breakdown breakdownOf(const TraceFacts &facts, TimeSpan span)
{
    Breakdown parts{};
    Ns rest = span.duration();
    for (size_t role = 0; role < kRecordedRoles; ++role) {
        parts[role] = facts.roles().exclusive[role].lengthWithin(span);
        rest -= parts[role];
    }
    parts[static_cast<size_t>(Role::Other)] = rest;
    return parts;
}

std::string unfinishedStepsNote(uint64_t steps)
{
    return steps == 1 ? "1 step has no end. It is left out of means, extremes and shares."
                      : formatCount(static_cast<int64_t>(steps)) +
                            " steps have no end. They are left out of means, extremes and shares.";
}

std::vector<DeviceFigures> deviceFigures(const Scope &scope)
{
    std::vector<DeviceFigures> figures(scope.facts().work().devices.size());
    std::vector<DeviceIdle> idle;
    scope.facts().devices(); // compute these before several threads need them
    parallelJobs({[&] {
                      for (size_t at = 0; at < figures.size(); ++at)
                          figures[at] = figuresOf(scope, at);
                  },
                  [&] { idle = idleGaps(scope); }});
    for (size_t at = 0; at < figures.size(); ++at)
        figures[at].idle = std::move(idle[at]);
    return figures;
}

} // namespace riffle
