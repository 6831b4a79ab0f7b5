// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/time_scale.h"

#include "model/layout/pixel_grid.h"

#include <gtest/gtest.h>

#include <random>

namespace riffle {
namespace {

constexpr Ns kLate = 1'767'189'312'000'000'123; // a Unix time, beyond what a double resolves

TEST(TimeScale, EveryNanosecondHasItsColumnAtTheDeepestZoom)
{
    const TimeScale scale({kLate, kLate + 10}, 1000);
    for (Ns ns = 0; ns < 10; ++ns) {
        EXPECT_EQ(scale.column(kLate + ns), ns * 100);
        EXPECT_EQ(scale.timeAt(static_cast<double>(ns) * 100 + 50), kLate + ns);
    }
}

TEST(TimeScale, ColumnsBeginWhereTheirFirstNanosecondIs)
{
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        const Ns begin = kLate + static_cast<Ns>(random() % 1'000'000);
        const TimeScale scale({begin, begin + 10 + static_cast<Ns>(random() % 10'000'000'000)},
                              1 + static_cast<int>(random() % 4000));
        for (int64_t x = 0; x < scale.width(); x += 1 + static_cast<int64_t>(random() % 50)) {
            EXPECT_GE(scale.column(scale.columnBegin(x)), x);
            EXPECT_LT(scale.column(scale.columnBegin(x) - 1), x);
        }
    }
}

TEST(TimeScale, ZoomKeepsTheTimeUnderTheCursor)
{
    TimeSpan range{kLate, kLate + 10'000'000'000};
    const Ns anchor = kLate + 7'123'456'789;
    for (int i = 0; i < 200; ++i) {
        const double before = TimeScale(range, 1000).x(anchor);
        const TimeSpan next = zoomed(range, anchor, 0.9);
        EXPECT_NEAR(TimeScale(next, 1000).x(anchor), before, 1000.0 / static_cast<double>(next.duration()) + 1e-6);
        EXPECT_TRUE(next.contains(anchor));
        range = next;
    }
    EXPECT_EQ(range.duration(), kNarrowestRange);
}

TEST(TimeScale, ZoomAlwaysMovesByANanosecondAtLeast)
{
    EXPECT_EQ(zoomed({0, 20}, 5, 0.999).duration(), 19);
    EXPECT_EQ(zoomed({0, 20}, 5, 1.001).duration(), 21);
    EXPECT_EQ(shifted({0, 20}, 0.0001).begin, 1);
}

TEST(TimeScale, ConfinedRangesKeepTheirLengthWhileTheyCan)
{
    EXPECT_EQ(confined({-50, 50}, {0, 1000}), (TimeSpan{0, 100}));
    EXPECT_EQ(confined({950, 1050}, {0, 1000}), (TimeSpan{900, 1000}));
    EXPECT_EQ(confined({-50, 5000}, {0, 1000}), (TimeSpan{0, 1000}));
    EXPECT_EQ(confined({5, 6}, {0, 1000}), (TimeSpan{5, 15}));
}

TEST(TimeScale, TicksAreOneTwoOrFive)
{
    EXPECT_EQ(tickStep(TimeScale({0, 1000}, 1000), 90), 100);
    EXPECT_EQ(tickStep(TimeScale({0, 1000}, 1000), 110), 200);
    EXPECT_EQ(tickStep(TimeScale({0, 10}, 1000), 90), 1);
    EXPECT_EQ(tickStep(TimeScale({0, 3'000'000'000}, 1000), 100), 500'000'000);
}

TEST(PixelGrid, AgreesWithTheScaleForEveryTime)
{
    std::mt19937_64 random(6);
    for (int round = 0; round < 100; ++round) {
        const Ns length = 10 + static_cast<Ns>(random() % (round % 2 ? 100'000 : 3000));
        const TimeScale scale({kLate, kLate + length}, 1 + static_cast<int>(random() % 2000));
        const PixelGrid grid(scale, TimeMap());
        for (int i = 0; i < 300; ++i) {
            const Ns time = kLate - 20 + static_cast<Ns>(random() % static_cast<uint64_t>(length + 40));
            const auto expected = std::clamp<int64_t>(scale.column(time), 0, scale.width());
            EXPECT_EQ(grid.first(time), expected);
        }
    }
}

TEST(PixelGrid, FollowsAMapOfTimes)
{
    const TimeMap map({{1000, 0}, {2000, 2000}}); // twice as fast between these points
    const PixelGrid grid(TimeScale({0, 2000}, 100), map);
    EXPECT_EQ(grid.first(1000), 0);
    EXPECT_EQ(grid.first(1500), 50);
    EXPECT_EQ(grid.span().begin, 1000);
    EXPECT_EQ(grid.span().end, 2000);
}

} // namespace
} // namespace riffle
