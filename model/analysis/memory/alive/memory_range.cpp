// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_range.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/memory_stacks.h"
#include "model/base/format.h"
#include "model/base/ids.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace riffle {

namespace {

constexpr size_t kMostSteps = 4; ///< the most steps of a stack in the name of its row

struct RangeSum {
    int64_t bytes = 0, count = 0;
    void add(int64_t more)
    {
        ++count;
        if (__builtin_add_overflow(bytes, more, &bytes))
            bytes = std::numeric_limits<int64_t>::max();
    }
};

struct RangePlace {
    AllocationStack stack;
    RangeSum allocated, freed, kept, alive;
};

/// The steps of a stack, innermost first. Unless `whole`, only the innermost ones, and only Python steps if there are
/// any, because allocations hardly differ in their C++ steps.
std::string stackText(const MemoryStacks &stacks, uint32_t stack, bool whole)
{
    std::vector<MemoryStacks::Step> steps;
    stacks.read(stack, steps);
    if (steps.empty())
        return {};
    const auto isPython = [&](const MemoryStacks::Step &step) { return stacks.isPython(step.frame); };
    if (!whole && std::any_of(steps.begin(), steps.end(), isPython))
        std::erase_if(steps, [&](const MemoryStacks::Step &step) { return !isPython(step); });
    std::string text;
    const size_t shown = whole ? steps.size() : std::min(kMostSteps, steps.size());
    for (size_t at = 0; at < shown; ++at)
        text.append(at ? " ← " : "").append(stacks.text(steps[steps.size() - 1 - at], whole));
    return shown < steps.size() ? text.append(" ← …") : text;
}

} // namespace

ResultTable memoryOfRange(const SnapshotFacts &facts, uint32_t device, uint32_t first, uint32_t last, const Task &task)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &replay = facts.replay().devices[device];
    const MemoryAllocations &all = replay.allocations;
    std::unordered_map<uint32_t, size_t> places;
    std::vector<RangePlace> rows;
    const auto at = [&](uint32_t row) -> RangePlace & {
        const AllocationStack stack = allocationStack(snapshot, all, row);
        const auto [place, isNew] = places.try_emplace(stack.key(snapshot), rows.size());
        if (isNew)
            rows.push_back({stack, {}, {}, {}, {}});
        return rows[place->second];
    };
    const auto within = [&](uint32_t event) { return event != kNoRow && event >= first && event <= last; };
    for (uint32_t row = 0; row < all.count() && !task.stopped(); ++row) {
        const int64_t size = all.size(snapshot, row);
        const bool begins = within(all.begin[row]) && snapshot.events.action[all.begin[row]] == MemoryAction::Alloc;
        const uint32_t gone = all.freed[row] != kNoRow ? all.freed[row] : all.end[row];
        if (begins) {
            at(row).allocated.add(size);
            if (all.end[row] == kNoRow || all.end[row] > last)
                at(row).kept.add(size);
        }
        if (within(gone) && all.begin[row] != all.end[row])
            at(row).freed.add(size);
    }
    for (const uint32_t row : facts.alive(device).at(last))
        at(row).alive.add(all.size(snapshot, row));
    const auto weight = [](const RangePlace &place) {
        return std::max({place.allocated.bytes, place.freed.bytes, place.alive.bytes});
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const RangePlace &a, const RangePlace &b) { return weight(a) > weight(b); });

    ResultTable table;
    table.view = "memory-range";
    table.title = "Memory of a range";
    const MemoryStacks stacks(snapshot);
    {
        ResultColumn &names = table.add(
            "stack", "Allocated at", CellKind::Text,
            "The innermost frames, innermost first; Python frames only, if there are any. The tooltip shows all frames "
            "except those of the runtime. An allocation from before the history shows the place that freed it instead");
        names.unnamed = "no stack recorded";
        for (const RangePlace &place : rows) {
            names.texts.push_back(place.stack.titled(stackText(stacks, place.stack.stack, true)));
            names.shorts.push_back(place.stack.titled(stackText(stacks, place.stack.stack, false)));
        }
    }
    const auto column = [&](const char *key, const char *title, CellKind kind, const char *formula, auto value) {
        ResultColumn &cells = table.add(key, title, kind, formula);
        cells.summed = true;
        cells.barred = kind == CellKind::Bytes;
        for (const RangePlace &place : rows)
            cells.integers.push_back(value(place));
    };
    using P = const RangePlace &;
    column("allocated_bytes", "Allocated", CellKind::Bytes, "Bytes requested by allocs in the range",
           [](P p) { return p.allocated.bytes; });
    column("allocated_count", "Allocs", CellKind::Count, "Allocs in the range", [](P p) { return p.allocated.count; });
    column("freed_bytes", "Freed", CellKind::Bytes,
           "Bytes freed in the range: at free_requested if that was recorded, otherwise at free_completed",
           [](P p) { return p.freed.bytes; });
    column("freed_count", "Frees", CellKind::Count, "Allocations freed in the range",
           [](P p) { return p.freed.count; });
    column("kept_bytes", "Kept", CellKind::Bytes,
           "Bytes allocated in the range that are still active after its last event", [](P p) { return p.kept.bytes; });
    column("alive_bytes", "Alive after", CellKind::Bytes,
           "Bytes that are active after the last event of the range, no matter when they were allocated",
           [](P p) { return p.alive.bytes; });
    column("alive_count", "Alive", CellKind::Count, "Allocations that are active after the last event of the range",
           [](P p) { return p.alive.count; });
    table.notes.push_back("Events " + formatCount(first - replay.firstEvent) + " to " +
                          formatCount(last - replay.firstEvent) + ".");
    return table;
}

} // namespace riffle
