// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/trace_facts.h"

#include "model/analysis/facts/step_marks.h"
#include "model/analysis/summary/overview.h"
#include "model/base/big_vector.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using test::SmallTrace;

std::string nameOfCall(const TraceFacts &facts, uint32_t call)
{
    if (call == CallTree::kNone)
        return {};
    return std::string(facts.trace().string(facts.trace().slice(SliceId(facts.calls().slice[call]))->data.name));
}

uint32_t callNamed(const TraceFacts &facts, std::string_view name)
{
    for (uint32_t call = 0; call < facts.calls().size(); ++call)
        if (nameOfCall(facts, call) == name)
            return call;
    return CallTree::kNone;
}

TEST(CallTree, LooksThroughFramesAndAnnotations)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    trace.operation(main, "outer", 0, 100);
    trace.frame(main, "a.py(1): f", 10, 50);
    trace.operation(main, "inner", 20, 20);
    trace.launch(main, 25, 5, 1);
    trace.operation(main, "alone", 200, 10);
    const TraceFacts facts(trace.seal());
    const uint32_t inner = callNamed(facts, "inner");
    EXPECT_EQ(nameOfCall(facts, facts.calls().parent[inner]), "outer");
    EXPECT_EQ(nameOfCall(facts, facts.calls().parent[callNamed(facts, "cudaLaunchKernel")]), "inner");
    EXPECT_EQ(facts.calls().parent[callNamed(facts, "alone")], CallTree::kNone);
    EXPECT_EQ(nameOfCall(facts, facts.calls().operatorOfSlice(test::sliceNamed(facts.trace(), "a.py(1): f").value)),
              "outer");
}

TEST(CallTree, AParentThatCrossesOthersIsFound)
{
    // The step is shorter than the slice that it crosses, so it is drawn last and has the highest id.
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    trace.frame(main, "enter", 0, 110);
    trace.operation(main, "crossing", 100, 100);
    trace.operation(main, "child", 120, 50);
    trace.launch(main, 130, 10, 1);
    const TraceFacts facts(trace.seal());
    const uint32_t child = callNamed(facts, "child");
    EXPECT_EQ(nameOfCall(facts, facts.calls().parent[child]), "crossing");
    ASSERT_EQ(facts.calls().crossing.size(), 1u);
    EXPECT_EQ(nameOfCall(facts, facts.calls().crossing.front()), "crossing");
}

TEST(DeviceWork, IsInOrderOfTimeAndKnowsItsOperator)
{
    const TraceFacts facts(test::trainingTrace());
    const DeviceWork &work = facts.work();
    ASSERT_EQ(work.size(), 4u);
    EXPECT_TRUE(std::is_sorted(work.start.begin(), work.start.end()));
    EXPECT_EQ(nameOfCall(facts, work.operation[0]), "aten::mm");
    EXPECT_EQ(nameOfCall(facts, work.operation[1]), "MmBackward0");
    EXPECT_EQ(work.role[0], Role::Compute);
    ASSERT_EQ(facts.steps().steps.size(), 2u);
    EXPECT_EQ(facts.steps().ofWork, (BigVector<uint32_t>{0, 0, 1, 1}));
    EXPECT_EQ(facts.steps().steps[0].device, (TimeSpan{1'009'000, 1'084'000}));
}

TEST(DeviceWork, WhatACollectiveLaunchesCommunicates)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    const uint32_t gpu = trace.stream(7);
    trace.operation(main, "c10d::allreduce_", 0, 50);
    trace.launch(main, 10, 5, 1);
    trace.kernel(gpu, "reduce_anything", 20, 10, 1);
    trace.operation(main, "aten::mm", 60, 20);
    trace.launch(main, 62, 5, 2);
    trace.kernel(gpu, "gemm", 70, 10, 2);
    trace.kernel(gpu, "ncclDevKernel_AllReduce", 90, 10, 3);
    const TraceFacts facts(trace.seal());
    EXPECT_EQ(facts.work().role, (BigVector<Role>{Role::Communication, Role::Compute, Role::Communication}));
    EXPECT_EQ(facts.work().operation[2], CallTree::kNone) << "its launch was not recorded";
}

