// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/import_text.h"
#include "tests/support/trace_difference.h"

#include <chrono>
#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

/// Events on many threads, two events per thread.
std::string threadsText(uint32_t threads, const char *more = "")
{
    std::string text = "[";
    for (uint32_t i = 0; i < 2 * threads; ++i)
        text += (i ? ",\n" : "") + (R"({"ph":"X","pid":)" + std::to_string(i / 2 % 5)) + R"(,"tid":)" +
                std::to_string(i / 2) + R"(,"name":"n)" + std::to_string(i % 10) + R"(","ts":)" +
                std::to_string(i % 7) + R"(,"dur":)" + std::to_string(5 + i % 2 * 30) + "}";
    return text + more + "]";
}

TEST(ManyLanes, AreKeptApartUpToALimit)
{
    for (const uint32_t threads : {1000u, Trace::kMaxLanes}) {
        const auto trace = importText(threadsText(threads));
        ASSERT_TRUE(trace);
        EXPECT_EQ((*trace)->lanes.size(), threads);
        EXPECT_EQ((*trace)->report.of(Trouble::LimitReached).count, 0u);
        EXPECT_EQ((*trace)->processes.size(), 5u);
    }
}

TEST(ManyLanes, BeyondTheLimitShareOneAndNothingIsLost)
{
    const char *more =
        R"(,{"ph":"C","pid":1,"name":"c","ts":3,"args":{"v":1}},{"ph":"B","pid":9,"tid":9,"name":"b","ts":3},)"
        R"({"ph":"E","pid":9,"tid":9,"name":"b","ts":8},{"ph":"X","pid":0,"tid":0,"name":"again","ts":3,"dur":1})";
    const std::string text = threadsText(100'000, more);
    const auto began = std::chrono::steady_clock::now();
    const auto trace = importText(text);
    ASSERT_TRUE(trace);
    const Trace &all = **trace;
    EXPECT_EQ(all.sliceCount(), 200'002u);
    EXPECT_EQ(all.lanes.size(), Trace::kMaxLanes + 2); // the threads and the counter
    const Lane &shared = all.lanes[Trace::kMaxLanes];
    EXPECT_EQ(all.laneName(LaneId(Trace::kMaxLanes)), "more lanes");
    EXPECT_EQ(all.processName(shared.process).find("more lanes"), 0u);
    EXPECT_EQ(shared.slices, 2 * (100'000 - Trace::kMaxLanes) + 1);
    EXPECT_EQ(all.lanes[0].slices, 3u);
    EXPECT_EQ(all.counters.time.size(), 1u);
    const TroubleCount &found = all.report.of(Trouble::LimitReached);
    EXPECT_EQ(found.count, 100'000 - Trace::kMaxLanes + 2);
    EXPECT_EQ(
        text.substr(found.examples[0].offset, 30).find("{\"ph\":\"X\",\"pid\":" + std::to_string(Trace::kMaxLanes % 5)),
        0u);
    // Slices of different threads are not nested in each other.
    for (const uint32_t segment : shared.segments)
        for (const uint32_t parent : all.segments[segment]->nesting.parent)
            ASSERT_EQ(parent, SliceId::kNone);
    EXPECT_EQ(sealProblem(all), "");
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
}

TEST(ManyLanes, AreTheSameForAnyNumberOfThreads)
{
    const std::string text = threadsText(80'000);
    std::shared_ptr<const Trace> expected;
    for (const unsigned workers : {1u, 2u, 5u}) {
        const WorkerCount count(workers);
        const auto trace = importText(text);
        ASSERT_TRUE(trace);
        if (!expected)
            expected = *trace;
        EXPECT_EQ(traceDifference(**trace, *expected), "") << workers;
    }
}

} // namespace
} // namespace riffle
