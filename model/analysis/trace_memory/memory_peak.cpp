// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/trace_memory/memory_peak.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/stages.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace riffle {

namespace {

/// The calls of the stages by start, each with the latest end among the calls up to it.
class StageTimes {
public:
    explicit StageTimes(std::span<const Stages::Call> calls) : m_calls(calls)
    {
        for (const Stages::Call &call : calls)
            m_latest.push_back(std::max(call.span.end, m_latest.empty() ? kEarliestTime : m_latest.back()));
    }
    /// The call that contains a time; of several, the one that started last. Null if there is none.
    const Stages::Call *at(Ns time) const
    {
        auto after = std::upper_bound(m_calls.begin(), m_calls.end(), time,
                                      [](Ns t, const Stages::Call &call) { return t < call.span.begin; });
        while (after != m_calls.begin()) {
            --after;
            if (after->span.contains(time))
                return &*after;
            if (m_latest[static_cast<size_t>(after - m_calls.begin())] <= time)
                return nullptr;
        }
        return nullptr;
    }

private:
    const std::span<const Stages::Call> m_calls;
    BigVector<Ns> m_latest;
};

MemoryUse useOf(const Stages::Call *allocatedIn, const Stages::Call *releasedIn, Ns released)
{
    if (!allocatedIn)
        return MemoryUse::Unknown;
    const bool outlives = released == kNoInt || released >= allocatedIn->span.end;
    switch (allocatedIn->stage) {
    case Stage::Dataloader: return MemoryUse::Input;
    case Stage::Optimization: return outlives ? MemoryUse::OptimizerState : MemoryUse::Unknown;
    case Stage::Backward: return outlives ? MemoryUse::Gradient : MemoryUse::AutogradDetail;
    case Stage::Forward:
        return releasedIn && releasedIn->stage == Stage::Backward ? MemoryUse::Activation : MemoryUse::Unknown;
    }
    return MemoryUse::Unknown;
}

} // namespace

const char *memoryUseName(MemoryUse use)
{
    static constexpr std::array<const char *, static_cast<size_t>(MemoryUse::Count)> kNames{
        "Temporary", "Input", "Optimizer state", "Gradient", "Autograd detail", "Activation", "Unknown"};
    return kNames[static_cast<size_t>(use)];
}

std::vector<MemoryPeak> memoryPeaks(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const MemoryTable &memory = trace.memory;
    const TraceMemory &lives = scope.facts().memory();
    std::map<std::pair<int32_t, int32_t>, MemoryPeak> peaks;
    for (uint32_t row = 0; row < memory.time.size(); ++row) {
        if (lives.reserved[row] || memory.totalAllocated[row] == kNoInt ||
            !scope.holds(TraceMemory::timeOf(trace, row)) || !scope.hasHostLane(LaneId(memory.lane[row])))
            continue;
        const auto [found, isNew] = peaks.try_emplace({memory.deviceType[row], memory.deviceId[row]});
        if (isNew || memory.totalAllocated[row] > found->second.bytes)
            found->second = {memory.deviceType[row],    memory.deviceId[row], row, memory.totalAllocated[row], {},
                             memory.totalAllocated[row]};
    }
    for (uint32_t life = 0; life < lives.lives.size(); ++life) {
        const auto &[allocated, released] = lives.lives[life];
        const uint32_t first = lives.lives[life].first();
        const auto found = peaks.find({memory.deviceType[first], memory.deviceId[first]});
        if (found == peaks.end())
            continue;
        MemoryPeak &peak = found->second;
        const bool began = allocated == TraceMemory::kNone || allocated <= peak.row;
        if (!began || (released != TraceMemory::kNone && released <= peak.row) || memory.address[first] == 0)
            continue;
        peak.alive.push_back(life);
        // Damaged files can contain any size, so sums wrap instead of overflowing.
        const uint64_t bytes = allocated != TraceMemory::kNone ? uint64_t(memory.bytes[allocated])
                                                               : uint64_t(0) - uint64_t(memory.bytes[released]);
        peak.before = static_cast<int64_t>(uint64_t(peak.before) - bytes);
    }
    std::vector<MemoryPeak> found;
    for (auto &[key, peak] : peaks)
        found.push_back(std::move(peak));
    return found;
}

BigVector<MemoryUse> memoryUses(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const TraceMemory &lives = scope.facts().memory();
    const CallTree &calls = scope.facts().calls();
    // All steps count: memory that is alive in one part may have been allocated in another.
    const BigVector<Stages::Call> stages = Stages::callsOfAll(scope.facts(), scope.steps());
    const StageTimes times(stages);
    SliceReader reader(trace);
    BigVector<MemoryUse> uses(lives.lives.size(), MemoryUse::Unknown);
    for (size_t at = 0; at < uses.size(); ++at) {
        const auto &[allocated, released] = lives.lives[at];
        if (allocated == TraceMemory::kNone)
            continue;
        const Ns begin = TraceMemory::timeOf(trace, allocated),
                 end = released == TraceMemory::kNone ? kNoInt : TraceMemory::timeOf(trace, released);
        uint32_t outermost = lives.operatorOf(calls, allocated);
        for (uint32_t around = outermost; around != CallTree::kNone; around = calls.operatorAround(around))
            outermost = around;
        if (outermost != CallTree::kNone && end != kNoInt && reader.seek(calls.slice[outermost]) &&
            reader.span().contains(end))
            uses[at] = MemoryUse::Temporary;
        else
            uses[at] = useOf(times.at(begin), end == kNoInt ? nullptr : times.at(end), end);
    }
    return uses;
}

} // namespace riffle
