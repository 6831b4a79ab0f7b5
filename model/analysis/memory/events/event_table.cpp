// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/event_table.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"

#include <fmt/format.h>

#include <cassert>
#include <unordered_map>

namespace riffle {

namespace {

/// The time of the device's first entry that has one.
int64_t firstTime(const MemorySnapshot &snapshot, const DeviceReplay &device)
{
    for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event)
        if (const int64_t time = snapshot.events.time.at(event, MemoryEventTable::kNoTime);
            time != MemoryEventTable::kNoTime)
            return time;
    return MemoryEventTable::kNoTime;
}

} // namespace

ResultTable memoryEventTable(const SnapshotFacts &facts, uint32_t device, std::span<const uint32_t> events)
{
    assert(device < facts.replay().devices.size());
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &replay = facts.replay().devices[device];
    const MemoryEventTable &all = snapshot.events;
    const int64_t first = firstTime(snapshot, replay);
    std::unordered_map<uint32_t, std::string> places;
    const auto placeOf = [&](uint32_t stack, bool whole) {
        const auto [known, isNew] = places.try_emplace(stack * 2 + whole);
        if (isNew)
            known->second = eventPlaceText(facts.stacks(), stack, whole);
        return known->second;
    };
    const auto isOutOfMemory = [&](uint32_t event) { return all.action[event] == MemoryAction::OutOfMemory; };

    ResultTable table;
    table.view = "memory_events";
    table.title = "Events of " + memoryDeviceName(replay);
    TableBuilder<uint32_t> build(table, events);
    build.id("event", "Event", "number in the device's history",
             [&](uint32_t event) { return event - replay.firstEvent; });
    build.text("device", "Device", "", [&](uint32_t) { return memoryDeviceName(replay); }).hidden = true;
    build.time("time_ns", "Time", "since the device's first event", [&](uint32_t event) {
        const int64_t time = all.time.at(event, MemoryEventTable::kNoTime);
        return time == MemoryEventTable::kNoTime ? kNoInt : time - first;
    });
    build
        .integer("unix_ns", "Unix time", CellKind::Count, "Unix nanoseconds",
                 [&](uint32_t event) { return all.time.at(event, MemoryEventTable::kNoTime); })
        .hidden = true;
    build.text("action", "Action", "the recorder's word for what happened",
               [&](uint32_t event) { return std::string(memoryActionWord(all.action[event])); });
    build.integer("bytes", "Bytes", CellKind::Bytes, "requested bytes, or the size of the segment",
                  [&](uint32_t event) { return all.size[event]; });
    build.text("address", "Address", "", [&](uint32_t event) {
        return isOutOfMemory(event) ? std::string() : fmt::format("{:#x}", all.address[event]);
    });
    build.text("stream", "Stream", "",
               [&](uint32_t event) { return memoryStreamName(snapshot.streams[all.stream[event]]); });
    build
        .text("pool", "Pool", "the pool that the event records",
              [&](uint32_t event) {
                  return all.pool.empty() ? std::string() : memoryPoolName(snapshot, all.pool[event]);
              })
        .hidden = all.pool.empty();
    build.integer("device_free", "Free on the device", CellKind::Bytes, "for a failed allocation, as recorded",
                  [&](uint32_t event) {
                      return isOutOfMemory(event) && all.address[event] != MemoryEventTable::kNotRecorded
                                 ? static_cast<int64_t>(all.address[event])
                                 : kNoInt;
                  });
    build
        .text("place", "Place", "the innermost line of the program",
              [&](uint32_t event) { return placeOf(all.stack.at(event, 0), true); })
        .shorts = [&] {
        std::vector<std::string> shorts;
        for (const uint32_t event : events)
            shorts.push_back(placeOf(all.stack.at(event, 0), false));
        return shorts;
    }();
    const auto text = [&](const char *key, const char *title, const char *formula, const Column<uint32_t> &column) {
        build
            .text(key, title, formula,
                  [&](uint32_t event) { return std::string(snapshot.string(column.at(event, 0))); })
            .hidden = column.empty();
    };
    text("metadata", "Metadata", "text that the program attached (_set_memory_metadata)", all.metadata);
    text("category", "Category", "as recorded", all.category);
    text("compile_context", "Compile context", "of torch.compile", all.compileContext);
    if (replay.events == 0)
        table.absence = "No history was recorded. torch.cuda.memory._record_memory_history() starts recording.";
    else if (events.empty())
        table.absence = "No event matches.";
    return table;
}

} // namespace riffle
