// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

#include <fmt/format.h>

namespace riffle {

namespace {

using Search = QueryColumn::Search;

template <typename Table, Table Trace::*table>
int64_t timeOf(QueryRow &row)
{
    return row.traced().inSet((row.trace().*table).time[row.number]);
}

template <typename Table, Table Trace::*table>
int64_t laneOf(QueryRow &row)
{
    return idOrNull((row.trace().*table).lane[row.number]);
}

template <typename Table, Table Trace::*table>
uint32_t countOf(const QueryFile &file)
{
    return static_cast<uint32_t>((traceOf(file).trace().*table).time.size());
}

/// Returns the first columns of tables of events, which have a time and a lane.
template <typename Table, Table Trace::*table>
std::vector<QueryColumn> eventColumns(Search byTime, Search byLane)
{
    return {
        integerColumn("id", "Number of the row, unique in its trace", numberOf, Search::Unique),
        integerColumn("ts", "Time in ns", timeOf<Table, table>, byTime),
        idColumn("lane_id", "The lane (lanes.id) that it is on", laneOf<Table, table>, byLane),
        textColumn("lane", "Name of the lane", laneOf<Table, table>, namesOfLanes),
    };
}

const MemoryTable &memoryOf(const QueryRow &row) { return row.trace().memory; }

} // namespace

QueryTable countersTable()
{
    return {"counters", "Samples of counters; the lane is the counter",
            withTrace(joined(
                eventColumns<CounterTable, &Trace::counters>(Search::No, Search::Ascending),
                {
                    stringColumn("series", "The counter's series",
                                 [](QueryRow &row) { return row.trace().counters.series[row.number]; }),
                    cellColumn("value", "REAL", "Value of the sample",
                               [](QueryRow &row, Cell &cell) { cell.real(row.trace().counters.value[row.number]); }),
                })),
            countOf<CounterTable, &Trace::counters>, enterAny};
}

QueryTable instantsTable()
{
    return {"instants", "Events without a duration",
            withTrace(joined(
                eventColumns<InstantTable, &Trace::instants>(Search::No, Search::Ascending),
                {
                    stringColumn("name", "Name", [](QueryRow &row) { return row.trace().instants.name[row.number]; }),
                    stringColumn("category", "Category (cat)",
                                 [](QueryRow &row) { return row.trace().instants.category[row.number]; }),
                    cellColumn("phase", "TEXT", "The event's ph",
                               [](QueryRow &row, Cell &cell) {
                                   cell.text({&row.trace().instants.phase[row.number], 1});
                               }),
                })),
            countOf<InstantTable, &Trace::instants>, enterAny};
}

QueryTable memoryTable()
{
    return {
        "memory", "Allocations and frees (profile_memory)",
        withTrace(joined(eventColumns<MemoryTable, &Trace::memory>(Search::Ascending, Search::No),
                         {
                             integerColumn("bytes", "Bytes allocated; negative if freed",
                                           [](QueryRow &row) { return memoryOf(row).bytes[row.number]; }),
                             cellColumn("address", "TEXT", "Address in hexadecimal",
                                        [](QueryRow &row, Cell &cell) {
                                            if (const uint64_t address = memoryOf(row).address[row.number])
                                                cell.text(fmt::format("{:#x}", address));
                                        }),
                             integerColumn("total_allocated", "Bytes allocated on the device afterwards",
                                           [](QueryRow &row) { return memoryOf(row).totalAllocated[row.number]; }),
                             integerColumn("total_reserved", "Bytes reserved on the device afterwards",
                                           [](QueryRow &row) { return memoryOf(row).totalReserved[row.number]; }),
                             integerColumn("device_type", "0 CPU, 1 CUDA, 6 HIP …",
                                           [](QueryRow &row) { return orNull(memoryOf(row).deviceType[row.number]); }),
                             integerColumn("device", "Index of the device; -1 for the CPU",
                                           [](QueryRow &row) { return orNull(memoryOf(row).deviceId[row.number]); }),
                         })),
        countOf<MemoryTable, &Trace::memory>, enterAny};
}

} // namespace riffle
