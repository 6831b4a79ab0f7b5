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

/// The number of an event in the device's history; kNoInt for kNone.
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
    build.count("segments", "Segments", "segments of the final state",
                [](const MemoryDeviceFacts &row) { return row.segments; });
    build.count("blocks", "Blocks", "blocks of the final state",
                [](const MemoryDeviceFacts &row) { return row.blocks; });
    build.count("allocations", "Allocations", "allocations in the history or in the final state",
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
    constexpr const char *kAllocated = "bytes that the program requested and has not freed";
    constexpr const char *kActive = "allocated, plus freed but still waiting for other streams; requested bytes";
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
        "end_blocks", "In blocks at the end",
        "allocated, counted in block sizes, which are the requested sizes rounded up",
        [](const DeviceReplay &device) { return device.blocks.allocated; }, true);
    bytes(
        "begin_allocated", "Allocated at the start", kAllocated,
        [](const DeviceReplay &device) { return device.atBegin.allocated; }, true);
    bytes(
        "begin_active", "Active at the start", kActive,
        [](const DeviceReplay &device) { return device.atBegin.active; }, true);
    bytes(
        "begin_reserved", "Reserved at the start", kReserved,
        [](const DeviceReplay &device) { return device.atBegin.reserved; }, true);
    number("peak_allocated_event", "Event of the peak",
           "number in the device's history of the event after which allocated is largest; empty if that is before the "
           "first event",
           [](const DeviceReplay &device) { return numberOf(device, device.peakAllocatedEvent); });
    build.count("freed_from_before", "Freed from before", "allocations from before the history that were freed in it",
                [](const MemoryDeviceFacts &row) { return row.replay->freedFromBefore; });
    number("alive_from_before", "Alive from before",
           "allocations from before the history that are still there at the end",
           [](const DeviceReplay &device) { return device.aliveFromBefore; });
    const auto trouble = [&](const char *key, const char *title, const char *formula, auto get) {
        number(key, title, formula, [&](const DeviceReplay &device) { return get(device).count; });
        number((std::string(key) + "_first").c_str(), "at event",
               "number of the first such event in the device's history",
               [&](const DeviceReplay &device) { return numberOf(device, get(device).firstEvent); });
    };
    trouble("double_allocations", "Double allocations", "addresses that were handed out again before they were freed",
            [](const DeviceReplay &device) { return device.doubleAllocations; });
    trouble("vanished", "Vanished", "allocations that were never freed but are not there at the end",
            [](const DeviceReplay &device) { return device.vanished; });
    trouble("unknown_frees", "Unknown frees",
            "frees of memory that was already free, or that is still there at the end",
            [](const DeviceReplay &device) { return device.unknownFrees; });
    trouble("impossible_sizes", "Impossible sizes", "events with negative sizes, which are left out",
            [](const DeviceReplay &device) { return device.impossibleSizes; });
    trouble("other_sizes", "Other sizes", "allocations whose size differs from the size when freed or at the end",
            [](const DeviceReplay &device) { return device.otherSizes; });
    const auto ofEnd = [&](const char *key, const char *title, const char *formula,
                           uint64_t FinalStateTroubles::*count) {
        build
            .count(key, title, formula,
                   [count](const MemoryDeviceFacts &row) { return static_cast<int64_t>(row.troubles.*count); })
            .hidden = true;
    };
    ofEnd("overlapping_segments", "Overlapping segments",
          "segments of the final state that start before another one ends", &FinalStateTroubles::overlappingSegments);
    ofEnd("overlapping_blocks", "Overlapping blocks", "blocks of the final state that start before another one ends",
          &FinalStateTroubles::overlappingBlocks);
    ofEnd("outside_blocks", "Blocks outside", "blocks of the final state that are not inside their segment",
          &FinalStateTroubles::outsideBlocks);
    build
        .integer("begin_unix_ns", "Start", CellKind::Count, "Unix nanoseconds of the earliest entry",
                 [](const MemoryDeviceFacts &row) { return row.begin; })
        .hidden = true;
    build
        .integer("end_unix_ns", "End", CellKind::Count, "Unix nanoseconds of the latest entry",
                 [](const MemoryDeviceFacts &row) { return row.end; })
        .hidden = true;
    if (rows.empty())
        table.absence = "The snapshot contains no segments and no history.";
    return table;
}

ResultTable memoryActions(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    struct Row {
        std::string device;
        MemoryAction action;
        int64_t count = 0;
        uint64_t bytes = 0; ///< wraps if sizes are impossible
    };
    std::vector<Row> rows;
    for (const DeviceReplay &device : replay.devices) {
        std::array<Row, static_cast<size_t>(MemoryAction::Count)> ofAction{};
        for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event) {
            Row &row = ofAction[static_cast<size_t>(snapshot.events.action[event])];
            ++row.count;
            if (snapshot.events.size[event] > 0 &&
                snapshot.events.action[event] != MemoryAction::Snapshot) // its size is a level, not a change
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
                  "sum of the sizes; without snapshot entries, whose size is a level",
                  [](const Row &row) { return static_cast<int64_t>(row.bytes); });
    if (rows.empty())
        table.setEmpty(missingHistory(snapshot));
    return table;
}

