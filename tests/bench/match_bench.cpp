// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures matching the collectives of several ranks, whose calls are already listed, and estimating their clocks. The
// goal is 1 s for 8 ranks with 100,000 calls each.

#include "model/analysis/ranks/matched_calls.h"
#include "model/analysis/ranks/rank_clocks.h"
#include "tests/support/call_lists.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <vector>

using namespace riffle;

namespace {

using Steady = std::chrono::steady_clock;

struct MatchRun {
    uint32_t ranks = 8, calls = 100'000;
    bool areNumbered = false;
};

/// Ranks that make the same calls in a group of all and in one of half of them. Each lacks one call in a thousand.
std::vector<CallList> listsOf(const MatchRun &run)
{
    std::mt19937_64 random(7);
    const auto upTo = [&](Ns most) { return static_cast<Ns>(random() % static_cast<uint64_t>(most)); };
    std::vector<test::CallListMaker> makers;
    std::vector<Ns> offsets;
    for (uint32_t rank = 0; rank < run.ranks; ++rank) {
        test::CallListMaker &maker = makers.emplace_back(rank);
        maker.group("0", RankList::firstRanks(run.ranks));
        std::vector<int64_t> half;
        for (uint32_t other = rank % 2; other < run.ranks; other += 2)
            half.push_back(other);
        maker.group("1", RankList(half));
        offsets.push_back(upTo(1'000'000));
    }
    Ns now = 0;
    for (uint32_t call = 0; call < run.calls; ++call) {
        const uint32_t group = call % 4 == 0;
        const auto kind = std::array{CollectiveKind::AllReduce, CollectiveKind::AllGather}[call / 2 % 2];
        now += 100'000 + upTo(200'000);
        for (uint32_t rank = 0; rank < run.ranks; ++rank) {
            if (upTo(1000) == 0)
                continue;
            const Ns end = now + offsets[rank] + upTo(3000);
            CallRow &row = makers[rank].call(group, end - 20'000 - upTo(50'000), end, kind, 1024 << call % 3);
            row.number = call;
            row.flags |= run.areNumbered ? call_flag::Numbered : 0;
        }
    }
    std::vector<CallList> lists;
    for (test::CallListMaker &maker : makers)
        lists.push_back(maker.list());
    return lists;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures matching the collectives of several ranks.");
    MatchRun run;
    app.add_option("--ranks", run.ranks, "Ranks")->capture_default_str();
    app.add_option("--calls", run.calls, "Calls of each rank")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    fmt::print("{} ranks, {} calls each\n{:<18}{:>10}{:>12}{:>10}{:>10}{:>12}{:>12}{:>13}\n", run.ranks, run.calls,
               "keys", "time (ms)", "matches", "sure", "likely", "ambiguous", "unmatched", "clocks (ms)");
    for (const bool areNumbered : {true, false}) {
        run.areNumbered = areNumbered;
        const std::vector<CallList> lists = listsOf(run);
        std::vector<const CallList *> refs;
        for (const CallList &list : lists)
            refs.push_back(&list);
        double best = 0;
        MatchedCalls matched;
        for (int round = 0; round < 3; ++round) {
            const auto begin = Steady::now();
            matched = matchCalls(refs);
            const std::chrono::duration<double, std::milli> took = Steady::now() - begin;
            best = round == 0 ? took.count() : std::min(best, took.count());
        }
        const auto begin = Steady::now();
        const RankClocks clocks = rankClocksOf(refs, matched);
        const std::chrono::duration<double, std::milli> clocksTook = Steady::now() - begin;
        std::array<size_t, 3> confident{};
        for (const MatchedCalls::Match &match : matched.matches)
            ++confident[static_cast<size_t>(match.confidence)];
        fmt::print("{:<18}{:>10.0f}{:>12}{:>10}{:>10}{:>12}{:>12}{:>13.0f}\n",
                   areNumbered ? "sequence numbers" : "times", best, matched.matches.size(), confident[0], confident[1],
                   confident[2], matched.unmatched.size(), clocksTook.count());
    }
    return 0;
}
