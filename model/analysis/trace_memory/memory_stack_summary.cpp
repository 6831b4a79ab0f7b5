// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The memory that profile_memory recorded, grouped by where the program was: one row per stack of slices.
#include "model/analysis/trace_memory/memory_stack_summary.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace riffle {

namespace {

constexpr uint32_t kRoot = 0;

/// Stacks of names as paths of a tree: a stack is the number of its innermost node.
class NameStacks {
public:
    explicit NameStacks(const Trace &trace) : m_trace(trace) {}

    /// The stack of a slice and its ancestors; kRoot if there is no slice.
    uint32_t of(SliceId innermost)
    {
        std::vector<std::pair<uint32_t, uint32_t>> unknown; // slices and their names, innermost first
        uint32_t node = kRoot;
        for (std::optional<Slice> at = m_trace.slice(innermost); at; at = m_trace.slice(at->parent)) {
            if (const auto known = m_ofSlice.find(at->id.value); known != m_ofSlice.end()) {
                node = known->second;
                break;
            }
            unknown.emplace_back(at->id.value, at->data.name);
        }
        for (auto at = unknown.rbegin(); at != unknown.rend(); ++at) {
            const auto [inside, isNew] =
                m_inside.try_emplace({node, at->second}, static_cast<uint32_t>(m_nodes.size()));
            if (isNew)
                m_nodes.push_back({node, at->second});
            node = inside->second;
            m_ofSlice.emplace(at->first, node);
        }
        return node;
    }
    /// The names of a stack, innermost first, separated by "; " like other call stacks.
    std::string text(uint32_t node) const
    {
        std::string text;
        for (; node != kRoot; node = m_nodes[node].around) {
            text += text.empty() ? "" : "; ";
            text += m_trace.string(m_nodes[node].name);
        }
        return text;
    }

private:
    struct Node {
        uint32_t around = kRoot, name = 0;
    };
    const Trace &m_trace;
    std::vector<Node> m_nodes{Node()};
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_inside; ///< by parent node and name
    std::unordered_map<uint32_t, uint32_t> m_ofSlice;
};

struct StackRow {
    uint32_t stack = kRoot, name = 0;
    int32_t deviceType = 0, device = 0;
    int64_t allocations = 0, released = 0, bytes = 0, largest = -1;
    uint32_t slice = SliceId::kNone; ///< in which the largest allocation happened
};

} // namespace

ResultTable memoryStackTable(const Scope &scope)
{
    const Trace &trace = scope.facts().trace();
    const MemoryTable &memory = trace.memory;
    const TraceMemory &lives = scope.facts().memory();
    const CallTree &calls = scope.facts().calls();
    SliceReader reader(trace);
    NameStacks stacks(trace);
    std::map<std::tuple<uint32_t, int32_t, int32_t>, size_t> known;
    std::vector<StackRow> rows;
    for (const TraceMemory::Life &life : lives.lives) {
        throwIfStopped(); // a stack may be deep
        const uint32_t event = life.allocated;
        if (event == TraceMemory::kNone || !scope.holds(TraceMemory::timeOf(trace, event)) ||
            !scope.hasHostLane(LaneId(memory.lane[event])))
            continue;
        const uint32_t call = lives.operatorOf(calls, event);
        const uint32_t name = call != CallTree::kNone && reader.seek(calls.slice[call]) ? reader.name() : 0;
        if (!scope.hasName(name))
            continue;
        const uint32_t stack = stacks.of(SliceId(lives.slice[event]));
        const auto [at, isNew] =
            known.try_emplace({stack, memory.deviceType[event], memory.deviceId[event]}, rows.size());
        if (isNew)
            rows.push_back({stack, name, memory.deviceType[event], memory.deviceId[event]});
        StackRow &row = rows[at->second];
        ++row.allocations;
        row.released += life.released != TraceMemory::kNone;
        row.bytes += memory.bytes[event];
        if (memory.bytes[event] > row.largest) {
            row.largest = memory.bytes[event];
            row.slice = lives.slice[event];
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const StackRow &a, const StackRow &b) { return a.bytes > b.bytes; });
    ResultTable table;
    TableBuilder<StackRow> build(table, rows);
    build
        .text("name", "Operator", "The innermost operator in which it was allocated.",
              [&](const StackRow &row) { return std::string(trace.string(row.name)); })
        .unnamed = "(no operator)";
    build
        .text("stack", "Stack", "The slices around the allocation on its thread, innermost first.",
              [&](const StackRow &row) { return stacks.text(row.stack); })
        .unnamed = "(in no slice)";
    build.text("device", "Device", "The device that the memory belongs to.",
               [](const StackRow &row) { return memoryPlaceName(row.deviceType, row.device); });
    build
        .count("allocations", "Allocations", "Number of allocations recorded there.",
               [](const StackRow &row) { return row.allocations; })
        .summed = true;
    build
        .count("released", "Released", "Number of these allocations that were released during the recording.",
               [](const StackRow &row) { return row.released; })
        .summed = true;
    ResultColumn &bytes = build.integer("bytes", "Size", CellKind::Bytes, "Bytes allocated there.",
                                        [](const StackRow &row) { return row.bytes; });
    bytes.summed = bytes.barred = true;
    for (const StackRow &row : rows)
        table.evidence.push_back({scope.trace(), SliceId(row.slice)});
    return table;
}

} // namespace riffle
