// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_info.h"

#include "model/analysis/memory/allocator/final_state_check.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <array>

namespace riffle {

namespace {

struct MemoryDeviceFacts {
    const DeviceReplay *replay;
    int64_t segments = 0, blocks = 0;
    int64_t begin = kNoInt, end = kNoInt; ///< Unix nanoseconds of the earliest and latest entry
    FinalStateTroubles troubles{};
};

std::vector<MemoryDeviceFacts> deviceRows(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    std::vector<MemoryDeviceFacts> rows;
    for (const DeviceReplay &device : replay.devices) {
        MemoryDeviceFacts row{&device};
        for (const MemorySegment &segment : snapshot.segments) {
            if (segment.device == device.device && segment.host == device.host) {
                ++row.segments;
                row.blocks += segment.blocks;
            }
        }
        for (const int64_t time : snapshot.events.time.slice(device.firstEvent, device.events)) {
            if (time == MemoryEventTable::kNoTime)
                continue;
            row.begin = row.begin == kNoInt ? time : std::min(row.begin, time);
            row.end = std::max(row.end, time);
        }
        row.troubles = checkFinalState(snapshot, device);
        rows.push_back(row);
    }
    return rows;
}

/// An event as its number in the device's history.
int64_t numberOf(const DeviceReplay &device, uint32_t event)
{
    return event == MemoryAllocations::kNone ? kNoInt : static_cast<int64_t>(event - device.firstEvent);
}

} // namespace

std::string memoryDeviceName(const DeviceReplay &device)
{
    return (device.host ? "host " : "device ") + std::to_string(device.device);
}

ResultTable memoryDevices(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    ResultTable table;
    table.view = "devices";
    table.title = "Memory by device";
    const std::vector<MemoryDeviceFacts> rows = deviceRows(snapshot, replay);
    TableBuilder<MemoryDeviceFacts> build(table, rows);
    build.text("device", "Device", "", [](const MemoryDeviceFacts &row) { return memoryDeviceName(*row.replay); });
    build.count("events", "Events", "entries of the history",
                [](const MemoryDeviceFacts &row) { return row.replay->events; });
    build.count("segments", "Segments", "of the final state",
                [](const MemoryDeviceFacts &row) { return row.segments; });
    build.count("blocks", "Blocks", "of the final state", [](const MemoryDeviceFacts &row) { return row.blocks; });
    build.count("allocations", "Allocations", "that the history or the final state knows",
                [](const MemoryDeviceFacts &row) { return row.replay->allocations.count(); });
    const auto bytes = [&](const char *key, const char *title, const char *formula, auto get, bool hidden = false) {
        build
            .integer(key, title, CellKind::Bytes, formula,
                     [&](const MemoryDeviceFacts &row) { return get(*row.replay); })
            .hidden = hidden;
    };
    const auto number = [&](const char *key, const char *title, const char *formula, auto get) {
        build
            .count(key, title, formula,
                   [&](const MemoryDeviceFacts &row) { return static_cast<int64_t>(get(*row.replay)); })
            .hidden = true;
    };
    constexpr const char *kAllocated = "bytes that the program asked for and has not given back";
    constexpr const char *kActive = "allocated, and given back but still waiting for other streams; bytes as asked for";
    constexpr const char *kReserved = "sum of all segments";
    bytes("peak_allocated", "Peak allocated", kAllocated,
          [](const DeviceReplay &device) { return device.peak.allocated; });
    bytes(
        "peak_active", "Peak active", kActive, [](const DeviceReplay &device) { return device.peak.active; }, true);
    bytes("peak_reserved", "Peak reserved", kReserved, [](const DeviceReplay &device) { return device.peak.reserved; });
    bytes("end_allocated", "Allocated at the end", kAllocated,
          [](const DeviceReplay &device) { return device.atEnd.allocated; });
    bytes(
        "end_active", "Active at the end", kActive, [](const DeviceReplay &device) { return device.atEnd.active; },
        true);
    bytes("end_reserved", "Reserved at the end", kReserved,
          [](const DeviceReplay &device) { return device.atEnd.reserved; });
    bytes(
        "end_blocks", "In blocks at the end", "allocated, by sizes of blocks: what was asked for is rounded up",
        [](const DeviceReplay &device) { return device.blocks.allocated; }, true);
    bytes(
        "begin_allocated", "Allocated at the begin", kAllocated,
        [](const DeviceReplay &device) { return device.atBegin.allocated; }, true);
    bytes(
        "begin_active", "Active at the begin", kActive,
        [](const DeviceReplay &device) { return device.atBegin.active; }, true);
    bytes(
        "begin_reserved", "Reserved at the begin", kReserved,
        [](const DeviceReplay &device) { return device.atBegin.reserved; }, true);
    number("peak_allocated_event", "Event of the peak",
           "number in the device's history after which allocated is largest; none: before the first",
           [](const DeviceReplay &device) { return numberOf(device, device.peakAllocatedEvent); });
    build.count("freed_from_before", "Freed from before",
                "allocations that were freed in the history and began before it",
                [](const MemoryDeviceFacts &row) { return row.replay->freedFromBefore; });
    number("alive_from_before", "There from before",
           "allocations that began before the history and were there at the end",
           [](const DeviceReplay &device) { return device.aliveFromBefore; });
    const auto trouble = [&](const char *key, const char *title, const char *formula, auto get) {
        number(key, title, formula, [&](const DeviceReplay &device) { return get(device).count; });
        number((std::string(key) + "_first").c_str(), "at event", "number of the first of them in the device's history",
               [&](const DeviceReplay &device) { return numberOf(device, get(device).firstEvent); });
    };
    trouble("double_allocations", "Double allocations", "addresses given out before they were freed",
            [](const DeviceReplay &device) { return device.doubleAllocations; });
    trouble("vanished", "Vanished", "allocated, not freed and not there at the end",
            [](const DeviceReplay &device) { return device.vanished; });
    trouble("unknown_frees", "Unknown frees", "freed twice, or freed and there at the end",
            [](const DeviceReplay &device) { return device.unknownFrees; });
    trouble("impossible_sizes", "Impossible sizes", "negative sizes; left out",
            [](const DeviceReplay &device) { return device.impossibleSizes; });
    trouble("other_sizes", "Other sizes", "allocated with one size and freed or there with another",
            [](const DeviceReplay &device) { return device.otherSizes; });
    const auto ofEnd = [&](const char *key, const char *title, const char *formula,
                           uint64_t FinalStateTroubles::*count) {
        build
            .count(key, title, formula,
                   [count](const MemoryDeviceFacts &row) { return static_cast<int64_t>(row.troubles.*count); })
            .hidden = true;
    };
    ofEnd("overlapping_segments", "Overlapping segments",
          "segments of the final state that begin where another one has not ended",
          &FinalStateTroubles::overlappingSegments);
    ofEnd("overlapping_blocks", "Overlapping blocks",
          "blocks of the final state that begin where another one has not ended",
          &FinalStateTroubles::overlappingBlocks);
    ofEnd("outside_blocks", "Blocks outside", "blocks of the final state that are not within their segment",
          &FinalStateTroubles::outsideBlocks);
    build
        .integer("begin_unix_ns", "Begin", CellKind::Count, "Unix nanoseconds of the earliest entry",
                 [](const MemoryDeviceFacts &row) { return row.begin; })
        .hidden = true;
    build
        .integer("end_unix_ns", "End", CellKind::Count, "Unix nanoseconds of the latest entry",
                 [](const MemoryDeviceFacts &row) { return row.end; })
        .hidden = true;
    if (rows.empty())
        table.absence = "The snapshot holds no segments and no history.";
    return table;
}

ResultTable memoryActions(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    struct Row {
        std::string device;
        MemoryAction action;
        int64_t count = 0;
        uint64_t bytes = 0; ///< wraps where sizes are impossible
    };
    std::vector<Row> rows;
    for (const DeviceReplay &device : replay.devices) {
        std::array<Row, static_cast<size_t>(MemoryAction::Count)> ofAction{};
        for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event) {
            Row &row = ofAction[static_cast<size_t>(snapshot.events.action[event])];
            ++row.count;
            if (snapshot.events.size[event] > 0 &&
                snapshot.events.action[event] != MemoryAction::Snapshot) // whose size is a level
                row.bytes += static_cast<uint64_t>(snapshot.events.size[event]);
        }
        for (size_t action = 0; action < ofAction.size(); ++action)
            if (ofAction[action].count)
                rows.push_back({memoryDeviceName(device), static_cast<MemoryAction>(action), ofAction[action].count,
                                ofAction[action].bytes});
    }
    ResultTable table;
    table.view = "actions";
    table.title = "Events by action";
    TableBuilder<Row> build(table, rows);
    build.text("device", "Device", "", [](const Row &row) { return row.device; });
    build.text("action", "Action", "the recorder's word",
               [](const Row &row) { return std::string(memoryActionWord(row.action)); });
    build.count("events", "Events", "", [](const Row &row) { return row.count; }).summed = true;
    build.integer("bytes", "Bytes", CellKind::Bytes,
                  "sum of the sizes; of snapshot entries, whose size is a level, none",
                  [](const Row &row) { return static_cast<int64_t>(row.bytes); });
    if (rows.empty())
        table.absence =
            snapshot.damage && !snapshot.stateOnly ? "No entry of the history could be read."
            : snapshot.stateOnly
                ? "The file holds the state only: torch.cuda.memory._record_memory_history() records a history."
                : "The history is empty: torch.cuda.memory._record_memory_history() turns recording on.";
    return table;
}

