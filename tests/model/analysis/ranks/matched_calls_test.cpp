// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/matched_calls.h"

#include "model/analysis/ranks/written_ranks.h"
#include "tests/support/call_lists.h"

#include <gtest/gtest.h>

#include <vector>

using namespace riffle;
using test::CallListMaker;

namespace {

MatchedCalls matchedOf(std::vector<CallListMaker> &makers)
{
    static std::vector<CallList> lists;
    lists.clear();
    for (CallListMaker &maker : makers)
        lists.push_back(maker.list());
    std::vector<const CallList *> refs;
    for (const CallList &list : lists)
        refs.push_back(&list);
    return matchCalls(refs);
}

std::vector<CallListMaker> ranks(int64_t count)
{
    std::vector<CallListMaker> makers;
    for (int64_t rank = 0; rank < count; ++rank)
        makers.emplace_back(rank);
    return makers;
}

/// Every match pairs the calls at the same place of the tables, and has this confidence.
void expectSamePlaces(const MatchedCalls &matched, size_t count, MatchConfidence confidence)
{
    EXPECT_EQ(matched.matches.size(), count);
    for (const MatchedCalls::Match &match : matched.matches) {
        EXPECT_EQ(match.confidence, confidence);
        for (const CallRef &call : matched.of(match))
            EXPECT_EQ(call.call, matched.of(match).front().call);
    }
}

} // namespace

TEST(WrittenRanks, ReadsWholeAndCutLists)
{
    EXPECT_EQ(writtenRanks("[3, 1,2]").whole, RankList({1, 2, 3}));
    EXPECT_EQ(writtenRanks("[\"0\", \"7\"]").whole, RankList({0, 7}));
    for (const char *cut : {"[0, 1, ...]", "[0, 1, ..., 63]", "[0, 1, …, ...]"}) {
        EXPECT_TRUE(writtenRanks(cut).whole.empty()) << cut;
        EXPECT_EQ(writtenRanks(cut).first, (std::vector<int64_t>{0, 1})) << cut;
    }
    for (const char *bad :
         {"", "[]", "0, 1", "[0, 0]", "[x]", "[-1]", "[99999999999999999999]", "[9223372036854775807]"}) {
        EXPECT_TRUE(writtenRanks(bad).whole.empty()) << bad;
        EXPECT_TRUE(writtenRanks(bad).first.empty()) << bad;
    }
}

TEST(MatchedCalls, GroupsAreTheirRanksAndNotTheirNames)
{
    auto makers = ranks(4);
    for (uint32_t rank = 0; rank < 4; ++rank) {
        // Neighbours form a group. Each calls it by the name that the other pair uses for the group of all.
        const int64_t first = rank / 2 * 2;
        const uint32_t pair = makers[rank].group(rank < 2 ? "a" : "b", RankList({first, first + 1}));
        const uint32_t all = makers[rank].group(rank < 2 ? "b" : "a", RankList::firstRanks(4));
        makers[rank].numbered(pair, 1, 0, 1000);
        makers[rank].numbered(all, 1, 2000, 3000);
    }
    const MatchedCalls matched = matchedOf(makers);
    expectSamePlaces(matched, 3, MatchConfidence::Sure);
    EXPECT_EQ(matched.of(matched.matches[0]).size(), 2u);
    EXPECT_EQ(matched.families.size(), 3u);
    EXPECT_TRUE(matched.unmatched.empty());
}

TEST(MatchedCalls, ACutListIsThatOfTheOnlyGroupThatBeginsLikeIt)
{
    auto makers = ranks(2);
    const uint32_t whole = makers[0].group("0", RankList::firstRanks(40));
    const uint32_t cut = makers[1].group("9", {});
    makers[1].groupAt(cut).first = {0, 1, 2};
    makers[1].groupAt(cut).size = 40;
    makers[0].numbered(whole, 5, 0, 1000);
    makers[1].numbered(cut, 5, 0, 1000);
    expectSamePlaces(matchedOf(makers), 1, MatchConfidence::Likely);

    makers = ranks(2);
    makers[0].numbered(makers[0].group("0", RankList::firstRanks(40)), 5, 0, 1000);
    const uint32_t other = makers[1].group("0", {});
    makers[1].groupAt(other).first = {0, 1, 3};
    makers[1].groupAt(other).size = 40;
    makers[1].numbered(other, 5, 0, 1000);
    const MatchedCalls matched = matchedOf(makers);
    EXPECT_TRUE(matched.matches.empty());
    EXPECT_EQ(matched.unmatched.size(), 2u);
}

