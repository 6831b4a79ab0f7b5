// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The memory that profile_memory recorded, grouped by where the program was: one row per stack of slices.
#include "model/analysis/trace_memory/memory_stack_summary.h"
#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace riffle {

namespace {

constexpr uint32_t kRoot = 0;

/// Stacks of names as paths of a tree: a stack is the number of its innermost node. Neither table allocates per entry,
/// because whoever stops the question waits until they are gone.
class NameStacks {
public:
    explicit NameStacks(const Trace &trace) : m_trace(trace) { m_nodes.of({kRoot, 0}); }

    /// The stack of a slice and its ancestors; kRoot if there is no slice.
    uint32_t of(SliceId innermost)
    {
        m_unknown.clear();
        uint32_t node = kRoot;
        for (std::optional<Slice> at = m_trace.slice(innermost); at; at = m_trace.slice(at->parent)) {
            const auto [number, isNew] = m_slices.of(at->id.value);
            if (!isNew) {
                node = m_ofSlice[number];
                break;
            }
            m_ofSlice.push_back(kRoot);
            m_unknown.emplace_back(number, at->data.name);
        }
        for (auto at = m_unknown.rbegin(); at != m_unknown.rend(); ++at)
            m_ofSlice[at->first] = node = m_nodes.of({node, at->second}).first;
        return node;
    }
    /// The names of a stack, innermost first, separated by "; " like other call stacks.
    std::string text(uint32_t node) const
    {
        std::string text;
        for (; node != kRoot; node = m_nodes.key(node).around) {
            text += text.empty() ? "" : "; ";
            text += m_trace.string(m_nodes.key(node).name);
        }
        return text;
    }

private:
    struct Node {
        uint32_t around = kRoot, name = 0;
        bool operator==(const Node &) const = default;
    };
    struct HashOfNode {
        uint64_t operator()(const Node &node) const { return mixed(uint64_t(node.around) << 32 | node.name); }
    };
    struct HashOfSlice {
        uint64_t operator()(uint32_t slice) const { return mixed(slice); }
    };
    const Trace &m_trace;
    Numbering<Node, HashOfNode> m_nodes;
    Numbering<uint32_t, HashOfSlice> m_slices;
    std::vector<uint32_t> m_ofSlice;                      ///< nodes, parallel to the numbers of m_slices
    std::vector<std::pair<uint32_t, uint32_t>> m_unknown; ///< numbers of slices and their names, innermost first
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
        if (!scope.hasSlice(calls.sliceOf(call), name))
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