TEST(StepSet, OverlappingMarksAndChosenOnes)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1), other = trace.thread(2);
    trace.step(main, 3, 0, 100);
    trace.step(other, 3, 10, 100);
    trace.step(main, 4, 100, 50);
    trace.plain(main, "epoch", "user_annotation", 200, 10);
    trace.plain(main, "epoch", "user_annotation", 220, 30);
    const TraceFacts facts(trace.seal());
    ASSERT_EQ(facts.steps().steps.size(), 2u);
    EXPECT_EQ(facts.steps().overlapping, 1u);
    EXPECT_EQ(facts.steps().steps[1].number, 4);
    EXPECT_EQ(facts.steps().window(), (TimeSpan{0, 150}));
    ASSERT_EQ(facts.steps("epoch").steps.size(), 2u);
    EXPECT_EQ(facts.steps("epoch").steps[1].host, (TimeSpan{220, 250}));
    EXPECT_FALSE(facts.steps("nothing").marked);
    EXPECT_EQ(facts.steps("nothing").steps[0].name, "all");
}

TEST(StepSet, AStepThatNeverEndedHidesNoOtherAndCountsNowhere)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    trace.step(main, 0, 0, 100);
    trace.openStep(main, 1, 100);
    trace.step(main, 2, 120, 100);
    trace.step(main, 3, 220, 100);
    trace.openStep(main, 4, 320);
    trace.plain(main, "teardown", "cpu_op", 400, 1'000);
    const TraceFacts facts(trace.seal());
    const StepSet &steps = facts.steps();
    ASSERT_EQ(steps.steps.size(), 5u);
    EXPECT_EQ(steps.overlapping, 0u);
    EXPECT_EQ(steps.unfinished(), 2u);
    EXPECT_EQ(steps.steps[1].host, (TimeSpan{100, 120})) << "up to the next step";
    EXPECT_EQ(steps.steps[4].host, (TimeSpan{320, 1'400})) << "up to the end of the trace";
    EXPECT_FALSE(steps.steps[1].ended);
    EXPECT_FALSE(steps.firstIsOutlier());

    const Scope scope(facts, {});
    const IntervalSet endedSteps = IntervalSet::unionOf({{0, 100}, {120, 320}});
    EXPECT_EQ(scope.window(), endedSteps);
    const Overview overview = overviewOf(scope);
    EXPECT_EQ(overview.steps, 3u);
    EXPECT_EQ(overview.openSteps, 2u);
    EXPECT_EQ(overview.meanStep, 100);
    ScopeRequest onlyOpen;
    onlyOpen.stepNumbers = {4};
    EXPECT_EQ(Scope(facts, onlyOpen).window(), IntervalSet(TimeSpan{320, 1'400})) << "there is no other";
    ScopeRequest ended;
    ended.endedStepsOnly = true;
    EXPECT_EQ(Scope(facts, ended).times(), endedSteps);
}

TEST(StepSet, ChosenMarksMayBeNumbered)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    trace.plain(main, "iteration#8", "user_annotation", 200, 10);
    trace.plain(main, "iteration#7", "user_annotation", 100, 10);
    trace.plain(main, "iteration#7b", "user_annotation", 300, 10);
    trace.plain(main, "iteration#", "user_annotation", 400, 10);
    trace.plain(main, "iterations", "user_annotation", 500, 10);
    trace.plain(main, "iteration", "user_annotation", 600, 10);
    const TraceFacts facts(trace.seal());
    const StepSet &steps = facts.steps("iteration");
    ASSERT_EQ(steps.steps.size(), 3u);
    EXPECT_EQ(steps.steps[0].number, 7);
    EXPECT_EQ(steps.steps[1].host, (TimeSpan{200, 210}));
    EXPECT_EQ(steps.steps[2].number, 2);
    EXPECT_EQ(facts.steps("iteration#7").steps.size(), 1u);
    EXPECT_EQ(withoutStepNumber("a#b#12"), "a#b");
    EXPECT_EQ(withoutStepNumber("#12"), "");
    EXPECT_EQ(withoutStepNumber("a#-1"), "a#-1");
}

TEST(StepSet, AFarLongerFirstStepIsNoticed)
{
    for (const auto &[first, expected] : {std::pair<Ns, bool>{200, false}, {202, true}, {5000, true}}) {
        SmallTrace trace;
        const uint32_t main = trace.thread(1);
        trace.step(main, 0, 0, first);
        for (int step = 1; step < 4; ++step)
            trace.step(main, step, 10'000 + step * 1000, 100);
        EXPECT_EQ(TraceFacts(trace.seal()).steps().firstIsOutlier(), expected) << first;
    }
    // The number of other steps is even, so the median is the mean of the two middle ones: 150.
    for (const auto &[first, expected] : {std::pair<Ns, bool>{300, false}, {301, true}}) {
        std::vector<Step> steps;
        for (const Ns length : {first, Ns(100), Ns(200), Ns(100), Ns(200)})
            steps.push_back({0, SliceId(), {0, length}});
        EXPECT_EQ(firstIsFarLonger(steps), expected) << first;
    }
}

} // namespace
} // namespace riffle