EmptyState missingHistory(const MemorySnapshot &snapshot)
{
    if (snapshot.events.count() > 0)
        return {EmptyReason::NoneOccurred, "The history contains no events of this device.", EmptyAction::None, {}, 0};
    if (snapshot.damage && !snapshot.stateOnly)
        return {EmptyReason::NoneOccurred, "No entry of the history could be read.", EmptyAction::None, {}, 0};
    const std::string setting = "torch.cuda.memory._record_memory_history()";
    return {EmptyReason::NotRecorded,
            snapshot.stateOnly ? "The file contains only the state. Call " + setting + " to record a history."
                               : "The history is empty. Call " + setting + " to turn recording on.",
            EmptyAction::CopySetting, setting, 0};
}

std::vector<std::string> memoryRemarks(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    std::vector<std::string> remarks;
    if (snapshot.damage)
        remarks.push_back(
            "Only the start of the file could be read. " +
            Error{snapshot.damage->message, {}, snapshot.damage->offset}.text() +
            (std::ranges::all_of(replay.devices,
                                 [&](const DeviceReplay &device) { return device.endIsKnown(snapshot); })
                 ? ""
                 : " The final state is unknown, so memory that was not freed counts as still allocated."));
    if (!snapshot.otherSnapshots.empty()) {
        constexpr size_t kNamed = 5;
        std::string names;
        for (size_t at = 0; at < std::min(kNamed, snapshot.otherSnapshots.size()); ++at)
            names += (at ? ", " : "") + snapshot.otherSnapshots[at];
        remarks.push_back(
            "Only the page's first snapshot was opened; " +
            formatCounted(static_cast<int64_t>(snapshot.otherSnapshots.size()), "more is in it: ", "more are in it: ") +
            names + (snapshot.otherSnapshots.size() > kNamed ? ", …" : "."));
    }
    if (snapshot.setting("trace_alloc_overflowed") == "True")
        remarks.push_back("The ring buffer of the history was full (trace_alloc_max_entries is " +
                          snapshot.setting("trace_alloc_max_entries") + "): older entries are lost.");
    for (const DeviceReplay &device : replay.devices) {
        if (device.freedFromBefore)
            remarks.push_back(memoryDeviceName(device) + ": " +
                              formatCounted(static_cast<int64_t>(device.freedFromBefore), "freed allocation is",
                                            "freed allocations are") +
                              " from before the history, because its ring buffer was full or recording started later.");
        const auto say = [&](const MemoryTrouble &trouble, const char *one, const char *many) {
            if (trouble.count)
                remarks.push_back(
                    memoryDeviceName(device) + ": " + formatCounted(static_cast<int64_t>(trouble.count), one, many) +
                    (trouble.firstEvent == MemoryAllocations::kNone
                         ? ""
                         : ", the first at event " + std::to_string(trouble.firstEvent - device.firstEvent)) +
                    ".");
        };
        say(device.doubleAllocations, "address was handed out again before it was freed",
            "addresses were handed out again before they were freed");
        say(device.vanished, "allocation was never freed but is not there at the end",
            "allocations were never freed but are not there at the end");
        say(device.unknownFrees, "free is of memory that was not allocated, or that is still there at the end",
            "frees are of memory that was not allocated, or that is still there at the end");
        say(device.impossibleSizes, "event has a negative size and was left out",
            "events have negative sizes and were left out");
        say(device.otherSizes, "allocation has a different size at its end than at its start",
            "allocations have a different size at their end than at their start");
        const FinalStateTroubles troubles = checkFinalState(snapshot, device);
        const auto sayOfEnd = [&](uint64_t count, const char *one, const char *many) {
            if (count)
                remarks.push_back(memoryDeviceName(device) + ": in the final state, " +
                                  formatCounted(static_cast<int64_t>(count), one, many) + ".");
        };
        sayOfEnd(troubles.overlappingSegments, "segment starts before another one ends",
                 "segments start before another one ends");
        sayOfEnd(troubles.overlappingBlocks, "block starts before another one ends",
                 "blocks start before another one ends");
        sayOfEnd(troubles.outsideBlocks, "block is not inside its segment", "blocks are not inside their segment");
    }
    const SnapshotOddities &odd = snapshot.oddities;
    const auto say = [&](uint64_t count, const char *one, const char *many) {
        if (count)
            remarks.push_back(formatCounted(static_cast<int64_t>(count), one, many) + ".");
    };
    say(odd.unreadableFields, "field has an unexpected type and was left out",
        "fields have unexpected types and were left out");
    say(odd.repeatedEntries, "entry is in a list twice or in no list, and was left out",
        "entries are in a list twice or in no list, and were left out");
    say(odd.strangeItems, "list item has an unexpected type and was left out",
        "list items have unexpected types and were left out");
    say(odd.crowdedStreams, "entry is on a stream beyond the first 65,535; all these streams were merged into one",
        "entries are on streams beyond the first 65,535; all these streams were merged into one");
    for (const auto &[action, count] : odd.otherActions)
        remarks.push_back(formatCounted(static_cast<int64_t>(count), "entry has an unknown action",
                                        "entries have an unknown action") +
                          ": " + action + ".");
    return remarks;
}

} // namespace riffle
