// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/matched_calls.h"

#include "model/analysis/ranks/family_matcher.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace riffle {

namespace {

bool isNumbered(const CallFamily &family, std::span<const CallList *const> lists)
{
    return std::ranges::all_of(family.members, [&](const CallFamily::Member &member) {
        return lists[member.rank]->table.flags[member.calls.front()] & call_flag::Numbered;
    });
}

size_t callsOf(const CallFamily &family)
{
    size_t calls = 0;
    for (const CallFamily::Member &member : family.members)
        calls += member.calls.size();
    return calls;
}

} // namespace

MatchedCalls matchCalls(std::span<const CallList *const> lists)
{
    MatchState state{lists, CommonClock(lists), {}, {}};
    std::set<int64_t> recorded;
    for (const CallList *list : lists) {
        state.isDone.emplace_back(list->size());
        state.areRanksRepeated = state.areRanksRepeated || (list->rank && !recorded.insert(*list->rank).second);
    }
    state.made.families = callFamiliesOf(lists);
    // Numbers are the best evidence, collectives say more about the clocks than pairs, and more calls than fewer.
    const std::vector<CallFamily> &families = state.made.families;
    std::vector<uint32_t> order(families.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](uint32_t at) {
        const CallFamily &family = families[at];
        return std::tuple(family.isPointToPoint, !isNumbered(family, lists), family.isMixed, !family.isCertain,
                          family.basis == GroupBasis::Unknown, -static_cast<int64_t>(callsOf(family)));
    };
    std::ranges::stable_sort(order, {}, key);
    for (const uint32_t at : order)
        FamilyMatcher(state, at).match();
    MatchedCalls &made = state.made;
    std::ranges::sort(made.unmatched);
    std::vector<std::tuple<uint32_t, Ns, uint32_t>> places; // family, end on the common clock, match
    for (uint32_t at = 0; at < made.matches.size(); ++at) {
        const CallRef &call = made.members[made.matches[at].first];
        const CallTable &table = lists[call.rank]->table;
        const bool isTimed = (table.flags[call.call] & call_flag::Timed) != 0;
        places.emplace_back(made.matches[at].family,
                            isTimed ? state.clock.time(call.rank, table.end[call.call]) : table.hostStart[call.call],
                            at);
    }
    std::ranges::sort(places);
    std::vector<MatchedCalls::Match> sorted;
    sorted.reserve(places.size());
    for (const auto &[family, time, at] : places)
        sorted.push_back(made.matches[at]);
    made.matches = std::move(sorted);
    return std::move(state.made);
}

const char *matchBasisName(MatchBasis basis)
{
    switch (basis) {
    case MatchBasis::Sequence: return "sequence number";
    case MatchBasis::Time: return "time";
    case MatchBasis::Order: return "order";
    }
    return "";
}

const char *matchConfidenceName(MatchConfidence confidence)
{
    switch (confidence) {
    case MatchConfidence::Sure: return "sure";
    case MatchConfidence::Likely: return "likely";
    case MatchConfidence::Ambiguous: return "ambiguous";
    }
    return "";
}

const char *unmatchedReasonName(UnmatchedReason reason)
{
    switch (reason) {
    case UnmatchedReason::OneRank: return "no other rank has calls of this group";
    case UnmatchedReason::OutsideOthers: return "outside the time that the other ranks recorded";
    case UnmatchedReason::NotFound: return "no other rank has this call";
    case UnmatchedReason::NoTimes: return "no times on the device, and the order differs";
    case UnmatchedReason::UnknownPeers: return "sender or receiver unknown";
    case UnmatchedReason::NoOffset: return "the clocks of the ranks cannot be compared";
    }
    return "";
}

const char *groupBasisName(GroupBasis basis)
{
    switch (basis) {
    case GroupBasis::CommsId: return "communicator's id";
    case GroupBasis::Ranks: return "ranks";
    case GroupBasis::CutRanks: return "first ranks and size";
    case GroupBasis::Size: return "size";
    case GroupBasis::Unknown: return "not recorded";
    }
    return "";
}

} // namespace riffle
