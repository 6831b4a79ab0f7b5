// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_table.h"
#include "tests/model/query/asked.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace riffle {

namespace {

using test::Asked;
using testing::ElementsAre;
using testing::IsEmpty;
using Rows = std::vector<std::string>;

TEST(QueryTables, SlicesHaveTheTimesNamesAndPlacesThatWereRecorded)
{
    test::SmallTrace small;
    const uint32_t lane = small.thread(7, "python");
    small.operation(lane, "aten::linear", 1'000, 500);
    small.operation(lane, "aten::mm", 1'100, 200);
    Asked ask(small.seal());
    EXPECT_THAT(ask("select name, category, ts, dur, self_dur, depth, lane from slices order by ts"),
                ElementsAre("aten::linear|cpu_op|1000|500|300|0|python", "aten::mm|cpu_op|1100|200|200|1|python"));
    EXPECT_THAT(ask("select p.name, c.name from slices c join slices p on p.id = c.parent_id"),
                ElementsAre("aten::linear|aten::mm"));
}

TEST(QueryTables, KernelsCopiesAndLaunchesSayWhoLaunchedWhat)
{
    Asked ask(test::trainingTrace());
    EXPECT_THAT(ask("select name, ts, dur from kernels order by ts"),
                ElementsAre("sgemm|1009000|12000", "sgemm_bwd|1060000|24000", "sgemm|1109000|12000",
                            "sgemm_bwd|1160000|24000"));
    EXPECT_THAT(
        ask("select s.name, k.name, k.correlation from kernels k join slices s on s.id = k.launch_id order by k.ts"),
        ElementsAre("cudaLaunchKernel|sgemm|1", "cudaLaunchKernel|sgemm_bwd|2", "cudaLaunchKernel|sgemm|3",
                    "cudaLaunchKernel|sgemm_bwd|4"));
    // The first launch is called at 1,006,000 for 2,000 ns; its work runs from 1,009,000.
    EXPECT_THAT(ask("select ts, dur, device_name, device_ts, delay from launches order by ts limit 1"),
                ElementsAre("1006000|2000|sgemm|1009000|1000"));
    EXPECT_THAT(ask("select count(*) from copies"), ElementsAre("0"));
}

TEST(QueryTables, WhatWasNotRecordedIsNull)
{
    Asked ask(test::trainingTrace());
    EXPECT_THAT(ask("select count(*), count(occupancy), count(registers), count(grid_x), count(device) from kernels"),
                ElementsAre("4|0|0|0|0"));
    EXPECT_THAT(ask("select count(*), count(correlation), count(parent_id) from slices where category = 'cpu_op'"),
                ElementsAre("6|0|4"));
    EXPECT_THAT(ask("select distinct rank is null, trace from slices"), ElementsAre("1|0"));
}

TEST(QueryTables, OperatorsAreCallsOfOperators)
{
    Asked ask(test::trainingTrace());
    EXPECT_THAT(ask("select name, count(*) from operators group by name"),
                ElementsAre("MmBackward0|2", "aten::linear|2", "aten::mm|2"));
}

TEST(QueryTables, StepsAndFlows)
{
    Asked ask(test::trainingTrace());
    EXPECT_THAT(ask("select number, ts, dur, name from steps"),
                ElementsAre("0|1000000|90000|ProfilerStep#0", "1|1100000|90000|ProfilerStep#1"));
    EXPECT_THAT(ask("select f.category, a.name, b.name, to_ts - from_ts from flows f join slices a on a.id = from_id "
                    "join slices b on b.id = to_id "
                    "order by from_ts"),
                ElementsAre("fwdbwd|aten::linear|MmBackward0|46000", "fwdbwd|aten::linear|MmBackward0|46000"));
}

TEST(QueryTables, AnArrowsManyEndsComeFromItsOneStart)
{
    test::SmallTrace small;
    const uint32_t host = small.thread(1), gpu = small.stream(7);
    small.plain(host, "graph", "cuda_runtime", 0, 10);
    small.flow(host, "ac2g", 's', 5, 2);
    for (const Ns at : {20, 40, 60}) {
        small.plain(gpu, "node", "kernel", at, 10);
        small.flow(gpu, "ac2g", 'f', 5, at);
    }
    small.plain(host, "late", "cuda_runtime", 80, 10); // its start comes after its end
    small.flow(gpu, "ac2g", 'f', 6, 60);
    small.flow(host, "ac2g", 's', 6, 80);
    small.flow(gpu, "ac2g", 'f', 9, 60); // belongs to no slice
    Asked ask(small.seal());
    EXPECT_THAT(ask("select flow_id, from_ts, to_ts from flows order by 1, 3"),
                ElementsAre("5|2|20", "5|2|40", "5|2|60", "6|80|60"));
}

TEST(QueryTables, ArgumentsOfASliceAreWhatItsEventSays)
{
    test::SmallTrace small;
    const uint32_t lane = small.thread(1);
    small.plain(
        lane, "a", "x", 0, 10,
        R"({"whole": 12, "real": 2.5, "text": "a \"b\" é", "list": [1, [2]], "no": null, "yes": true, "big": 18446744073709551615})");
    small.plain(lane, "b", "x", 20, 10, "{}");
    small.plain(lane, "c", "x", 40, 10, R"({"whole": 13})");
    Asked ask(small.seal());
    EXPECT_THAT(
        ask("select key, value, typeof(value) from args where slice_id = (select id from slices where name = 'a')"),
        ElementsAre("whole|12|integer", "real|2.5|real", "text|a \"b\" é|text", "list|[1, [2]]|text", "no||null",
                    "yes|true|text", "big|18446744073709551615|text"));
    EXPECT_THAT(
        ask("select s.name, value + 0 from slices s join args a on a.slice_id = s.id where key = 'whole' order by 1"),
        ElementsAre("a|12", "c|13"));
    EXPECT_THAT(ask("select count(*), sum(key = 'whole') from args"), ElementsAre("8|2"));
    EXPECT_THAT(ask("select count(*) from args where slice_id in (select id from slices where name = 'b')"),
                ElementsAre("0"));
    EXPECT_THAT(ask("select count(*) from args where slice_id = 77"), ElementsAre("0"));
}

TEST(QueryTables, SeveralTracesAreToldApartAndShareAClock)
{
    const auto trace = [](Ns start, int64_t base) {
        test::SmallTrace small;
        small.operation(small.thread(1), "op", start, 1'000'000);
        auto sealed = std::make_shared<Trace>(*small.seal());
        sealed->info.baseTimeNs = base;
        return sealed;
    };
    // The second trace starts 5 ms later in real time.
    Asked ask(TraceSet::of({trace(1'000, 100'000'000), trace(1'000, 105'000'000)}));
    EXPECT_THAT(ask("select trace, ts from slices order by ts"), ElementsAre("0|1000", "1|5001000"));
    EXPECT_THAT(ask("select trace from slices where ts > 1000"), ElementsAre("1"));
    EXPECT_THAT(ask("select trace from slices where ts = 5001000"), ElementsAre("1"));
    EXPECT_THAT(ask("select trace from slices where ts < 5001000"), ElementsAre("0"));
    EXPECT_THAT(ask("select ts from slices where trace = 1 and id = 0"), ElementsAre("5001000"));
    EXPECT_THAT(ask("select name, count(*) from slices group by name"), ElementsAre("op|2"));
}

TEST(QueryTables, ATraceKeepsItsNumberWhileOthersAreClosedOrReordered)
{
    TraceSet set = TraceSet::of({test::trainingTrace(), test::trainingTrace(), test::trainingTrace()});
    set.remove(TraceId(0));
    set.move(TraceId(2), 0);
    Asked ask(std::move(set));
    EXPECT_THAT(ask("select distinct trace from steps"), ElementsAre("1", "2"));
    EXPECT_THAT(ask("select trace, count(*) from kernels group by trace"), ElementsAre("1|4", "2|4"));
    EXPECT_THAT(ask("select count(*) from kernels where trace = 2"), ElementsAre("4"));
    EXPECT_THAT(ask("select count(*) from kernels where trace = 0"), ElementsAre("0"));
    EXPECT_THAT(ask("select trace, ts from kernels where name = 'sgemm' order by ts desc limit 2"),
                ElementsAre("2|1109000", "1|1109000"));
    EXPECT_THAT(ask("select name, count(*) from kernels group by name order by name"),
                ElementsAre("sgemm|4", "sgemm_bwd|4"));
    EXPECT_THAT(ask("select count(*) > 0 from columns"), ElementsAre("1"));
}

TEST(QueryTables, RowsOfASummaryLeadToSlicesOfTheirTrace)
{
    test::SmallTrace empty;
    TraceSet set = TraceSet::of({empty.seal(), test::trainingTrace(), test::trainingTrace()});
    Asked ask(set);
    const ResultTable table = *ask.engine().run("select trace, name, slice_id from summary_kernels", {}, {});
    ASSERT_EQ(table.rows(), 4u);
    for (size_t row = 0; row < table.rows(); ++row) {
        const SliceRef slice = table.evidence.at(row);
        EXPECT_EQ(set.title(slice.trace), table.column("trace")->texts[row]);
        EXPECT_TRUE(set.trace(slice.trace)->slice(slice.slice));
    }
}

TEST(QueryTables, EveryTableAnswersAndIsDescribed)
{
    Asked ask(test::trainingTrace());
    const Rows tables = ask("select distinct table_name from columns");
    EXPECT_EQ(tables.size(), queryTables().size() + summaryViews().size());
    for (const std::string &table : tables)
        ask.describedTable(table);
    EXPECT_THAT(ask("select table_name, name from columns where meaning = '' or name = ''"), IsEmpty());
}

TEST(QueryTables, SummariesOfSeveralTracesAreDescribed)
{
    Asked ask(TraceSet::of({test::trainingTrace(), test::trainingTrace()}));
    for (const std::string &table : ask("select distinct table_name from columns where table_name like 'summary%'"))
        ask.describedTable(table);
    EXPECT_THAT(ask("select count(*) from columns where name = 'trace' and table_name = 'summary_steps'"),
                ElementsAre("1"));
}

TEST(QueryTables, SummariesAreTables)
{
    const auto trace = test::trainingTrace();
    Asked ask(trace);
    // The second time, the answer comes from the table that was kept.
    for (int time = 0; time < 2; ++time)
        EXPECT_THAT(ask("select name, calls from summary_operators order by name"),
                    ElementsAre("MmBackward0|2", "aten::linear|2", "aten::mm|2"));
    for (const SummaryView &view : summaryViews()) {
        SummaryRequest request;
        request.view = view.word;
        const auto table = summarize(SetFacts(test::setOf(trace)), request, {});
        ASSERT_TRUE(table);
        std::string name = "summary_" + std::string(view.word);
        std::replace(name.begin(), name.end(), '-', '_');
        if (table->columns.empty())
            EXPECT_EQ(ask.error("select * from " + name), table->absence);
        else
            EXPECT_EQ(ask("select count(*) from " + name), Rows{std::to_string(table->rows())}) << name;
    }
}

TEST(QueryTables, AnEmptyTraceHasNoRows)
{
    Asked ask(test::SmallTrace().seal());
    for (const std::string &table : ask("select distinct table_name from columns where table_name <> 'columns' "
                                        "and table_name not like 'summary%'"))
        EXPECT_THAT(ask("select * from " + table), IsEmpty()) << table;
    EXPECT_THAT(ask("select name, count(*) from slices group by name"), IsEmpty());
}

} // namespace

} // namespace riffle
