// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/matched_set.h"

#include "model/trace/run/place_in_name.h"

#include <algorithm>
#include <map>
#include <set>

namespace riffle {

namespace {

/// Ranks as traces recorded them; a path counts if no other trace has the same rank.
std::vector<std::optional<int64_t>> ranksOf(const std::vector<CallList> &lists, const std::vector<TraceId> &traces,
                                            const TraceSet &set)
{
    std::vector<std::optional<int64_t>> ranks;
    std::vector<std::optional<int64_t>> told;
    std::map<int64_t, size_t> uses;
    for (size_t at = 0; at < lists.size(); ++at) {
        const TraceMember *member = lists[at].rank ? nullptr : set.member(traces[at]);
        ranks.push_back(lists[at].rank);
        told.push_back(member ? placeInName(member->path).rank : std::nullopt);
        if (const std::optional<int64_t> &used = ranks.back() ? ranks.back() : told.back())
            ++uses[*used];
    }
    for (size_t at = 0; at < lists.size(); ++at)
        if (told[at] && uses[*told[at]] == 1)
            ranks[at] = told[at];
    return ranks;
}

} // namespace

bool MatchedSet::needsTitles() const
{
    std::set<int64_t> seen;
    return !std::ranges::all_of(ranks,
                                [&](const std::optional<int64_t> &rank) { return rank && seen.insert(*rank).second; });
}

std::string MatchedSet::rankText(std::span<const uint32_t> some) const
{
    std::vector<int64_t> numbers;
    std::string titles;
    for (const uint32_t list : some)
        if (ranks[list])
            numbers.push_back(*ranks[list]);
        else
            titles += ", " + title(list);
    const std::string text = rankListText(numbers);
    return text.empty() && !titles.empty() ? titles.substr(2) : text + titles;
}

MatchedSet::MatchedSet(const SetFacts &all) : facts(&all)
{
    for (const LoadedTrace &member : all.set().loaded()) {
        lists.push_back(callListOf(all.of(member.id)));
        traces.push_back(member.id);
    }
    std::vector<const CallList *> refs;
    for (const CallList &list : lists)
        refs.push_back(&list);
    ranks = ranksOf(lists, traces, all.set());
    calls = matchCalls(refs);
    clocks = rankClocksOf(refs, calls);
    for (const uint32_t match : clocks.rejected)
        calls.matches[match].confidence = MatchConfidence::Ambiguous;
}

std::vector<std::string> MatchedSet::notes() const
{
    std::vector<std::string> notes;
    std::vector<const CallList *> refs;
    for (const CallList &list : lists)
        refs.push_back(&list);
    const std::vector<int64_t> repeated = repeatedRanks(refs);
    if (!repeated.empty())
        notes.push_back((repeated.size() == 1 ? "Rank " : "Ranks ") + rankListText(repeated) +
                        (repeated.size() == 1 ? " was" : " were") +
                        " recorded by several files: two runs, two recordings of one run, or a copy. Matches with "
                        "two calls of one rank are ambiguous. `run info` tells the files apart.");
    if (std::ranges::any_of(calls.families,
                            [](const CallFamily &family) { return family.basis == GroupBasis::Unknown; }))
        notes.push_back("Calls whose group is unknown are matched as if all ranks were one group.");
    if (const std::vector<uint32_t> &rejected = clocks.rejected; !rejected.empty()) {
        const bool isOne = rejected.size() == 1;
        notes.push_back(
            (isOne ? "Match " : "Matches ") + rankListText(std::vector<int64_t>(rejected.begin(), rejected.end())) +
            " would need clocks under which a rank leaves a collective before the last one comes, so " +
            (isOne ? "it is ambiguous, whatever its evidence." : "they are ambiguous, whatever their evidence."));
    }
    std::vector<uint32_t> contradictory;
    for (uint32_t list = 0; list < size(); ++list)
        if (const RankClock &clock = clocks.ranks[list]; clock.low > clock.high)
            contradictory.push_back(list);
    if (!contradictory.empty())
        notes.push_back("No clocks explain the matches of " +
                        std::string(contradictory.size() == 1 ? "rank " : "ranks ") + rankText(contradictory) +
                        ", and too many of them contradict the others to tell which are wrong. Some are, whatever "
                        "their evidence, and nothing bounds the clocks of these ranks.");
    return notes;
}

} // namespace riffle
