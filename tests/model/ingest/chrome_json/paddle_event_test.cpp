// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/paddle_event.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"
#include "tests/support/paddle_writer.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

TEST(PaddleEvent, NamesLoseTheDurationAndNothingElse)
{
    EXPECT_EQ(paddleName("matmul[1.234 ms]"), "matmul");
    EXPECT_EQ(paddleName("matmul dygraph[20.921 us]"), "matmul dygraph");
    EXPECT_EQ(paddleName("a[0][12.000 ns]"), "a[0]");
    EXPECT_EQ(paddleName("long[1.5 s]"), "long");
    for (const char *whole : {"matmul", "a[0]", "a[1.5 x]", "a[fast ms]", "[1.0 ms] a", "a[1.0ms]", ""})
        EXPECT_EQ(paddleName(whole), whole);
}

TEST(PaddleEvent, ThreadsPlacesAndTimes)
{
    EXPECT_EQ(paddleThread("123(Python)"), "123");
    EXPECT_EQ(paddleThread("123(C++)"), "123");
    for (const char *whole : {"123", "worker(Python)", "123(Java)", "(C++)", ""})
        EXPECT_EQ(paddleThread(whole), whole);
    EXPECT_EQ(paddleThreadName("thread 123:MainThread(C++)"), "thread 123:MainThread");
    EXPECT_EQ(paddleThreadName("thread 123 (Python)"), "thread 123 (Python)");
    EXPECT_EQ(paddleTime("12.345 us"), 12'345);
    EXPECT_EQ(paddleTime("12.345"), std::nullopt);
    const auto gpu = paddlePlace("Place(gpu:3)"), cpu = paddlePlace("Place(cpu)");
    ASSERT_TRUE(gpu && cpu);
    EXPECT_EQ(gpu->deviceType, 1);
    EXPECT_EQ(gpu->deviceId, 3);
    EXPECT_EQ(cpu->deviceType, 0);
    EXPECT_EQ(cpu->deviceId, -1);
    for (const char *other : {"Place(gpu:x)", "Place(gpu_pinned)", "gpu:0", "Place(", ""})
        EXPECT_FALSE(paddlePlace(other)) << other;
}

class PaddleImport : public testing::Test {
protected:
    std::shared_ptr<const Trace> import(const std::string &text)
    {
        const auto trace = importText(text);
        EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
        return trace ? *trace : nullptr;
    }
    Slice named(const Trace &trace, const char *name) { return trace.slice(sliceNamed(trace, name)).value_or(Slice{}); }
};

TEST_F(PaddleImport, StartsAreWhatTheyWereBeforeTheyWereCutOff)
{
    // The child ends with its parent, to the nanosecond. With the cut-off time, it would reach 998 ns over the end.
    const Ns origin = 1'795'300'867'000'000'001;
    const auto trace = import(paddleDocument(paddleSlice("step", "ProfileStep", "Python", origin, 0, 9'000) +
                                             paddleSlice("outer", "Operator", "C++", origin, 1'998, 3'002) +
                                             paddleSlice("inner", "OperatorInner", "C++", origin, 2'999, 2'001)));
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->info.format, "Paddle JSON");
    // The digits that all of them lost are unknown, but their differences are exact.
    const Slice step = named(*trace, "step"), outer = named(*trace, "outer"), inner = named(*trace, "inner");
    EXPECT_EQ(outer.data.start - step.data.start, 1'998);
    EXPECT_EQ(inner.data.start - step.data.start, 2'999);
    EXPECT_LE(step.data.start, origin);
    EXPECT_LT(origin - step.data.start, 1'000);
    EXPECT_EQ(inner.data.duration, 2'001);
    EXPECT_EQ(inner.parent, outer.id);
    EXPECT_EQ(outer.parent, step.id) << "both sides of a thread are one lane";
    EXPECT_EQ(inner.data.flags & (slice_flag::LooseDigits | slice_flag::Crossing), 0);
    EXPECT_EQ(trace->lanes[inner.lane.value].tid.bits, 9);
}

TEST_F(PaddleImport, ClocksThatAreNotOneAreLeftAlone)
{
    const auto trace = import(paddleDocument(paddleSlice("a", "Operator", "C++", 1'000'000, 1'500, 700) +
                                             paddleSlice("b", "Operator", "C++", 5'000'000, 1'500, 700)));
    ASSERT_TRUE(trace);
    EXPECT_EQ(named(*trace, "a").data.start, 1'001'000);
    EXPECT_EQ(named(*trace, "b").data.start, 5'001'000);
}

TEST_F(PaddleImport, KernelsKnowTheirLaunchAndMemoryItsPlace)
{
    const auto trace = import(paddleDocument(
        paddleSlice("cudaLaunchKernel", "CudaRuntime", "C++", 2'000'000, 1'000, 500, R"(,"correlation id":7)"),
        R"({"name":"sgemm[4.000 us]","pid":0,"tid":13,"ts":2010,"dur":4.000,"ph":"X","cat":"Kernel",)"
        R"("args":{"start_time":"10.250 us","end_time":"14.250 us","device":0,"context":1,"stream":13,"correlation id":7}},)"
        R"~({"name":"[memory]","pid":9,"tid":"9(C++)","ts":2011,"ph":"i","cat":"Allocate","args":{"place":"Place(gpu:0)",)~"
        R"("addr":"140","increase_bytes":256,"current_allocated":512,"current_reserved":1024}},)"));
    ASSERT_TRUE(trace);
    const Slice kernel = named(*trace, "sgemm");
    EXPECT_EQ(trace->launchOf(kernel.id), sliceNamed(*trace, "cudaLaunchKernel"));
    EXPECT_EQ(kernel.data.start, 2'010'250);
    ASSERT_EQ(trace->memory.time.size(), 1u);
    EXPECT_EQ(trace->memory.deviceType[0], 1);
    EXPECT_EQ(trace->memory.deviceId[0], 0);
    EXPECT_EQ(trace->memory.bytes[0], 256);
    EXPECT_EQ(trace->memory.totalReserved[0], 1024);
}

TEST_F(PaddleImport, OthersKeepTheirBrackets)
{
    const auto trace = importText(
        R"([{"name":"a[1.0 ms]","pid":1,"tid":"1(Python)x","ts":1.5,"dur":1,"ph":"X","args":{"start_time":12}}])");
    ASSERT_TRUE(trace);
    EXPECT_EQ(sliceNames(**trace), std::vector<std::string>{"a[1.0 ms]"});
}

} // namespace
} // namespace riffle
