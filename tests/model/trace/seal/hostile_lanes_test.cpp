// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/half_slices.h"
#include "model/trace/seal/lane_nesting.h"

#include <gtest/gtest.h>

/// Lanes that no profiler writes. Each is so large that work quadratic in its size would take minutes.
namespace riffle {
namespace {

using Policy = NestingInput::Policy;
constexpr uint32_t kMany = 200'000;

struct LargeLane {
    std::vector<Ns> start, duration;
    std::vector<uint8_t> canParent;
    std::vector<uint64_t> group;

    void add(Ns begin, Ns end, bool parent = true)
    {
        start.push_back(begin);
        duration.push_back(end - begin);
        canParent.push_back(parent);
    }
    Nesting nested(Policy policy = Policy::Thread)
    {
        if (policy != Policy::Stream)
            canParent.clear();
        return nestLane({policy, start, duration, canParent, group});
    }
};

TEST(HostileLanes, OneIntervalManyTimes)
{
    LargeLane lane;
    for (uint32_t i = 0; i < kMany; ++i)
        lane.add(7, 9);
    const Nesting nesting = lane.nested();
    EXPECT_EQ(nesting.rows, kMany);
    EXPECT_TRUE(nesting.crossing.empty());
    for (uint32_t i = 1; i < kMany; ++i)
        ASSERT_EQ(nesting.parent[i], i - 1);
    EXPECT_EQ(nesting.depth[kMany - 1], kMany - 1);
    EXPECT_EQ(nesting.self[kMany - 2], 0);
    EXPECT_EQ(nesting.self[kMany - 1], 2);
}

TEST(HostileLanes, StaircaseWhereAllCross)
{
    LargeLane lane;
    for (uint32_t i = 0; i < kMany; ++i)
        lane.add(i, Ns{i} + kMany);
    const Nesting nesting = lane.nested();
    EXPECT_EQ(nesting.crossing.size(), kMany - 1); // the first one is the earliest of equally long slices
    EXPECT_EQ(nesting.rows, kMany);
    for (uint32_t i = 0; i < kMany; ++i) {
        ASSERT_EQ(nesting.parent[i], Nesting::kNone);
        ASSERT_EQ(nesting.self[i], kMany);
    }
}

TEST(HostileLanes, RisingStaircase)
{
    LargeLane lane;
    for (uint32_t i = 0; i < kMany; ++i)
        lane.add(i, Ns{2} * i + kMany); // each slice is longer than the one before
    const Nesting nesting = lane.nested();
    EXPECT_EQ(nesting.crossing.size(), kMany - 1);
    EXPECT_EQ(nesting.crossing.back(), kMany - 2);
    EXPECT_EQ(nesting.row[kMany - 1], 0u);
}

TEST(HostileLanes, DeepNesting)
{
    LargeLane lane;
    for (uint32_t i = 0; i < kMany; ++i)
        lane.add(i, Ns{2} * kMany - i);
    const Nesting nesting = lane.nested();
    for (uint32_t i = 1; i < kMany; ++i) {
        ASSERT_EQ(nesting.parent[i], i - 1);
        ASSERT_EQ(nesting.row[i], i);
        ASSERT_EQ(nesting.self[i - 1], 2);
    }
}

/// Many slices that each cross a whole deep stack of longer ones; only the outermost slice contains them.
LargeLane deepStackAndWhatCrossesIt(bool parents)
{
    constexpr Ns kLong = 1'000'000'000;
    LargeLane lane;
    for (uint32_t i = 0; i < kMany; ++i)
        lane.add(Ns{i} - kLong, Ns{2} * kMany + (i ? kMany - i : kLong));
    for (uint32_t i = 0; i < kMany; ++i)
        lane.add(i, Ns{3} * kMany + i, parents);
    return lane;
}

TEST(HostileLanes, DeepStackThatOthersCross)
{
    const Nesting nesting = deepStackAndWhatCrossesIt(true).nested();
    EXPECT_EQ(nesting.crossing.size(), kMany);
    for (uint32_t i = kMany; i < 2 * kMany; ++i)
        ASSERT_EQ(nesting.parent[i], 0u);
    EXPECT_EQ(nesting.rows, 2 * kMany);
}

TEST(HostileLanes, DeviceWorkAcrossDeepAnnotations)
{
    const Nesting nesting = deepStackAndWhatCrossesIt(false).nested(Policy::Stream);
    EXPECT_TRUE(nesting.crossing.empty());
    for (uint32_t i = kMany; i < 2 * kMany; ++i)
        ASSERT_EQ(nesting.parent[i], 0u);
}

TEST(HostileLanes, AsyncGroupsOfOne)
{
    LargeLane lane;
    for (uint32_t i = 0; i < kMany; ++i) {
        lane.add(i, Ns{2} * kMany - i);
        lane.group.push_back(kMany - i);
    }
    const Nesting nesting = lane.nested(Policy::Async);
    EXPECT_EQ(nesting.rows, kMany);
    for (uint32_t i = 0; i < kMany; ++i)
        ASSERT_EQ(nesting.parent[i], Nesting::kNone);
}

HalfRow hostileHalf(char phase, Ns time, uint32_t name, uint64_t group = 0)
{
    HalfRow row{};
    row.phase = phase;
    row.time = time;
    row.sourceOffset = static_cast<uint64_t>(time);
    row.name = name;
    row.group = group;
    return row;
}

TEST(HostileLanes, BeginsThatAreEndedFromTheBottom)
{
    std::vector<HalfRow> halves;
    for (uint32_t i = 0; i < kMany; ++i)
        halves.push_back(hostileHalf('B', i, i + 1));
    for (uint32_t i = 0; i < kMany; ++i)
        halves.push_back(hostileHalf('E', Ns{kMany} + i, i + 1));
    ImportReport report;
    const auto slices = pairHalves(std::move(halves), 0, report);
    ASSERT_EQ(slices.size(), kMany);
    for (const PairedSlice &slice : slices)
        ASSERT_EQ(slice.row.duration, kMany);
    EXPECT_EQ(report.of(Trouble::NameMismatch).count, kMany - 1);
}

TEST(HostileLanes, EndsOfANameThatNeverBegan)
{
    std::vector<HalfRow> halves;
    for (uint32_t i = 0; i < kMany; ++i)
        halves.push_back(hostileHalf('B', i, 1));
    for (uint32_t i = 0; i < kMany; ++i)
        halves.push_back(hostileHalf('E', Ns{kMany} + i, 2));
    ImportReport report;
    EXPECT_EQ(pairHalves(std::move(halves), 2 * kMany, report).size(), kMany);
    EXPECT_EQ(report.of(Trouble::UnmatchedEnd).count, kMany);
    EXPECT_EQ(report.of(Trouble::UnfinishedBegin).count, kMany);
}

TEST(HostileLanes, ManyTracksAfterOneWithManyNames)
{
    std::vector<HalfRow> halves;
    for (uint32_t i = 0; i < kMany; ++i)
        halves.push_back(hostileHalf('b', i, i + 1, 1));
    for (uint32_t i = 0; i < kMany; ++i)
        halves.push_back(hostileHalf('e', Ns{kMany} + i, i + 1, i + 2));
    ImportReport report;
    EXPECT_EQ(pairHalves(std::move(halves), kMany, report).size(), kMany);
    EXPECT_EQ(report.of(Trouble::UnmatchedEnd).count, kMany);
}

} // namespace
} // namespace riffle
