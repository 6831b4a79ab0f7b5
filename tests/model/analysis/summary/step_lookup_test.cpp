// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/step_lookup.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <limits>

namespace riffle {
namespace {

TEST(ParseTime, UnitsAreExact)
{
    EXPECT_EQ(parseTime("1.5ms"), 1'500'000);
    EXPECT_EQ(parseTime(" 12.3 s "), 12'300'000'000);
    EXPECT_EQ(parseTime("200ns"), 200);
    EXPECT_EQ(parseTime("3us"), 3'000);
    EXPECT_EQ(parseTime("3µs"), 3'000);
    EXPECT_EQ(parseTime("2min"), 120'000'000'000);
    EXPECT_EQ(parseTime("2"), 2'000'000'000);
    EXPECT_EQ(parseTime("9007199254740993ns"), 9007199254740993);
    EXPECT_FALSE(parseTime("ms"));
    EXPECT_FALSE(parseTime(""));
    EXPECT_FALSE(parseTime("soon"));
}

TEST(TimeText, ReadsBackAsItself)
{
    for (const Ns time : {Ns(0), Ns(7), Ns(1'000), Ns(1'500'000), Ns(12'300'000'001), Ns(-1'020), Ns(9007199254740993)})
        EXPECT_EQ(parseTime(timeText(time)), time) << timeText(time);
    EXPECT_EQ(timeText(1'500'000), "1.5ms");
    EXPECT_EQ(timeText(1'000'000'007), "1.000000007s");
}

TEST(ParseRange, TwoTimes)
{
    EXPECT_EQ(*parseRange("1ms:2ms"), (TimeSpan{1'000'000, 2'000'000}));
    EXPECT_EQ(parseRange(":2ms")->begin, 0);
    EXPECT_GT(parseRange("2ms:")->end, 1'000'000'000'000);
    EXPECT_FALSE(parseRange("2ms:1ms"));
    EXPECT_FALSE(parseRange("2ms"));
    EXPECT_FALSE(parseRange(":"));
}

TEST(ParseSteps, OneOrSeveral)
{
    EXPECT_EQ(*parseSteps("3:5"), (TimeSpan{3, 5}));
    EXPECT_EQ(*parseSteps("4"), (TimeSpan{4, 4}));
    EXPECT_FALSE(parseSteps("5:3"));
    EXPECT_FALSE(parseSteps("a"));
}

TEST(LookUpPlace, StepsRangesAndTimes)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const Ns origin = set.span().begin;
    EXPECT_EQ(origin, 1'000'000);
    for (const char *text : {"#1", "step 1", "Step#1", "ProfilerStep#1", "1"})
        EXPECT_EQ(*lookUpPlace(set, text), (TimeSpan{1'100'000, 1'190'000})) << text;
    EXPECT_EQ(*lookUpPlace(set, "50us"), (TimeSpan{origin + 50'000, origin + 50'000}));
    EXPECT_EQ(*lookUpPlace(set, "10us:20us"), (TimeSpan{origin + 10'000, origin + 20'000}));
    EXPECT_EQ(*lookUpPlace(set, "0:9223372036.854775s"), (TimeSpan{origin, std::numeric_limits<Ns>::max()}));
    EXPECT_EQ(lookUpPlace(set, "9223372036.854775s")->begin, std::numeric_limits<Ns>::max());
    EXPECT_EQ(lookUpPlace(set, "#9").error().message, "There is no step 9.");
    EXPECT_FALSE(lookUpPlace(set, "tomorrow"));
}

} // namespace
} // namespace riffle
