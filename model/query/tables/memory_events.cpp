// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/snapshot_columns.h"
#include "model/query/tables/tables.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>

namespace riffle {

namespace {

using Search = QueryColumn::Search;

constexpr size_t kAllocationId = 1; ///< position of this column

const MemoryEventTable &eventsOf(const QueryRow &row) { return row.snapshot().memory().events; }

bool enterEvent(QueryRow &row)
{
    const uint32_t device = row.snapshot().deviceOfEvent(row.number, row.device);
    if (device == QuerySnapshot::kNone)
        return false;
    row.device = device;
    row.inDevice = row.number - row.snapshot().devices()[device].firstEvent;
    return true;
}

/// The events of one allocation are its start, its free and its end.
void narrowEvents(const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges)
{
    const QuerySnapshot &snapshot = snapshotOf(file);
    const QueryBounds wanted = bounds[kAllocationId];
    if (wanted.low != wanted.high) {
        ranges.push_back({0, snapshot.memory().events.count()});
        return;
    }
    if (wanted.low < 0 || wanted.low >= int64_t{snapshot.allocations()})
        return;
    const auto allocation = static_cast<uint32_t>(wanted.low);
    const uint32_t device = snapshot.deviceOfAllocation(allocation, 0);
    const MemoryAllocations &all = snapshot.devices()[device].allocations;
    const uint32_t row = allocation - snapshot.firstAllocation(device);
    std::array<uint32_t, 3> events{all.begin[row], all.freed[row], all.end[row]};
    std::sort(events.begin(), events.end());
    uint32_t next = 0;
    for (const uint32_t event : events)
        if (event != MemoryAllocations::kNone && event >= next) { // two of them can be the same
            ranges.push_back({event, event + 1});
            next = event + 1;
        }
}

bool isOutOfMemory(const QueryRow &row) { return eventsOf(row).action[row.number] == MemoryAction::OutOfMemory; }

const std::vector<std::string> &actionWords(const QueryFile &)
{
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all;
        for (size_t action = 0; action < static_cast<size_t>(MemoryAction::Count); ++action)
            all.emplace_back(memoryActionWord(static_cast<MemoryAction>(action)));
        return all;
    }();
    return words;
}

int64_t deviceFree(QueryRow &row)
{
    const uint64_t left = eventsOf(row).address[row.number];
    return isOutOfMemory(row) && left != MemoryEventTable::kNotRecorded
               ? static_cast<int64_t>(std::min<uint64_t>(left, INT64_MAX))
               : kNoInt;
}

int64_t unixTime(QueryRow &row) { return eventsOf(row).time.at(row.number, MemoryEventTable::kNoTime); }

template <Column<uint32_t> MemoryEventTable::*column>
uint32_t textOfEvent(QueryRow &row)
{
    return (eventsOf(row).*column).at(row.number, 0);
}

int64_t stackOfEvent(QueryRow &row) { return stackOrNull(eventsOf(row).stack.at(row.number, 0)); }

std::vector<QueryColumn> recordedColumns()
{
    static_assert(MemoryEventTable::kNoTime == kNoInt);
    return {
        integerColumn("event", "Number in the device's history, as in memory events",
                      [](QueryRow &row) { return int64_t{row.inDevice}; }),
        integerColumn("ts", "Time in ns since the first event of any device",
                      [](QueryRow &row) { return row.snapshot().sinceStart(unixTime(row)); }),
        integerColumn("unix_ns", "Time in Unix ns", unixTime),
        textColumn(
            "action", "alloc, free_requested, free_completed, segment_alloc, oom …",
            [](QueryRow &row) { return static_cast<int64_t>(eventsOf(row).action[row.number]); }, actionWords),
        cellColumn("address", "TEXT", "Address in hexadecimal",
                   [](QueryRow &row, Cell &cell) {
                       if (!isOutOfMemory(row))
                           writeAddress(cell, eventsOf(row).address[row.number]);
                   }),
        integerColumn("size", "Bytes, as requested", [](QueryRow &row) { return eventsOf(row).size[row.number]; }),
        integerColumn("device_free", "For oom, the bytes that the device had left", deviceFree),
        textColumn(
            "stream", "default stream, stream 0x1d2 …",
            [](QueryRow &row) { return int64_t{eventsOf(row).stream.at(row.number, UINT16_MAX)}; },
            [](const QueryFile &file) -> const std::vector<std::string> & { return snapshotOf(file).streamNames(); }),
        textColumn(
            "pool", "default pool, pool (0, 1) …; NULL if events do not record it",
            [](QueryRow &row) { return idOrNull(eventsOf(row).pool.at(row.number, UINT32_MAX)); },
            [](const QueryFile &file) -> const std::vector<std::string> & { return snapshotOf(file).poolNames(); }),
        integerColumn("stack_id", "Its stack (stacks.stack_id)", stackOfEvent),
        textColumn(
            "place", "The frame that best says where it happened",
            [](QueryRow &row) {
                return idOrNull(
                    row.snapshot().places().place({eventsOf(row).stack.at(row.number, 0), AllocationStack::Of()}));
            },
            [](const QueryFile &file) -> const std::vector<std::string> & {
                return snapshotOf(file).places().texts();
            }),
        stringColumn("metadata", "What the program attached", textOfEvent<&MemoryEventTable::metadata>, true),
        stringColumn("category", "Category, as recorded", textOfEvent<&MemoryEventTable::category>, true),
        stringColumn("compile_context", "Compile context of torch.compile",
                     textOfEvent<&MemoryEventTable::compileContext>, true),
        integerColumn("forward_stack_id", "The stack of the forward pass (stacks.stack_id)",
                      [](QueryRow &row) { return stackOrNull(textOfEvent<&MemoryEventTable::forwardStack>(row)); }),
    };
}

} // namespace

QueryTable memoryEventsTable()
{
    QueryTable table{"events", "Every event of the history, in order", {}, nullptr, nullptr};
    table.rows = [](const QueryFile &file) { return snapshotOf(file).memory().events.count(); };
    table.enter = enterEvent;
    table.narrow = narrowEvents;
    std::vector<QueryColumn> columns{
        integerColumn("id", "The event, unique in its snapshot", numberOf, Search::Unique),
        integerColumn(
            "allocation_id", "The allocation that starts or ends (allocations.id)",
            [](QueryRow &row) { return idOrNull(row.snapshot().allocationOfEvent(row.device, row.number)); },
            Search::Own),
    };
    assert(std::string_view(columns[kAllocationId].name) == "allocation_id");
    table.columns = withSnapshot(joined(joined(std::move(columns), deviceColumns()), recordedColumns()));
    return table;
}

} // namespace riffle
