// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/lane_order.h"

#include "model/base/ascii.h"
#include "model/trace/sampled_lane.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace riffle {

namespace {

bool holds(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Returns the lanes on which the steps of the training loop are marked.
std::set<LaneId> lanesOfSteps(const Trace &trace)
{
    constexpr size_t kLooks = 256;
    std::set<LaneId> lanes;
    for (size_t i = 0; i < std::min(kLooks, trace.steps.size()); ++i)
        if (const Segment *segment = trace.segmentOf(trace.steps[i].slice))
            lanes.insert(segment->lane);
    return lanes;
}

/// True if the first slices of a lane are those of the autograd engine.
bool runsBackward(const Trace &trace, const Lane &lane)
{
    constexpr uint32_t kLooks = 64;
    if (lane.segments.empty() || lane.segments.front() >= trace.segments.size())
        return false;
    const auto &names = trace.segments[lane.segments.front()]->slices.name;
    for (uint32_t at = 0; at < std::min<size_t>(kLooks, names.size()); ++at)
        if (trace.string(names[at]).starts_with("autograd::engine::evaluate_function"))
            return true;
    return false;
}

/// The tid of a lane's thread; a lane with samples of a thread comes after the thread's own.
RawId tidOfThread(const Trace &trace, const Lane &lane)
{
    const auto sampled = sampledThread(trace, lane);
    return sampled ? RawId{*sampled, RawId::Kind::Signed} : lane.tid;
}

/// Returns a lane's place in the order of importance, smallest first: streams and lanes of steps, main thread,
/// autograd, data loading, other threads, async tracks.
int importance(const Trace &trace, LaneId id, const std::set<LaneId> &stepLanes)
{
    const Lane &lane = trace.lanes[id.value];
    if (lane.kind == LaneKind::Async)
        return 6;
    if (lane.kind == LaneKind::Stream || stepLanes.contains(id))
        return 0;
    const std::string name = asciiLower(trace.string(lane.name.value));
    if (holds(name, "pt_autograd") || holds(name, "autograd"))
        return 2;
    if (holds(name, "dataloader") || holds(name, "data_loader") || holds(name, "pin_memory"))
        return 3;
    const bool known = lane.process.value < trace.processes.size();
    const RawId tid = tidOfThread(trace, lane);
    if (known && tid.kind != RawId::Kind::None && tid == trace.processes[lane.process.value].pid)
        return 1;
    if (runsBackward(trace, lane))
        return 2;
    return lane.tid.kind == RawId::Kind::Text ? 5 : 4;
}

auto laneRank(const Trace &trace, LaneId id, const std::set<LaneId> &stepLanes)
{
    const Lane &lane = trace.lanes[id.value];
    const int64_t sort = lane.sortIndex == kNoInt ? 0 : lane.sortIndex;
    const bool text = lane.tid.kind == RawId::Kind::Text;
    return std::tuple(importance(trace, id, stepLanes), lane.kind == LaneKind::Stream ? 0 : sort, text,
                      text ? std::string(trace.string(static_cast<uint32_t>(lane.tid.bits))) : std::string(),
                      tidOfThread(trace, lane).bits, lane.tid.bits, id.value);
}

auto processRank(const Trace &trace, ProcessId id)
{
    const Process &process = trace.processes[id.value];
    const bool overhead = process.pid == RawId{-1, RawId::Kind::Signed}; // work of the profiler, not of the program
    return std::tuple(overhead || process.pid.kind == RawId::Kind::Text,
                      process.sortIndex == kNoInt ? 0 : process.sortIndex, process.pid.bits, id.value);
}

} // namespace

std::string rawIdText(const Trace &trace, const RawId &id)
{
    switch (id.kind) {
    case RawId::Kind::None: return {};
    case RawId::Kind::Signed: return std::to_string(id.bits);
    case RawId::Kind::Unsigned: return std::to_string(static_cast<uint64_t>(id.bits));
    case RawId::Kind::Text: return std::string(trace.string(static_cast<uint32_t>(id.bits)));
    }
    return {};
}

std::string laneKey(const Trace &trace, LaneId id)
{
    const Lane &lane = trace.lanes[id.value];
    std::string key;
    if (lane.process.value < trace.processes.size())
        key = rawIdText(trace, trace.processes[lane.process.value].pid);
    key += '/';
    key += laneKindName(lane.kind);
    key += '/' + rawIdText(trace, lane.tid);
    // Several async tracks and counters may share a thread, so their names distinguish them.
    if (lane.kind == LaneKind::Async || lane.kind == LaneKind::Counter)
        key += '/' + std::string(trace.string(lane.name.value));
    return key;
}

std::vector<LaneGroup> laneGroups(const Trace &trace)
{
    std::map<std::pair<uint32_t, bool>, LaneGroup> found; // by process, and whether it is for streams
    for (uint32_t id = 0; id < trace.lanes.size(); ++id) {
        const Lane &lane = trace.lanes[id];
        const bool counter = lane.counterEnd > lane.counterBegin;
        const bool events = lane.slices > 0 || lane.instantEnd > lane.instantBegin;
        if (!counter && !events)
            continue;
        const bool known = lane.process.value < trace.processes.size();
        const int32_t device = known ? trace.processes[lane.process.value].device : -1;
        const bool gpu = lane.kind == LaneKind::Stream || (lane.kind == LaneKind::Counter && device >= 0);
        LaneGroup &group = found[{lane.process.value, gpu}];
        group.process = lane.process;
        group.device = gpu ? std::max(0, device) : -1;
        if (events)
            group.lanes.push_back(LaneId(id));
        if (counter)
            group.counters.push_back(LaneId(id));
    }

    const std::set<LaneId> stepLanes = lanesOfSteps(trace);
    std::vector<LaneGroup> groups;
    for (auto &[key, group] : found) {
        const bool known = group.process.value < trace.processes.size();
        const std::string pid = known ? rawIdText(trace, trace.processes[group.process.value].pid) : std::string("-");
        const std::string name = known ? trace.processName(group.process) : std::string();
        group.key = (key.second ? "gpu/" : "process/") + pid;
        group.title = group.device >= 0 ? "GPU " + std::to_string(group.device)
                      : !name.empty()   ? name
                      : pid.empty()     ? "No process"
                                        : "Process " + pid;
        if (group.device >= 0 && name != group.title)
            group.note = name;
        if (known && trace.processes[group.process.value].labels.valid()) {
            const std::string_view labels = trace.string(trace.processes[group.process.value].labels.value);
            if (!labels.empty() && labels != group.title && labels != group.note)
                group.note += (group.note.empty() ? "" : " · ") + std::string(labels);
        }
        std::vector<std::pair<decltype(laneRank(trace, LaneId(), stepLanes)), LaneId>> ranked;
        for (const LaneId id : group.lanes)
            ranked.emplace_back(laneRank(trace, id, stepLanes), id);
        std::sort(ranked.begin(), ranked.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
        for (size_t i = 0; i < ranked.size(); ++i)
            group.lanes[i] = ranked[i].second;
        groups.push_back(std::move(group));
    }
    std::sort(groups.begin(), groups.end(), [&trace](const LaneGroup &a, const LaneGroup &b) {
        if ((a.device >= 0) != (b.device >= 0))
            return a.device >= 0;
        if (a.device != b.device)
            return a.device < b.device;
        if (!a.process.valid() || !b.process.valid())
            return a.process.valid() && !b.process.valid();
        return processRank(trace, a.process) < processRank(trace, b.process);
    });
    return groups;
}

} // namespace riffle
