// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/event_types.h"

#include "model/analysis/facts/kernel_traits.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/ascii.h"
#include "model/base/big_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>

namespace riffle {

namespace {

constexpr uint8_t kNoType = UINT8_MAX;

/// Decides whether slices, taken in order of their start, are inside the times of a scope.
class TimesWalk {
public:
    TimesWalk(const Scope &scope, Ns from) : m_everything(scope.everything()), m_times(scope.times().intervals())
    {
        m_at =
            std::partition_point(m_times.begin(), m_times.end(), [&](const TimeSpan &one) { return one.end <= from; });
    }
    /// holds() and touches() answer like the functions of Scope.
    bool holds(TimeSpan slice)
    {
        while (m_at != m_times.end() && m_at->end <= slice.begin)
            ++m_at;
        return m_everything || (m_at != m_times.end() && m_at->begin <= slice.begin);
    }
    bool touches(TimeSpan slice) { return holds(slice) || (m_at != m_times.end() && m_at->begin < slice.end); }

private:
    const bool m_everything;
    const std::span<const TimeSpan> m_times;
    std::span<const TimeSpan>::iterator m_at;
};

/// The event types called `names`. For each slice on the host, `typeOf(segment, index)` returns the index of its type,
/// or kNoType.
template <typename TypeOf>
std::vector<EventType> collect(const Scope &scope, const std::vector<std::string> &names, TypeOf typeOf)
{
    std::vector<EventType> types;
    for (const std::string &name : names)
        types.emplace_back().name = name;
    std::vector<BigVector<TimeSpan>> spans(names.size());
    const std::vector<SliceRun> runs = scope.hostRuns(kRunSlices);
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    parallelFor(workerCount(), [&](size_t) {
        std::vector<uint64_t> calls(names.size());
        std::vector<IntervalSet> ofRun(names.size()); // the slices of a run are ordered by start
        for (size_t index = next++; index < runs.size(); index = next++) {
            throwIfStopped();
            const Segment &segment = *runs[index].segment;
            const auto isInsideSame = [&](uint32_t at, uint8_t type) { // then the outer slice covers its time
                const uint32_t parent = segment.parentInside(at);
                return parent != kNoRow && typeOf(segment, parent) == type;
            };
            TimesWalk times(scope, segment.slices.start[runs[index].begin]);
            for (uint32_t at = runs[index].begin; at < runs[index].end; ++at) {
                const uint8_t type = typeOf(segment, at);
                if (type == kNoType)
                    continue;
                const TimeSpan span{segment.slices.start[at], segment.end(at)};
                if (!times.touches(span))
                    continue;
                calls[type] += times.holds(span);
                if (!isInsideSame(at, type))
                    ofRun[type].append(span);
            }
            const std::scoped_lock lock(mutex);
            for (size_t type = 0; type < types.size(); ++type) {
                const auto intervals = ofRun[type].intervals();
                spans[type].insert(spans[type].end(), intervals.begin(), intervals.end());
                ofRun[type] = {};
            }
        }
        const std::scoped_lock lock(mutex);
        for (size_t type = 0; type < types.size(); ++type)
            types[type].calls += calls[type];
    });
    parallelFor(types.size(), [&](size_t type) {
        types[type].times = IntervalSet::unionOf(std::move(spans[type]));
        if (!scope.everything())
            types[type].times = types[type].times & scope.times();
    });
    std::erase_if(types, [](const EventType &type) { return type.calls == 0 && type.times.empty(); });
    return types;
}

/// True if Paddle considers a slice of this name to be communication; case is ignored.
bool isPaddleCommunication(std::string_view name)
{
    const std::string lower = asciiLower(name);
    return lower.find("allreduce") != lower.npos || lower.find("broadcast") != lower.npos ||
           lower.find("rpc") != lower.npos;
}

bool isStage(std::string_view category)
{
    return category == "ProfileStep" || category == "Forward" || category == "Backward" || category == "Optimization" ||
           category == "Dataloader" || category == "Communication";
}

std::vector<EventType> typesByCategory(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    std::vector<uint8_t> typeOfCategory(trace.strings.count(), kNoType);
    std::vector<std::string> names;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            const uint32_t category = segment->slices.category[at];
            if (segment->slices.flags[at] & slice_flag::OnStream || typeOfCategory[category] != kNoType ||
                names.size() >= kNoType || isStage(trace.string(category)))
                continue;
            typeOfCategory[category] = static_cast<uint8_t>(names.size());
            names.emplace_back(trace.string(category));
        }
    return collect(scope, names,
                   [&](const Segment &segment, uint32_t at) { return typeOfCategory[segment.slices.category[at]]; });
}

std::vector<EventType> typesByClass(const Scope &scope)
{
    const SliceClasses &classes = scope.facts().classes();
    const CallTree &calls = scope.facts().calls();
    enum : uint8_t { Runtime, Operator, Inner, Python, UserDefined };
    return collect(scope, {"CudaRuntime", "Operator", "OperatorInner", "PythonFunction", "UserDefined"},
                   [&](const Segment &segment, uint32_t at) -> uint8_t {
                       switch (classes.of(segment, at)) {
                       case SliceClass::Runtime:
                       case SliceClass::Waiting: return Runtime;
                       case SliceClass::Operator:
                           return calls.operatorAround(calls.context.of(segment, at)) == CallTree::kNone ? Operator
                                                                                                         : Inner;
                       case SliceClass::Frame: return Python;
                       case SliceClass::Annotation: return UserDefined;
                       default: return kNoType;
                       }
                   });
}

} // namespace

