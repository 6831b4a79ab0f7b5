// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/snapshot_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

using Search = QueryColumn::Search;

const DeviceReplay &deviceOfRow(const QueryRow &row) { return row.snapshot().devices()[row.device]; }
const MemoryAllocations &allocationsOf(const QueryRow &row) { return deviceOfRow(row).allocations; }

bool enterAllocation(QueryRow &row)
{
    const QuerySnapshot &snapshot = row.snapshot();
    row.device = snapshot.deviceOfAllocation(row.number, row.device);
    row.inDevice = row.number - snapshot.firstAllocation(row.device);
    return true;
}

/// One of the three events of an allocation.
template <BigVector<uint32_t> MemoryAllocations::*column>
uint32_t eventOf(const QueryRow &row)
{
    return (allocationsOf(row).*column)[row.inDevice];
}

template <BigVector<uint32_t> MemoryAllocations::*column>
int64_t eventNumber(QueryRow &row)
{
    const uint32_t event = eventOf<column>(row);
    return event == MemoryAllocations::kNone ? kNoInt : int64_t{event} - deviceOfRow(row).firstEvent;
}

template <BigVector<uint32_t> MemoryAllocations::*column>
int64_t timeOfEvent(QueryRow &row)
{
    const uint32_t event = eventOf<column>(row); // the column of times has no row kNone
    return row.snapshot().sinceStart(row.snapshot().memory().events.time.at(event, MemoryEventTable::kNoTime));
}

template <BigVector<uint32_t> MemoryAllocations::*column>
std::vector<QueryColumn> momentColumns(const char *number, const char *meaning, const char *time)
{
    return {integerColumn(number, meaning, eventNumber<column>),
            integerColumn(time, "Time of this event in ns, since the first event of any device", timeOfEvent<column>)};
}

int64_t stateAfter(const QueryRow &row, uint32_t event)
{
    const AliveIndex &alive = row.snapshot().facts().alive(row.device);
    if (!alive.isAlive(row.inDevice, event))
        return kNoInt;
    return stateIndex(alive.isPending(row.inDevice, event) ? BlockState::PendingFree : BlockState::Allocated);
}

int64_t stateAtPeak(QueryRow &row) { return stateAfter(row, deviceOfRow(row).peakAllocatedEvent); }

int64_t stateAtEnd(QueryRow &row)
{
    const DeviceReplay &device = deviceOfRow(row);
    return stateAfter(row, device.events ? device.firstEvent + device.events - 1 : MemoryAllocations::kNone);
}

uint32_t blockOf(const QueryRow &row) { return allocationsOf(row).block[row.inDevice]; }

int64_t blockSize(QueryRow &row)
{
    const uint32_t block = blockOf(row);
    return block == MemoryAllocations::kNone ? kNoInt : row.snapshot().memory().blocks[block].size;
}

AllocationStack stackOf(const QueryRow &row)
{
    return allocationStack(row.snapshot().memory(), allocationsOf(row), row.inDevice);
}

const MemoryCategories::Verdict &verdictOf(const QueryRow &row)
{
    const MemoryCategories &categories = row.snapshot().categories();
    return categories.verdicts()[categories.verdict(row.device, row.inDevice)];
}

int64_t verdictIndex(QueryRow &row) { return int64_t{row.snapshot().categories().verdict(row.device, row.inDevice)}; }

const std::vector<std::string> &certainties(const QueryFile &)
{
    static const std::vector<std::string> words{"recorded", "guessed", "inferred", "unknown"};
    return words;
}

int64_t certaintyOf(QueryRow &row)
{
    const MemoryCategories::Verdict &verdict = verdictOf(row);
    return verdict.unknown ? 3 : verdict.inferred ? 2 : verdict.own ? 0 : 1;
}

/// A column of what GroupKeys names.
template <const QuerySnapshot::Named &(QuerySnapshot::*named)() const>
QueryColumn namedColumn(const char *name, const char *meaning)
{
    return textColumn(
        name, meaning,
        [](QueryRow &row) { return int64_t{(row.snapshot().*named)().keys.of(row.device, row.inDevice)}; },
        [](const QueryFile &file) -> const std::vector<std::string> & { return (snapshotOf(file).*named)().names; });
}

