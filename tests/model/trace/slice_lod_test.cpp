// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/slice_lod.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace riffle {
namespace {

struct Pyramid {
    std::shared_ptr<std::vector<Ns>> entries;
    std::vector<Ns> durations;
    SliceLod lod;

    explicit Pyramid(std::vector<Ns> values) : durations(std::move(values))
    {
        entries = std::make_shared<std::vector<Ns>>(lodEntryCount(durations.size()), -7);
        buildLod(durations, *entries);
        lod = lodFromEntries(Column<Ns>(entries, entries->data(), entries->size()), durations.size());
    }
    uint32_t longest(uint32_t first, uint32_t last) const { return lod.longest(durations, first, last); }
    uint32_t longestByWalk(uint32_t first, uint32_t last) const
    {
        const auto longest = std::max_element(durations.begin() + first, durations.begin() + last);
        return static_cast<uint32_t>(longest - durations.begin());
    }
};

std::vector<Ns> randomDurations(std::mt19937 &random, size_t count, uint32_t kinds)
{
    std::vector<Ns> durations(count);
    for (Ns &duration : durations)
        duration = static_cast<Ns>(random() % kinds);
    return durations;
}

TEST(SliceLodTest, LevelsHoldTheLongestOfEveryBlock)
{
    std::mt19937 random(2);
    for (const size_t count : {0, 1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 70'000}) {
        const Pyramid pyramid(randomDurations(random, count, 1'000'000));
        size_t entries = 0, width = 1;
        size_t above = count;
        for (const Column<Ns> &level : pyramid.lod.levels) {
            width *= SliceLod::kFan;
            ASSERT_EQ(level.size(), (count + width - 1) / width);
            for (size_t block = 0; block < level.size(); ++block) {
                const auto first = pyramid.durations.begin() + static_cast<std::ptrdiff_t>(block * width);
                const auto last = first + static_cast<std::ptrdiff_t>(std::min(count - block * width, width));
                ASSERT_EQ(level[block], *std::max_element(first, last));
            }
            entries += level.size();
            above = level.size();
        }
        EXPECT_LE(above, size_t{SliceLod::kFan});
        EXPECT_EQ(entries, lodEntryCount(count));
    }
}

TEST(SliceLodTest, FindsTheEarliestOfTheLongestInAnyRange)
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const size_t count = 1 + random() % (round % 5 ? 700 : 20'000);
        const Pyramid pyramid(
            randomDurations(random, count, round % 2 ? 3 : 1'000'000)); // three values: ties everywhere
        for (int query = 0; query < 100; ++query) {
            const auto first = static_cast<uint32_t>(random() % count);
            const auto last = static_cast<uint32_t>(first + 1 + random() % (count - first));
            ASSERT_EQ(pyramid.longest(first, last), pyramid.longestByWalk(first, last)) << first << ' ' << last;
        }
    }
}

TEST(SliceLodTest, EveryRangeOfASmallRow)
{
    std::mt19937 random(4);
    const Pyramid pyramid(randomDurations(random, 290, 40));
    for (uint32_t first = 0; first < 290; ++first)
        for (uint32_t last = first + 1; last <= 290; ++last)
            ASSERT_EQ(pyramid.longest(first, last), pyramid.longestByWalk(first, last));
}

TEST(SliceLodTest, SlicesOfNoLengthCount)
{
    const Pyramid pyramid(std::vector<Ns>(5000, 0));
    EXPECT_EQ(pyramid.longest(100, 4900), 100u);
    EXPECT_EQ(pyramid.longest(4999, 5000), 4999u);
}

} // namespace
} // namespace riffle
