// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/result_table.h"

#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/model/analysis/table/small_table.h"

#include <gmock/gmock.h>

namespace riffle {
namespace {

using testing::ElementsAre;

TEST(ResultTable, IsOrderedByOneKeyAndEqualRowsByTheNext)
{
    const ResultTable table = test::smallTable();
    const SortKey keys[] = {{table.column("calls"), true}, {table.column("total_ns"), false}};
    EXPECT_THAT(sortedRows(table, keys), ElementsAre(1, 3, 0, 2, 4));
    EXPECT_THAT(sortedRows(table, *table.column("calls"), false), ElementsAre(2, 0, 3, 1, 4));
}

TEST(ResultTable, NamesAreOrderedByTheTextThatIsShown)
{
    ResultTable table;
    ResultColumn &names = table.add("name", "Name", CellKind::Text);
    names.texts = {"void at::add<1>()", "cub::zip()", "aten::sort", "void at::add<0>()"};
    EXPECT_THAT(sortedRows(table, names, false), ElementsAre(2, 1, 3, 0));
    names.shorts = {"add<…>", "zip", "sort", "add<…>"};
    EXPECT_THAT(sortedRows(table, names, false), ElementsAre(3, 0, 2, 1)) << "equal short texts by the whole ones";
    EXPECT_THAT(sortedRows(table, names, true), ElementsAre(1, 2, 0, 3));
}

TEST(ResultTable, WordsWithAnOrderAreNotSortedByTheAlphabet)
{
    ResultTable table;
    ResultColumn &severity = table.add("severity", "Severity", CellKind::Text);
    severity.words = {"error", "warning", "hint"};
    severity.texts = {"hint", "error", "", "other", "warning", "error"};
    EXPECT_THAT(sortedRows(table, severity, false), ElementsAre(1, 5, 4, 0, 3, 2)) << "unknown words after known ones";
    EXPECT_THAT(sortedRows(table, severity, true), ElementsAre(3, 0, 4, 1, 5, 2));
    severity.texts = {"error", "warning", "warning", "hint", "hint", "hint"};
    EXPECT_TRUE(isSortedBy(table, severity, false));
}

TEST(ResultTable, KnowsByWhatItsRowsAreSortedAlready)
{
    ResultTable table;
    table.add("total", "Total", CellKind::Time).integers = {30, 20, 20, kNoInt};
    table.add("calls", "Calls", CellKind::Count).integers = {1, 5, 2, 2};
    table.add("same", "Same", CellKind::Count).integers = {7, 7, 7, 7};
    EXPECT_TRUE(isSortedBy(table, table.columns[0], true)) << "values that were not recorded come last";
    EXPECT_FALSE(isSortedBy(table, table.columns[0], false));
    EXPECT_FALSE(isSortedBy(table, table.columns[1], true));
    EXPECT_FALSE(isSortedBy(table, table.columns[2], true)) << "equal values show no order";
    ResultTable tree = test::smallTree(); // roots 100 and 200; children 30 and 60 of the first
    EXPECT_TRUE(isSortedBy(tree, *tree.column("total_ns"), false));
    EXPECT_FALSE(isSortedBy(tree, *tree.column("total_ns"), true));
}

TEST(ResultTable, SiblingsOfATreeAreOrderedAmongEachOther)
{
    const ResultTable tree = test::smallTree();
    EXPECT_THAT(sortedRows(tree, *tree.column("total_ns"), true), ElementsAre(4, 0, 2, 3, 1));
}

TEST(TableText, CsvHasWholeNumbersQuotesAndEmptyCells)
{
    const uint32_t rows[] = {2, 4};
    EXPECT_EQ(tableCsv(test::smallTable(), rows), "name,category,calls,total_ns,bytes,share\n"
                                                  "\"void gemm<float>(int, int)\",kernel,3,30000000,5242880,0.7\n"
                                                  "nothing,,,,,\n");
    const uint32_t part[] = {0, 2};
    EXPECT_EQ(tableCsv(test::smallTree(), part), "depth,name,total_ns\n0,net,100\n1,head,60\n");
}

TEST(TableText, WhatPeopleSeeOfIdsAndOfEmptyNames)
{
    ResultColumn column;
    column.kind = CellKind::Count;
    column.integers = {1'234'567, kNoInt};
    EXPECT_EQ(cellText(column, 0), "1,234,567");
    column.isId = true;
    EXPECT_EQ(cellText(column, 0), "1234567");
    EXPECT_EQ(cellText(column, 1), "–");
    ResultColumn names;
    names.texts = {""};
    EXPECT_EQ(cellText(names, 0), "–");
    names.unnamed = "(no name)";
    EXPECT_EQ(cellText(names, 0), "(no name)");
    EXPECT_EQ(cellValue(names, 0), "") << "programs see the value itself";
}

TEST(TableText, JsonIsAnArrayOfRows)
{
    const uint32_t rows[] = {1, 4};
    EXPECT_EQ(
        tableJson(test::smallTable(), rows),
        "[\n{\"name\": \"aten::add\", \"category\": \"cpu_op\", \"calls\": 250, \"total_ns\": 900000, \"bytes\": 0, "
        "\"share\": 0.05},\n{\"name\": \"nothing\", \"category\": null, \"calls\": null, \"total_ns\": null, "
        "\"bytes\": null, \"share\": null}\n]\n");
    EXPECT_EQ(tableJson(test::smallTable(), {}), "[]\n");
}

TEST(RowSlices, NeighboursFollowInTimeWhateverTheirIds)
{
    // Ids follow the lanes, so the slices of the second lane have higher ids although one of them starts first.
    test::SmallTrace small;
    const uint32_t first = small.thread(1), second = small.thread(2);
    small.operation(first, "late", 500, 10);
    small.operation(first, "middle", 300, 10);
    small.operation(second, "early", 100, 10);
    const auto trace = small.seal();
    const TraceSet set = test::setOf(trace);
    const auto slice = [&](std::string_view name) { return SliceRef{TraceId(0), test::sliceNamed(*trace, name)}; };
    const RowSlices rows({{TraceId(0), {0, 1, 2}, {7, 7, 7}}});
    EXPECT_EQ(rows.neighbour(set, 7, {}, 1), slice("early"));
    EXPECT_EQ(rows.neighbour(set, 7, slice("early"), 1), slice("middle"));
    EXPECT_EQ(rows.neighbour(set, 7, slice("middle"), 1), slice("late"));
    EXPECT_FALSE(rows.neighbour(set, 7, slice("late"), 1).valid());
    EXPECT_EQ(rows.neighbour(set, 7, {}, -1), slice("late"));
    EXPECT_EQ(rows.neighbour(set, 7, slice("late"), -1), slice("middle"));
    EXPECT_FALSE(rows.neighbour(set, 6, {}, 1).valid());
}

} // namespace
} // namespace riffle
