// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/tensorboard/plugin_tree.h"

#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/base/seeded_hash.h"

#include <algorithm>
#include <map>

namespace riffle::tensorboard {

namespace {

bool isNode(const Trace &trace, const PluginEvent &event)
{
    if (event.type == EventType::Annotation) {
        const std::string_view name = trace.string(event.name);
        return isDataLoader(name) || isOptimizer(name) || isCollective(name);
    }
    return event.type <= EventType::Module;
}

bool isRow(const Trace &trace, const PluginEvent &event)
{
    const std::string_view name = trace.string(event.name);
    return event.type == EventType::Operator && !isDataLoader(name) && !name.starts_with("Optimizer.") &&
           name != "DataParallel.forward" && name != "DistributedDataParallel.forward";
}

int64_t correlationOf(const Trace &trace, const PluginEvent &event)
{
    const Segment *segment = trace.segmentOf(SliceId(event.slice));
    return segment->slices.correlation[segment->indexOf(SliceId(event.slice))];
}

void launch(PluginTree &tree, const Trace &trace, std::span<const PluginEvent> events)
{
    SeededMap<int64_t, uint32_t> byCorrelation;
    for (uint32_t at = 0; at < events.size(); ++at)
        if (events[at].type == EventType::Runtime) {
            if (const int64_t correlation = correlationOf(trace, events[at]); correlation != kNoInt)
                byCorrelation[correlation] = static_cast<uint32_t>(tree.runtimes.size());
            tree.runtimes.push_back({at, 0, 0, {}});
        }
    tree.runtimeOf.assign(events.size(), kNoRow);
    for (uint32_t at = 0; at < events.size(); ++at) {
        if (!isDeviceType(events[at].type))
            continue;
        const auto found = byCorrelation.find(correlationOf(trace, events[at]));
        if (found == byCorrelation.end())
            continue;
        tree.runtimeOf[at] = found->second;
        PluginRuntime &runtime = tree.runtimes[found->second];
        runtime.launched.push_back(at);
        runtime.device += events[at].duration();
        runtime.tensor += usesTensorCores(trace.string(events[at].name)) ? events[at].duration() : 0;
    }
}

/// Collects the nodes by thread; the threads are in order of their first occurrence.
void collect(PluginTree &tree, const Trace &trace, std::span<const PluginEvent> events)
{
    std::map<int64_t, size_t> numbers;
    std::vector<BigVector<uint32_t>> threads;
    for (uint32_t at = 0; at < events.size(); ++at) {
        if (!isNode(trace, events[at]))
            continue;
        const auto [number, isNew] = numbers.try_emplace(events[at].thread, threads.size());
        if (isNew)
            threads.emplace_back();
        threads[number->second].push_back(at);
    }
    for (BigVector<uint32_t> &thread : threads) {
        std::stable_sort(thread.begin(), thread.end(), [&](uint32_t a, uint32_t b) {
            return events[a].start != events[b].start ? events[a].start < events[b].start
                                                      : events[a].end > events[b].end;
        });
        for (const uint32_t at : thread) {
            PluginNode node;
            node.event = at;
            node.isRow = isRow(trace, events[at]);
            node.eligible = couldUseTensorCores(trace.string(events[at].name));
            tree.nodes.push_back(std::move(node));
        }
    }
}

/// The first node with an External id takes all runtime calls with that id.
void claimRuntimes(PluginTree &tree, std::span<const PluginEvent> events)
{
    SeededMap<int64_t, std::vector<uint32_t>> byId;
    for (uint32_t at = 0; at < tree.runtimes.size(); ++at)
        if (const int64_t id = events[tree.runtimes[at].event].external; id != kNoInt && id != 0)
            byId[id].push_back(at);
    for (PluginNode &node : tree.nodes) {
        if (events[node.event].type == EventType::Module)
            continue;
        const auto found = byId.find(events[node.event].external);
        if (found == byId.end())
            continue;
        node.runtimes = std::move(found->second);
        byId.erase(found);
    }
}

void nest(PluginTree &tree, std::span<const PluginEvent> events)
{
    BigVector<uint32_t> inside(tree.nodes.size(), 0);
    std::vector<uint32_t> stack;
    int64_t thread = 0;
    for (uint32_t at = 0; at < tree.nodes.size(); ++at) {
        const PluginEvent &event = events[tree.nodes[at].event];
        if (at == 0 || event.thread != thread)
            stack.clear();
        thread = event.thread;
        while (!stack.empty() && event.start >= events[tree.nodes[stack.back()].event].end)
            stack.pop_back();
        if (!stack.empty() && event.end > events[tree.nodes[stack.back()].event].end) {
            tree.nodes[at].dropped = true;
            continue;
        }
        if (!stack.empty())
            ++inside[tree.nodes[at].parent = stack.back()];
        stack.push_back(at);
    }
    for (uint32_t at = 0; at < tree.nodes.size(); ++at) {
        PluginNode &node = tree.nodes[at];
        if (node.dropped || node.parent == kNoRow)
            continue;
        if (tree.nodes[node.parent].merged)
            node.parent = tree.nodes[node.parent].parent;
        if (node.parent == kNoRow)
            continue;
        PluginNode &around = tree.nodes[node.parent];
        if (inside[node.parent] != 1 || events[around.event].name != events[node.event].name ||
            events[around.event].type != EventType::Operator || events[node.event].type != EventType::Operator)
            continue;
        inside[node.parent] = inside[at];
        around.runtimes = std::move(node.runtimes);
        node.runtimes.clear();
        node.merged = true;
    }
}

void sum(PluginTree &tree, std::span<const PluginEvent> events)
{
    tree.nodeOf.assign(tree.runtimes.size(), kNoRow);
    for (uint32_t at = static_cast<uint32_t>(tree.nodes.size()); at-- > 0;) {
        PluginNode &node = tree.nodes[at];
        if (node.dropped || node.merged)
            continue;
        const PluginEvent &event = events[node.event];
        node.hostSelf += event.duration();
        for (const uint32_t each : node.runtimes) {
            const PluginRuntime &runtime = tree.runtimes[each];
            tree.nodeOf[each] = at;
            node.hostSelf -= events[runtime.event].duration();
            node.deviceSelf += runtime.device;
            node.tensorSelf += runtime.tensor;
            node.eligible |= event.type == EventType::Operator && runtime.tensor > 0;
        }
        node.deviceTotal += node.deviceSelf;
        node.tensorTotal += node.tensorSelf;
        if (node.parent == kNoRow)
            continue;
        PluginNode &around = tree.nodes[node.parent];
        around.hostSelf -= event.duration();
        around.deviceTotal += node.deviceTotal;
        around.tensorTotal += node.tensorTotal;
        around.eligible |= events[around.event].type == EventType::Operator && node.eligible;
    }
}

} // namespace

PluginTree::PluginTree(const Trace &trace, std::span<const PluginEvent> events)
{
    launch(*this, trace, events);
    collect(*this, trace, events);
    claimRuntimes(*this, events);
    nest(*this, events);
    sum(*this, events);
}

} // namespace riffle::tensorboard
