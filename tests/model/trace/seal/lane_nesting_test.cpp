// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_nesting.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace riffle {
namespace {

using Policy = NestingInput::Policy;

/// A lane with small times, so that equal, touching and crossing intervals are frequent, with its nesting by
/// definition.
struct SmallLane {
    Policy policy = Policy::Thread;
    std::vector<Ns> start, duration;
    std::vector<uint8_t> canParent;
    std::vector<uint64_t> group;

    NestingInput input() const { return {policy, start, duration, canParent, group}; }
    uint32_t size() const { return static_cast<uint32_t>(start.size()); }
    Ns end(uint32_t at) const { return start[at] + duration[at]; }

    bool contains(uint32_t outer, uint32_t inner) const
    {
        if (outer >= inner || (policy == Policy::Stream && !canParent[outer]) ||
            (policy == Policy::Async && group[outer] != group[inner]))
            return false;
        const bool atItsEnd = duration[inner] == 0 && end(outer) == start[inner] && duration[outer] > 0;
        return start[outer] <= start[inner] && end(inner) <= end(outer) && !atItsEnd;
    }
    uint32_t parent(uint32_t inner) const
    {
        uint32_t best = Nesting::kNone;
        for (uint32_t outer = 0; outer < inner; ++outer)
            if (contains(outer, inner) && (best == Nesting::kNone || duration[outer] <= duration[best]))
                best = outer;
        return best;
    }
    bool crosses(uint32_t at) const
    {
        const auto counts = [&](uint32_t index) {
            return policy == Policy::Thread || (policy == Policy::Stream && canParent[index]);
        };
        if (!counts(at))
            return false;
        for (uint32_t other = 0; other < size(); ++other) {
            const bool before = start[other] < start[at] && start[at] < end(other) && end(other) < end(at);
            const bool after = start[at] < start[other] && start[other] < end(at) && end(at) < end(other);
            if (counts(other) &&
                ((before && duration[other] >= duration[at]) || (after && duration[other] > duration[at])))
                return true;
        }
        return false;
    }
    Ns self(uint32_t outer) const
    {
        Ns left = 0;
        for (Ns time = start[outer]; time < end(outer); ++time) {
            bool covered = false;
            for (uint32_t inner = outer + 1; inner < size() && policy != Policy::Stream; ++inner)
                covered |= start[inner] <= time && time < end(inner) && parent(inner) == outer;
            left += !covered;
        }
        return left;
    }
};

SmallLane randomLane(std::mt19937 &random, Policy policy)
{
    const auto below = [&](int limit) { return static_cast<Ns>(random() % static_cast<unsigned>(limit)); };
    const int slices = 1 + static_cast<int>(below(14));
    const int span = 2 + static_cast<int>(below(24));
    const int longest = 1 + static_cast<int>(below(span));
    std::vector<std::pair<Ns, Ns>> intervals;
    for (int i = 0; i < slices; ++i)
        intervals.emplace_back(below(span), below(4) ? -below(longest + 1) : 0);
    std::sort(intervals.begin(), intervals.end());
    SmallLane lane;
    lane.policy = policy;
    for (const auto &[start, negated] : intervals) {
        lane.start.push_back(start - 5);
        lane.duration.push_back(-negated);
        if (policy == Policy::Stream)
            lane.canParent.push_back(below(2) != 0);
        if (policy == Policy::Async)
            lane.group.push_back(static_cast<uint64_t>(below(3)));
    }
    return lane;
}

std::string describe(const SmallLane &lane)
{
    std::string text;
    for (uint32_t at = 0; at < lane.size(); ++at)
        text += "[" + std::to_string(lane.start[at]) + "," + std::to_string(lane.end(at)) + ") ";
    return text;
}

/// True if no row contains two slices at one time; an empty slice occupies its instant.
bool rowsAreDisjoint(const SmallLane &lane, const Nesting &nesting)
{
    for (uint32_t a = 0; a < lane.size(); ++a)
        for (uint32_t b = a + 1; b < lane.size(); ++b) {
            const bool apart =
                lane.end(a) <= lane.start[b] && !(lane.duration[a] == 0 && lane.start[a] == lane.start[b]);
            if (nesting.row[a] == nesting.row[b] && !apart)
                return false;
        }
    return nesting.rows == *std::max_element(nesting.row.begin(), nesting.row.end()) + 1;
}

/// Kernels have rows of their own below those of all annotations: a single one unless they overlap.
void expectRowsOfLeavesBelow(const SmallLane &lane, const Nesting &nesting)
{
    uint32_t first = 0;
    bool overlap = false;
    for (uint32_t at = 0; at < lane.size(); ++at)
        if (lane.canParent[at])
            first = std::max(first, nesting.row[at] + 1);
    for (uint32_t a = 0; a < lane.size(); ++a)
        for (uint32_t b = a + 1; b < lane.size(); ++b)
            overlap |= !lane.canParent[a] && !lane.canParent[b] &&
                       (lane.start[b] < lane.end(a) || (lane.duration[a] == 0 && lane.start[a] == lane.start[b]));
    for (uint32_t at = 0; at < lane.size(); ++at) {
        if (lane.canParent[at])
            continue;
        EXPECT_GE(nesting.row[at], first) << at;
        EXPECT_TRUE(overlap || nesting.row[at] == first) << at;
    }
}

void expectAsDefined(const SmallLane &lane)
{
    const Nesting nesting = nestLane(lane.input());
    std::vector<uint32_t> crossing;
    for (uint32_t at = 0; at < lane.size(); ++at) {
        const uint32_t parent = lane.parent(at);
        EXPECT_EQ(nesting.parent[at], parent) << at;
        EXPECT_EQ(nesting.depth[at], parent == Nesting::kNone ? 0 : nesting.depth[parent] + 1) << at;
        EXPECT_EQ(nesting.self[at], lane.policy == Policy::Stream ? lane.duration[at] : lane.self(at)) << at;
        if (lane.crosses(at))
            crossing.push_back(at);
    }
    EXPECT_EQ(nesting.crossing, crossing);
    EXPECT_TRUE(rowsAreDisjoint(lane, nesting));
    if (lane.policy == Policy::Stream)
        expectRowsOfLeavesBelow(lane, nesting);
    // A slice that nests is directly below its parent; a slice that crosses is below all that nest.
    const auto isCrossing = [&](uint32_t at) { return std::binary_search(crossing.begin(), crossing.end(), at); };
    for (uint32_t a = 0; a < lane.size() && lane.policy == Policy::Thread; ++a) {
        uint32_t above = 0;
        for (uint32_t b = 0; b < a; ++b)
            above += !isCrossing(b) && lane.contains(b, a);
        for (uint32_t b = 0; b < lane.size() && isCrossing(a); ++b)
            EXPECT_TRUE(isCrossing(b) || nesting.row[b] < nesting.row[a]);
        if (!isCrossing(a)) {
            EXPECT_EQ(nesting.row[a], above);
        }
    }
}

class LaneNestingTest : public testing::TestWithParam<Policy> {};

TEST_P(LaneNestingTest, RandomLanesNestAsDefined)
{
    std::mt19937 random(static_cast<unsigned>(GetParam()) + 1);
    for (int round = 0; round < 4000 && !HasFailure(); ++round) {
        const SmallLane lane = randomLane(random, GetParam());
        SCOPED_TRACE(describe(lane));
        expectAsDefined(lane);
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, LaneNestingTest, testing::Values(Policy::Thread, Policy::Stream, Policy::Async));

TEST(LaneNesting, AnInnerTwinOfWhatCrossesIsTheParent)
{
    // 1 and 2 have the same interval, which the longer 3 crosses; 4 is inside both of them and inside 3.
    expectAsDefined({Policy::Thread, {0, 10, 10, 15, 16}, {60, 10, 10, 25, 2}, {}, {}});
}

TEST(LaneNesting, WhatIsShorterThanAnyItCrossesIsFlaggedInAChain)
{
    const Nesting nesting = nestLane(SmallLane{Policy::Thread, {0, 20, 38}, {30, 20, 12}, {}, {}}.input());
    EXPECT_EQ(nesting.crossing, (std::vector<uint32_t>{1, 2}));
}

TEST(RowAllocatorTest, GivesTheLowestFreeRow)
{
    RowAllocator rows;
    EXPECT_EQ(rows.place(0, 10), 0u);
    EXPECT_EQ(rows.place(0, 5), 1u);
    EXPECT_EQ(rows.place(3, 20), 2u);
    EXPECT_EQ(rows.place(10, 10), 0u); // both upper rows are free
    EXPECT_EQ(rows.place(10, 11), 1u); // the empty slice still occupies its instant
    EXPECT_EQ(rows.place(11, 12), 0u);
    EXPECT_EQ(rows.rows(), 3u);
}

} // namespace
} // namespace riffle
