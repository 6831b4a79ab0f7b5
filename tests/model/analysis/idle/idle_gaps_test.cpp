// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/summary/figures.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <random>

namespace riffle {
namespace {

using test::SmallTrace;

/// The cause of the gap in one step [0, 1000) with a kernel at [0, 100) and one at 500, which is launched at
/// `launched`. `host` adds what the thread does in between.
IdleCause causeOf(Ns launched, const std::function<void(SmallTrace &, uint32_t)> &host)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    const uint32_t gpu = trace.stream(7);
    trace.step(main, 0, 0, 1000);
    trace.launch(main, 0, 10, 1);
    trace.kernel(gpu, "first", 0, 100, 1);
    host(trace, main);
    trace.launch(main, launched, 10, 2);
    trace.kernel(gpu, "second", 500, 500, 2);
    const TraceFacts facts(trace.seal());
    const std::vector<DeviceIdle> idle = idleGaps(Scope(facts, {}));
    EXPECT_EQ(idle.size(), 1u);
    EXPECT_EQ(idle[0].gaps.size(), 1u);
    EXPECT_EQ(idle[0].gaps[0].span, (TimeSpan{100, 500}));
    EXPECT_EQ(idle[0].total(), 400);
    return idle[0].gaps[0].cause;
}

TEST(IdleGaps, WhatTheLaunchingThreadDidLongest)
{
    const auto nothing = [](SmallTrace &, uint32_t) {};
    EXPECT_EQ(causeOf(480, nothing), IdleCause::NothingRecorded);
    EXPECT_EQ(causeOf(100, nothing), IdleCause::Runtime) << "launched at the start of the gap";
    EXPECT_EQ(causeOf(50, nothing), IdleCause::LaunchLatency);
    EXPECT_EQ(causeOf(480, [](SmallTrace &trace, uint32_t main) { trace.operation(main, "aten::add", 100, 300); }),
              IdleCause::HostCode);
    EXPECT_EQ(causeOf(480, [](SmallTrace &trace, uint32_t main) { trace.frame(main, "x.py(1): f", 20, 350); }),
              IdleCause::HostCode);
    EXPECT_EQ(causeOf(480,
                      [](SmallTrace &trace, uint32_t main) {
                          trace.operation(main, "aten::item", 100, 300);
                          trace.plain(main, "cudaStreamSynchronize", "cuda_runtime", 110, 250);
                      }),
              IdleCause::Synchronisation);
    EXPECT_EQ(causeOf(480, [](SmallTrace &trace,
                              uint32_t main) { trace.plain(main, "cudaMalloc", "cuda_runtime", 100, 300); }),
              IdleCause::Runtime);
    EXPECT_EQ(causeOf(480,
                      [](SmallTrace &trace, uint32_t main) {
                          trace.plain(main, "enumerate(DataLoader)#_Single.__next__", "user_annotation", 100, 250);
                          trace.operation(main, "aten::stack", 110, 200);
                      }),
              IdleCause::Dataloader)
        << "data loading covers what is inside it";
    EXPECT_EQ(causeOf(480, [](SmallTrace &trace, uint32_t main) { trace.operation(main, "aten::add", 100, 150); }),
              IdleCause::NothingRecorded)
        << "150 ns of operators against 230 ns of nothing";
}

TEST(IdleGaps, WithoutALaunchOrASuccessorTheCauseIsUnknown)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    const uint32_t gpu = trace.stream(7);
    trace.step(main, 0, 0, 1000);
    trace.kernel(gpu, "first", 0, 100, 1);
    trace.kernel(gpu, "second", 300, 100, 2);
    const TraceFacts facts(trace.seal());
    const std::vector<DeviceIdle> idle = idleGaps(Scope(facts, {}));
    ASSERT_EQ(idle[0].gaps.size(), 2u);
    EXPECT_EQ(idle[0].sums[size_t(IdleCause::Unknown)], 800);
    EXPECT_EQ(idle[0].gaps[1].next, DeviceWork::kNone);
}

TEST(IdleGaps, PartOfAGapHasTheCauseOfTheWholeGap)
{
    SmallTrace trace;
    const uint32_t main = trace.thread(1);
    const uint32_t gpu = trace.stream(7);
    trace.step(main, 0, 0, 700);
    trace.launch(main, 0, 10, 1);
    trace.kernel(gpu, "first", 0, 100, 1);
    trace.plain(main, "enumerate(DataLoader)#_Single.__next__", "user_annotation", 100, 250);
    trace.operation(main, "aten::add", 350, 100);
    trace.launch(main, 480, 10, 2);
    trace.kernel(gpu, "second", 500, 100, 2);
    trace.launch(main, 690, 10, 3);
    trace.kernel(gpu, "after the step", 900, 100, 3);
    const TraceFacts facts(trace.seal());
    const std::vector<DeviceIdle> whole = idleGaps(Scope(facts, {}));
    ASSERT_EQ(whole[0].gaps.size(), 2u);
    EXPECT_EQ(whole[0].gaps[0].cause, IdleCause::Dataloader);
    EXPECT_EQ(whole[0].gaps[1].span, (TimeSpan{600, 700}));
    EXPECT_EQ(whole[0].gaps[1].cause, IdleCause::Unknown) << "the next work starts after the last step";
    for (const TimeSpan range : {TimeSpan{100, 200}, TimeSpan{360, 440}, TimeSpan{490, 500}, TimeSpan{50, 150}}) {
        ScopeRequest part;
        part.range = range;
        part.wholeGaps = true;
        const std::vector<DeviceIdle> idle = idleGaps(Scope(facts, part));
        ASSERT_EQ(idle[0].gaps.size(), 1u) << range.begin;
        EXPECT_EQ(idle[0].gaps[0].span, range.clipped(TimeSpan{100, 500}));
        EXPECT_EQ(idle[0].gaps[0].cause, IdleCause::Dataloader) << range.begin;
        EXPECT_EQ(idle[0].gaps[0].next, whole[0].gaps[0].next);
    }
}

TEST(IdleGaps, CausesAndBusyTimeMakeUpAnyWindow)
{
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
        SmallTrace trace;
        const uint32_t main = trace.thread(1);
        const uint32_t streams[] = {trace.stream(7), trace.stream(8)};
        for (int64_t id = 1; id < 40; ++id) {
            const Ns at = static_cast<Ns>(random() % 10'000);
            if (random() % 4)
                trace.launch(main, at + static_cast<Ns>(id), static_cast<Ns>(random() % 30), id);
            trace.kernel(streams[random() % 2], random() % 5 ? "gemm" : "ncclKernel",
                         at + static_cast<Ns>(random() % 300), static_cast<Ns>(random() % 200), id);
        }
        const TraceFacts facts(trace.seal());
        ScopeRequest part;
        part.range = TimeSpan{static_cast<Ns>(random() % 5000), 5000 + static_cast<Ns>(random() % 5000)};
        for (const ScopeRequest &request : {ScopeRequest{}, part}) {
            const Scope scope(facts, request);
            for (const DeviceFigures &figures : deviceFigures(scope)) {
                EXPECT_EQ(figures.idle.total() + figures.busyTime, figures.window);
                EXPECT_EQ(figures.overlap + figures.exposedCommunication, figures.communication);
                EXPECT_LE(figures.kernelTime, figures.busyTime);
            }
            const TimeSpan window{scope.window().intervals().front().begin, scope.window().intervals().back().end};
            const Breakdown parts = breakdownOf(facts, window);
            Ns sum = 0;
            for (const Ns part_ : parts)
                sum += part_;
            EXPECT_EQ(sum, window.duration());
        }
    }
}

} // namespace
} // namespace riffle
