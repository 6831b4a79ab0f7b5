// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/memory_marks.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/time.h"
#include "model/trace/tables.h"

#include <limits>
#include <map>
#include <utility>

namespace riffle {

namespace {

struct Marks {
    int32_t device = 0;
    uint32_t name = 0;
    int64_t count = 0, time = 0;
    int64_t first = kNoInt;
    std::vector<int64_t> begins; ///< starts of the ranges that have not ended
};

} // namespace

ResultTable memoryMarks(const MemorySnapshot &snapshot)
{
    std::map<std::pair<int32_t, uint32_t>, size_t> known;
    std::vector<Marks> rows;
    for (const MemoryAnnotation &mark : snapshot.annotations) {
        const auto [at, isNew] = known.try_emplace({mark.device, mark.name}, rows.size());
        if (isNew)
            rows.push_back({mark.device, mark.name, 0, 0, mark.time, {}});
        Marks &row = rows[at->second];
        const std::string_view stage = snapshot.string(mark.stage);
        if (stage != "END") {
            ++row.count;
            if (stage == "START")
                row.begins.push_back(mark.time);
        } else if (!row.begins.empty()) {
            const int64_t begin = row.begins.back();
            row.begins.pop_back();
            if (begin != MemoryEventTable::kNoTime && mark.time != MemoryEventTable::kNoTime && mark.time >= begin)
                row.time = saturatedSum(row.time, saturatedSum(mark.time, -begin));
        }
    }
    ResultTable table;
    table.view = "marks";
    table.title = "Program marks";
    TableBuilder<Marks> build(table, rows);
    build.names("name", "Name", "", [&](const Marks &row) { return std::string(snapshot.string(row.name)); });
    build.id("device", "Device", "", [](const Marks &row) { return row.device; });
    build.count("ranges", "Ranges", "ranges that started", [](const Marks &row) { return row.count; });
    build
        .count("open_ranges", "Without an end", "",
               [](const Marks &row) { return static_cast<int64_t>(row.begins.size()); })
        .hidden = true;
    build.time("time_ns", "Time", "total time of the ranges; each end closes the latest range that is still open",
               [](const Marks &row) { return row.time; });
    build
        .integer("first_unix_ns", "First", CellKind::Count, "start of the first range, in Unix nanoseconds",
                 [](const Marks &row) { return row.first; })
        .hidden = true;
    if (rows.empty())
        table.absence = "The program left no marks. torch.profiler.record_function() leaves marks while "
                        "_record_memory_history() is on.";
    return table;
}

ResultTable memoryOutOfMemory(const MemorySnapshot &snapshot, const MemoryReplay &replay)
{
    struct Row {
        const DeviceReplay *device;
        uint32_t event;
        MemoryLevel level;
    };
    std::vector<Row> rows;
    for (const DeviceReplay &device : replay.devices)
        for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event)
            if (snapshot.events.action[event] == MemoryAction::OutOfMemory)
                rows.push_back({&device, event, device.levelAfter(snapshot, event)});
    ResultTable table;
    table.view = "out_of_memory";
    table.title = "Out of memory";
    TableBuilder<Row> build(table, rows);
    build.text("device", "Device", "", [](const Row &row) { return memoryDeviceName(*row.device); });
    build.id("event", "Event", "number in the device's history",
             [](const Row &row) { return row.event - row.device->firstEvent; });
    build.integer("asked_bytes", "Requested", CellKind::Bytes, "",
                  [&](const Row &row) { return snapshot.events.size[row.event]; });
    build.integer("device_free_bytes", "Left on the device", CellKind::Bytes, "memory that the allocator does not hold",
                  [&](const Row &row) {
                      const uint64_t left = snapshot.events.address[row.event];
                      return left == MemoryEventTable::kNotRecorded ? kNoInt : static_cast<int64_t>(left);
                  });
    build.integer("allocated_bytes", "Allocated", CellKind::Bytes, "",
                  [](const Row &row) { return row.level.allocated; });
    build.integer("active_bytes", "Active", CellKind::Bytes, "", [](const Row &row) { return row.level.active; })
        .hidden = true;
    build.integer("reserved_bytes", "Reserved", CellKind::Bytes, "", [](const Row &row) { return row.level.reserved; });
    if (rows.empty())
        table.absence = "The device never ran out of memory in the history.";
    return table;
}

} // namespace riffle
