// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/tensorboard/plugin_steps.h"

#include "model/base/big_vector.h"
#include "model/base/interval_set.h"
#include "model/base/seeded_hash.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace riffle::tensorboard {

namespace {

using RoleSets = std::array<IntervalSet, kRecordedRoles>;

/// The time that each role covers, inside steps or not. Kernels with the External id of a collective's operator are
/// communication, and so is that operator's own time.
RoleSets roleSets(const Trace &trace, std::span<const PluginEvent> events)
{
    SeededSet<int64_t> collectives;
    for (const PluginEvent &event : events)
        if (event.type <= EventType::Annotation && event.external != kNoInt && isCollective(trace.string(event.name)))
            collectives.insert(event.external);
    std::array<BigVector<TimeSpan>, kRecordedRoles> spans;
    const auto add = [&](Role role, const PluginEvent &event) {
        spans[static_cast<size_t>(role)].push_back({event.start, event.end});
    };
    for (const PluginEvent &event : events) {
        const std::string_view name = trace.string(event.name);
        switch (event.type) {
        case EventType::Kernel:
            add(collectives.contains(event.external) ? Role::Communication : Role::Compute, event);
            break;
        case EventType::Memcpy: add(Role::Memcpy, event); break;
        case EventType::Memset: add(Role::Memset, event); break;
        case EventType::Runtime: add(Role::Runtime, event); break;
        case EventType::Operator:
        case EventType::Annotation:
            if (isDataLoader(name)) {
                add(Role::Dataloader, event);
                break;
            }
            [[fallthrough]];
        case EventType::Python: add(isCollective(name) ? Role::Communication : Role::Cpu, event); break;
        case EventType::Step:
        case EventType::Module:
        case EventType::None: break;
        }
    }
    RoleSets sets;
    for (size_t role = 0; role < kRecordedRoles; ++role)
        sets[role] = IntervalSet::unionOf(std::move(spans[role]));
    return sets;
}

/// The marked steps, including their copies on streams; if there are none, one step over all operators.
std::vector<PluginStep> markedSteps(const Trace &trace, std::span<const PluginEvent> events)
{
    std::vector<PluginStep> steps;
    TimeSpan host{INT64_MAX, INT64_MIN};
    for (const PluginEvent &event : events) {
        if (event.type == EventType::Step) {
            const std::string_view name = trace.string(event.name);
            steps.push_back({std::string(name.substr(name.find('#') + 1)), {event.start, event.end}, {}, 0, 0, 0});
        }
        if (event.type <= EventType::Python)
            host = {std::min(host.begin, event.start), std::max(host.end, event.end)};
    }
    if (steps.empty() && host.begin < host.end)
        steps.push_back({"0", host, {}, 0, 0, 0});
    return steps;
}

/// Moves steps to the device work that they launched, and removes the last steps if too little was recorded for them.
/// Returns the number of removed steps.
uint32_t moveToDevices(std::vector<PluginStep> &steps, std::span<const PluginEvent> events, const PluginTree &tree)
{
    std::vector<TimeSpan> device(steps.size(), {INT64_MAX, INT64_MIN});
    std::vector<uint64_t> work(steps.size());
    BigVector<uint8_t> matched(events.size(), 0);
    size_t step = 0;
    for (size_t at = 0; at < tree.runtimes.size() && step < steps.size();) {
        const PluginRuntime &runtime = tree.runtimes[at];
        const PluginEvent &call = events[runtime.event];
        if (call.start >= steps[step].span.begin && call.end > steps[step].span.end &&
            call.start >= steps[step].span.end) {
            ++step;
            continue;
        }
        ++at;
        if (call.start < steps[step].span.begin || call.end > steps[step].span.end)
            continue; // before the step, or across one of its edges
        for (const uint32_t each : runtime.launched) {
            device[step] = {std::min(device[step].begin, events[each].start),
                            std::max(device[step].end, events[each].end)};
            matched[each] = true;
            ++work[step];
        }
    }
    if (std::find(matched.begin(), matched.end(), 1) == matched.end())
        return 0;
    Ns before = steps.front().span.begin;
    if (work.front())
        for (size_t at = 0; at < events.size(); ++at)
            if (isDeviceType(events[at].type) && !matched[at] && events[at].end < device.front().begin)
                before = std::max(before, events[at].end);
    for (size_t at = 0; at < steps.size(); ++at) {
        TimeSpan &span = steps[at].span;
        span.begin = std::max(before, span.begin);
        span.end = std::max({span.end, span.begin, work[at] ? device[at].end : INT64_MIN});
        before = span.end;
    }
    if (steps.size() < 2)
        return 0;
    size_t last = steps.size() - 1;
    while (work[last] == 0)
        --last;
    const bool tooFew = last > 0 && static_cast<double>(work[last - 1]) * 0.8 > static_cast<double>(work[last]);
    const size_t kept = tooFew ? last : last + 1;
    const auto removed = static_cast<uint32_t>(steps.size() - kept);
    steps.resize(kept);
    return removed;
}

void breakDown(std::vector<PluginStep> &steps, const RoleSets &roles)
{
    BigVector<TimeSpan> spans;
    for (const PluginStep &step : steps)
        spans.push_back(step.span);
    const IntervalSet all = IntervalSet::unionOf(spans);
    std::array<IntervalSet, kRoles> given;
    IntervalSet left;
    for (size_t role = 0; role < kRecordedRoles; ++role) {
        // The plugin does not distinguish "nothing left" from "not started yet", so it starts over.
        given[role] = left.empty() ? roles[role] : left & roles[role];
        left = (left.empty() ? all : left) - given[role];
    }
    given[static_cast<size_t>(Role::Other)] = left;
    const IntervalSet &kernels = roles[static_cast<size_t>(Role::Compute)];
    const IntervalSet &computing = kernels.empty() ? roles[static_cast<size_t>(Role::Cpu)] : kernels;
    const IntervalSet &communicating = roles[static_cast<size_t>(Role::Communication)];
    const IntervalSet both = computing & communicating;
    for (PluginStep &step : steps) {
        for (size_t role = 0; role < kRoles; ++role)
            step.parts[role] = given[role].lengthWithin(step.span);
        step.computing = computing.lengthWithin(step.span);
        step.communicating = communicating.lengthWithin(step.span);
        step.both = both.lengthWithin(step.span);
    }
}

/// The mean over a window of min(1, sum of the current values).
double cappedMean(BigVector<std::pair<Ns, double>> changes, TimeSpan window)
{
    std::sort(changes.begin(), changes.end());
    double value = 0, sum = 0;
    for (size_t at = 0; at < changes.size(); ++at) {
        value += changes[at].second;
        if (at + 1 < changes.size() && value > 0)
            sum += std::min(value, 1.0) *
                   static_cast<double>(TimeSpan{changes[at].first, changes[at + 1].first}.clipped(window).duration());
    }
    return sum / static_cast<double>(window.duration());
}

std::vector<PluginDevice> devicesOf(const Trace &trace, std::span<const PluginEvent> events, const PluginTree &tree,
                                    TimeSpan window)
{
    struct DeviceSums {
        BigVector<TimeSpan> kernels;
        BigVector<std::pair<Ns, double>> blocks;
        double occupied = 0;
        Ns occupancyTime = 0, launched = 0, tensor = 0;
    };
    std::map<int32_t, DeviceSums> devices;
    for (uint32_t at = 0; at < events.size(); ++at) {
        const PluginEvent &event = events[at];
        if (event.type != EventType::Kernel)
            continue;
        const auto detail = trace.detailOf(&Segment::device, SliceId(event.slice));
        if (!detail || detail[&DeviceTable::device] == kNoInt32)
            continue;
        DeviceSums &sums = devices[detail[&DeviceTable::device]];
        sums.kernels.push_back({event.start, event.end});
        if (const double blocks = detail[&DeviceTable::blocksPerSm]; blocks > 0) {
            sums.blocks.emplace_back(event.start, blocks);
            sums.blocks.emplace_back(event.end, -blocks);
        }
        if (const double occupancy = detail[&DeviceTable::occupancy]; occupancy >= 0) {
            const Ns time = TimeSpan{event.start, event.end}.clipped(window).duration();
            sums.occupied += occupancy / 100 * static_cast<double>(time);
            sums.occupancyTime += time;
        }
        const uint32_t runtime = tree.runtimeOf[at];
        const uint32_t node = runtime == PluginNode::kNone ? PluginNode::kNone : tree.nodeOf[runtime];
        if (node == PluginNode::kNone || !tree.nodes[node].isRow)
            continue;
        sums.launched += event.duration();
        sums.tensor += usesTensorCores(trace.string(event.name)) ? event.duration() : 0;
    }
    std::vector<PluginDevice> figures;
    const bool anyLaunched =
        std::any_of(devices.begin(), devices.end(), [](const auto &each) { return each.second.launched > 0; });
    for (auto &[number, sums] : devices) {
        PluginDevice device;
        device.device = number;
        device.utilization = static_cast<double>(IntervalSet::unionOf(std::move(sums.kernels)).lengthWithin(window)) /
                             static_cast<double>(window.duration());
        if (!sums.blocks.empty())
            device.smEfficiency = cappedMean(std::move(sums.blocks), window);
        if (sums.occupancyTime)
            device.occupancy = sums.occupied / static_cast<double>(sums.occupancyTime);
        if (anyLaunched)
            device.tensorCores =
                sums.launched ? static_cast<double>(sums.tensor) / static_cast<double>(sums.launched) : 0;
        figures.push_back(device);
    }
    return figures;
}

} // namespace

PluginOverview pluginOverview(const Trace &trace, std::span<const PluginEvent> events, const PluginTree &tree)
{
    PluginOverview overview;
    overview.steps = markedSteps(trace, events);
    if (overview.steps.empty())
        return overview;
    overview.removed = moveToDevices(overview.steps, events, tree);
    breakDown(overview.steps, roleSets(trace, events));
    const TimeSpan window{overview.steps.front().span.begin, overview.steps.back().span.end};
    if (window.duration() > 0)
        overview.devices = devicesOf(trace, events, tree, window);
    return overview;
}

} // namespace riffle::tensorboard
