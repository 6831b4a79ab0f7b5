// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/alive_table.h"

#include "model/analysis/memory/alive/group_keys.h"
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/table/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace riffle {

ResultTable aliveAllocations(const SnapshotFacts &facts, const MemoryInstant &instant,
                             const MemoryCategories *categories)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &device = facts.replay().devices[instant.device];
    const MemoryAllocations &all = device.allocations;
    const MemoryStacks &stacks = facts.stacks();
    const GroupKeys streams(facts, MemoryGrouping::Stream), pools(facts, MemoryGrouping::Pool);
    const auto number = [&](uint32_t event) {
        return event == MemoryAllocations::kNone ? std::numeric_limits<int64_t>::min()
                                                 : static_cast<int64_t>(event - device.firstEvent);
    };
    std::vector<uint32_t> rows = instant.rows;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return all.size(snapshot, a) > all.size(snapshot, b); });

    ResultTable table;
    table.view = "alive_allocations";
    table.title = "Alive allocations";
    TableBuilder<uint32_t> build(table, rows);
    build.text("address", "Address", "",
               [&](uint32_t row) { return fmt::format("0x{:x}", all.address(snapshot, row)); });
    auto &bytes = build.integer("bytes", "Bytes", CellKind::Bytes, "as requested",
                                [&](uint32_t row) { return all.size(snapshot, row); });
    bytes.summed = bytes.barred = true;
    build.text("state", "State", "active_pending_free: freed by the program, but still waiting for other streams",
               [&](uint32_t row) {
                   return std::string(facts.alive(instant.device).isPending(row, instant.event) ? "active_pending_free"
                                                                                                : "active_allocated");
               });
    build.id("begin_event", "Start",
             "number of its alloc event in the device's history; empty if it is from before the history",
             [&](uint32_t row) { return number(all.begin[row]); });
    build.id("freed_event", "Freed", "number of its free_requested event; empty if that is not in the history",
             [&](uint32_t row) { return number(all.freed[row]); });
    build
        .id("end_event", "End", "number of its free_completed event; empty if it is still there at the end",
            [&](uint32_t row) { return number(all.end[row]); })
        .hidden = true;
    build.text("stream", "Stream", "see --by stream",
               [&](uint32_t row) { return streams.name(streams.of(instant.device, row)); });
    build.text("pool", "Pool", "see --by pool", [&](uint32_t row) { return pools.name(pools.of(instant.device, row)); })
        .hidden = true;
    if (categories) {
        build.text("category", "Category", "guessed by a rule; (inferred): from its size alone", [&](uint32_t row) {
            return categories->verdicts()[categories->verdict(instant.device, row)].category;
        });
        build
            .text("rule", "Rule", "the rule that chose the category",
                  [&](uint32_t row) { return categories->verdicts()[categories->verdict(instant.device, row)].rule; })
            .hidden = true;
    }
    const GroupKeys metadata(facts, MemoryGrouping::Metadata);
    if (!snapshot.events.metadata.empty())
        build
            .text("metadata", "Metadata", "the text that the program attached to the allocation",
                  [&](uint32_t row) {
                      const uint32_t key = metadata.of(instant.device, row);
                      return metadata.isUnknown(key) ? std::string() : metadata.name(key);
                  })
            .unnamed = "none recorded";
    std::unordered_map<uint32_t, std::array<std::string, 2>> known; // per stack: the short text and the whole text
    const auto placeOf = [&](uint32_t row) -> const std::array<std::string, 2> & {
        const AllocationStack stack = allocationStack(snapshot, all, row);
        const auto [at, isNew] = known.try_emplace(stack.key(snapshot));
        if (isNew)
            at->second = {stack.titled(eventPlaceText(stacks, stack.stack)),
                          stack.titled(eventPlaceText(stacks, stack.stack, true))};
        return at->second;
    };
    ResultColumn &place = build.text(
        "place", "Place",
        "the innermost frame of your own Python code; otherwise of any Python code; otherwise the innermost frame that "
        "belongs neither to the runtime nor to the allocator; for an allocation from before the history, the place "
        "that freed it",
        [&](uint32_t row) { return placeOf(row)[1]; });
    for (const uint32_t row : rows)
        place.shorts.push_back(placeOf(row)[0]);
    if (rows.empty())
        table.absence = "Nothing is allocated at this instant.";
    return table;
}

} // namespace riffle