std::vector<EventType> hostEventTypes(const Scope &scope)
{
    return scope.facts().trace().info.format == "Paddle JSON" ? typesByCategory(scope) : typesByClass(scope);
}

EventType hostCommunication(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const SliceClasses &classes = scope.facts().classes();
    const bool isPaddle = trace.info.format == "Paddle JSON";
    std::vector<uint8_t> isCommunication(trace.strings.count()), isCategory(trace.strings.count());
    for (uint32_t id = 0; id < trace.strings.count(); ++id) {
        const std::string_view text = trace.string(id);
        isCategory[id] = text == "Communication";
        isCommunication[id] = isPaddle ? isPaddleCommunication(text) : isCommunicationOperator(text);
    }
    std::vector<EventType> types =
        collect(scope, {"Communication"}, [&](const Segment &segment, uint32_t at) -> uint8_t {
            if (isCategory[segment.slices.category[at]])
                return 0;
            if (!isCommunication[segment.slices.name[at]] || classes.of(segment, at) != SliceClass::Operator)
                return kNoType;
            return !isPaddle || trace.string(segment.slices.category[at]) == "Operator" ? 0 : kNoType;
        });
    return types.empty() ? EventType{"Communication", 0, {}} : std::move(types.front());
}

std::vector<EventType> deviceEventTypes(const Scope &scope)
{
    const DeviceWork &work = scope.facts().work();
    const IntervalSet steps = stepTimes(scope);
    std::vector<EventType> types;
    for (const char *name : {"Kernel", "Memcpy", "Memset", "Communication"})
        types.emplace_back().name = name;
    std::vector<BigVector<TimeSpan>> spans(types.size());
    const auto add = [&](size_t type, uint32_t at) {
        types[type].calls += scope.everything() || steps.contains(work.start[at]);
        spans[type].push_back(work.span(at));
    };
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        add(work.role[at] == Role::Memcpy ? 1 : work.role[at] == Role::Memset ? 2 : 0, at);
        if (work.role[at] == Role::Communication)
            add(3, at);
    }
    for (size_t type = 0; type < types.size(); ++type)
        types[type].times = IntervalSet::unionOf(std::move(spans[type])) & steps;
    std::erase_if(types, [](const EventType &type) { return type.calls == 0 && type.times.empty(); });
    return types;
}

Scope ofEndedSteps(const Scope &scope)
{
    if (scope.steps().unfinished() == 0)
        return scope;
    ScopeRequest request = scope.request();
    request.endedStepsOnly = true;
    return Scope(scope.facts(), request, scope.trace());
}

Scope withinSteps(const Scope &asked)
{
    const Scope scope = ofEndedSteps(asked);
    if (scope.choosesSteps() || !scope.steps().marked)
        return scope;
    ScopeRequest request = scope.request();
    request.steps = TimeSpan{std::numeric_limits<Ns>::min(), std::numeric_limits<Ns>::max()};
    return Scope(scope.facts(), request, scope.trace());
}

IntervalSet stepTimes(const Scope &scope)
{
    IntervalSet times;
    for (uint32_t step = 0; step < scope.steps().steps.size(); ++step)
        if (scope.hasStep(step))
            times.append(scope.steps().steps[step].host);
    return scope.everything() ? times : times & scope.times();
}

} // namespace riffle
