// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/critical_path/critical_path.h"
#include "model/analysis/summary/summary.h"
#include "model/base/parallel.h"
#include "tests/model/analysis/simulated_run.h"
#include "tests/model/analysis/small_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace riffle {
namespace {

using test::KinetoText;
using test::SimulatedRun;
using Action = SimulatedRun::Action;

/// Expects that the segments cover the window without gap or overlap, and that the sums are those of the segments.
void expectWhole(const CriticalPath &path)
{
    Ns at = path.window.begin, sum = 0;
    for (const PathSegment &segment : path.segments) {
        EXPECT_EQ(segment.span.begin, at);
        EXPECT_GT(segment.span.duration(), 0);
        at = segment.span.end;
    }
    EXPECT_EQ(at, path.window.end);
    for (const Ns part : path.sums)
        sum += part;
    EXPECT_EQ(sum, path.window.duration());
}

CriticalPath pathOf(const std::shared_ptr<const Trace> &trace, const ScopeRequest &request = {})
{
    const TraceFacts facts(trace);
    const CriticalPath path = criticalPathOfStep(Scope(facts, request), 0);
    expectWhole(path);
    return path;
}

std::vector<std::pair<PathKind, Ns>> partsOf(const CriticalPath &path)
{
    std::vector<std::pair<PathKind, Ns>> parts;
    for (const PathSegment &segment : path.segments)
        parts.emplace_back(segment.kind, segment.span.duration());
    return parts;
}

using Parts = std::vector<std::pair<PathKind, Ns>>;

TEST(CriticalPath, HostBound)
{
    KinetoText out;
    out.step(0, 0, 100'000);
    out.host("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 20'000);
    out.operation("aten::mm", 20'000, 30'000);
    out.kernel("gemm", 7, 35'000, 10'000, 30'000, 5'000);
    out.operation("aten::add", 60'000, 40'000);
    EXPECT_EQ(partsOf(pathOf(out.trace())), (Parts{{PathKind::DataLoading, 20'000},
                                                   {PathKind::Cpu, 10'000},
                                                   {PathKind::Runtime, 5'000},
                                                   {PathKind::Cpu, 15'000},
                                                   {PathKind::NothingRecorded, 10'000},
                                                   {PathKind::Cpu, 40'000}}));
}

TEST(CriticalPath, DeviceBound)
{
    KinetoText out;
    out.step(0, 0, 30'000);
    out.operation("aten::mm", 0, 30'000);
    out.kernel("gemm", 7, 14'000, 40'000, 10'000, 2'000);
    out.kernel("gemm", 7, 55'000, 45'000, 15'000, 2'000);
    const CriticalPath path = pathOf(out.trace());
    EXPECT_EQ(path.window, (TimeSpan{0, 100'000}));
    EXPECT_EQ(partsOf(path), (Parts{{PathKind::Cpu, 10'000},
                                    {PathKind::LaunchOverhead, 4'000},
                                    {PathKind::Compute, 40'000},
                                    {PathKind::KernelDelay, 1'000},
                                    {PathKind::Compute, 45'000}}));
}

TEST(CriticalPath, SynchronisationBound)
{
    KinetoText out;
    out.step(0, 0, 100'000);
    out.operation("aten::mm", 0, 20'000);
    out.kernel("gemm", 7, 14'000, 50'000, 10'000, 2'000);
    out.call("cudaDeviceSynchronize", 25'000, 42'000, 99);
    out.operation("aten::add", 70'000, 30'000);
    EXPECT_EQ(partsOf(pathOf(out.trace())), (Parts{{PathKind::Cpu, 10'000},
                                                   {PathKind::LaunchOverhead, 4'000},
                                                   {PathKind::Compute, 50'000},
                                                   {PathKind::Synchronisation, 3'000},
                                                   {PathKind::NothingRecorded, 3'000},
                                                   {PathKind::Cpu, 30'000}}));
}

TEST(CriticalPath, ACopyThatBlocksIsWaitedFor)
{
    KinetoText out;
    out.step(0, 0, 50'000);
    out.operation("aten::copy_", 0, 50'000);
    out.work("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 7, 20'000, 15'000, 10'000, 30'000);
    EXPECT_EQ(partsOf(pathOf(out.trace())), (Parts{{PathKind::Cpu, 10'000},
                                                   {PathKind::LaunchOverhead, 10'000},
                                                   {PathKind::Memcpy, 15'000},
                                                   {PathKind::Synchronisation, 5'000},
                                                   {PathKind::Cpu, 10'000}}));
}

/// Two streams: the optimizer's kernel waits for a collective on the other stream; the wait is recorded or not.
TEST(CriticalPath, CommunicationBoundAcrossStreams)
{
    for (const bool recorded : {true, false}) {
        KinetoText out;
        out.step(0, 0, 20'000);
        out.operation("aten::mm", 0, 20'000);
        out.kernel("gemm", 7, 6'000, 10'000, 2'000, 1'000);
        out.kernel("ncclDevKernel_AllReduce", 20, 9'000, 60'000, 5'000, 1'000);
        if (recorded) {
            out.call("cudaEventRecord", 7'000, 500, 500);
            out.slice(
                "cuda_sync", "Stream Wait Event", 0, 7, 8'000, 1,
                R"("cuda_sync_kind":"Stream Wait Event","stream":7,"correlation":501,"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":500)");
        }
        out.kernel("adam", 7, 71'000, 9'000, 10'000, 1'000);
        const CriticalPath path = pathOf(out.trace());
        EXPECT_EQ(partsOf(path), (Parts{{PathKind::Cpu, 2'000},
                                        {PathKind::Runtime, 1'000},
                                        {PathKind::Cpu, 2'000},
                                        {PathKind::LaunchOverhead, 4'000},
                                        {PathKind::Communication, 60'000},
                                        {PathKind::KernelDelay, 2'000},
                                        {PathKind::Compute, 9'000}}));
        EXPECT_EQ(path.inferred, recorded ? 0u : 1u);
    }
}

/// backward() runs on its own thread while the main thread is in a frame.
TEST(CriticalPath, GoesOverToTheThreadThatIsWaitedFor)
{
    KinetoText out;
    out.step(0, 0, 100'000);
    out.operation("aten::mm", 0, 10'000);
    out.host("python_function", "<built-in method run_backward>", 12'000, 70'000);
    out.operation("MmBackward0", 15'000, 60'000, 200);
    out.operation("aten::add_", 85'000, 15'000);
    // A watchdog polls without effect.
    out.call("cudaEventQuery", 83'000, 500, 0, 300);
    const CriticalPath path = pathOf(out.trace());
    EXPECT_EQ(partsOf(path), (Parts{{PathKind::Cpu, 10'000},
                                    {PathKind::NothingRecorded, 5'000},
                                    {PathKind::Cpu, 60'000},
                                    {PathKind::Cpu, 7'000},
                                    {PathKind::NothingRecorded, 3'000},
                                    {PathKind::Cpu, 15'000}}));
}

TEST(CriticalPath, WorkOfTheStepBeforeHoldsTheFirstUp)
{
    KinetoText out;
    out.step(0, 0, 10'000);
    out.kernel("early", 7, 5'000, 35'000, 2'000, 1'000);
    out.step(1, 10'000, 10'000);
    out.kernel("late", 7, 41'000, 20'000, 12'000, 1'000);
    const TraceFacts facts(out.trace());
    const CriticalPath path = criticalPathOfStep(Scope(facts, {}), 1);
    expectWhole(path);
    EXPECT_EQ(partsOf(path),
              (Parts{{PathKind::Compute, 30'000}, {PathKind::KernelDelay, 1'000}, {PathKind::Compute, 20'000}}));
}

TEST(CriticalPath, AWindowEndsWithWhatRunsThere)
{
    KinetoText out;
    out.operation("aten::mm", 0, 50'000);
    out.kernel("gemm", 7, 14'000, 80'000, 10'000, 2'000);
    const TraceFacts facts(out.trace());
    const Scope scope(facts, {});
    const CriticalPath path = criticalPathOf(scope, {5'000, 60'000});
    expectWhole(path);
    EXPECT_EQ(partsOf(path),
              (Parts{{PathKind::Cpu, 5'000}, {PathKind::LaunchOverhead, 4'000}, {PathKind::Compute, 46'000}}));
}

/// A thread with so many slices that it is cut in parts.
TEST(CriticalPath, OfALongWindowDoesNotDependOnTheWorkers)
{
    constexpr Ns kOperations = 200'000;
    test::SmallTrace small;
    const uint32_t lane = small.thread(10);
    for (Ns at = 0; at < kOperations; ++at)
        small.operation(lane, "aten::mm", at * 100, 60);
    const TraceFacts facts(small.seal());
    const Scope scope(facts, {});
    for (const unsigned workers : {1u, 2u, 5u}) {
        setWorkerCount(workers);
        const CriticalPath path = criticalPathOf(scope, facts.trace().span);
        setWorkerCount(0);
        expectWhole(path);
        EXPECT_EQ(path.segments.size(), 2 * kOperations - 1);
        EXPECT_EQ(path.sums[static_cast<size_t>(PathKind::Cpu)], kOperations * 60);
        EXPECT_EQ(path.sums[static_cast<size_t>(PathKind::NothingRecorded)], (kOperations - 1) * 40);
    }
}

std::vector<Action> randomActions(std::mt19937 &random)
{
    const auto upTo = [&](Ns most) { return static_cast<Ns>(1 + random() % static_cast<uint32_t>(most)); };
    std::vector<Action> actions;
    const size_t count = 5 + random() % 40;
    const int streams = 1 + static_cast<int>(random() % 3);
    for (size_t at = 0; at < count; ++at) {
        Action action;
        action.stream = 7 + static_cast<int>(random() % static_cast<uint32_t>(streams));
        action.other = 7 + static_cast<int>(random() % static_cast<uint32_t>(streams));
        const uint32_t choice = random() % 20;
        action.kind = choice < 6    ? Action::Compute
                      : choice < 7  ? Action::Idle
                      : choice < 16 ? Action::Launch
                      : choice < 18 ? Action::StreamWait
                      : choice < 19 ? Action::SyncStream
                                    : Action::SyncDevice;
        action.host = 1'000 + upTo(action.kind == Action::Launch ? 4'000 : 40'000);
        action.device = 1'000 + upTo(random() % 2 ? 8'000 : 90'000);
        actions.push_back(action);
    }
    return actions;
}

/// An action is on the critical path if and only if everything ends earlier when the action is shorter.
TEST(CriticalPath, IsWhatShorteningShortens)
{
    std::mt19937 random(20'240'611);
    size_t onPath = 0, offPath = 0;
    for (int round = 0; round < 150; ++round) {
        SimulatedRun run;
        run.actions = randomActions(random);
        KinetoText out;
        const SimulatedRun::Result result = run.run(&out);
        const auto trace = out.trace();
        const CriticalPath path = pathOf(trace);
        ASSERT_EQ(path.window, (TimeSpan{SimulatedRun::kBegin, result.end}));
        EXPECT_EQ(path.inferred, 0u);
        std::set<std::string> kernels; // on the path
        std::set<Ns> calls;            // starts of operators and calls that take time on the path
        for (const PathSegment &segment : path.segments) {
            if (segment.kind == PathKind::Compute)
                kernels.emplace(trace->string(trace->slice(segment.slice.slice).value().data.name));
            else if (segment.kind == PathKind::Cpu || segment.kind == PathKind::Runtime)
                calls.insert(trace->slice(segment.slice.slice).value().data.start);
        }
        for (size_t at = 0; at < run.actions.size(); ++at) {
            const Action::Kind kind = run.actions[at].kind;
            for (const bool device : {false, true}) {
                if (kind != Action::Launch && (device || kind != Action::Compute))
                    continue;
                SimulatedRun shorter = run;
                (device ? shorter.actions[at].device : shorter.actions[at].host) -= 1;
                const bool matters = shorter.run().end < result.end;
                const bool isOn = device ? kernels.contains("kernel_" + std::to_string(at))
                                         : calls.contains(result.ran[at].hostStart);
                EXPECT_EQ(isOn, matters) << "round " << round << ", action " << at << (device ? " on the device" : "");
                ++(matters ? onPath : offPath);
            }
        }
    }
    EXPECT_GT(onPath, 1'000u);
    EXPECT_GT(offPath, 1'000u);
}

TEST(CriticalPath, TheTableSumsToThePath)
{
    std::mt19937 random(7);
    SimulatedRun run;
    run.actions = randomActions(random);
    KinetoText out;
    run.run(&out);
    TraceSet set;
    set.add(out.trace(), TimeMap());
    const SetFacts facts(set);
    for (const char *grouping : {"bound-by", "segments"}) {
        SummaryRequest request;
        request.view = "critical-path";
        request.groupBy = grouping;
        const auto table = summarize(facts, request, {});
        ASSERT_TRUE(table);
        ASSERT_GT(table->rows(), 0u);
        Ns sum = 0;
        double share = 0;
        for (size_t row = 0; row < table->rows(); ++row) {
            sum += table->column("time_ns")->integers[row];
            share += table->column("share")->numbers[row];
        }
        EXPECT_EQ(sum, run.run().end - SimulatedRun::kBegin);
        EXPECT_NEAR(share, 1, 1e-9);
        EXPECT_EQ(table->evidence.size(), table->rows());
    }
}

/// With several steps, the longest one after the first is examined.
TEST(CriticalPath, OfSeveralStepsTheLongestAfterTheFirst)
{
    KinetoText out;
    Ns at = 0;
    for (const Ns length : {90'000, 20'000, 40'000, 30'000}) {
        out.step(static_cast<int>(at / 10'000), at, length);
        out.operation("aten::mm", at, length);
        at += length;
    }
    TraceSet set;
    set.add(out.trace(), TimeMap());
    const SetFacts facts(set);
    SummaryRequest request;
    request.view = "critical-path";
    EXPECT_EQ(summarize(facts, request, {})->column("step")->integers, (std::vector<int64_t>{11}));
    request.scope.stepNumbers = {0, 9};
    EXPECT_EQ(summarize(facts, request, {})->column("step")->integers, (std::vector<int64_t>{0, 9}));
}

} // namespace
} // namespace riffle
