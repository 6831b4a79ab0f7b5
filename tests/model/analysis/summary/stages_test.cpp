// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/stages.h"

#include "model/analysis/summary/summary.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

struct Seen {
    Stage stage;
    TimeSpan span;
    Ns kernels;
    bool operator==(const Seen &) const = default;
    friend std::ostream &operator<<(std::ostream &out, const Seen &seen)
    {
        return out << kStageNames[static_cast<size_t>(seen.stage)] << " " << seen.span.begin << ".." << seen.span.end
                   << " " << seen.kernels;
    }
};

class StagesTest : public testing::Test {
protected:
    std::vector<Seen> stagesOf(std::shared_ptr<const Trace> trace, const ScopeRequest &request = {})
    {
        m_facts = std::make_shared<TraceFacts>(std::move(trace));
        const Stages stages(Scope(*m_facts, request));
        rule = stages.forward;
        std::vector<Seen> seen;
        for (const Stages::Call &call : stages.calls)
            seen.push_back({call.stage, call.span, call.kernels});
        return seen;
    }
    /// Adds a step of 1000 ns at `at`: batch, forward operators, backward on another thread, optimizer, and more
    /// operators.
    void addStep(SmallTrace &trace, int number, Ns at)
    {
        trace.step(main, number, at, 1'000);
        trace.plain(main, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation", at + 10,
                    90);
        trace.operation(main, "aten::linear", at + 110, 90);
        trace.operation(main, "aten::mm", at + 120, 50);
        trace.launch(main, at + 130, 5, 10 * number + 1);
        trace.kernel(gpu, "sgemm", at + 200, 70, 10 * number + 1);
        trace.operation(main, "aten::loss", at + 220, 30);
        trace.operation(autograd, "autograd::engine::evaluate_function: MmBackward0", at + 300, 100);
        trace.launch(autograd, at + 310, 5, 10 * number + 2);
        trace.kernel(gpu, "sgemm_bwd", at + 320, 60, 10 * number + 2);
        trace.operation(autograd, "reducer", at + 410, 20);
        trace.launch(autograd, at + 415, 5, 10 * number + 3);
        trace.kernel(gpu, "nccl", at + 450, 11, 10 * number + 3);
        trace.operation(autograd, "autograd::engine::evaluate_function: AccumulateGrad", at + 440, 60);
        trace.plain(main, "Optimizer.step#Adam.step", "user_annotation", at + 600, 100);
        trace.operation(main, "aten::add_", at + 610, 20);
        trace.launch(main, at + 615, 5, 10 * number + 4);
        trace.kernel(gpu, "adam", at + 630, 7, 10 * number + 4);
        trace.operation(main, "aten::item", at + 800, 20);
    }
    SmallTrace newTrace()
    {
        SmallTrace trace;
        main = trace.thread(1);
        autograd = trace.thread(2);
        gpu = trace.stream(7);
        return trace;
    }

    uint32_t main = 0, autograd = 0, gpu = 0;
    ForwardRule rule = ForwardRule::Marked;
    std::shared_ptr<const TraceFacts> m_facts;
};

TEST_F(StagesTest, WithoutFramesForwardIsWhatOperatorsDoBeforeBackward)
{
    SmallTrace trace = newTrace();
    addStep(trace, 1, 0);
    addStep(trace, 2, 1'000);
    std::vector<Seen> expected;
    for (const Ns at : {0, 1'000})
        expected.insert(expected.end(), {{Stage::Dataloader, {at + 10, at + 100}, 0},
                                         {Stage::Forward, {at + 110, at + 250}, 70},
                                         {Stage::Backward, {at + 300, at + 500}, 71},
                                         {Stage::Optimization, {at + 600, at + 700}, 7}});
    EXPECT_EQ(stagesOf(trace.seal()), expected);
    EXPECT_EQ(rule, ForwardRule::Operators);
}

TEST_F(StagesTest, OnlyChosenStepsCount)
{
    SmallTrace trace = newTrace();
    addStep(trace, 1, 0);
    addStep(trace, 2, 1'000);
    ScopeRequest second;
    second.steps = TimeSpan{2, 2};
    const auto seen = stagesOf(trace.seal(), second);
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen.front().span.begin, 1'010);
}

TEST_F(StagesTest, ModulesAreForwardWhereTheyAreKnownAndNotInsideBackward)
{
    SmallTrace trace = newTrace();
    addStep(trace, 1, 0);
    trace.frame(main, "nn.Module: Model_0", 105, 100);
    trace.frame(main, "nn.Module: Linear_0", 108, 95);
    trace.frame(autograd, "nn.Module: Linear_0", 305, 50); // recomputed in the backward pass
    EXPECT_EQ(stagesOf(trace.seal()), (std::vector<Seen>{{Stage::Dataloader, {10, 100}, 0},
                                                         {Stage::Forward, {105, 205}, 70},
                                                         {Stage::Backward, {300, 500}, 71},
                                                         {Stage::Optimization, {600, 700}, 7}}));
    EXPECT_EQ(rule, ForwardRule::Modules);
}

TEST_F(StagesTest, LogsOfPaddleHaveTheStagesOfItsEvents)
{
    SmallTrace trace = newTrace();
    trace.format = "Riffle log";
    trace.step(main, 1, 0, 1'000);
    trace.plain(main, "_DataLoaderIterSingleProcess", "Dataloader", 10, 90);
    trace.plain(main, "Sequential", "Forward", 110, 100);
    trace.plain(main, "Linear", "Forward", 120, 50);
    trace.operation(main, "matmul dygraph", 130, 20);
    trace.operation(main, "mean dygraph", 250, 20); // the loss is computed outside a layer
    trace.plain(main, "Gradient Backward", "Backward", 300, 100);
    trace.plain(main, "Gradient Backward", "Backward", 450, 50);
    trace.plain(main, "Optimization Step", "Optimization", 600, 100);
    EXPECT_EQ(stagesOf(trace.seal()), (std::vector<Seen>{{Stage::Dataloader, {10, 100}, 0},
                                                         {Stage::Forward, {110, 210}, 0},
                                                         {Stage::Backward, {300, 400}, 0},
                                                         {Stage::Backward, {450, 500}, 0},
                                                         {Stage::Optimization, {600, 700}, 0}}));
    EXPECT_EQ(rule, ForwardRule::Marked);
}

TEST_F(StagesTest, SeveralBackwardsInAStepStayApart)
{
    SmallTrace trace = newTrace();
    trace.step(main, 1, 0, 1'000);
    for (const Ns at : {0, 300}) {
        trace.operation(main, "DistributedDataParallel.forward", at + 10, 90);
        trace.operation(autograd, "autograd::engine::evaluate_function: A", at + 150, 10);
        trace.operation(autograd, "autograd::engine::evaluate_function: B", at + 170, 10);
    }
    EXPECT_EQ(stagesOf(trace.seal()), (std::vector<Seen>{{Stage::Forward, {10, 100}, 0},
                                                         {Stage::Backward, {150, 180}, 0},
                                                         {Stage::Forward, {310, 400}, 0},
                                                         {Stage::Backward, {450, 480}, 0}}));
    EXPECT_EQ(rule, ForwardRule::Annotated);
}

TEST_F(StagesTest, AStepWithoutStagesIsOthers)
{
    SmallTrace trace = newTrace();
    trace.step(main, 1, 0, 1'000);
    trace.operation(main, "aten::mm", 10, 20);
    EXPECT_EQ(stagesOf(trace.seal()), std::vector<Seen>());
}

TEST_F(StagesTest, TheTableSharesOutTheSteps)
{
    SmallTrace trace = newTrace();
    addStep(trace, 1, 0);
    addStep(trace, 2, 1'000);
    SummaryRequest request;
    request.view = "model";
    const auto table = summarize(SetFacts(setOf(trace.seal())), request, {});
    ASSERT_TRUE(table);
    EXPECT_EQ(table->column("name")->texts,
              (std::vector<std::string>{"ProfileStep", "Dataloader", "Forward", "Backward", "Optimization", "Others"}));
    EXPECT_EQ(table->column("host_total_ns")->integers, (std::vector<int64_t>{2'000, 180, 280, 400, 200, 940}));
    EXPECT_EQ(table->column("device_total_ns")->integers, (std::vector<int64_t>{296, 0, 140, 142, 14, 0}));
    EXPECT_EQ(table->column("calls")->integers, (std::vector<int64_t>{2, 2, 2, 2, 2, kNoInt}));
    EXPECT_EQ(table->depth, (std::vector<uint32_t>{0, 1, 1, 1, 1, 1}));
}

} // namespace
} // namespace riffle
