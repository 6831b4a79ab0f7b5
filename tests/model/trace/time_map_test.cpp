// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/time_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace riffle {
namespace {

TEST(TimeMap, ManyTimesAtOnceAreConvertedLikeEachAlone)
{
    std::mt19937_64 random(9);
    const auto upTo = [&random](Ns limit) { return static_cast<Ns>(random() % static_cast<uint64_t>(limit + 1)); };
    for (int round = 0; round < 500; ++round) {
        std::vector<TimeMap::Knot> knots;
        for (Ns knot = upTo(6), trace = upTo(100), set = upTo(100); knot > 0; --knot) {
            knots.push_back({trace, set});
            trace += 1 + upTo(300);
            set += 1 + upTo(300);
        }
        const TimeMap map(std::move(knots));
        std::vector<Ns> times(static_cast<size_t>(upTo(40)));
        for (Ns &time : times)
            time = upTo(1500) - 200;
        std::ranges::sort(times);
        std::vector<Ns> expected;
        for (const Ns time : times)
            expected.push_back(map.toTrace(time));
        map.toTrace(times);
        ASSERT_EQ(times, expected) << "round " << round;
    }
}

} // namespace
} // namespace riffle
