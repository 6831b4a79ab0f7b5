// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/alive_stacks.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/memory_stacks.h"
#include "model/analysis/table/table_builder.h"

#include <algorithm>
#include <map>

namespace riffle {

namespace {

constexpr size_t kFrames = 3; ///< the most frames in the name of a stack

struct AliveRow {
    AllocationStack stack;
    uint64_t bytes = 0; ///< wraps if sizes are impossible
    int64_t allocations = 0;
};

/// The innermost frames of a stack, innermost first; only those of Python files, if there are any.
std::string nameOf(const MemoryStacks &stacks, uint32_t stack)
{
    std::vector<MemoryStacks::Step> steps;
    stacks.read(stack, steps);
    std::reverse(steps.begin(), steps.end());
    const bool python = std::any_of(steps.begin(), steps.end(),
                                    [&](const MemoryStacks::Step &step) { return stacks.isPython(step.frame); });
    std::string name;
    size_t frames = 0;
    for (const MemoryStacks::Step &step : steps) {
        if (step.repeats > 0 || (python && !stacks.isPython(step.frame)) || ++frames > kFrames)
            continue;
        name.append(name.empty() ? "" : " < ").append(stacks.text(step, false));
    }
    return name;
}

} // namespace

ResultTable aliveStacks(const SnapshotFacts &facts, const MemoryInstant &instant)
{
    const MemoryAllocations &all = facts.replay().devices[instant.device].allocations;
    std::map<uint32_t, AliveRow> byStack;
    uint64_t total = 0;
    for (const uint32_t allocation : instant.rows) {
        const AllocationStack stack = allocationStack(facts.snapshot(), all, allocation);
        AliveRow &row = byStack[stack.key(facts.snapshot())];
        row.stack = stack;
        const auto size = static_cast<uint64_t>(all.size(facts.snapshot(), allocation));
        row.bytes += size;
        total += size;
        ++row.allocations;
    }
    std::vector<AliveRow> rows;
    for (const auto &[key, row] : byStack)
        rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), [](const AliveRow &a, const AliveRow &b) { return a.bytes > b.bytes; });
    ResultTable table;
    table.view = "stacks";
    table.title = "Alive by stack";
    TableBuilder<AliveRow> build(table, rows);
    build
        .text("where", "Where", "the innermost frames; Python frames only, if there are any",
              [&](const AliveRow &row) { return row.stack.titled(nameOf(facts.stacks(), row.stack.stack)); })
        .unnamed = "no stack recorded";
    build.integer("bytes", "Bytes", CellKind::Bytes, "as requested; not yet back in the pool",
                  [](const AliveRow &row) { return static_cast<int64_t>(row.bytes); });
    build.share("share", "Share", "bytes / all alive bytes", [&](const AliveRow &row) {
        return ratio(static_cast<int64_t>(row.bytes), static_cast<int64_t>(total));
    });
    build.count("allocations", "Allocations", "", [](const AliveRow &row) { return row.allocations; });
    build
        .id("stack", "Stack", "number of the stack in the snapshot; 0 if none was recorded",
            [](const AliveRow &row) { return row.stack.stack; })
        .hidden = true;
    return table;
}

} // namespace riffle
