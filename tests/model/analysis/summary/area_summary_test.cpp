// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/area_summary.h"

#include "model/analysis/facts/trace_facts.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <chrono>

namespace riffle {
namespace {

const AreaSummary::Row *rowNamed(const AreaSummary &summary, std::string_view name)
{
    for (const AreaSummary::Row &row : summary.rows) {
        if (row.name == name)
            return &row;
    }
    return nullptr;
}

TEST(AreaSummary, WholeTraceByNameInOrderOfSelfTime)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const AreaSummary summary = summarizeArea(set, set.span(), {}, {});
    EXPECT_TRUE(summary.complete);
    EXPECT_EQ(summary.count, 22u);
    const auto *kernel = rowNamed(summary, "sgemm");
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->count, 2u);
    EXPECT_EQ(kernel->sum, 24'000);
    EXPECT_EQ(kernel->minimum, 12'000);
    EXPECT_EQ(kernel->maximum, 12'000);
    EXPECT_EQ(kernel->self, 24'000);
    EXPECT_EQ(kernel->category, "kernel");
    EXPECT_EQ(kernel->cut, 0u);
    const auto *linear = rowNamed(summary, "aten::linear");
    ASSERT_NE(linear, nullptr);
    EXPECT_EQ(linear->sum, 40'000);
    EXPECT_EQ(linear->self, 20'000); // mm inside it takes half of it
    for (size_t i = 1; i < summary.rows.size(); ++i)
        EXPECT_GE(summary.rows[i - 1].self, summary.rows[i].self);
}

TEST(AreaSummary, SlicesOfOtherClassesAreLeftOut)
{
    test::SmallTrace small;
    const uint32_t host = small.thread(1), stream = small.stream(7);
    small.operation(host, "gemm", 0, 1000); // the name of a kernel, too
    small.launch(host, 100, 10, 1);
    small.launch(host, 200, 10, 2);
    small.kernel(stream, "gemm", 300, 400, 1);
    small.kernel(stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 800, 300, 2);
    const TraceSet set = test::setOf(small.seal());
    const SlicesOfClasses products{{TraceFacts(set.loaded()[0].trace).workClasses()}, bitOf(WorkClass::MatrixProducts)};
    const AreaSummary summary = summarizeArea(set, {400, 2000}, {}, {}, products);
    ASSERT_EQ(summary.rows.size(), 1u);
    EXPECT_EQ(summary.rows[0].name, "gemm");
    EXPECT_EQ(summary.rows[0].count, 1u);
    EXPECT_EQ(summary.rows[0].sum, 300);
    EXPECT_EQ(summary.count, 1u);
}

TEST(AreaSummary, SlicesThatReachBeyondAreClippedAndTheirSelfTimeToo)
{
    test::SmallTrace small;
    const uint32_t lane = small.thread(1);
    small.operation(lane, "outer", 0, 1000);
    small.operation(lane, "inner", 100, 200);
    small.operation(lane, "inner", 600, 300);
    const TraceSet set = test::setOf(small.seal());
    const AreaSummary summary = summarizeArea(set, {200, 700}, {}, {});
    const auto *outer = rowNamed(summary, "outer");
    ASSERT_NE(outer, nullptr);
    EXPECT_EQ(outer->sum, 500);
    EXPECT_EQ(outer->self, 300); // inner covers 200–300 and 600–700
    EXPECT_EQ(outer->cut, 1u);
    const auto *inner = rowNamed(summary, "inner");
    EXPECT_EQ(inner->count, 2u);
    EXPECT_EQ(inner->sum, 200);
    EXPECT_DOUBLE_EQ(summary.share(*inner), 0.4);
    EXPECT_DOUBLE_EQ(inner->average(), 100.0);
}

TEST(AreaSummary, ChildrenThatCrossCountOnceForACutSlice)
{
    test::SmallTrace small;
    const uint32_t lane = small.thread(1);
    small.operation(lane, "outer", 0, 1000);
    small.operation(lane, "long", 100, 300);
    small.operation(lane, "crossing", 300, 150);
    small.operation(lane, "behind", 600, 300);
    const TraceSet set = test::setOf(small.seal());
    const AreaSummary summary = summarizeArea(set, {200, 700}, {}, {});
    const auto *outer = rowNamed(summary, "outer");
    ASSERT_NE(outer, nullptr);
    EXPECT_EQ(outer->sum, 500);
    EXPECT_EQ(outer->self, 150); // 200–450 and 600–700 are covered
}

TEST(AreaSummary, OnlyTheChosenLanes)
{
    const auto trace = test::trainingTrace();
    const TraceSet set = test::setOf(trace);
    const LaneId gpu = trace->slice(test::sliceNamed(*trace, "sgemm"))->lane;
    const LaneRef lanes[] = {{TraceId(0), gpu}};
    const AreaSummary summary = summarizeArea(set, set.span(), lanes, {});
    EXPECT_EQ(summary.lanes, 1u);
    EXPECT_EQ(summary.rows.size(), 2u);
    EXPECT_EQ(summary.rows[0].name, "sgemm_bwd");
}

TEST(AreaSummary, AnyNumberOfSegmentsGivesTheSame)
{
    test::SmallTrace whole, cut;
    for (test::SmallTrace *small : {&whole, &cut}) {
        const uint32_t lane = small->thread(1);
        for (int i = 0; i < 5000; ++i)
            small->operation(lane, "op" + std::to_string(i % 7), i * 100, 10 + i % 90);
    }
    const AreaSummary one = summarizeArea(test::setOf(whole.seal()), {1030, 400'020}, {}, {});
    const AreaSummary many = summarizeArea(test::setOf(cut.seal(64)), {1030, 400'020}, {}, {});
    ASSERT_EQ(one.rows.size(), many.rows.size());
    for (size_t i = 0; i < one.rows.size(); ++i) {
        EXPECT_EQ(one.rows[i].name, many.rows[i].name);
        EXPECT_EQ(one.rows[i].count, many.rows[i].count);
        EXPECT_EQ(one.rows[i].sum, many.rows[i].sum);
        EXPECT_EQ(one.rows[i].self, many.rows[i].self);
    }
}

TEST(AreaSummary, TwoTracesGiveOneRowPerName)
{
    TraceSet set = test::setOf(test::trainingTrace());
    set.add(test::trainingTrace(), TimeMap());
    const AreaSummary summary = summarizeArea(set, set.span(), {}, {});
    EXPECT_EQ(rowNamed(summary, "sgemm")->count, 4u);
}

TEST(AreaSummary, StopsWhenAsked)
{
    std::stop_source stop;
    stop.request_stop();
    const TraceSet set = test::setOf(test::trainingTrace());
    EXPECT_FALSE(summarizeArea(set, set.span(), {}, {stop.get_token(), nullptr}).complete);
}

TEST(AreaSummarySlow, TenMillionSlicesWithinTheLimit)
{
    test::SmallTrace small;
    std::vector<uint32_t> lanes;
    for (int lane = 0; lane < 40; ++lane)
        lanes.push_back(small.stream(lane));
    std::vector<std::string> names;
    for (int name = 0; name < 400; ++name)
        names.push_back("kernel_with_a_rather_long_name_" + std::to_string(name));
    constexpr int kSlices = 2'000'000; // a fifth of ten million, because the text of each is in memory
    for (int i = 0; i < kSlices; ++i)
        small.kernel(lanes[i % 40], names[(i * 7) % 400], i * 10, 200, i);
    const TraceSet set = test::setOf(small.seal());
    summarizeArea(set, set.span(), {}, {});
    const auto begin = std::chrono::steady_clock::now();
    const AreaSummary summary = summarizeArea(set, set.span(), {}, {});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(summary.count, static_cast<uint64_t>(kSlices));
    RecordProperty("milliseconds", std::to_string(took.count()));
    std::cout << "area over " << kSlices << " slices: " << took.count() << " ms\n";
    EXPECT_LT(took.count(), 300.0);
}

} // namespace
} // namespace riffle
