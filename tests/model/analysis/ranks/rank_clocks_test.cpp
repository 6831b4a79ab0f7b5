// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/rank_clocks.h"

#include "model/analysis/ranks/drift.h"
#include "model/analysis/ranks/offset_bounds.h"
#include "tests/support/call_lists.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

using namespace riffle;
using test::CallListMaker;

namespace {

struct Estimated {
    std::vector<CallList> lists;
    MatchedCalls matched;
    RankClocks clocks;

    explicit Estimated(std::vector<CallListMaker> &makers)
    {
        for (CallListMaker &maker : makers)
            lists.push_back(maker.list());
        std::vector<const CallList *> refs;
        for (const CallList &list : lists)
            refs.push_back(&list);
        matched = matchCalls(refs);
        clocks = rankClocksOf(refs, matched);
    }
};

} // namespace

TEST(OffsetBounds, ChainsAreFollowedAndContradictionsFound)
{
    OffsetBounds bounds(4);
    bounds.limit(1, 0, 10);
    bounds.limit(0, 1, 5); // clock 1 is ahead by -5 to 10
    bounds.limit(2, 1, 7);
    bounds.limit(2, 0, 100);
    ASSERT_TRUE(bounds.close());
    EXPECT_EQ(bounds.most(2, 0), 17);
    EXPECT_EQ(bounds.most(0, 2), OffsetBounds::kNone);
    EXPECT_EQ(bounds.most(3, 0), OffsetBounds::kNone);
    bounds.limit(0, 2, -18); // clock 2 is ahead by at least 18
    EXPECT_FALSE(bounds.close());
}

