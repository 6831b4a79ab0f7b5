// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/difference_table.h"

#include "model/analysis/table/change.h"
#include "model/analysis/table/table_text.h"
#include "model/trace/tables.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace riffle {
namespace {

using testing::ElementsAre;

const std::vector<std::string_view> kCopyKeys{"name"};

struct CopyCells {
    std::string name;
    int64_t calls, total;
    double share;
    std::string from = "host";
};

LabelledTable copiesOf(std::string label, const std::vector<CopyCells> &rows)
{
    LabelledTable one{std::move(label), {}};
    ResultTable &table = one.table;
    table.view = "copies";
    table.add("name", "Name", CellKind::Text);
    table.add("calls", "Calls", CellKind::Count).summed = true;
    table.add("start_ns", "Start", CellKind::Moment);
    table.add("total_ns", "Total", CellKind::Time).summed = true;
    table.add("share", "Share", CellKind::Share);
    table.add("from", "Known from", CellKind::Text);
    for (const CopyCells &row : rows) {
        table.column("name")->texts.push_back(row.name);
        table.column("calls")->integers.push_back(row.calls);
        table.column("start_ns")->integers.push_back(7);
        table.column("total_ns")->integers.push_back(row.total);
        table.column("share")->numbers.push_back(row.share);
        table.column("from")->texts.push_back(row.from);
    }
    return one;
}

ResultTable copiesDifference(const std::vector<LabelledTable> &tables)
{
    ResultTable table = differenceTable(tables, kCopyKeys, "total_ns");
    EXPECT_TRUE(table.isRectangular());
    return table;
}

TEST(DifferenceTable, RowsArePairedAndSumToTheTotal)
{
    const ResultTable table =
        copiesDifference({copiesOf("A", {{"gone", 2, 400, 0.4}, {"less", 1, 300, 0.3}, {"same", 5, 9, 1}}),
                          copiesOf("B", {{"less", 1, 250, 0.5}, {"new", 4, 90, 0.2}, {"same", 5, 9, 1}})});
    EXPECT_THAT(table.depth, ElementsAre(0, 1, 1, 1, 1));
    EXPECT_THAT(table.column("name")->texts, ElementsAre("Total", "gone", "new", "less", "same"));
    EXPECT_THAT(table.column("state")->texts, ElementsAre("changed", "gone", "new", "changed", "same"));
    EXPECT_THAT(table.column("total_a_ns")->integers, ElementsAre(709, 400, kNoInt, 300, 9));
    EXPECT_THAT(table.column("total_b_ns")->integers, ElementsAre(349, kNoInt, 90, 250, 9));
    EXPECT_THAT(table.column("total_delta_ns")->integers, ElementsAre(-360, -400, 90, -50, 0));
    EXPECT_EQ(cellText(*table.column("total_delta_share"), 1), "−100\u00a0%");
    EXPECT_EQ(cellText(*table.column("total_delta_ns"), 2), "+90\u00a0ns");
    EXPECT_TRUE(table.column("total_delta_share")->absent(2)) << "nothing to be a share of";
    EXPECT_THAT(table.column("calls_delta")->integers, ElementsAre(2, -2, 4, 0, 0));
    EXPECT_TRUE(table.column("share_delta")->absent(1)) << "a share that one side lacks has no difference";
    EXPECT_NEAR(table.column("share_delta")->numbers[3], 0.2, 1e-12);
    EXPECT_EQ(table.column("start_a_ns"), nullptr);
    EXPECT_NE(table.column("from"), nullptr) << "both sides agree";
}

TEST(DifferenceTable, TextsThatDifferHaveAColumnPerSide)
{
    const ResultTable table =
        copiesDifference({copiesOf("A", {{"x", 1, 5, 1, "host"}}), copiesOf("B", {{"x", 1, 5, 1, "kernel"}})});
    EXPECT_THAT(table.column("from_a")->texts, ElementsAre("", "host"));
    EXPECT_THAT(table.column("from_b")->texts, ElementsAre("", "kernel"));
    EXPECT_THAT(table.column("state")->texts, ElementsAre("changed", "changed"));
}

TEST(DifferenceTable, ATreeStaysOne)
{
    const auto tree = [](std::string label, std::vector<int64_t> bytes) {
        LabelledTable one{std::move(label), {}};
        one.table.add("name", "Name", CellKind::Text).texts = {"GPU", "mm", "add"};
        one.table.add("bytes", "Size", CellKind::Bytes).integers = std::move(bytes);
        one.table.depth = {0, 1, 1};
        return one;
    };
    ResultTable table = differenceTable(std::vector{tree("A", {10, 3, 7}), tree("B", {40, 8, 32})}, kCopyKeys, "bytes");
    EXPECT_THAT(table.column("name")->texts, ElementsAre("GPU", "mm", "add")) << "the tables are not sorted by size";
    table = differenceTable(std::vector{tree("A", {10, 7, 3}), tree("B", {40, 6, 34})}, kCopyKeys, "bytes");
    EXPECT_THAT(table.column("name")->texts, ElementsAre("GPU", "add", "mm"));
    EXPECT_THAT(table.column("bytes_delta")->integers, ElementsAre(30, 31, -1));
}

TEST(DifferenceTable, FoldedRowsKeepTheSums)
{
    std::mt19937 random(3);
    for (int round = 0; round < 30; ++round) {
        std::vector<CopyCells> a, b;
        for (int row = 0; row < 12; ++row) {
            const std::string name = "row" + std::to_string(row);
            if (random() % 4)
                a.push_back({name, int64_t(random() % 9), int64_t(random() % 1000), 0.1});
            if (random() % 4)
                b.push_back({name, int64_t(random() % 9), int64_t(random() % 1000), 0.1});
        }
        ResultTable table = copiesDifference({copiesOf("A", a), copiesOf("B", b)});
        if (table.rows() == 0)
            continue;
        const size_t rows = table.rows() - 1, limit = random() % 14;
        const std::vector<int64_t> all = table.column("total_delta_ns")->integers;
        foldRows(table, int64_t(limit));
        ASSERT_TRUE(table.isRectangular());
        EXPECT_EQ(table.rows(), 1 + std::min(rows, limit) + (rows > limit));
        for (const char *key : {"total_a_ns", "total_b_ns", "total_delta_ns", "calls_a", "calls_b", "calls_delta"}) {
            const std::vector<int64_t> &cells = table.column(key)->integers;
            int64_t sum = 0;
            for (size_t row = 1; row < cells.size(); ++row)
                sum += cells[row] == kNoInt ? 0 : cells[row];
            EXPECT_EQ(sum, cells.front() == kNoInt ? 0 : cells.front()) << key;
        }
        int64_t total = 0;
        for (const CopyCells &row : b)
            total += row.total;
        for (const CopyCells &row : a)
            total -= row.total;
        EXPECT_EQ(table.column("total_delta_ns")->integers.front(), total);
        if (rows > limit) {
            const auto last = table.rows() - 1;
            EXPECT_THAT(table.column("name")->texts[last], testing::StartsWith("("));
            if (table.column("total_a_ns")->integers[last] > 0) {
                EXPECT_DOUBLE_EQ(table.column("total_delta_share")->numbers[last],
                                 double(table.column("total_delta_ns")->integers[last]) /
                                     double(table.column("total_a_ns")->integers[last]));
            }
        }
    }
}

TEST(Change, RowsThatDidNotChangeAreFolded)
{
    ResultTable table;
    table.add("name", "Name", CellKind::Text).texts = {"total", "up", "inside", "kept", "down"};
    ResultColumn &bytes = table.add("bytes_delta", "Bytes", CellKind::Bytes);
    bytes.integers = {0, 0, 0, 0, 0};
    bytes.summed = true;
    table.depth = {0, 1, 2, 1, 1};
    EXPECT_THAT(changedRows(table), ElementsAre(1, 1, 1, 1, 1)) << "without states";
    table.add(kStateColumn, "State", CellKind::Text).texts = {"same", "same", "new", "same", "renamed"};
    const std::vector<uint8_t> changed = changedRows(table);
    EXPECT_THAT(changed, ElementsAre(1, 1, 1, 0, 1));
    ResultTable limited = table;
    foldRows(table, -1, changed);
    EXPECT_THAT(table.column("name")->texts, ElementsAre("total", "up", "inside", "down", "(1 more row)"));
    foldRows(limited, 1, changed);
    EXPECT_THAT(limited.column("name")->texts, ElementsAre("total", "up", "inside", "(2 more rows)"));
}

TEST(Change, DamagedFiguresDoNotOverflow)
{
    EXPECT_EQ((Change{INT64_MIN + 2, INT64_MAX}.delta()), INT64_MAX);
    EXPECT_EQ((Change{INT64_MAX, INT64_MIN + 2}.delta()), -INT64_MAX);
    EXPECT_EQ((Change{kNoInt, 5}.delta()), 5);
    EXPECT_EQ((Change{5, kNoInt}.delta()), -5);
    EXPECT_EQ((Change{kNoInt, kNoInt}.delta()), kNoInt);
    EXPECT_TRUE(std::isnan(Change{kNoInt, 5}.share()));
    EXPECT_TRUE(std::isnan(Change{0, 5}.share()));
}

} // namespace
} // namespace riffle
