// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/tensorboard/plugin_memory.h"

#include "model/base/big_vector.h"
#include "model/base/ids.h"

#include <algorithm>
#include <map>

namespace riffle::tensorboard {

namespace {

using Sums = PluginMemoryRow::Sums;

std::string deviceName(int32_t type, int32_t id)
{
    return type == 0 ? "CPU" : type == 1 ? "GPU" + std::to_string(id) : "";
}

/// Finds the innermost node of a thread at a time; times must ascend. The end of a node does not belong to it.
class NodeWalk {
public:
    NodeWalk(std::span<const PluginEvent> events, const PluginTree &tree, int64_t thread)
        : m_events(events)
        , m_tree(tree)
    {
        for (uint32_t at = 0; at < tree.nodes.size(); ++at) {
            const PluginNode &node = tree.nodes[at];
            if (node.dropped || node.merged || events[node.event].thread != thread)
                continue;
            m_nodes.push_back(at);
            if (node.parent == kNoRow)
                m_rootEnd = events[node.event].end; // the root ends with its last child
        }
    }
    uint32_t at(Ns time)
    {
        if (time >= m_rootEnd)
            return kNoRow;
        for (; m_next < m_nodes.size() && event(m_nodes[m_next]).start <= time; ++m_next) {
            while (!m_stack.empty() && event(m_stack.back()).end <= event(m_nodes[m_next]).start)
                m_stack.pop_back();
            m_stack.push_back(m_nodes[m_next]);
        }
        while (!m_stack.empty() && event(m_stack.back()).end <= time)
            m_stack.pop_back();
        return m_stack.empty() ? kNoRow : m_stack.back();
    }

private:
    const PluginEvent &event(uint32_t node) const { return m_events[m_tree.nodes[node].event]; }

    const std::span<const PluginEvent> m_events;
    const PluginTree &m_tree;
    BigVector<uint32_t> m_nodes;
    std::vector<uint32_t> m_stack;
    size_t m_next = 0;
    Ns m_rootEnd = INT64_MIN;
};

} // namespace

void Sums::add(const Sums &more)
{
    increase += more.increase;
    allocated += more.allocated;
    allocations += more.allocations;
}

std::vector<PluginMemoryRow> pluginMemory(const Trace &trace, std::span<const PluginEvent> events,
                                          const PluginTree &tree)
{
    std::map<int64_t, NodeWalk> walks; ///< by thread
    BigVector<uint8_t> visited(tree.nodes.size(), 0);
    std::map<std::string, std::map<uint32_t, Sums>> own; ///< by device and node
    const MemoryTable &memory = trace.memory;
    for (size_t row = 0; row < memory.time.size(); ++row) {
        const int64_t thread = trace.lanes[memory.lane[row]].tid.bits;
        const uint32_t node = walks.try_emplace(thread, events, tree, thread).first->second.at(memory.time[row]);
        for (uint32_t around = node; around != kNoRow && !visited[around]; around = tree.nodes[around].parent)
            visited[around] = true;
        const std::string device = deviceName(memory.deviceType[row], memory.deviceId[row]);
        if (node == kNoRow || !tree.nodes[node].isRow || device.empty())
            continue;
        const int64_t bytes = memory.bytes[row];
        own[device][node].add({bytes, std::max<int64_t>(bytes, 0), bytes > 0});
    }
    std::map<uint32_t, uint64_t> calls; ///< by name
    for (const PluginNode &node : tree.nodes)
        if (node.isRow && !node.dropped && !node.merged && (node.parent == kNoRow || visited[node.parent]))
            ++calls[events[node.event].name];
    std::vector<PluginMemoryRow> rows;
    for (const auto &[device, byNode] : own) {
        std::map<uint32_t, PluginMemoryRow> byName;
        for (const auto &[at, sums] : byNode) {
            byName[events[tree.nodes[at].event].name].self.add(sums);
            for (uint32_t around = at; around != kNoRow; around = tree.nodes[around].parent)
                if (tree.nodes[around].isRow)
                    byName[events[tree.nodes[around].event].name].total.add(sums);
        }
        for (auto &[name, row] : byName) {
            row.device = device;
            row.name = name;
            row.calls = calls[name];
            if (row.self.any() || row.total.any())
                rows.push_back(row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const PluginMemoryRow &a, const PluginMemoryRow &b) {
        return a.device != b.device ? a.device < b.device : a.self.increase > b.self.increase;
    });
    return rows;
}

} // namespace riffle::tensorboard