TEST(MatchedCalls, CommunicatorsTellGroupsOfTheSameRanksApart)
{
    auto makers = ranks(2);
    for (CallListMaker &maker : makers)
        for (const int64_t comms : {11, 12}) {
            CallRow &row =
                maker.numbered(maker.group("0", RankList::firstRanks(2)), 1, 1000 * comms, 1000 * comms + 900);
            row.commsId = comms;
            row.flags |= call_flag::HasComms;
        }
    expectSamePlaces(matchedOf(makers), 2, MatchConfidence::Sure);
}

TEST(MatchedCalls, NumbersOfACaptureAreNoKey)
{
    // A graph with one collective runs once in the window of each rank, but not the same time.
    auto makers = ranks(2);
    for (uint32_t rank = 0; rank < 2; ++rank) {
        const uint32_t group = makers[rank].group("0", RankList::firstRanks(2));
        makers[rank].numbered(group, 1, 0, 1000);
        makers[rank].numbered(group, 3, 50'000'000, 50'001'000);
        makers[rank].numbered(group, 2, rank ? 10'000'000 : 20'000'000, rank ? 10'001'000 : 20'001'000).flags |=
            call_flag::Replayed;
    }
    const MatchedCalls matched = matchedOf(makers);
    EXPECT_EQ(matched.matches.size(), 2u);
    EXPECT_EQ(matched.unmatched.size(), 2u);
}

TEST(MatchedCalls, CallsThatDifferAreAmbiguous)
{
    auto makers = ranks(2);
    for (uint32_t rank = 0; rank < 2; ++rank) {
        const uint32_t group = makers[rank].group("0", RankList::firstRanks(2));
        makers[rank].numbered(group, 1, 0, 1000).bytes = rank ? 64 : 128;
        makers[rank].numbered(group, 2, 2000, 3000).kind =
            static_cast<uint8_t>(rank ? CollectiveKind::AllGather : CollectiveKind::Broadcast);
    }
    expectSamePlaces(matchedOf(makers), 2, MatchConfidence::Ambiguous);
}

TEST(MatchedCalls, OperationsOfOneLaunchMatchByTheirPlace)
{
    for (const bool areNumbered : {true, false}) {
        auto makers = ranks(2);
        for (CallListMaker &maker : makers) {
            const uint32_t group = maker.group("0", RankList::firstRanks(2));
            for (Ns launch = 0; launch < 4; ++launch)
                for (uint16_t part = 0; part < 3; ++part) {
                    const Ns start = launch * launch * 1'000'000;
                    CallRow &row = areNumbered ? maker.numbered(group, launch, start, start + 1000)
                                               : maker.call(group, start, start + 1000);
                    row.part = part;
                    row.slice = static_cast<uint32_t>(launch);
                    row.flags |= call_flag::Coalesced;
                }
        }
        expectSamePlaces(matchedOf(makers), 12, areNumbered ? MatchConfidence::Sure : MatchConfidence::Likely);
    }
}

