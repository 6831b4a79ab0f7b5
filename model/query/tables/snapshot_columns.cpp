// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/snapshot_columns.h"

#include "model/query/tables/tables.h"

#include <fmt/format.h>

namespace riffle {

std::vector<QueryColumn> withSnapshot(std::vector<QueryColumn> columns)
{
    columns.push_back(idColumn(
        "snapshot", "Index among the opened snapshots, from 0", [](QueryRow &row) { return int64_t{row.of->id()}; },
        QueryColumn::Search::Own));
    return columns;
}

std::vector<QueryColumn> deviceColumns()
{
    return {
        idColumn("device", "Number of the device",
                 [](QueryRow &row) { return int64_t{row.snapshot().devices()[row.device].device}; }),
        idColumn("host", "1 for pinned memory of the host, 0 for memory of a device",
                 [](QueryRow &row) { return int64_t{row.snapshot().devices()[row.device].host}; }),
    };
}

void writeAddress(Cell &cell, uint64_t address)
{
    char text[18];
    const auto written = fmt::format_to_n(text, sizeof text, "0x{:x}", address);
    cell.text({text, written.size});
}

int64_t stateIndex(BlockState state)
{
    static_assert(static_cast<int>(BlockState::Inactive) == 2);
    return static_cast<int64_t>(state);
}

const std::vector<std::string> &stateWords(const QueryFile &)
{
    static const std::vector<std::string> words{"active_allocated", "active_pending_free", "inactive"};
    return words;
}

std::span<const QueryTable> snapshotTables()
{
    static const std::vector<QueryTable> tables{
        allocationsTable(), memoryEventsTable(), segmentsTable(), blocksTable(),
        stacksTable(),      marksTable(),        devicesTable(),  columnsTable(withSnapshot),
    };
    return tables;
}

} // namespace riffle
