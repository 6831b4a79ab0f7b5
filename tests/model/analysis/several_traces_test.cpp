// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "tests/model/analysis/findings/clean_run.h"
#include "tests/model/analysis/small_trace.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace riffle {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

ResultTable steps(std::shared_ptr<const Trace> trace, std::vector<TraceId> wanted = {})
{
    TraceSet set = test::setOf(trace);
    set.add(std::move(trace), TimeMap({{0, 500'000}})); // half a millisecond later
    SummaryRequest request;
    request.view = "steps";
    request.traces = std::move(wanted);
    return *summarize(SetFacts(set), request, {});
}

TEST(SeveralTraces, MomentsAreOnOneClock)
{
    const ResultTable table = steps(test::trainingTrace());
    EXPECT_EQ(table.origin, 1'000'000); // the first step is the first event
    EXPECT_THAT(table.column("start_ns")->integers, ElementsAre(1'000'000, 1'100'000, 1'500'000, 1'600'000));
}

TEST(SeveralTraces, OneOfThemKeepsTheirClock)
{
    const ResultTable table = steps(test::trainingTrace(), {TraceId(1)});
    EXPECT_EQ(table.origin, 1'000'000);
    EXPECT_THAT(table.column("start_ns")->integers, ElementsAre(1'500'000, 1'600'000));
}

TEST(SeveralTraces, NotesNameTheirTrace)
{
    test::SmallTrace plain;
    plain.operation(plain.thread(1), "aten::mm", 1'000, 500);
    EXPECT_THAT(steps(plain.seal()).notes, ElementsAre(StartsWith("All traces: No steps")))
        << "a note of several traces is there once";
}

/// A run with a kernel of this length on one device, and another kernel.
std::shared_ptr<const Trace> run(int device, Ns gemm, bool hasCopy)
{
    test::KinetoText text;
    text.device(device, 80'000'000'000, 8);
    text.step(1, 0, 1'000'000);
    text.kernel("gemm", 7, 10'000, gemm, 5'000, 1'000, "", device);
    if (hasCopy)
        text.kernel("copy", 7, 600'000, 50'000, 590'000, 1'000, "", device);
    return text.trace();
}

SummaryRequest merged(const char *view)
{
    SummaryRequest request;
    request.view = view;
    request.layout = RankLayout::Merged;
    return request;
}

TEST(SeveralTraces, MergedRowsCompareTraces)
{
    const SetFacts facts(TraceSet::of({run(0, 100'000, false), run(0, 300'000, true), run(0, 200'000, false)}));
    const ResultTable table = *summarize(facts, merged("kernels"), {});
    EXPECT_THAT(table.column("name")->texts, ElementsAre("gemm", "copy"));
    EXPECT_THAT(table.column("traces")->integers, ElementsAre(3, 1));
    EXPECT_THAT(table.column("total_ns")->integers, ElementsAre(200'000, 50'000));
    EXPECT_THAT(table.column("total_max_trace")->texts, ElementsAre("Rank 1", "Rank 1"));
    EXPECT_EQ(table.evidence.front().trace, TraceId(1));
    const auto next = [&](SliceRef from) { return table.slices->neighbour(facts.set(), 0, from, 1); };
    EXPECT_EQ(next({}).trace, TraceId(1)) << "the worst rank first";
    EXPECT_EQ(next(next({})).trace, TraceId(2));
    EXPECT_EQ(next(next(next({}))).trace, TraceId(0));
    EXPECT_FALSE(next(next(next(next({})))).valid());
}

TEST(SeveralTraces, TheOnlyDevicesOfRanksAreOneRow)
{
    const SetFacts facts(TraceSet::of({run(0, 100'000, false), run(3, 300'000, false)}));
    const ResultTable overview = *summarize(facts, merged("overview"), {});
    const auto &names = overview.column("name")->texts;
    const auto busy = static_cast<size_t>(std::find(names.begin(), names.end(), "busy") - names.begin());
    ASSERT_LT(busy, names.size());
    EXPECT_EQ(overview.column("traces")->integers[busy], 2);
    EXPECT_TRUE(overview.column("device")->absent(busy));
    EXPECT_EQ(overview.column("time_ns")->integers[busy], 200'000);
    const ResultTable devices = *summarize(facts, merged("device"), {});
    EXPECT_THAT(devices.column("device")->texts, ElementsAre("CPU(Process)", "CPU(System)", "GPU"));
}

TEST(SeveralTraces, InstancesStayTraceByTrace)
{
    const SetFacts facts(TraceSet::of({run(0, 100'000, false), run(0, 300'000, false)}));
    for (const char *view : {"steps", "critical-path", "memory-events"}) {
        const ResultTable table = *summarize(facts, merged(view), {});
        ASSERT_TRUE(table.column("trace")) << view;
        EXPECT_FALSE(table.column("traces")) << view;
    }
    EXPECT_EQ(summarize(facts, merged("steps"), {})->rows(), 2u);
}

TEST(SeveralTraces, PartsOfOneTraceAreCompared)
{
    const auto trace = test::trainingTrace();
    const SetFacts facts(test::setOf(trace));
    SummaryRequest request = merged("kernels");
    const auto calls = [&] {
        const ResultTable table = *summarize(facts, request, {});
        int64_t sum = 0;
        for (const int64_t count : table.column("calls")->integers)
            sum += count;
        return sum;
    };
    const int64_t all = calls();
    request.parts = {{"Step 0", TraceId(0), std::nullopt, TimeSpan{0, 0}},
                     {"Step 1", TraceId(0), std::nullopt, TimeSpan{1, 1}}};
    const ResultTable steps = *summarize(facts, request, {});
    ASSERT_GT(steps.rows(), 0u);
    for (const int64_t traces : steps.column("traces")->integers)
        EXPECT_EQ(traces, 2);
    EXPECT_EQ(2 * calls(), all) << "both steps launch the same kernels";
    request.parts = {{"A", TraceId(0), TimeSpan{1'000'000, 1'100'000}, std::nullopt},
                     {"B", TraceId(0), TimeSpan{0, 500'000}, std::nullopt}};
    request.layout = RankLayout::Columns;
    const ResultTable ranges = *summarize(facts, request, {});
    ASSERT_GT(ranges.rows(), 0u);
    EXPECT_FALSE(ranges.column("a")->absent(0));
    EXPECT_TRUE(ranges.column("b")->absent(0)) << "nothing ran then";
    EXPECT_EQ(narrowedBy(request, facts.set()), narrowed_by::Range);
    EXPECT_FALSE(widened(request, narrowed_by::Range).parts[0].range);
}

TEST(SeveralTraces, SharesOfSeveralTracesHaveNoTotal)
{
    const SetFacts facts(TraceSet::of({run(0, 100'000, false), run(0, 300'000, false)}));
    SummaryRequest request;
    request.view = "kernels";
    EXPECT_FALSE(summarize(facts, request, {})->column("share")->summed);
    EXPECT_TRUE(summarize(facts, request, {})->column("total_ns")->summed);
    request.traces = {TraceId(0)};
    EXPECT_TRUE(summarize(facts, request, {})->column("share")->summed);
}

TEST(SeveralTraces, AFindingStandsOnceWithItsTraces)
{
    test::CleanRun clean, waits, waitsLonger;
    waits.loading = 2 * test::kMs;
    waitsLonger.loading = 4 * test::kMs;
    const SetFacts facts(TraceSet::of({clean.trace(), waits.trace(), waitsLonger.trace()}));
    const ResultTable table = *summarize(facts, merged("findings"), {});
    const auto &ids = table.column("id")->texts;
    ASSERT_EQ(std::count(ids.begin(), ids.end(), "dataloader_share"), 1);
    const auto row = static_cast<size_t>(std::find(ids.begin(), ids.end(), "dataloader_share") - ids.begin());
    EXPECT_EQ(table.column("traces")->integers[row], 2);
    EXPECT_EQ(table.column("holds_for")->texts[row], "Rank 2, Rank 1") << "the worst first";
    EXPECT_THAT(table.column("text")->texts[row], StartsWith("Rank 2: "));
    EXPECT_EQ(table.evidence[row].trace, TraceId(2));
    SummaryRequest byRank;
    byRank.view = "findings";
    const ResultTable single = *summarize(facts, byRank, {});
    double worst = 0;
    for (size_t at = 0; at < single.rows(); ++at)
        if (single.column("id")->texts[at] == "dataloader_share")
            worst = std::max(worst, single.column("measured")->numbers[at]);
    EXPECT_EQ(table.column("measured")->numbers[row], worst);
    SummaryRequest columns = merged("findings");
    columns.layout = RankLayout::Columns;
    const ResultTable side = *summarize(facts, columns, {});
    ASSERT_TRUE(side.column("title") && side.column("rank_2"));
    const auto &sideIds = side.column("id")->texts;
    const auto sideRow =
        static_cast<size_t>(std::find(sideIds.begin(), sideIds.end(), "dataloader_share") - sideIds.begin());
    EXPECT_TRUE(side.column("rank_0")->absent(sideRow)) << "the clean run has no such finding";
    EXPECT_EQ(side.column("rank_2")->numbers.at(sideRow), worst);
}

/// A rank whose calls take this long each.
std::shared_ptr<const Trace> collectives(std::initializer_list<Ns> calls)
{
    test::KinetoText text;
    text.device(0, 80'000'000'000, 8);
    text.step(1, 0, 10'000'000);
    Ns at = 100'000;
    for (const Ns call : calls) {
        text.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, at, call, at - 10'000, 1'000,
                    R"("Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1000,"dtype":"Float",)"
                    R"("Process Group Name":"0","Process Group Ranks":"[0, 1, 2]","Group size":3)");
        at += 1'000'000;
    }
    return text.trace();
}

TEST(SeveralTraces, CallsOfCollectivesArePutTogether)
{
    const SetFacts facts(TraceSet::of({collectives({100, 200, 300}), collectives({50, 600}), collectives({})}));
    const ResultTable table = *summarize(facts, merged("collectives"), {});
    ASSERT_EQ(table.rows(), 1u);
    const auto cell = [&](const char *key) { return table.column(key)->integers.at(0); };
    EXPECT_EQ(cell("traces"), 2);
    EXPECT_EQ(cell("calls"), 5);
    EXPECT_EQ(cell("device_total_ns"), 1250);
    EXPECT_EQ(cell("min_ns"), 50);
    EXPECT_EQ(cell("median_ns"), 200) << "of all calls, not of the traces' medians";
    EXPECT_EQ(cell("max_ns"), 600);
    EXPECT_EQ(cell("trace_min_ns"), 600);
    EXPECT_EQ(cell("trace_median_ns"), 625);
    EXPECT_EQ(cell("trace_max_ns"), 650);
    EXPECT_EQ(cell("trace_spread_ns"), 50);
    EXPECT_EQ(cell("total_bytes"), 5 * 4'000);
    EXPECT_EQ(table.column("trace_max_trace")->texts.at(0), "Rank 1");
    EXPECT_EQ(table.evidence.at(0).trace, TraceId(1)) << "the longest call";
    EXPECT_EQ(table.slices->neighbour(facts.set(), 0, {}, 1).trace, TraceId(1));
    EXPECT_EQ(table.column("ranks")->shorts.at(0), "0–2");
    SummaryRequest byRank;
    byRank.view = "collectives";
    EXPECT_EQ(summarize(facts, byRank, {})->column("ranks")->shorts.at(1), "0–2")
        << "lists of ranks are not shortened like names of kernels";
}

} // namespace
} // namespace riffle