TEST(Drift, IsShownOnlyIfItIsProved)
{
    std::mt19937_64 random(3);
    const auto noise = [&] { return static_cast<Ns>(random() % 2001) - 1000; };
    std::vector<DriftPoint> still, drifting;
    for (Ns at = 0; at < 100'000'000; at += 1'000'000) {
        still.push_back({at, noise()});
        drifting.push_back({at, at / 10'000 + noise()}); // 100 ppm, 10 µs in all
    }
    EXPECT_EQ(driftOf(still, 1).slope, 0);
    const Drift found = driftOf(drifting, 1);
    EXPECT_NEAR(found.slope, 100e-6, 10e-6);
    EXPECT_GT(found.error, 0);
    EXPECT_EQ(driftOf(drifting, 20'000).slope, 0) << "less than the resolution";
    drifting.resize(10);
    EXPECT_EQ(driftOf(drifting, 1).slope, 0) << "too few";
}

TEST(RankClocks, OffsetAndBoundAreThoseOfTheCalls)
{
    // Rank 1 is 500 ns ahead. It comes 100 ns after rank 0 in one call and 200 ns before it in another one.
    std::vector<CallListMaker> makers{CallListMaker(0), CallListMaker(1)};
    const uint32_t a = makers[0].group("0", RankList::firstRanks(2)), b = makers[1].group("0", RankList::firstRanks(2));
    makers[0].numbered(a, 1, 1000, 2000);
    makers[1].numbered(b, 1, 1600, 2500);
    makers[0].numbered(a, 2, 5000, 5700);
    makers[1].numbered(b, 2, 5300, 6200);
    makers[0].numbered(a, 3, 9000, 9900);
    makers[1].numbered(b, 3, 9500, 10'400);
    const Estimated found(makers);
    const RankClock &clock = found.clocks.ranks[1];
    EXPECT_EQ(clock.reference, 0u);
    EXPECT_EQ(clock.offset, 500);
    // Rank 1 leaves after rank 0 came, by at least 1200 ns: it can be ahead by no more, and two ns of resolution.
    EXPECT_EQ(clock.high, 1200 + 2);
    // Rank 0 leaves after rank 1 came, by at least 400 ns: -(2000 - 1600).
    EXPECT_EQ(clock.low, -400 - 2);
    EXPECT_EQ(clock.calls, 3u);
    EXPECT_EQ(clock.largestResidual, 0);
    EXPECT_EQ(clock.uncertainty, 500 + 402) << "to the farther end of the bound: three calls show no more";
}

TEST(RankClocks, FiveCallsShowHowWellEndsAgree)
{
    for (const int64_t count : {1, 4, 5}) {
        std::vector<CallListMaker> makers{CallListMaker(0), CallListMaker(1)};
        for (CallListMaker &maker : makers) {
            const uint32_t group = maker.group("0", RankList::firstRanks(2));
            for (int64_t at = 0; at < count; ++at)
                maker.numbered(group, at, at * 10'000, at * 10'000 + 1000);
        }
        const RankClock clock = Estimated(makers).clocks.ranks[1];
        EXPECT_EQ(clock.calls, static_cast<uint32_t>(count));
        EXPECT_EQ(clock.uncertainty, count < 5 ? 1002 : 1) << "the bound, otherwise the resolution";
    }
}

TEST(RankClocks, AllToAllsWhoseEndsDifferOnlyBound)
{
    // Ranks 0 and 1 make all-reduces. Ranks 2 and 3 have only all-to-alls, which rank 3 leaves later and later; the
    // clocks are equal. Some ends agree by chance once the clocks are moved.
    std::vector<CallListMaker> makers;
    for (int64_t rank = 0; rank < 4; ++rank) {
        CallListMaker &maker = makers.emplace_back(rank);
        const int64_t first = rank / 2 * 2;
        const uint32_t group = maker.group("0", RankList({first, first + 1}));
        for (Ns at = 0; at < 10; ++at)
            maker.numbered(group, at, at * 20'000'000, at * 20'000'000 + 1'000'000 + (rank == 3 ? at * 100'000 : 0))
                .kind = static_cast<uint8_t>(first == 2 ? CollectiveKind::AllToAll : CollectiveKind::AllReduce);
    }
    const Estimated found(makers);
    const RankClock &clock = found.clocks.ranks[3];
    EXPECT_EQ(found.clocks.ranks[1].calls, 10u);
    EXPECT_EQ(clock.reference, 2u);
    EXPECT_EQ(clock.calls, 0u);
    // The first call, which both leave after 1 ms, bounds the offset on both sides.
    EXPECT_EQ(clock.low, -1'000'002);
    EXPECT_EQ(clock.high, 1'000'002);
    EXPECT_EQ(clock.offset, 0);
    EXPECT_EQ(clock.uncertainty, 1'000'002);
}

TEST(RankClocks, AContradictionLeavesTheOtherRanksAlone)
{
    // Every second call of rank 3 is 5 ms late, which no clock explains: too many to reject.
    std::vector<CallListMaker> makers;
    for (int64_t rank = 0; rank < 4; ++rank) {
        CallListMaker &maker = makers.emplace_back(rank);
        const int64_t first = rank / 2 * 2;
        const uint32_t group = maker.group("0", RankList({first, first + 1}));
        for (Ns at = 0; at < 200; ++at) {
            const Ns start = at * 20'000'000 + (rank == 3 && at % 2 ? 5'000'000 : 0);
            maker.numbered(group, at, start, start + 100'000);
        }
    }
    const Estimated found(makers);
    EXPECT_TRUE(found.clocks.rejected.empty());
    EXPECT_EQ(found.clocks.ranks[1].low, -100'002);
    EXPECT_EQ(found.clocks.ranks[1].high, 100'002);
    EXPECT_EQ(found.clocks.ranks[1].calls, 200u);
    for (const size_t rank : {2, 3}) {
        EXPECT_EQ(found.clocks.ranks[rank].reference, 2u);
        EXPECT_GT(found.clocks.ranks[rank].low, found.clocks.ranks[rank].high);
    }
    EXPECT_EQ(found.clocks.ranks[3].calls, 200u);
}

TEST(RankClocks, AbsurdTimesAreSurvived)
{
    // Each clock is ahead of the one before by an eighth of what 64 bits hold.
    constexpr uint32_t kRanks = 16;
    std::vector<CallListMaker> makers;
    for (int64_t rank = 0; rank < kRanks; ++rank)
        makers.emplace_back(rank);
    for (uint32_t rank = 0; rank + 1 < kRanks; ++rank)
        for (const uint32_t member : {rank, rank + 1}) {
            const uint32_t group = makers[member].group("0", RankList({rank, rank + 1}));
            for (Ns at = 0; at < 3; ++at) {
                const Ns time = member == rank ? kEarliestTime : kLatestTime;
                makers[member].numbered(group, at, time, time);
            }
        }
    const Estimated found(makers);
    for (const RankClock &clock : found.clocks.ranks)
        if (clock.reference != RankClock::kAlone && clock.low <= clock.high) {
            EXPECT_LE(clock.low, clock.offset);
            EXPECT_LE(clock.offset, clock.high);
        }
    EXPECT_EQ(found.clocks.ranks.size(), kRanks);
}

TEST(RankClocks, AMatchThatNoClocksExplainIsRejected)
{
    std::vector<CallListMaker> makers{CallListMaker(0), CallListMaker(1)};
    for (CallListMaker &maker : makers) {
        const uint32_t group = maker.group("0", RankList::firstRanks(2));
        const bool isSecond = &maker == &makers[1];
        for (Ns at = 1; at < 8; ++at)
            maker.numbered(group, at, at * 10'000, at * 10'000 + 1000);
        maker.numbered(group, 9, isSecond ? 500'000 : 90'000, isSecond ? 501'000 : 91'000); // a restarted counter
    }
    const Estimated found(makers);
    ASSERT_EQ(found.clocks.rejected.size(), 1u);
    EXPECT_EQ(found.clocks.rejected[0], 7u);
    EXPECT_EQ(found.clocks.ranks[1].offset, 0);
    EXPECT_EQ(found.clocks.ranks[1].high, 1002);
}

TEST(RankClocks, BroadcastsAndSendsSayNothing)
{
    std::vector<CallListMaker> makers{CallListMaker(0), CallListMaker(1)};
    for (CallListMaker &maker : makers) {
        const uint32_t group = maker.group("0", RankList::firstRanks(2));
        for (Ns at = 1; at < 8; ++at)
            maker.numbered(group, at, at * 10'000, at * 10'000 + 1000).kind =
                static_cast<uint8_t>(CollectiveKind::Broadcast);
    }
    const Estimated found(makers);
    EXPECT_EQ(found.matched.matches.size(), 7u);
    EXPECT_EQ(found.clocks.ranks[0].reference, RankClock::kAlone);
    EXPECT_EQ(found.clocks.ranks[1].reference, RankClock::kAlone);
}

TEST(RankClocks, GroupsWithoutACommonRankHaveReferencesOfTheirOwn)
{
    std::vector<CallListMaker> makers;
    for (int64_t rank = 0; rank < 4; ++rank) {
        CallListMaker &maker = makers.emplace_back(rank);
        const int64_t first = rank / 2 * 2;
        const uint32_t group = maker.group("0", RankList({first, first + 1}));
        for (Ns at = 1; at < 5; ++at)
            maker.numbered(group, at, at * 10'000 + rank * 7, at * 10'000 + rank * 7 + 1000);
    }
    const Estimated found(makers);
    const std::array<uint32_t, 4> references{0, 0, 2, 2};
    for (size_t rank = 0; rank < 4; ++rank)
        EXPECT_EQ(found.clocks.ranks[rank].reference, references[rank]);
    EXPECT_EQ(found.clocks.ranks[3].offset, 7);
}
