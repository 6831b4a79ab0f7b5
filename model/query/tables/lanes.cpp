// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

using Search = QueryColumn::Search;

const Lane &laneOf(const QueryRow &row) { return row.trace().lanes[row.number]; }
const Process &processOf(const QueryRow &row) { return row.trace().processes[row.number]; }

int64_t processOfLane(QueryRow &row) { return idOrNull(laneOf(row).process.value); }
const std::vector<std::string> &namesOfProcesses(const QueryFile &file) { return traceOf(file).processNames(); }

int64_t deviceOf(const Process &process) { return process.device < 0 ? kNoInt : int64_t{process.device}; }

/// Writes an id of the source, as an integer if it is one.
void writeRawId(const QueryRow &row, RawId id, Cell &cell)
{
    if (id.kind == RawId::Kind::Text)
        cell.text(row.traced().idText(id));
    else if (id.kind != RawId::Kind::None)
        cell.integer(id.bits, id.kind == RawId::Kind::Unsigned);
}

int64_t spanEnd(QueryRow &row, Ns TimeSpan::*end)
{
    return laneOf(row).slices == 0 ? kNoInt : row.traced().inSet(laneOf(row).span.*end);
}

} // namespace

QueryTable lanesTable()
{
    QueryTable table{"lanes", "Threads, streams, asynchronous tracks and counters", {}, nullptr, enterAny};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(traceOf(file).trace().lanes.size()); };
    table.columns = withTrace({
        integerColumn("id", "The lane, unique in its trace", numberOf, Search::Unique),
        textColumn("name", "Name as shown", numberOf, namesOfLanes),
        cellColumn("kind", "TEXT", "thread, stream, async or counter",
                   [](QueryRow &row, Cell &cell) { cell.lasting(laneKindName(laneOf(row).kind)); }),
        idColumn("process_id", "The process (processes.id)", processOfLane),
        textColumn("process", "Name of the process", processOfLane, namesOfProcesses),
        cellColumn("tid", "INTEGER", "Number of the thread or stream in the file",
                   [](QueryRow &row, Cell &cell) { writeRawId(row, laneOf(row).tid, cell); }),
        integerColumn("slices", "Number of slices on it",
                      [](QueryRow &row) { return static_cast<int64_t>(laneOf(row).slices); }),
        integerColumn("first_ts", "Start of its first slice in ns",
                      [](QueryRow &row) { return spanEnd(row, &TimeSpan::begin); }),
        integerColumn("last_ts", "End of its last slice in ns",
                      [](QueryRow &row) { return spanEnd(row, &TimeSpan::end); }),
    });
    return table;
}

QueryTable processesTable()
{
    QueryTable table{"processes", "Processes, including GPUs that a trace writes as processes", {}, nullptr, enterAny};
    table.rows = [](const QueryFile &file) { return static_cast<uint32_t>(traceOf(file).trace().processes.size()); };
    table.columns = withTrace({
        integerColumn("id", "The process, unique in its trace", numberOf, Search::Unique),
        textColumn("name", "Name as shown", numberOf, namesOfProcesses),
        cellColumn("pid", "INTEGER", "Number of the process in the file",
                   [](QueryRow &row, Cell &cell) { writeRawId(row, processOf(row).pid, cell); }),
        stringColumn(
            "labels", "Labels of the process in the file", [](QueryRow &row) { return processOf(row).labels.value; },
            true),
        integerColumn("device", "Index of the GPU whose streams it holds",
                      [](QueryRow &row) { return deviceOf(processOf(row)); }),
    });
    return table;
}

} // namespace riffle
