// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/rank_clocks.h"
#include "tests/support/call_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace riffle;

namespace {

/// Calls whose fields are anything that a damaged file can contain, often equal to those of other ranks.
class AnyCalls {
public:
    explicit AnyCalls(uint32_t seed) : m_random(seed) {}

    std::vector<CallList> lists()
    {
        std::vector<CallList> all;
        for (int64_t rank = 0, ranks = 1 + below(6); rank < ranks; ++rank)
            all.push_back(list(rank));
        return all;
    }

private:
    int64_t below(int64_t end) { return static_cast<int64_t>(m_random() % static_cast<uint64_t>(end)); }
    int64_t any() { return static_cast<int64_t>(m_random()); }
    Ns time()
    {
        switch (below(8)) {
        case 0: return kEarliestTime;
        case 1: return kLatestTime;
        case 2: return below(kLatestTime);
        default: return below(1'000'000'000);
        }
    }

    CallList list(int64_t rank)
    {
        test::CallListMaker maker(below(5) == 0 ? 0 : rank);
        const int64_t groups = 1 + below(4);
        for (int64_t group = 0; group < groups; ++group) {
            std::vector<int64_t> ranks;
            for (int64_t each = 0; each < 8; ++each)
                if (below(2))
                    ranks.push_back(each);
            RecordedGroup &made = maker.groupAt(maker.group(std::to_string(below(4)), below(3) ? ranks : RankList()));
            if (made.ranks.empty()) {
                made.first = below(2) ? std::vector<int64_t>{0, 1} : std::vector<int64_t>();
                made.size = below(2) ? kNoInt : below(8);
            }
        }
        for (int64_t call = 0, calls = below(60); call < calls; ++call)
            addCall(maker, groups);
        CallList made = maker.list();
        if (below(3) == 0)
            made.unixBase = below(2) ? Ns{1'700'000'000'000'000'000} : any();
        if (below(4) == 0)
            made.rank.reset();
        made.resolution = below(2) ? 1 : 1000;
        return made;
    }

    void addCall(test::CallListMaker &maker, int64_t groups)
    {
        const Ns start = time(), end = std::min(kLatestTime, start + below(100'000));
        CallRow &row = maker.call(static_cast<uint32_t>(below(groups)), start, end,
                                  static_cast<CollectiveKind>(below(13)), below(4) ? 1024 << below(3) : any());
        row.step = below(3) ? below(5) : any();
        row.number = below(6) ? below(40) : any();
        row.flags = static_cast<uint16_t>(below(0x200));
        if (below(4))
            row.flags |= call_flag::Timed;
        row.hostStart = below(3) ? time() : kNoInt;
        row.commsId = below(3);
        row.sender = static_cast<int32_t>(below(4) - 1);
        row.receiver = static_cast<int32_t>(below(4) - 1);
        row.part = static_cast<uint16_t>(below(3));
        row.slice = static_cast<uint32_t>(below(20));
        row.dataType = static_cast<uint32_t>(below(2));
    }

    std::mt19937_64 m_random;
};

} // namespace

TEST(RandomCalls, EachIsInOneMatchOrListed)
{
    for (uint32_t seed = 0; seed < 150; ++seed) {
        const std::vector<CallList> lists = AnyCalls(seed).lists();
        std::vector<const CallList *> refs;
        std::vector<CallRef> all, seen;
        for (const CallList &list : lists) {
            for (uint32_t call = 0; call < list.size(); ++call)
                all.push_back({static_cast<uint32_t>(refs.size()), call});
            refs.push_back(&list);
        }
        const MatchedCalls matched = matchCalls(refs);
        for (const MatchedCalls::Match &match : matched.matches) {
            const auto calls = matched.of(match);
            EXPECT_GE(calls.size(), 2u);
            EXPECT_TRUE(std::ranges::is_sorted(calls, std::ranges::less_equal(), &CallRef::rank)) << "one of each rank";
            seen.insert(seen.end(), calls.begin(), calls.end());
        }
        for (const MatchedCalls::Unmatched &each : matched.unmatched)
            seen.push_back(each.call);
        std::ranges::sort(seen);
        EXPECT_EQ(seen, all) << "seed " << seed;
        for (const RankClock &clock : rankClocksOf(refs, matched).ranks)
            if (clock.reference != RankClock::kAlone && clock.low <= clock.high) {
                EXPECT_LE(clock.low, clock.offset) << "seed " << seed;
                EXPECT_LE(clock.offset, clock.high) << "seed " << seed;
            }
    }
}
