// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/options.h"
#include "collector/src/step_plan.h"

#include <gtest/gtest.h>

namespace riffle::collector {
namespace {

constexpr int64_t kMs = 1'000'000;

/// For each step, one letter for what starts with it, after a capital for what ends: C for a cycle, L for everything.
std::string turns(StepPlan &plan, int steps)
{
    std::string text;
    for (int step = 0; step < steps; ++step) {
        const auto turn = plan.begin((step + 1) * kMs);
        text += turn.isLast ? "L" : turn.cycleEnds ? "C" : "";
        text += turn.warmUpBegins ? 'w' : turn.cycleBegins ? 'r' : '.';
    }
    return text;
}

TEST(Schedule, isReadAsTheRecorderWritesIt)
{
    const auto schedule = readSchedule("wait=1,warmup=2,active=3,repeat=4,skip_first=5,skip_first_wait=1");
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->wait, 1);
    EXPECT_EQ(schedule->skipFirst, 5);
    EXPECT_EQ(*schedule->end(), 5 + 4 * 6 - 1);
    EXPECT_FALSE(readSchedule("active=2")->end());
    for (const char *wrong : {"", "wait=1", "active=0", "active=-1", "active", "active=x", "active=1,foo=2",
                              "active=1,,wait=2", "active=9999999999"})
        EXPECT_FALSE(readSchedule(wrong)) << wrong;
}

TEST(StepPlan, saysWhatBeginsAndEndsWithAStep)
{
    StepPlan plan(readSchedule("wait=1,warmup=1,active=2,repeat=2,skip_first=1"), {});
    EXPECT_EQ(turns(plan, 10), "..wr.C.wr.L.");
    EXPECT_EQ(plan.cycle(), 2u);
    StepPlan withoutPause(readSchedule("active=2"), {});
    EXPECT_EQ(turns(withoutPause, 5), "r.Cr.Cr");
    StepPlan everything(std::nullopt, {});
    EXPECT_EQ(turns(everything, 5), ".....");
    StepPlan released(readSchedule("wait=1,active=1"), {});
    turns(released, 1);
    released.release();
    EXPECT_EQ(turns(released, 5), ".....");
    EXPECT_EQ(released.steps(), 6u);
}

TEST(StepPlan, aStepLongerThanTheLimitIsSlow)
{
    StepPlan plan(std::nullopt, {10 * kMs, 0});
    EXPECT_EQ(plan.begin(1 * kMs).slowNs, 0);
    EXPECT_EQ(plan.begin(500 * kMs).slowNs, 0) << "the first step is always slow";
    EXPECT_EQ(plan.begin(510 * kMs).slowNs, 0);
    EXPECT_EQ(plan.begin(521 * kMs).slowNs, 11 * kMs);
    EXPECT_EQ(plan.end(530 * kMs), 0);
    EXPECT_EQ(plan.begin(900 * kMs).slowNs, 0) << "no step was open";
    EXPECT_EQ(plan.end(920 * kMs), 20 * kMs);
}

TEST(StepPlan, aStepOfManyMediansIsSlow)
{
    StepPlan plan(std::nullopt, {0, 2.5});
    int64_t time = kMs;
    plan.begin(time);
    for (int step = 0; step < 200; ++step)
        EXPECT_EQ(plan.begin(time += 10 * kMs).slowNs, 0);
    EXPECT_EQ(plan.begin(time += 25 * kMs).slowNs, 0);
    EXPECT_EQ(plan.begin(time += 26 * kMs).slowNs, 26 * kMs);
    StepPlan young(std::nullopt, {0, 2.5});
    time = kMs;
    for (int step = 0; step < 9; ++step)
        young.begin(time += 10 * kMs);
    EXPECT_EQ(young.begin(time += 100 * kMs).slowNs, 0) << "too few steps to know the median";
}

TEST(Options, ofScheduleLimitsAndDumps)
{
    Options options;
    std::string error;
    ASSERT_TRUE(readOptions(
        "schedule=wait=1,active=2;ranks=0,2-4;step_mark=train=1;start_after=3;max_seconds=4;dump_signal=USR2;"
        "dump_slow_step_ms=5;dump_slow_step_factor=2.5;max_dumps=6;control=0;quiet=1",
        options, error))
        << error;
    EXPECT_EQ(options.schedule->active, 2);
    EXPECT_TRUE(options.includes(0) && options.includes(3) && options.includes(-1));
    EXPECT_FALSE(options.includes(1) || options.includes(5));
    EXPECT_EQ(options.stepMark, "train=1");
    EXPECT_EQ(options.slow.longerThanNs, 5 * kMs);
    EXPECT_EQ(options.slow.timesMedian, 2.5);
    for (const char *wrong :
         {"schedule=active=0", "ranks=", "ranks=3-1", "ranks=1,,2", "dump_signal=KILL", "dump_slow_step_factor=0.5",
          "dump_slow_step_factor=2.55", "dump_slow_step_factor=2.", "step_mark=", "control=2", "max_dumps=-1"})
        EXPECT_FALSE(readOptions(wrong, options, error)) << wrong;
}

} // namespace
} // namespace riffle::collector
