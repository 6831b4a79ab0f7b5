// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"
#include "tests/support/paddle_writer.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

constexpr Ns kOrigin = 1'680'000'000'000'123'457;
using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

/// One step of 100 µs on one thread, another thread with an operator, a stream and memory.
std::string paddleRun()
{
    const auto cpp = [](const char *name, const char *category, Ns start, Ns duration, const char *more = "") {
        return paddleSlice(name, category, "C++", kOrigin, start, duration, more);
    };
    const auto device = [](const char *name, const char *category, Ns start, Ns duration, int correlation) {
        std::string text = paddleSlice(name, category, "", kOrigin, start, duration,
                                       fmt::format(R"(,"stream":13,"correlation id":{})", correlation).c_str());
        constexpr std::string_view kHost = R"~("pid":9,"tid":"9()")~";
        return text.replace(text.find(kHost), kHost.size(), R"("pid":0,"tid":13)");
    };
    const auto memory = [](Ns time, const char *category, int64_t bytes, int64_t allocated, int64_t peak) {
        return fmt::format(
            R"~({{"name":"[memory]","pid":9,"tid":"9(C++)","ts":{},"ph":"i","cat":"{}","args":{{"place":"Place(gpu:0)","addr":"1",)~"
            R"("increase_bytes":{},"current_allocated":{},"current_reserved":4096,"peak_allocated":{},"peak_reserved":8192}}}},)",
            (kOrigin + time) / 1000, category, bytes, allocated, peak);
    };
    return paddleDocument(
        paddleSlice("ProfileStep#1", "ProfileStep", "Python", kOrigin, 0, 100'000) +
        paddleSlice("Sequential", "Forward", "Python", kOrigin, 10'000, 40'000) +
        paddleSlice("mine", "PythonUserDefined", "Python", kOrigin, 60'000, 20'000) +
        cpp("matmul dygraph", "Operator", 12'000, 20'000) + cpp("matmul infer_meta", "OperatorInner", 13'000, 1'000) +
        cpp("matmul compute", "OperatorInner", 15'000, 10'000) +
        cpp("cudaLaunchKernel", "CudaRuntime", 16'000, 500, R"(,"correlation id":1)") +
        cpp("matmul dygraph", "Operator", 35'000, 10'000) +
        cpp("cudaLaunchKernel", "CudaRuntime", 36'000, 500, R"(,"correlation id":2)") +
        cpp("c_allreduce_sum", "Operator", 62'000, 10'000) +
        cpp("cudaLaunchKernel", "CudaRuntime", 63'000, 500, R"(,"correlation id":3)") +
        cpp("MemcpyH2D", "UserDefined", 85'000, 2'000) +
        cpp("cudaMemcpyAsync", "CudaRuntime", 85'500, 500, R"(,"correlation id":4)") +
        device("gemm", "Kernel", 17'000, 30'000, 1) + device("gemm", "Kernel", 50'000, 20'000, 2) +
        device("ncclKernel_AllReduce", "Kernel", 72'000, 15'000, 3) +
        device("MEMCPY_HtoD", "Memcpy", 90'000, 5'000, 4) + memory(16'600, "Allocate", 256, 512, 600) +
        memory(14'200, "ReservedAllocate", 4096, 512, 600) + memory(90'600, "Free", -100, 412, 777));
}

class PaddleTables : public testing::Test {
protected:
    ResultTable answer(const char *view, const char *groupBy = "")
    {
        if (m_facts.size() == 0) {
            const auto trace = importText(paddleRun());
            EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
            if (!trace)
                return {};
            m_facts = SetFacts(setOf(*trace));
        }
        SummaryRequest request;
        request.view = view;
        request.groupBy = groupBy;
        auto table = summarize(m_facts, request, {});
        EXPECT_TRUE(table);
        return table ? *table : ResultTable{};
    }
    SetFacts m_facts;
};

TEST_F(PaddleTables, OperatorsWithWhatIsInside)
{
    const ResultTable table = answer("operator-tree");
    EXPECT_EQ(table.column("name")->texts, (Texts{"matmul dygraph", "matmul infer_meta", "matmul compute", "gemm",
                                                  "gemm", "c_allreduce_sum", "ncclKernel_AllReduce"}));
    EXPECT_EQ(table.depth, (std::vector<uint32_t>{0, 1, 1, 2, 1, 0, 1}));
    EXPECT_EQ(table.column("calls")->integers, (Numbers{2, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(table.column("host_total_ns")->integers,
              (Numbers{30'000, 1'000, 10'000, kNoInt, kNoInt, 10'000, kNoInt}));
    EXPECT_EQ(table.column("host_max_ns")->integers, (Numbers{20'000, 1'000, 10'000, kNoInt, kNoInt, 10'000, kNoInt}));
    EXPECT_EQ(table.column("device_total_ns")->integers, (Numbers{50'000, 0, 30'000, 30'000, 20'000, 15'000, 15'000}));
    EXPECT_EQ(table.column("device_min_ns")->integers, (Numbers{20'000, 0, 30'000, 30'000, 20'000, 15'000, 15'000}));
    EXPECT_DOUBLE_EQ(table.column("host_share")->numbers[0], 0.75);
    EXPECT_DOUBLE_EQ(table.column("host_share")->numbers[2], 10.0 / 30);
    EXPECT_DOUBLE_EQ(table.column("device_share")->numbers[3], 1);
    EXPECT_DOUBLE_EQ(table.column("device_share")->numbers[4], 0.4);
}

TEST_F(PaddleTables, ThreadsStayApartWhereThatIsAsked)
{
    SmallTrace trace;
    const uint32_t one = trace.thread(1, "one"), two = trace.thread(2, "two");
    trace.operation(one, "aten::mm", 0, 100);
    trace.operation(one, "aten::copy_", 10, 20);
    trace.operation(two, "aten::mm", 0, 30);
    m_facts = SetFacts(setOf(trace.seal()));
    const ResultTable merged = answer("operator-tree"), apart = answer("operator-tree", "thread");
    EXPECT_EQ(merged.column("name")->texts, (Texts{"aten::mm", "aten::copy_"}));
    EXPECT_EQ(merged.column("host_total_ns")->integers, (Numbers{130, 20}));
    EXPECT_EQ(apart.column("name")->texts, (Texts{"aten::mm", "aten::copy_", "aten::mm"}));
    EXPECT_EQ(apart.column("host_total_ns")->integers, (Numbers{100, 20, 30}));
    EXPECT_NE(apart.column("thread")->texts.front(), apart.column("thread")->texts.back());
    EXPECT_DOUBLE_EQ(apart.column("host_share")->numbers[2], 1) << "share of its thread";
}

TEST_F(PaddleTables, TypesOfEventsAreMerged)
{
    const ResultTable table = answer("event-types");
    EXPECT_EQ(table.column("event_type")->texts,
              (Texts{"ProfileStep", "Operator", "Forward", "PythonUserDefined", "OperatorInner", "Communication",
                     "UserDefined", "CudaRuntime", "Kernel", "Memcpy", "Communication"}));
    EXPECT_EQ(table.column("time_ns")->integers,
              (Numbers{100'000, 40'000, 40'000, 20'000, 11'000, 10'000, 2'000, 2'000, 65'000, 5'000, 15'000}));
    EXPECT_EQ(table.column("calls")->integers, (Numbers{1, 3, 1, 1, 2, 1, 1, 4, 3, 1, 1}));
    EXPECT_DOUBLE_EQ(table.column("share")->numbers[8], 0.65);
}

TEST_F(PaddleTables, SharesOfTheStepsCountWhatHappensInThem)
{
    // Steps are at 1000..2000 and 3000..4000. Kernels run at 900..1200, 1900..3100 and 3900..9000, of which 200 + 200 +
    // 100 of 2000 are inside the steps.
    SmallTrace trace;
    const uint32_t main = trace.thread(1), gpu = trace.stream(7);
    trace.step(main, 0, 1'000, 1'000);
    trace.step(main, 1, 3'000, 1'000);
    trace.operation(main, "aten::mm", 500, 400);
    trace.launch(main, 600, 10, 1);
    trace.kernel(gpu, "gemm", 900, 300, 1);
    trace.operation(main, "aten::mm", 1'100, 200);
    trace.launch(main, 1'120, 20, 2);
    trace.kernel(gpu, "gemm", 1'900, 1'200, 2);
    trace.launch(main, 3'500, 20, 3);
    trace.kernel(gpu, "gemm", 3'900, 5'100, 3);
    trace.plain(main, "mine", "user_annotation", 200, 4'200);
    m_facts = SetFacts(setOf(trace.seal()));
    const ResultTable types = answer("event-types"), parts = answer("distribution"), devices = answer("device"),
                      ranges = answer("user-defined");
    EXPECT_EQ(types.column("event_type")->texts,
              (Texts{"ProfileStep", "UserDefined", "Operator", "CudaRuntime", "Kernel"}));
    EXPECT_EQ(types.column("calls")->integers, (Numbers{2, 0, 1, 2, 2}));
    EXPECT_EQ(types.column("time_ns")->integers, (Numbers{2'000, 2'000, 200, 40, 500}));
    EXPECT_EQ(types.column("share")->numbers, (std::vector<double>{1, 1, 0.1, 0.02, 0.25}));
    EXPECT_EQ(parts.column("total_ns")->integers, (Numbers{2'000, 0, 500, 0}));
    EXPECT_DOUBLE_EQ(parts.column("share")->numbers[2], 0.25);
    EXPECT_EQ(devices.column("busy_ns")->integers[2], 500);
    EXPECT_DOUBLE_EQ(devices.column("utilization")->numbers[2], 0.25);
    EXPECT_EQ(ranges.column("host_total_ns")->integers[0], 4'200);
    EXPECT_DOUBLE_EQ(ranges.column("host_share")->numbers[0], 1) << "it covers both steps";
}

TEST_F(PaddleTables, NoShareIsAboveAll)
{
    // Two threads run the range at 10..90 and 30..100 of a step of 100. On the first thread it is inside itself, and
    // the inner call launches one of two kernels of 50.
    SmallTrace trace;
    const uint32_t first = trace.thread(2), gpu = trace.stream(7);
    trace.step(trace.thread(1), 0, 0, 100);
    trace.plain(first, "mine", "user_annotation", 10, 80);
    trace.plain(first, "mine", "user_annotation", 20, 50);
    trace.plain(trace.thread(3), "mine", "user_annotation", 30, 70);
    trace.launch(first, 30, 5, 1);
    trace.kernel(gpu, "gemm", 200, 50, 1);
    trace.launch(first, 95, 5, 2);
    trace.kernel(gpu, "gemm", 300, 50, 2);
    m_facts = SetFacts(setOf(trace.seal()));
    const ResultTable ranges = answer("user-defined");
    EXPECT_EQ(ranges.column("host_total_ns")->integers, Numbers{200});
    EXPECT_EQ(ranges.column("device_total_ns")->integers, Numbers{100});
    EXPECT_DOUBLE_EQ(ranges.column("host_share")->numbers[0], 0.9);
    EXPECT_DOUBLE_EQ(ranges.column("device_share")->numbers[0], 0.5);
}

TEST_F(PaddleTables, StagesOnSeveralThreadsShareTheStep)
{
    // Two threads load batches at 0..60 and 20..90 of a step of 100.
    SmallTrace trace;
    trace.step(trace.thread(1), 0, 0, 100);
    trace.plain(trace.thread(2), "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", 0,
                60);
    trace.plain(trace.thread(3), "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", 20,
                70);
    m_facts = SetFacts(setOf(trace.seal()));
    const ResultTable stages = answer("model"), types = answer("event-types");
    EXPECT_EQ(stages.column("name")->texts, (Texts{"ProfileStep", "Dataloader", "Others"}));
    EXPECT_EQ(stages.column("host_total_ns")->integers, (Numbers{100, 130, 10}));
    EXPECT_EQ(stages.column("host_share")->numbers, (std::vector<double>{1, 0.9, 0.1}));
    ASSERT_EQ(types.column("event_type")->texts[1], "Dataloader");
    EXPECT_EQ(types.column("time_ns")->integers[1], 130);
    EXPECT_DOUBLE_EQ(types.column("share")->numbers[1], 0.9);
}

TEST_F(PaddleTables, CommunicationOfBothSidesAgainstComputation)
{
    // Communication: 62..72 on the host, 72..87 on the device; computation 17..47 and 50..70.
    const ResultTable table = answer("distribution");
    EXPECT_EQ(table.column("total_ns")->integers, (Numbers{100'000, 25'000, 50'000, 8'000}));
}

TEST_F(PaddleTables, RangesOfTheProgramAndThoseThatMoveMemory)
{
    const ResultTable own = answer("user-defined"), moving = answer("user-defined", "memory");
    EXPECT_EQ(own.column("name")->texts, Texts{"mine"});
    EXPECT_EQ(own.column("device_total_ns")->integers, Numbers{15'000});
    EXPECT_DOUBLE_EQ(own.column("host_share")->numbers[0], 0.2);
    EXPECT_DOUBLE_EQ(own.column("device_share")->numbers[0], 15.0 / 70);
    EXPECT_EQ(moving.column("name")->texts, Texts{"MemcpyH2D"});
    EXPECT_EQ(moving.column("device_total_ns")->integers, Numbers{5'000});
}

TEST_F(PaddleTables, MemoryByDeviceAndOperator)
{
    // Memory of inner parts counts for their operator only; memory that is freed in no operator counts for the step.
    const ResultTable table = answer("memory");
    EXPECT_EQ(table.column("name")->texts,
              (Texts{"GPU0", "matmul dygraph", "ProfileStep#1", "GPU0", "matmul dygraph"}));
    EXPECT_EQ(table.column("type")->texts, (Texts{"Allocated", "Allocated", "Allocated", "Reserved", "Reserved"}));
    EXPECT_EQ(table.column("increase_bytes")->integers, (Numbers{156, 256, -100, 4096, 4096}));
    EXPECT_EQ(table.column("frees")->integers, (Numbers{1, 0, 1, 0, 0}));
    EXPECT_EQ(table.column("peak_allocated_bytes")->integers[0], 777);
    EXPECT_EQ(table.column("peak_reserved_bytes")->integers[0], 8192);
}

TEST_F(PaddleTables, DevicesAreBusyWhileKernelsRun)
{
    const ResultTable table = answer("device");
    EXPECT_EQ(table.column("device")->texts, (Texts{"CPU(Process)", "CPU(System)", "GPU0"}));
    EXPECT_DOUBLE_EQ(table.column("utilization")->numbers[0], 0.25) << "as Paddle measured it";
    EXPECT_TRUE(table.column("utilization")->absent(1)) << "it was not recorded";
    EXPECT_DOUBLE_EQ(table.column("utilization")->numbers[2], 0.65);
}

} // namespace
} // namespace riffle
