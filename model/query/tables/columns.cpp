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
    for (const QueryTable &table : row.of->tables()) {
        if (left < table.columns.size()) {
            const QueryColumn &column = table.columns[left];
            return {table.name, column.name, column.type, column.meaning};
        }
        left -= table.columns.size();
    }
    const SummaryColumn &column = row.of->summaryColumns()[left];
    return {column.table, column.name, column.type, column.meaning};
}

} // namespace

QueryTable columnsTable(std::vector<QueryColumn> (*withFile)(std::vector<QueryColumn>))
{
    QueryTable table{
        "columns", "Every column of every table, and what it means", {}, nullptr, [](QueryRow &) { return true; }};
    table.rows = [](const QueryFile &file) {
        size_t columns = file.summaryColumns().size();
        for (const QueryTable &each : file.tables())
            columns += each.columns.size();
        return file.place() == 0 ? static_cast<uint32_t>(columns) : 0;
    };
    table.columns = withFile({
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
        slicesTable(),        argsTable(),
        lanesTable(),         processesTable(),
        operatorsTable(),     kernelsTable(),
        copiesTable(),        launchesTable(),
        collectivesTable(),   stepsTable(),
        flowsTable(),         countersTable(),
        instantsTable(),      memoryTable(),
        slicesByNameTable(),  slicesByLaneAndNameTable(),
        kernelsByNameTable(), columnsTable(withTrace),
    };
    return tables;
}

} // namespace riffle
