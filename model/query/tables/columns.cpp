// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/summary_columns.h"
#include "model/query/tables/slice_columns.h"
#include "model/query/tables/tables.h"

namespace riffle {

namespace {

/// The subject of a row: a column, and the table that has it.
struct Described {
    std::string_view table, column, type, meaning;
};

Described describedBy(const QueryRow &row)
{
    size_t left = row.number;
    for (const QueryTable &table : queryTables()) {
        if (left < table.columns.size()) {
            const QueryColumn &column = table.columns[left];
            return {table.name, column.name, column.type, column.meaning};
        }
        left -= table.columns.size();
    }
    const SummaryColumn &column = summaryColumns(row.of->isOneOfSeveral())[left];
    return {column.table, column.name, column.type, column.meaning};
}

} // namespace

QueryTable columnsTable()
{
    QueryTable table{
        "columns", "Every column of every table, and what it means", {}, nullptr, [](QueryRow &) { return true; }};
    table.rows = [](const QueryTrace &trace) {
        size_t columns = summaryColumns(trace.isOneOfSeveral()).size();
        for (const QueryTable &each : queryTables())
            columns += each.columns.size();
        return trace.index() == 0 ? static_cast<uint32_t>(columns) : 0;
    };
    table.columns = withTrace({
        cellColumn("table_name", "TEXT", "Name of the table",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).table); }),
        cellColumn("name", "TEXT", "Name of the column, as queries write it",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).column); }),
        cellColumn("type", "TEXT", "The declared type",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).type); }),
        cellColumn("meaning", "TEXT", "Description of the column",
                   [](QueryRow &row, Cell &cell) { cell.lasting(describedBy(row).meaning); }),
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
