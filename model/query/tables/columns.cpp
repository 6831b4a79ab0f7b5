// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

/// What a row describes: a column, and the table that has it.
struct Described {
    const QueryTable *table;
    const QueryColumn *column;
};

Described describedBy(const QueryRow &row)
{
    size_t left = row.number;
    for (const QueryTable &table : queryTables()) {
        if (left < table.columns.size())
            return {&table, &table.columns[left]};
        left -= table.columns.size();
    }
    return {};
}

} // namespace

QueryTable columnsTable()
{
    QueryTable table{
        "columns", "Every column of every table, and what it means", {}, nullptr, [](QueryRow &) { return true; }};
    table.rows = [](const QueryTrace &trace) {
        size_t columns = 0;
        for (const QueryTable &each : queryTables())
            columns += each.columns.size();
        return trace.index() == 0 ? static_cast<uint32_t>(columns) : 0;
    };
    table.columns = withTrace({
        cellColumn("table_name", "TEXT", "Name of the table",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).table->name); }),
        cellColumn("name", "TEXT", "Name of the column, as queries write it",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).column->name); }),
        cellColumn("type", "TEXT", "The declared type",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).column->type); }),
        cellColumn("meaning", "TEXT", "Description of the column",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).column->meaning); }),
    });
    return table;
}

std::span<const QueryTable> queryTables()
{
    static const std::vector<QueryTable> tables{
        slicesTable(),        argsTable(),    lanesTable(),        processesTable(),
        operatorsTable(),     kernelsTable(), copiesTable(),       launchesTable(),
        collectivesTable(),   stepsTable(),   flowsTable(),        countersTable(),
        instantsTable(),      memoryTable(),  slicesByNameTable(), slicesByLaneAndNameTable(),
        kernelsByNameTable(), columnsTable(),
    };
    return tables;
}

} // namespace riffle
