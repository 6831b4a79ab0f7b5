// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/trace_facts.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

WorkClass classOfSlice(const TraceFacts &facts, const char *name)
{
    return facts.workClasses()->of(test::sliceNamed(facts.trace(), name).value);
}

TEST(SliceWorkClasses, StagesOnThreadsAndKernelsOnStreams)
{
    test::SmallTrace trace;
    const uint32_t main = trace.thread(1), autograd = trace.thread(2), stream = trace.stream(7);
    trace.step(main, 1, 1000, 5000);
    trace.plain(main, "enumerate(DataLoader)#_Iter.__next__", "user_annotation", 1010, 90);
    trace.frame(main, "nn.Module: Net_0", 1200, 600, 1);
    trace.operation(main, "aten::relu", 1300, 100);
    trace.operation(main, "aten::item", 1900, 10);
    trace.operation(autograd, "autograd::engine::evaluate_function: ReluBackward0", 2000, 500);
    trace.operation(autograd, "aten::threshold_backward", 2100, 100);
    trace.plain(main, "Optimizer.step#SGD.step", "user_annotation", 3000, 500);
    trace.operation(main, "aten::add_", 3100, 100);
    trace.deviceStep(stream, 1, 1500, 2000);
    trace.kernel(stream, "ampere_sgemm_128x64_tn", 1500, 100, 1);
    trace.kernel(stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)", 1700, 100, 2);
    trace.plain(stream, "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 1900, 100);
    const TraceFacts facts(trace.seal());
    using enum WorkClass;
    EXPECT_EQ(classOfSlice(facts, "enumerate(DataLoader)#_Iter.__next__"), DataLoading);
    EXPECT_EQ(classOfSlice(facts, "nn.Module: Net_0"), Forward);
    EXPECT_EQ(classOfSlice(facts, "aten::relu"), Forward);
    EXPECT_EQ(classOfSlice(facts, "aten::item"), OtherHost);
    EXPECT_EQ(classOfSlice(facts, "aten::threshold_backward"), Backward);
    EXPECT_EQ(classOfSlice(facts, "aten::add_"), Optimizer);
    EXPECT_EQ(classOfSlice(facts, "ampere_sgemm_128x64_tn"), MatrixProducts);
    EXPECT_EQ(classOfSlice(facts, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)"), Communication);
    EXPECT_EQ(classOfSlice(facts, "Memcpy HtoD (Pageable -> Device)"), Copies);
    for (const WorkClass kind :
         {DataLoading, Forward, OtherHost, Backward, Optimizer, MatrixProducts, Communication, Copies, None})
        EXPECT_TRUE(facts.workClasses()->has(kind)) << workClassTitle(kind);
    EXPECT_FALSE(facts.workClasses()->has(Attention));
}

TEST(SliceWorkClasses, OperatorsAreForwardUpToTheLastBackwardOfTheirStep)
{
    test::SmallTrace trace;
    const uint32_t main = trace.thread(1), autograd = trace.thread(2);
    trace.step(main, 1, 1000, 5000);
    trace.operation(main, "aten::relu", 1300, 100);
    trace.operation(autograd, "autograd::engine::evaluate_function: ReluBackward0", 2000, 500);
    trace.operation(main, "aten::clip", 3000, 100);
    trace.operation(main, "aten::outside", 9000, 100);
    const TraceFacts facts(trace.seal());
    EXPECT_EQ(classOfSlice(facts, "aten::relu"), WorkClass::Forward);
    EXPECT_EQ(classOfSlice(facts, "aten::clip"), WorkClass::OtherHost);
    EXPECT_EQ(classOfSlice(facts, "aten::outside"), WorkClass::OtherHost);
}

TEST(SliceWorkClasses, OtherProgramsHaveNone)
{
    test::SmallTrace trace;
    trace.format = "Chrome JSON";
    trace.plain(trace.thread(1), "Compile", "build", 0, 100);
    const TraceFacts facts(trace.seal());
    EXPECT_TRUE(facts.workClasses()->slices.empty());
    EXPECT_EQ(facts.workClasses()->of(0), WorkClass::None);
}

TEST(SliceWorkClasses, WorkThatNobodyWaitsForEnds)
{
    const TraceFacts facts(test::trainingTrace());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(untilStopped(stop.get_token(), [&] { return facts.workClasses() != nullptr; }));
    EXPECT_NE(facts.workClasses(), nullptr);
}

} // namespace
} // namespace riffle
