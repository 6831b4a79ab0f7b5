// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/interval_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace riffle {
namespace {

constexpr Ns kEnd = 60;
using Bits = std::array<bool, kEnd>;

Bits bitsOf(const IntervalSet &set)
{
    Bits bits{};
    for (const TimeSpan &interval : set.intervals())
        for (Ns time = interval.begin; time < interval.end; ++time)
            bits[static_cast<size_t>(time)] = true;
    return bits;
}

IntervalSet randomSet(std::mt19937 &random)
{
    BigVector<TimeSpan> intervals(random() % 7);
    for (TimeSpan &interval : intervals) {
        interval.begin = static_cast<Ns>(random() % kEnd);
        interval.end = std::min<Ns>(kEnd, interval.begin + static_cast<Ns>(random() % 12));
    }
    return IntervalSet::unionOf(std::move(intervals));
}

void expectTidy(const IntervalSet &set)
{
    const auto all = set.intervals();
    for (size_t at = 0; at < all.size(); ++at) {
        EXPECT_LT(all[at].begin, all[at].end);
        if (at > 0) {
            EXPECT_LT(all[at - 1].end, all[at].begin) << "intervals that touch are one";
        }
    }
    EXPECT_EQ(set.empty(), all.empty());
}

TEST(IntervalSet, AgreesWithOneBitATime)
{
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        const IntervalSet a = randomSet(random), b = randomSet(random);
        const Bits x = bitsOf(a), y = bitsOf(b);
        const IntervalSet both = a & b, rest = a - b, any = a | b;
        for (const IntervalSet &set : {a, b, both, rest, any})
            expectTidy(set);
        const Bits and_ = bitsOf(both), minus = bitsOf(rest), or_ = bitsOf(any);
        Ns length = 0;
        for (size_t time = 0; time < kEnd; ++time) {
            EXPECT_EQ(and_[time], x[time] && y[time]);
            EXPECT_EQ(minus[time], x[time] && !y[time]);
            EXPECT_EQ(or_[time], x[time] || y[time]);
            EXPECT_EQ(a.contains(static_cast<Ns>(time)), x[time]);
            length += x[time];
        }
        EXPECT_EQ(a.length(), length);
    }
}

TEST(IntervalSet, LengthsInsideSpansAgreeHoweverTheyAreAsked)
{
    std::mt19937 random(8);
    for (int round = 0; round < 500; ++round) {
        const IntervalSet set = randomSet(random);
        const Bits bits = bitsOf(set);
        IntervalWalk walk(set);
        Ns from = 0;
        for (int question = 0; question < 20; ++question) {
            // Mostly forwards, sometimes back.
            from = question % 7 == 6 ? 0 : std::min<Ns>(kEnd - 1, from + static_cast<Ns>(random() % 9));
            const TimeSpan span{from, std::min<Ns>(kEnd, from + static_cast<Ns>(random() % 20))};
            const Ns expected = std::count(bits.begin() + span.begin, bits.begin() + span.end, true);
            EXPECT_EQ(set.lengthWithin(span), expected);
            EXPECT_EQ(walk.lengthWithin(span), expected);
        }
    }
}

TEST(IntervalSet, CopiesDoNotChangeEachOther)
{
    IntervalSet one(TimeSpan{1, 5});
    IntervalSet other = one;
    other.append({7, 9});
    EXPECT_EQ(one.length(), 4);
    EXPECT_EQ(other.length(), 6);
}

} // namespace
} // namespace riffle
