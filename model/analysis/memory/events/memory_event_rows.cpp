// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/memory_event_rows.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

namespace riffle {

namespace {

/// The time since the device's first event; kNoInt if either was not recorded.
int64_t timeSinceFirst(const MemoryEventTable &events, uint32_t first, uint32_t event)
{
    constexpr int64_t kNoTime = MemoryEventTable::kNoTime;
    const int64_t time = events.time.at(event, kNoTime), zero = events.time.at(first, kNoTime);
    int64_t since = 0;
    return time == kNoTime || zero == kNoTime || __builtin_sub_overflow(time, zero, &since) ? kNoInt : since;
}

struct Place {
    std::string whole, brief;
};

/// The place of each event. Many events share a stack.
std::vector<Place> placesOf(const SnapshotFacts &facts, std::span<const uint32_t> events)
{
    std::unordered_map<uint32_t, Place> known;
    std::vector<Place> places;
    for (const uint32_t event : events) {
        const uint32_t stack = facts.snapshot().events.stack.at(event, 0);
        const auto [found, isNew] = known.try_emplace(stack);
        if (isNew)
            found->second = {eventPlaceText(facts.stacks(), stack, true), eventPlaceText(facts.stacks(), stack)};
        places.push_back(found->second);
    }
    return places;
}

} // namespace

ResultTable memoryEventRows(const SnapshotFacts &facts, size_t device, std::span<const uint32_t> events)
{
    assert(device < facts.replay().devices.size());
    const MemorySnapshot &snapshot = facts.snapshot();
    const MemoryEventTable &all = snapshot.events;
    const DeviceReplay &replay = facts.replay().devices[device];
    const auto isOutOfMemory = [&](uint32_t event) { return all.action[event] == MemoryAction::OutOfMemory; };
    ResultTable table;
    table.view = "memory_events";
    table.title = "Memory events";
    TableBuilder<uint32_t> build(table, events);
    build.id("event", "Event", "its number in the device's history",
             [&](uint32_t event) { return static_cast<int64_t>(event - replay.firstEvent); });
    build.time("time_ns", "Time", "since the device's first event",
               [&](uint32_t event) { return timeSinceFirst(all, replay.firstEvent, event); });
    build.text("action", "Action", "",
               [&](uint32_t event) { return std::string(memoryActionWord(all.action[event])); });
    build.text("address", "Address", "", [&](uint32_t event) {
        return isOutOfMemory(event) ? std::string() : memoryAddress(all.address[event]);
    });
    build.integer("size", "Size", CellKind::Bytes, "as requested", [&](uint32_t event) { return all.size[event]; });
    build.integer("device_free", "Free on the device", CellKind::Bytes, "of events that ran out of memory",
                  [&](uint32_t event) {
                      return isOutOfMemory(event) && all.address[event] != MemoryEventTable::kNotRecorded
                                 ? static_cast<int64_t>(std::min<uint64_t>(all.address[event], INT64_MAX))
                                 : kNoInt;
                  });
    build.text("stream", "Stream", "", [&](uint32_t event) {
        const uint16_t stream = all.stream.at(event, UINT16_MAX);
        return stream < snapshot.streams.size() ? memoryStreamName(snapshot.streams[stream]) : std::string();
    });
    build.text("pool", "Pool", "", [&](uint32_t event) {
        return event < all.pool.size() ? memoryPoolName(snapshot, all.pool[event]) : std::string();
    });
    build.text("device", "Device", "", [&](uint32_t) { return memoryDeviceName(replay); });
    const std::vector<Place> places = placesOf(facts, events);
    ResultColumn &place = build.text("place", "Where", "the frame that best says where it happened",
                                     [](uint32_t) { return std::string(); });
    for (size_t row = 0; row < places.size(); ++row) {
        place.texts[row] = places[row].whole;
        place.shorts.push_back(places[row].brief);
    }
    const auto text = [&](const char *key, const char *title, const char *formula, const Column<uint32_t> &column) {
        build
            .text(key, title, formula,
                  [&](uint32_t event) { return std::string(snapshot.string(column.at(event, 0))); })
            .hidden = column.empty();
    };
    text("metadata", "Metadata", "what the program attached", all.metadata);
    text("category", "Category", "as recorded", all.category);
    text("compile_context", "Compile context", "of torch.compile", all.compileContext);
    if (events.empty())
        table.absence = replay.events ? "No event matches." : "No history was recorded on this device.";
    assert(table.isRectangular());
    return table;
}

} // namespace riffle
