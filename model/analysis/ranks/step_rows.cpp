// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/step_rows.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"
#include "model/trace/memory/reserved_rows.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace riffle {

static_assert(kIdleCauses == kIdleCauseCount);

namespace {

constexpr int32_t kCpuMemory = 0; ///< MemoryTable::deviceType of the host

/// The devices, as indices into work.devices in ascending order: all of them, or the `most` with the most work.
std::vector<size_t> chosenDevices(const DeviceWork &work, size_t most)
{
    std::vector<size_t> chosen(work.devices.size());
    std::iota(chosen.begin(), chosen.end(), size_t(0));
    if (chosen.size() <= most)
        return chosen;
    std::ranges::stable_sort(chosen, std::greater(),
                             [&](size_t at) { return work.devices[at].last - work.devices[at].first; });
    chosen.resize(most);
    std::ranges::sort(chosen);
    return chosen;
}

/// A device's bytes in use after each event, by time.
struct MemoryUseOverTime {
    std::vector<std::pair<Ns, int64_t>> levels;

    /// The most in the span or at its start; kNoInt if nothing is known.
    int64_t peak(TimeSpan span) const
    {
        auto at = std::ranges::lower_bound(levels, span.begin, {}, &std::pair<Ns, int64_t>::first);
        int64_t most = at == levels.begin() ? kNoInt : (at - 1)->second;
        for (; at != levels.end() && at->first < span.end; ++at)
            most = std::max(most, at->second);
        return most;
    }
};

/// The memory in use by device, of those whose allocations were recorded.
std::map<int32_t, MemoryUseOverTime> memoryUse(const Trace &trace)
{
    std::map<int32_t, MemoryUseOverTime> devices;
    const MemoryTable &memory = trace.memory;
    if (memory.time.empty())
        return devices;
    const BigVector<uint8_t> reserved = reservedRows(trace);
    for (uint32_t row = 0; row < memory.time.size(); ++row) {
        throwIfStoppedAt(row);
        if (!reserved[row] && memory.deviceType[row] != kCpuMemory && memory.totalAllocated[row] != kNoInt)
            devices[memory.deviceId[row]].levels.emplace_back(TraceMemory::timeOf(trace, row),
                                                              memory.totalAllocated[row]);
    }
    for (auto &[device, use] : devices)
        std::ranges::stable_sort(use.levels, {}, &std::pair<Ns, int64_t>::first);
    return devices;
}

/// The figures of a step that are the same for all its devices.
StepFigures rowOfStep(const Scope &scope, uint32_t at)
{
    const TraceFacts &facts = scope.facts();
    const StepSet &steps = scope.steps();
    const StepSet::Step &step = steps.steps[at];
    const TimeSpan span = scope.stepSpan(at);
    StepFigures row = unknownStepFigures();
    row.number = step.number;
    row.start = span.begin;
    row.duration = span.duration();
    row.missing = facts.gaps().times.lengthWithin(span);
    row.mark = step.slice.value;
    row.flags = static_cast<uint8_t>(
        (step.ended ? 0 : step_flag::Unfinished) | (at == 0 && steps.firstIsOutlier() ? step_flag::FarLonger : 0) |
        (scope.cutsStep(at) ? step_flag::Cut : 0) | (steps.marked ? 0 : step_flag::Unmarked));
    const SliceClasses &classes = facts.classes();
    const bool hasCalls = classes.has(SliceClass::Runtime) || classes.has(SliceClass::Waiting);
    if (const auto mark = facts.trace().slice(step.slice);
        mark && hasCalls && facts.trace().lanes[mark->lane.value].kind != LaneKind::Stream)
        row.hostWait = facts.roles().lanes[mark->lane.value].waiting.lengthWithin(span);
    return row;
}

/// Fills the figures of one device. `rows` are those of the device, in the order of the steps.
class DeviceFiller {
public:
    DeviceFiller(const Scope &scope, std::span<const uint32_t> steps, size_t device)
        : m_scope(scope)
        , m_steps(steps)
        , m_device(device)
    {
    }

    void fill(std::span<StepFigures *const> rows)
    {
        fillTimes(rows);
        fillDeviceSpans(rows);
    }
    void fillIdle(std::span<StepFigures *const> rows, const DeviceIdle &idle)
    {
        for (StepFigures *row : rows)
            row->idleByCause.fill(0);
        size_t step = 0;
        for (const IdleGap &gap : idle.gaps) { // both are in order of time, and a gap may reach over several steps
            while (step < rows.size() && endOf(*rows[step]) <= gap.span.begin)
                ++step;
            for (size_t at = step; at < rows.size() && rows[at]->start < gap.span.end; ++at)
                rows[at]->idleByCause[static_cast<size_t>(gap.cause)] +=
                    std::min(gap.span.end, endOf(*rows[at])) - std::max(gap.span.begin, rows[at]->start);
        }
        for (StepFigures *row : rows)
            row->idle = std::accumulate(row->idleByCause.begin(), row->idleByCause.end(), Ns(0));
    }

private:
    static Ns endOf(const StepFigures &row) { return row.start + row.duration; }

