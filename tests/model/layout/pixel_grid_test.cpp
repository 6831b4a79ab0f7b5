// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/pixel_grid.h"

#include "tests/model/layout/slow_grid.h"

#include <gtest/gtest.h>

#include <random>

namespace riffle::test {
namespace {

/// The identity, a shift, clocks that drift by a few millionths, and maps that no pair of clocks has.
TimeMap randomMap(std::mt19937_64 &random, Ns begin, Ns length)
{
    const auto upTo = [&random](Ns limit) { return static_cast<Ns>(random() % static_cast<uint64_t>(limit + 1)); };
    const int knots = static_cast<int>(random() % 6);
    const bool isClock = random() % 2 != 0;
    std::vector<TimeMap::Knot> made;
    TimeMap::Knot at{begin - upTo(length), begin - upTo(length)};
    for (int knot = 0; knot < knots; ++knot) {
        made.push_back(at);
        const Ns step = 1 + upTo(length / 2);
        at.trace += step;
        at.set += isClock ? std::max<Ns>(1, step + step / 20'000 * (upTo(2) - 1)) : 1 + upTo(length);
    }
    return TimeMap(std::move(made));
}

TEST(PixelGrid, AgreesWithItsDefinitionForEveryMapAndTime)
{
    std::mt19937_64 random(61);
    for (int round = 0; round < 400; ++round) {
        const Ns length = 10 + static_cast<Ns>(random() % (round % 3 ? 10'000'000 : 3000));
        const Ns begin = static_cast<Ns>(random() % 1'000'000'000) - 500'000'000;
        const TimeScale scale({begin, begin + length}, 1 + static_cast<int>(random() % 600));
        const TimeMap map = randomMap(random, begin, length);
        const PixelGrid grid(scale, map);
        const SlowGrid slow(scale, map);
        ASSERT_EQ(grid.width(), scale.width());
        ASSERT_EQ(grid.span(), (TimeSpan{slow.floor.front(), slow.begin.back()}));
        for (int x = 0; x < grid.width(); ++x)
            ASSERT_EQ(grid.next(x), slow.begin[static_cast<size_t>(x) + 1]) << "round " << round << " column " << x;
        for (int i = 0; i < 60; ++i) {
            const Ns room = slow.begin.back() - slow.begin.front() + 40;
            const Ns time = slow.begin.front() - 20 + static_cast<Ns>(random() % static_cast<uint64_t>(room));
            ASSERT_EQ(grid.first(time), slow.first(time)) << "round " << round << " time " << time;
            ASSERT_EQ(grid.last(time), slow.last(time)) << "round " << round << " time " << time;
        }
    }
}

TEST(PixelGrid, AShiftedGridIsThatOfTheSetElsewhere)
{
    const TimeScale scale({1000, 8777}, 130);
    const PixelGrid set(scale);
    const PixelGrid shifted(set, TimeMap({{500, 40'500}}));
    for (int x = 0; x < set.width(); ++x)
        EXPECT_EQ(shifted.next(x), set.next(x) - 40'000);
    EXPECT_EQ(shifted.first(1234 - 40'000), set.first(1234));
}

} // namespace
} // namespace riffle::test
