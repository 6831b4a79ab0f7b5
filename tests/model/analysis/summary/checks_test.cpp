// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/checks.h"

#include "tests/support/import_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

TEST(Checks, AreAFigureAComparisonAndABound)
{
    using Compare = Check::Compare;
    using Unit = Check::Unit;
    struct Case {
        const char *text, *metric;
        Compare compare;
        Unit unit;
        double limit;
    };
    for (const Case &one :
         {Case{"steps.mean<=250ms", "steps.mean", Compare::AtMost, Unit::Time, 250e6},
          Case{" idle < 10 % ", "idle", Compare::Below, Unit::Share, 0.1},
          Case{"a>=-1.5", "a", Compare::AtLeast, Unit::Number, -1.5},
          Case{"a>1min", "a", Compare::Above, Unit::Time, 60e9}, Case{"a==3ns", "a", Compare::Equal, Unit::Time, 3}}) {
        const auto check = parseCheck(one.text);
        ASSERT_TRUE(check) << one.text;
        EXPECT_EQ(check->metric, one.metric);
        EXPECT_EQ(check->compare, one.compare) << one.text;
        EXPECT_EQ(check->unit, one.unit) << one.text;
        EXPECT_DOUBLE_EQ(check->limit, one.limit) << one.text;
    }
    for (const char *text : {"", "idle", "<=3", "idle=3", "idle<=", "idle<=x", "idle<=3 parsecs", "idle<=nan",
                             "idle<=3%%", "idle<<3", "idle!=3"})
        EXPECT_FALSE(parseCheck(text)) << text;
}

/// The answer of a check about two devices that are idle for 10 and 60 of 100 µs, and kernels that take 90, 10 and 30
/// µs.
std::string said(const char *check)
{
    const auto trace =
        importText(R"([{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":0,"dur":90,"args":{"device":0,"stream":7}},
{"ph":"X","cat":"kernel","name":"b","pid":1,"tid":8,"ts":0,"dur":10,"args":{"device":1,"stream":8}},
{"ph":"X","cat":"kernel","name":"c","pid":1,"tid":8,"ts":50,"dur":30,"args":{"device":1,"stream":8}}])");
    if (!trace)
        return trace.error().text();
    const SetFacts facts(TraceSet::of({*trace}));
    const auto parsed = parseCheck(check);
    if (!parsed)
        return "no check";
    const auto outcome = CheckRunner(facts, {}).run(*parsed);
    if (!outcome)
        return "usage";
    std::string text = (outcome->holds ? "ok " : "failed ") + outcome->value;
    for (size_t at = 0; (at = text.find("\u00a0", at)) != text.npos;)
        text.replace(at, 2, " ");
    return text;
}

TEST(Checks, OfSeveralDevicesTheWorstCounts)
{
    EXPECT_EQ(said("idle<=60%"), "ok 60.0 % on device 1");
    EXPECT_EQ(said("idle<=59%"), "failed 60.0 % on device 1");
    EXPECT_EQ(said("idle>=10us"), "ok 10.00 µs on device 0");
    EXPECT_EQ(said("idle>=11us"), "failed 10.00 µs on device 0");
    EXPECT_EQ(said("idle==60%"), "failed 10.0 % on device 0");
    EXPECT_EQ(said("window==100us").substr(0, 3), "ok ");
}

TEST(Checks, SumUpColumns)
{
    EXPECT_EQ(said("kernels.total.mean<=1s"), "ok 43.33 µs");
    EXPECT_EQ(said("kernels.total.median<=1s"), "ok 30.00 µs");
    EXPECT_EQ(said("kernels.total.min<=1s"), "ok 10.00 µs");
    EXPECT_EQ(said("kernels.total.sum==130us"), "ok 130.0 µs");
    EXPECT_EQ(said("kernels.calls.mean==1"), "ok 1");
    EXPECT_EQ(said("kernels.share.max<=70%"), "ok 69.2 %");
    EXPECT_EQ(said("steps.communication.max==0ns"), "ok 0 ns");
}

TEST(Checks, WhatIsNoFigureIsAMistake)
{
    for (const char *check :
         {"idel<=1%", "idle<=1", "steps.mean<=1", "steps.mean.max<=1ms", "kernels.name.max<=1", "kernels.mean<=1ms",
          "kernels.total.p99<=1ms", "a.b.c.d<=1", "steps..max<=1ms", "nowhere.count<=1", "step.nothing<=1ms",
          "kernels.count<=1ms", "findings.oops<=1", "findings.errors<=1%"})
        EXPECT_EQ(said(check), "usage") << check;
    EXPECT_EQ(said("occupancy<=50%"), "failed not recorded");
}

} // namespace
} // namespace riffle