    void fillTimes(std::span<StepFigures *const> rows)
    {
        const DeviceTimes &times = m_scope.facts().devices()[m_device];
        const IntervalSet &gaps = m_scope.facts().gaps().times;
        const auto each = [&](const IntervalSet &set, Ns StepFigures::*figure) {
            const IntervalSet recorded = gaps.empty() ? set : set - gaps;
            IntervalWalk walk(recorded);
            for (StepFigures *row : rows)
                row->*figure = walk.lengthWithin({row->start, endOf(*row)});
        };
        each(times.kernels, &StepFigures::kernelTime);
        each(times.busy, &StepFigures::busy);
        each(times.communication, &StepFigures::communication);
        each(times.communication - times.compute, &StepFigures::exposed);
    }
    void fillDeviceSpans(std::span<StepFigures *const> rows)
    {
        const DeviceWork &work = m_scope.facts().work();
        const DeviceWork::Device &device = work.devices[m_device];
        std::vector<uint32_t> rowOf(m_scope.steps().steps.size(), kNoRow);
        for (uint32_t row = 0; row < m_steps.size(); ++row)
            rowOf[m_steps[row]] = row;
        for (uint32_t at = device.first; at < device.last; ++at) {
            throwIfStoppedAt(at);
            const uint32_t step = m_scope.steps().ofWork[at];
            if (step == StepSet::kNone || rowOf[step] == kNoRow || !m_scope.launches(at))
                continue;
            StepFigures &row = *rows[rowOf[step]];
            const bool isFirst = row.deviceStart == kNoInt;
            row.deviceStart = isFirst ? work.start[at] : std::min(row.deviceStart, work.start[at]);
            row.deviceEnd = isFirst ? work.end[at] : std::max(row.deviceEnd, work.end[at]);
        }
    }

    const Scope &m_scope;
    std::span<const uint32_t> m_steps;
    size_t m_device;
};

/// Fills what is known of steps without device work: the collectives that the host carries out, if there are any.
void fillHostCommunication(const TraceFacts &facts, std::vector<StepFigures> &rows)
{
    const IntervalSet &collectives = facts.roles().exclusive[static_cast<size_t>(Role::Communication)];
    if (collectives.empty())
        return;
    for (StepFigures &row : rows)
        row.communication = collectives.lengthWithin({row.start, row.start + row.duration});
}

/// The times within which gaps are judged as a whole: all steps with the times between them or, if a part of them was
/// asked for, this part, so that it has the same figures as when it is read alone.
IntervalSet judgedTimes(const Scope &scope, const IntervalSet &steps)
{
    const IntervalSet asked = steps | scope.wholeWindow();
    const bool isPart = scope.range() || scope.choosesSteps() || scope.request().withoutFirstStep;
    return isPart && !scope.request().wholeGaps ? asked : asked | IntervalSet(scope.steps().window());
}

} // namespace

std::vector<StepFigures> stepRows(const Scope &scope, size_t mostRows)
{
    const TraceFacts &facts = scope.facts();
    parallelJobs({[&] { facts.devices(); }, [&] { facts.roles(); }, [&] { facts.waits(); }});
    std::vector<uint32_t> steps;
    IntervalSet window;
    for (uint32_t at = 0; at < scope.steps().steps.size(); ++at)
        if (scope.hasStep(at)) {
            steps.push_back(at);
            window.append(scope.stepSpan(at));
        }
    const DeviceWork &work = facts.work();
    const std::vector<size_t> devices =
        chosenDevices(work, std::max<size_t>(mostRows / std::max<size_t>(steps.size(), 1), 1));
    const size_t perStep = std::max<size_t>(devices.size(), 1);
    std::vector<StepFigures> rows;
    rows.reserve(steps.size() * perStep);
    for (const uint32_t at : steps) {
        throwIfStoppedAt(rows.size());
        rows.insert(rows.end(), perStep, rowOfStep(scope, at));
    }
    if (devices.empty()) {
        fillHostCommunication(facts, rows);
        return rows;
    }
    const IntervalSet &gaps = facts.gaps().times;
    const std::vector<DeviceIdle> idle = idleGaps(facts, window - gaps, judgedTimes(scope, window) - gaps);
    const std::map<int32_t, MemoryUseOverTime> memory = memoryUse(facts.trace());
    parallelFor(devices.size(), [&](size_t index) {
        const int32_t number = work.devices[devices[index]].number;
        const auto use = memory.find(number);
        std::vector<StepFigures *> own;
        for (size_t step = 0; step < steps.size(); ++step)
            own.push_back(&rows[step * perStep + index]);
        for (StepFigures *row : own) {
            row->device = number;
            if (devices.size() < work.devices.size())
                row->flags |= step_flag::PartOfDevices;
            if (use != memory.end())
                row->memoryPeak = use->second.peak({row->start, row->start + row->duration});
        }
        DeviceFiller filler(scope, steps, devices[index]);
        filler.fill(own);
        filler.fillIdle(own, idle[devices[index]]);
    });
    return rows;
}

} // namespace riffle