TEST(MatchedCalls, CallsThatEndAtOneMomentDoNotStopTheAlignment)
{
    // Rank 1 lacks the first call, and its third one has a twin of the same end that rank 0 lacks.
    auto makers = ranks(2);
    constexpr Ns kCalls = 60;
    for (uint32_t rank = 0; rank < 2; ++rank) {
        makers[rank].group("", {});
        for (Ns at = rank; at < kCalls; ++at) {
            const Ns end = at * 1'000'000 + at * at * 7000;
            makers[rank].call(0, end - 100'000, end);
            if (rank == 1 && at == 3)
                makers[rank].call(0, end - 100'000, end);
        }
    }
    const MatchedCalls matched = matchedOf(makers);
    EXPECT_GE(matched.matches.size(), kCalls - 3);
    size_t likely = 0;
    for (const MatchedCalls::Match &match : matched.matches)
        likely += match.confidence == MatchConfidence::Likely;
    EXPECT_GE(likely, kCalls - 4);

    // Twins on both ranks are paired, each once.
    makers = ranks(2);
    for (CallListMaker &maker : makers) {
        maker.group("", {});
        for (Ns at = 0; at < kCalls; ++at)
            for (int copy = 0; copy < (at % 10 == 5 ? 2 : 1); ++copy)
                maker.call(0, at * 1'000'000 + at * at * 7000 - 100'000, at * 1'000'000 + at * at * 7000);
    }
    EXPECT_EQ(matchedOf(makers).matches.size(), static_cast<size_t>(kCalls + 6));
}

TEST(MatchedCalls, TwoFilesOfOneRankLeaveMatchesAmbiguous)
{
    // Two runs of two ranks, with the same numbers at the same time.
    std::vector<CallListMaker> makers;
    for (const int64_t rank : {0, 1, 0, 1}) {
        CallListMaker &maker = makers.emplace_back(rank);
        const uint32_t group = maker.group("0", RankList::firstRanks(2));
        for (Ns at = 1; at < 6; ++at)
            maker.numbered(group, at, at * 10'000, at * 10'000 + 1000);
    }
    expectSamePlaces(matchedOf(makers), 5, MatchConfidence::Ambiguous);

    // A copy of rank 0 does not exceed the size of the group, but is the same rank.
    makers.clear();
    for (const int64_t rank : {0, 1, 0}) {
        CallListMaker &maker = makers.emplace_back(rank);
        const uint32_t group = maker.group("0", RankList::firstRanks(4));
        for (Ns at = 1; at < 6; ++at)
            maker.numbered(group, at, at * 10'000, at * 10'000 + 1000);
    }
    expectSamePlaces(matchedOf(makers), 5, MatchConfidence::Ambiguous);
}

TEST(MatchedCalls, SendsMatchTheReceivesOfTheirPeer)
{
    auto makers = ranks(3);
    std::vector<uint32_t> groups;
    for (CallListMaker &maker : makers)
        groups.push_back(maker.group("0", RankList::firstRanks(3)));
    const auto pair = [&](int32_t from, int32_t to, Ns start) {
        for (const int32_t rank : {from, to}) {
            CallRow &row =
                makers[static_cast<size_t>(rank)].call(groups[static_cast<size_t>(rank)], start, start + 5000,
                                                       rank == from ? CollectiveKind::Send : CollectiveKind::Receive);
            row.sender = from;
            row.receiver = to;
        }
    };
    for (Ns at = 0; at < 4; ++at) {
        pair(0, 1, at * at * 1'000'000); // both at the same time, on different pairs
        pair(1, 2, at * at * 1'000'000 + 10);
    }
    CallRow &lost = makers[2].call(groups[2], 500'000, 505'000, CollectiveKind::Receive);
    lost.receiver = 2; // the sender is unknown
    const MatchedCalls matched = matchedOf(makers);
    EXPECT_EQ(matched.matches.size(), 8u);
    for (const MatchedCalls::Match &match : matched.matches)
        EXPECT_EQ(match.confidence, MatchConfidence::Likely);
    ASSERT_EQ(matched.unmatched.size(), 1u);
    EXPECT_EQ(matched.unmatched[0].reason, UnmatchedReason::UnknownPeers);
}

TEST(MatchedCalls, AKernelOfManyOperationsIsWhatAnotherRankSays)
{
    auto makers = ranks(2);
    for (uint32_t rank = 0; rank < 2; ++rank) {
        makers[rank].group("", {});
        for (Ns at = 0; at < 5; ++at) {
            CallRow &row =
                makers[rank].call(0, at * at * 1'000'000, at * at * 1'000'000 + 9000, CollectiveKind::AllToAll);
            if (rank == 1 && at == 2) { // its operator was not recorded
                row.kind = static_cast<uint8_t>(CollectiveKind::SendReceive);
                row.flags = call_flag::Timed | call_flag::KernelOnly;
                row.bytes = kNoInt;
                row.dataType = 0;
            }
        }
    }
    expectSamePlaces(matchedOf(makers), 5, MatchConfidence::Likely);
}

TEST(MatchedCalls, AbsurdTimesAndNumbersAreSurvived)
{
    auto makers = ranks(3);
    for (CallListMaker &maker : makers) {
        const uint32_t group = maker.group("0", RankList::firstRanks(3));
        for (const Ns time : {kEarliestTime, Ns{0}, kLatestTime})
            for (int64_t copy = 0; copy < 3; ++copy)
                maker.call(group, time, time).step = copy;
        maker.numbered(group, INT64_MIN + 1, kLatestTime, kLatestTime);
    }
    const MatchedCalls matched = matchedOf(makers);
    EXPECT_EQ(matched.members.size() + matched.unmatched.size(), 30u);
    EXPECT_TRUE(matchCalls({}).matches.empty());
}