const std::vector<std::string> &placesOf(const QueryFile &file) { return snapshotOf(file).places().texts(); }

std::vector<QueryColumn> whatAndWhere()
{
    return {
        namedColumn<&QuerySnapshot::streams>("stream", "Its stream: default stream, stream 0x1d2 …"),
        namedColumn<&QuerySnapshot::pools>("pool", "Its pool, as in memory --by pool; NULL if unknown"),
        integerColumn("segment_id", "Its segment (segments.id), if it is there at the end",
                      [](QueryRow &row) { return idOrNull(row.snapshot().segmentOfBlock(blockOf(row))); }),
        textColumn(
            "category", "What it is for, as in memory --by category", verdictIndex,
            [](const QueryFile &file) -> const std::vector<std::string> & { return snapshotOf(file).categoryNames(); }),
        textColumn("certainty",
                   "How the category is known: recorded in the snapshot, guessed by a rule, inferred from the size "
                   "alone, or unknown",
                   certaintyOf, certainties),
        textColumn(
            "rule", "The rule that chose the category", verdictIndex,
            [](const QueryFile &file) -> const std::vector<std::string> & { return snapshotOf(file).ruleNames(); }),
        namedColumn<&QuerySnapshot::metadata>("metadata", "The text that the program attached to it"),
        integerColumn("stack_id", "The stack that allocated it (stacks.stack_id); NULL if unknown",
                      [](QueryRow &row) { return stackOrNull(stackOf(row).allocated()); }),
        textColumn(
            "place",
            "The line of the program that allocated it, as in memory --by allocation; if only the place that freed "
            "it is known, that place, and the text says so",
            [](QueryRow &row) { return idOrNull(row.snapshot().places().place(stackOf(row))); }, placesOf),
        textColumn(
            "caller", "The line of the program that called the function of the place",
            [](QueryRow &row) { return idOrNull(row.snapshot().places().caller(stackOf(row).allocated())); }, placesOf),
    };
}

} // namespace

QueryTable allocationsTable()
{
    QueryTable table{"allocations", "Every allocation of the history and of the final state", {}, nullptr, nullptr};
    table.rows = [](const QueryFile &file) { return snapshotOf(file).allocations(); };
    table.enter = enterAllocation;
    std::vector<QueryColumn> columns = joined(
        {integerColumn("id", "The allocation, unique in its snapshot", numberOf, Search::Unique)}, deviceColumns());
    columns = joined(
        std::move(columns),
        {cellColumn("address", "TEXT", "Address in hexadecimal",
                    [](QueryRow &row, Cell &cell) {
                        writeAddress(cell, allocationsOf(row).address(row.snapshot().memory(), row.inDevice));
                    }),
         integerColumn("size", "Requested bytes",
                       [](QueryRow &row) { return allocationsOf(row).size(row.snapshot().memory(), row.inDevice); }),
         integerColumn("block_size", "Bytes of its block, which are recorded if it is there at the end", blockSize)});
    columns = joined(std::move(columns), momentColumns<&MemoryAllocations::begin>(
                                             "begin_event",
                                             "Number of its alloc event in the device's history, or of the free before "
                                             "it if the alloc is missing; NULL if it is from before",
                                             "begin_ts"));
    columns = joined(std::move(columns),
                     momentColumns<&MemoryAllocations::freed>("freed_event",
                                                              "Number of its free_requested event, or of its end if "
                                                              "the history records no requests; NULL if there is none",
                                                              "freed_ts"));
    columns = joined(
        std::move(columns),
        momentColumns<&MemoryAllocations::end>(
            "end_event",
            "Number of its free_completed event; begin_event if its end is unknown; NULL if it is there at the end",
            "end_ts"));
    columns = joined(std::move(columns),
                     {textColumn("at_peak",
                                 "Its state at the device's peak of allocated bytes: active_allocated, or "
                                 "active_pending_free if it is freed but waits for other streams; NULL if it is not "
                                 "alive then",
                                 stateAtPeak, stateWords),
                      textColumn("at_end", "Its state at the end, in the same way", stateAtEnd, stateWords)});
    table.columns = withSnapshot(joined(std::move(columns), whatAndWhere()));
    return table;
}

} // namespace riffle