std::vector<std::string> memoryRemarks(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    std::vector<std::string> remarks;
    if (snapshot.damage)
        remarks.push_back(
            "Only the beginning could be read: " + snapshot.damage->message +
            (snapshot.damage->offset ? " (at byte " + std::to_string(*snapshot.damage->offset) + ")" : "") +
            (std::ranges::all_of(replay.devices,
                                 [&](const DeviceReplay &device) { return device.endIsKnown(snapshot); })
                 ? "."
                 : ". The final state is not known; what was not freed counts as there."));
    if (!snapshot.otherSnapshots.empty()) {
        constexpr size_t kNamed = 5;
        std::string names;
        for (size_t at = 0; at < std::min(kNamed, snapshot.otherSnapshots.size()); ++at)
            names += (at ? ", " : "") + snapshot.otherSnapshots[at];
        remarks.push_back("Only the page's first snapshot was opened; " +
                          formatCounted(static_cast<int64_t>(snapshot.otherSnapshots.size()),
                                        "more stands in it: ", "more stand in it: ") +
                          names + (snapshot.otherSnapshots.size() > kNamed ? ", …" : "."));
    }
    if (snapshot.setting("trace_alloc_overflowed") == "True")
        remarks.push_back("The ring buffer of the history was full (trace_alloc_max_entries is " +
                          snapshot.setting("trace_alloc_max_entries") + "): older entries are lost.");
    for (const DeviceReplay &device : replay.devices) {
        if (device.freedFromBefore)
            remarks.push_back(memoryDeviceName(device) + ": " +
                              formatCount(static_cast<int64_t>(device.freedFromBefore)) +
                              " allocations were freed that began before the history: its ring buffer was full, or "
                              "recording began later.");
        const auto say = [&](const MemoryTrouble &trouble, const char *what) {
            if (trouble.count)
                remarks.push_back(
                    memoryDeviceName(device) + ": " + formatCount(static_cast<int64_t>(trouble.count)) + " " + what +
                    (trouble.firstEvent == MemoryAllocations::kNone
                         ? ""
                         : ", the first at event " + std::to_string(trouble.firstEvent - device.firstEvent)) +
                    ".");
        };
        say(device.doubleAllocations, "addresses were given out again before they were freed");
        say(device.vanished, "allocations were never freed and are not there at the end");
        say(device.unknownFrees, "frees of what was not allocated, or of what is there at the end");
        say(device.impossibleSizes, "sizes are negative and were left out");
        say(device.otherSizes, "allocations have another size when they end than when they began");
        const FinalStateTroubles troubles = checkFinalState(snapshot, device);
        const auto sayOfEnd = [&](uint64_t count, const char *what) {
            if (count)
                remarks.push_back(memoryDeviceName(device) + ": " + formatCount(static_cast<int64_t>(count)) + " " +
                                  what + " in the final state.");
        };
        sayOfEnd(troubles.overlappingSegments, "segments begin where another one has not ended");
        sayOfEnd(troubles.overlappingBlocks, "blocks begin where another one has not ended");
        sayOfEnd(troubles.outsideBlocks, "blocks are not within their segment");
    }
    const SnapshotOddities &odd = snapshot.oddities;
    const auto say = [&](uint64_t count, const char *what) {
        if (count)
            remarks.push_back(formatCount(static_cast<int64_t>(count)) + " " + what + ".");
    };
    say(odd.unreadableFields, "fields hold something else than they should, and were left out");
    say(odd.repeatedEntries, "entries stand in a list twice or in none, and were left out");
    say(odd.strangeItems, "items of lists are nothing of the kind, and were left out");
    say(odd.crowdedStreams, "entries are on streams beyond the first 65,535, and were put together");
    for (const auto &[action, count] : odd.otherActions)
        remarks.push_back(formatCount(static_cast<int64_t>(count)) +
                          " entries have an action that is not known: " + action + ".");
    return remarks;
}

} // namespace riffle
