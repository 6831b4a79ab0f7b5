// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/merged_table.h"

#include "model/trace/tables.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

namespace riffle {
namespace {

using testing::ElementsAre;
using testing::IsNan;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string_view> kKeys{"name", "kind"};

struct Row {
    std::string name, kind, type;
    int64_t calls, total;
    double share = kNan;
};

LabelledTable tableOf(std::string label, std::vector<Row> rows)
{
    LabelledTable one{std::move(label), {}};
    ResultTable &table = one.table;
    table.view = "kernels";
    table.title = "Kernels";
    table.add("name", "Name", CellKind::Text);
    table.add("kind", "Kind", CellKind::Text);
    table.add("type", "Type", CellKind::Text);
    table.add("calls", "Calls", CellKind::Count, "Slices.");
    table.add("total_ns", "Total", CellKind::Time, "Summed time.");
    table.add("share", "Share", CellKind::Share);
    table.column("total_ns")->barred = table.column("total_ns")->summed = true;
    for (const Row &row : rows) {
        table.column("name")->texts.push_back(row.name);
        table.column("kind")->texts.push_back(row.kind);
        table.column("type")->texts.push_back(row.type);
        table.column("calls")->integers.push_back(row.calls);
        table.column("total_ns")->integers.push_back(row.total);
        table.column("share")->numbers.push_back(row.share);
    }
    return one;
}

ResultTable merged(const std::vector<LabelledTable> &tables, const std::string &spread = "total_ns")
{
    ResultTable table = mergedTable(tables, kKeys, spread);
    EXPECT_TRUE(table.isRectangular());
    return table;
}

TEST(MergedTable, ARowHasTheSpreadOfOneColumnAndTheMediansOfTheOthers)
{
    const ResultTable table = merged({tableOf("Rank 0", {{"gemm", "", "f", 4, 100, 0.5}}),
                                      tableOf("Rank 1", {{"gemm", "", "f", 7, 130, 0.25}}),
                                      tableOf("Rank 2", {{"gemm", "", "f", 5, 90, 1.0}})});
    EXPECT_EQ(table.keys(), "name, kind, traces, type, calls, total_ns, total_min_ns, total_max_ns, total_max_trace, "
                            "total_spread_ns, share");
    EXPECT_THAT(table.column("traces")->integers, ElementsAre(3));
    EXPECT_THAT(table.column("calls")->integers, ElementsAre(5));
    EXPECT_THAT(table.column("total_ns")->integers, ElementsAre(100));
    EXPECT_THAT(table.column("total_min_ns")->integers, ElementsAre(90));
    EXPECT_THAT(table.column("total_max_ns")->integers, ElementsAre(130));
    EXPECT_THAT(table.column("total_max_trace")->texts, ElementsAre("Rank 1"));
    EXPECT_THAT(table.column("total_spread_ns")->integers, ElementsAre(40));
    EXPECT_THAT(table.column("share")->numbers, ElementsAre(0.5));
    EXPECT_FALSE(table.column("total_ns")->summed) << "a sum of medians is that of no trace";
}

TEST(MergedTable, ATraceWithoutTheRowOrTheValueIsAbsent)
{
    const ResultTable table =
        merged({tableOf("Rank 0", {{"gemm", "", "", 1, 100}, {"copy", "", "", kNoInt, kNoInt}}), tableOf("Rank 1", {}),
                tableOf("Rank 2", {{"gemm", "", "", 1, 60}}), tableOf("Rank 3", {{"gemm", "", "", kNoInt, kNoInt}})});
    EXPECT_THAT(table.column("name")->texts, ElementsAre("gemm", "copy"));
    EXPECT_THAT(table.column("traces")->integers, ElementsAre(3, 1));
    EXPECT_THAT(table.column("total_ns")->integers, ElementsAre(80, kNoInt)) << "the median of 100 and 60";
    EXPECT_THAT(table.column("total_min_ns")->integers, ElementsAre(60, kNoInt)) << "not 0";
    EXPECT_THAT(table.column("total_max_trace")->texts, ElementsAre("Rank 0", ""));
    EXPECT_THAT(table.column("share")->numbers, ElementsAre(IsNan(), IsNan()));
}

TEST(MergedTable, AMedianOfAnEvenNumberIsRoundedToEven)
{
    const auto of = [](int64_t a, int64_t b) {
        return merged({tableOf("a", {{"x", "", "", a, a}}), tableOf("b", {{"x", "", "", b, b}})})
            .column("total_ns")
            ->integers.front();
    };
    EXPECT_EQ(of(1, 2), 2);
    EXPECT_EQ(of(2, 3), 2);
    EXPECT_EQ(of(-1, -2), -2);
    EXPECT_EQ(of(INT64_MAX, INT64_MAX - 2), INT64_MAX - 1);
}

TEST(MergedTable, AmongEqualTracesTheFirstIsNamed)
{
    const ResultTable table =
        merged({tableOf("Rank 0", {{"x", "", "", 1, 5}}), tableOf("Rank 1", {{"x", "", "", 1, 9}}),
                tableOf("Rank 2", {{"x", "", "", 1, 9}})});
    EXPECT_THAT(table.column("total_max_trace")->texts, ElementsAre("Rank 1"));
}

TEST(MergedTable, TextsOfWhichTracesDifferAreMarked)
{
    const ResultTable table = merged({tableOf("a", {{"x", "", "f", 1, 9}, {"y", "", "f", 1, 5}, {"z", "", "", 1, 3}}),
                                      tableOf("b", {{"x", "", "h", 1, 9}, {"y", "", "", 1, 5}, {"z", "", "", 1, 3}})});
    EXPECT_THAT(table.column("type")->texts, ElementsAre(kDifferentTexts, "f", ""))
        << "a trace without a text does not differ";
}

TEST(MergedTable, EqualKeysOfOneTraceStayApart)
{
    const ResultTable table = merged({tableOf("a", {{"x", "", "", 1, 9}, {"x", "", "", 2, 7}}),
                                      tableOf("b", {{"x", "", "", 1, 8}, {"x", "k", "", 1, 6}, {"x", "", "", 5, 4}})});
    EXPECT_THAT(table.column("name")->texts, ElementsAre("x", "x", "x"));
    EXPECT_THAT(table.column("kind")->texts, ElementsAre("", "", "k"));
    EXPECT_THAT(table.column("traces")->integers, ElementsAre(2, 2, 1));
    EXPECT_THAT(table.column("total_max_ns")->integers, ElementsAre(9, 7, 6));
}

TEST(MergedTable, RowsAreSortedIfThoseOfTheTracesAre)
{
    const ResultTable sorted = merged({tableOf("a", {{"x", "", "", 1, 9}, {"y", "", "", 1, 2}}),
                                       tableOf("b", {{"z", "", "", 1, 5}, {"y", "", "", 1, 4}})});
    EXPECT_THAT(sorted.column("name")->texts, ElementsAre("x", "z", "y"));
    const ResultTable unsorted =
        merged({tableOf("a", {{"y", "", "", 1, 2}, {"x", "", "", 1, 9}}), tableOf("b", {{"z", "", "", 1, 5}})});
    EXPECT_THAT(unsorted.column("name")->texts, ElementsAre("y", "x", "z"));
}

TEST(MergedTable, OneTraceHasNoSpread)
{
    const ResultTable table = merged({tableOf("a", {{"x", "", "", 1, 9, 0.5}})});
    EXPECT_THAT(table.column("total_ns")->integers, ElementsAre(9));
    EXPECT_THAT(table.column("total_spread_ns")->integers, ElementsAre(0));
}

TEST(MergedTable, EmptyTablesSayWhy)
{
    std::vector<LabelledTable> tables{tableOf("a", {}), tableOf("b", {})};
    tables.back().table.absence = "There is nothing here.";
    const ResultTable table = merged(tables);
    EXPECT_EQ(table.rows(), 0u);
    EXPECT_EQ(table.absence, "There is nothing here.");
    tables.front() = tableOf("a", {{"x", "", "", 1, 9}});
    EXPECT_EQ(merged(tables).absence, "");
}

TEST(MergedTable, ATreeHasARowPerPath)
{
    LabelledTable left = tableOf("a", {{"net", "", "", 1, 10}, {"conv", "", "", 1, 6}, {"head", "", "", 1, 4}}),
                  right = tableOf("b", {{"net", "", "", 1, 20},
                                        {"head", "", "", 1, 15},
                                        {"conv", "", "", 1, 3},
                                        {"loss", "", "", 1, 2},
                                        {"conv", "", "", 1, 1}});
    left.table.depth = {0, 1, 1};
    right.table.depth = {0, 1, 2, 0, 1};
    const ResultTable table = merged({left, right});
    EXPECT_THAT(table.column("name")->texts, ElementsAre("net", "head", "conv", "conv", "loss", "conv"));
    EXPECT_THAT(table.depth, ElementsAre(0, 1, 2, 1, 0, 1));
    EXPECT_THAT(table.column("traces")->integers, ElementsAre(2, 2, 1, 1, 1, 1));
    EXPECT_THAT(table.column("total_ns")->integers, ElementsAre(15, 10, 3, 6, 2, 1)) << "10 is rounded from 9.5";
}

TEST(ColumnsTable, TheTracesStandSideBySide)
{
    const std::vector<LabelledTable> tables{tableOf("Rank 0", {{"x", "", "", 1, 9}}),
                                            tableOf("Rank-0!", {{"y", "", "", 1, 5}, {"x", "", "", 1, 4}})};
    const ResultTable table = columnsTable(tables, kKeys, "total_ns");
    EXPECT_TRUE(table.isRectangular());
    EXPECT_EQ(table.keys(), "name, kind, traces, total_ns, rank_0, rank_0_1");
    EXPECT_THAT(table.column("name")->texts, ElementsAre("x", "y"));
    EXPECT_THAT(table.column("total_ns")->integers, ElementsAre(6, 5)) << "6 is rounded from 6.5";
    EXPECT_THAT(table.column("rank_0")->integers, ElementsAre(9, kNoInt));
    EXPECT_THAT(table.column("rank_0_1")->integers, ElementsAre(4, 5));
    EXPECT_EQ(table.column("rank_0_1")->title, "Rank-0!");
}

TEST(SpreadColumn, NamesWhatUsersSortBy)
{
    const std::vector<LabelledTable> tables{tableOf("a", {{"x", "", "", 1, 9}})};
    EXPECT_EQ(spreadColumn(tables, kKeys, ""), "total_ns") << "the column with bars";
    EXPECT_EQ(spreadColumn(tables, kKeys, "calls"), "calls");
    EXPECT_EQ(spreadColumn(tables, kKeys, "total"), "total_ns");
    EXPECT_EQ(spreadColumn(tables, kKeys, "calls_spread"), "calls");
    EXPECT_EQ(spreadColumn(tables, kKeys, "total_max_trace"), "total_ns");
    EXPECT_EQ(spreadColumn(tables, kKeys, "share_min"), "share");
    EXPECT_EQ(spreadColumn(tables, kKeys, "type"), "total_ns") << "texts have no spread";
    EXPECT_EQ(spreadColumn({}, kKeys, "calls"), "");
}

/// Many tables against maps of plain values.
TEST(MergedTable, EqualsAPlainComputation)
{
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        const size_t traces = 1 + random() % 9;
        std::vector<LabelledTable> tables;
        std::map<std::string, std::vector<int64_t>> totals;
        for (size_t trace = 0; trace < traces; ++trace) {
            std::vector<Row> rows;
            std::set<std::string> names;
            for (uint32_t at = random() % 12; at > 0; --at)
                if (const std::string name(1, static_cast<char>('a' + random() % 14)); names.insert(name).second) {
                    const auto total = static_cast<int64_t>(random() % 7);
                    rows.push_back({name, "", "", 1, total});
                    totals[name].push_back(total);
                }
            tables.push_back(tableOf("Rank " + std::to_string(trace), rows));
        }
        const ResultTable table = merged(tables);
        ASSERT_EQ(table.rows(), totals.size());
        for (size_t row = 0; row < table.rows(); ++row) {
            std::vector<int64_t> &values = totals[table.column("name")->texts[row]];
            std::sort(values.begin(), values.end());
            const auto at = [&](size_t place) { return static_cast<double>(values[place]); };
            const double middle = (at((values.size() - 1) / 2) + at(values.size() / 2)) / 2;
            ASSERT_EQ(table.column("traces")->integers[row], static_cast<int64_t>(values.size()));
            ASSERT_EQ(table.column("total_ns")->integers[row], std::llrint(middle)); // to even
            ASSERT_EQ(table.column("total_min_ns")->integers[row], values.front());
            ASSERT_EQ(table.column("total_max_ns")->integers[row], values.back());
            ASSERT_EQ(table.column("total_spread_ns")->integers[row], values.back() - values.front());
        }
    }
}

} // namespace
} // namespace riffle
