// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/snapshot_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

const DeviceReplay &replayOf(const QueryRow &row) { return row.snapshot().devices()[row.number]; }
const MemoryAnnotation &markOf(const QueryRow &row) { return row.snapshot().memory().annotations[row.number]; }

/// A column of one of a device's levels.
template <MemoryLevel DeviceReplay::*level, int64_t MemoryLevel::*bytes>
QueryColumn levelColumn(const char *name, const char *meaning)
{
    return integerColumn(name, meaning, [](QueryRow &row) { return replayOf(row).*level.*bytes; });
}

} // namespace

QueryTable devicesTable()
{
    QueryTable table{"devices", "The devices with a history or a segment, and their peaks", {}, nullptr, nullptr};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(snapshotOf(file).devices().size()); };
    table.enter = [](QueryRow &row) {
        row.device = row.number;
        return true;
    };
    table.columns = withSnapshot(joined(
        deviceColumns(),
        {
            integerColumn("events", "Number of its events",
                          [](QueryRow &row) { return int64_t{replayOf(row).events}; }),
            integerColumn("allocations", "Number of its allocations",
                          [](QueryRow &row) { return int64_t{replayOf(row).allocations.count()}; }),
            integerColumn("peak_event",
                          "Number of the event that first reached the peak of allocated bytes; NULL if that is the "
                          "level at the start",
                          [](QueryRow &row) {
                              const uint32_t event = replayOf(row).peakAllocatedEvent;
                              return event == MemoryAllocations::kNone ? kNoInt
                                                                       : int64_t{event} - replayOf(row).firstEvent;
                          }),
            levelColumn<&DeviceReplay::peak, &MemoryLevel::allocated>(
                "peak_allocated", "Most bytes that the program requested and had not freed"),
            levelColumn<&DeviceReplay::peak, &MemoryLevel::active>(
                "peak_active", "The same, plus bytes that were freed but waited for other streams"),
            levelColumn<&DeviceReplay::peak, &MemoryLevel::reserved>("peak_reserved", "Most bytes in segments"),
            levelColumn<&DeviceReplay::atBegin, &MemoryLevel::allocated>("begin_allocated",
                                                                         "Bytes allocated before the first event"),
            levelColumn<&DeviceReplay::atBegin, &MemoryLevel::active>("begin_active",
                                                                      "Bytes active before the first event"),
            levelColumn<&DeviceReplay::atBegin, &MemoryLevel::reserved>("begin_reserved",
                                                                        "Bytes in segments before the first event"),
            levelColumn<&DeviceReplay::atEnd, &MemoryLevel::allocated>("end_allocated", "Bytes allocated at the end"),
            levelColumn<&DeviceReplay::atEnd, &MemoryLevel::active>("end_active", "Bytes active at the end"),
            levelColumn<&DeviceReplay::atEnd, &MemoryLevel::reserved>("end_reserved", "Bytes in segments at the end"),
        }));
    return table;
}

QueryTable marksTable()
{
    QueryTable table{"marks", "The starts and ends of ranges that the program marked", {}, nullptr, enterAny};
    table.rows = [](const QueryFile &file) {
        return static_cast<uint32_t>(snapshotOf(file).memory().annotations.size());
    };
    table.columns = withSnapshot({
        stringColumn("name", "Name of the range", [](QueryRow &row) { return markOf(row).name; }),
        stringColumn("stage", "START or END", [](QueryRow &row) { return markOf(row).stage; }),
        idColumn("device", "Number of the device",
                 [](QueryRow &row) { return markOf(row).device < 0 ? kNoInt : int64_t{markOf(row).device}; }),
        integerColumn("ts", "Time in ns since the first event of any device",
                      [](QueryRow &row) { return row.snapshot().sinceStart(markOf(row).time); }),
        integerColumn("unix_ns", "Time in Unix ns", [](QueryRow &row) { return markOf(row).time; }),
    });
    return table;
}

} // namespace riffle
