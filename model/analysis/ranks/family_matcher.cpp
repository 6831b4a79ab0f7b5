// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/family_matcher.h"

#include "model/analysis/facts/collective_kind.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace riffle {

namespace {

/// The kind of the kernel that carries out a call: all-to-alls, sends and receives have the same one.
CollectiveKind kernelKind(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllToAll:
    case CollectiveKind::Send:
    case CollectiveKind::Receive:
    case CollectiveKind::Gather:
    case CollectiveKind::Scatter: return CollectiveKind::SendReceive;
    case CollectiveKind::Barrier: return CollectiveKind::AllReduce;
    default: return kind;
    }
}

/// Numbers for what calls must have in common, given as they are met.
class Symbols {
public:
    uint32_t of(CollectiveKind kind, const std::string &operation, const std::string &type, int64_t bytes)
    {
        const auto key = std::tuple(kind, operation, type, bytes);
        return m_symbols.emplace(key, static_cast<uint32_t>(m_symbols.size())).first->second;
    }

private:
    std::map<std::tuple<CollectiveKind, std::string, std::string, int64_t>, uint32_t> m_symbols;
};

bool isTimed(uint16_t flags) { return (flags & call_flag::Timed) != 0; }

} // namespace

FamilyMatcher::FamilyMatcher(MatchState &state, uint32_t family) : m_state(state), m_family(family) {}

void FamilyMatcher::match()
{
    const size_t firstMatch = m_state.made.matches.size();
    const bool knowsPeers = family().sender >= 0 && family().receiver >= 0;
    if (family().members.size() > 1 && (!family().isPointToPoint || knowsPeers)) {
        if (!family().isPointToPoint)
            matchNumbers();
        joinByMatches(firstMatch);
        matchTimes();
        joinByMatches(firstMatch);
        matchOrder();
    }
    listRest();
}

void FamilyMatcher::matchNumbers()
{
    std::vector<std::pair<int64_t, CallRef>> numbered;
    for (const CallFamily::Member &member : family().members)
        for (const uint32_t call : member.calls) {
            const CallRef ref{member.rank, call};
            if (hasFlag(ref, call_flag::Numbered) && !hasFlag(ref, call_flag::Replayed))
                numbered.emplace_back(table(member.rank).number[call], ref);
        }
    if (!std::ranges::is_sorted(numbered))
        std::ranges::sort(numbered);
    for (size_t first = 0, last = 0; first < numbered.size(); first = last) {
        throwIfStoppedAt(first);
        while (last < numbered.size() && numbered[last].first == numbered[first].first)
            ++last;
        matchNumber({numbered.data() + first, numbered.data() + last});
    }
}

void FamilyMatcher::matchNumber(std::span<const std::pair<int64_t, CallRef>> run)
{
    std::vector<std::vector<CallRef>> byRank;
    for (const auto &[number, ref] : run) {
        if (byRank.empty() || byRank.back().front().rank != ref.rank)
            byRank.emplace_back();
        byRank.back().push_back(ref);
    }
    const size_t count = byRank.front().size();
    if (byRank.size() < 2)
        return;
    for (const std::vector<CallRef> &calls : byRank) {
        const bool isOneLaunch =
            calls.size() == 1 || std::ranges::all_of(calls, [&](const CallRef &ref) {
                return hasFlag(ref, call_flag::Coalesced) &&
                       table(ref.rank).slice[ref.call] == table(ref.rank).slice[calls.front().call];
            });
        if (calls.size() != count || !isOneLaunch)
            return; // their times have to tell
    }
    for (size_t place = 0; place < count; ++place) {
        std::vector<CallRef> calls;
        for (const std::vector<CallRef> &ofRank : byRank)
            calls.push_back(ofRank[place]);
        const bool isCertain = family().isCertain && std::ranges::all_of(calls, [&](const CallRef &ref) {
                                   return hasFlag(ref, call_flag::ByOperator);
                               });
        const MatchConfidence confidence = !agree(calls)      ? MatchConfidence::Ambiguous
                                           : isCertain        ? MatchConfidence::Sure
                                           : family().isMixed ? MatchConfidence::Ambiguous
                                                              : MatchConfidence::Likely;
        add(std::move(calls), MatchBasis::Sequence, confidence);
    }
}

std::vector<FamilyMatcher::Side> FamilyMatcher::sides(bool areTimed) const
{
    std::vector<Side> found;
    bool areDescribed = true; // every call by more than the name of its kernel, and with a size
    for (const CallFamily::Member &member : family().members) {
        Side side;
        side.rank = member.rank;
        for (const uint32_t call : member.calls) {
            const CallRef ref{member.rank, call};
            if (isDone(ref) || isTimed(table(member.rank).flags[call]) != areTimed)
                continue;
            areDescribed =
                areDescribed && !hasFlag(ref, call_flag::KernelOnly) && table(member.rank).bytes[call] != kNoInt;
            side.calls.push_back(call);
        }
        if (!side.calls.empty())
            found.push_back(std::move(side));
    }
    Symbols symbols, types;
    for (Side &side : found) {
        for (const uint32_t call : side.calls) {
            const CallRef ref{side.rank, call};
            const CallTable &from = table(side.rank);
            const CollectiveKind kind = kindOf(ref);
            const bool isOther = kind == CollectiveKind::Other;
            const std::string &type = text(ref, &CallTable::dataType);
            std::string operation = isOther ? text(ref, &CallTable::operation) : std::string();
            if (hasFlag(ref, call_flag::Coalesced)) // its times are those of the others of its launch
                operation += "#" + std::to_string(from.part[call]);
            AlignedCall each;
            each.start = areTimed ? m_state.clock.time(side.rank, from.start[call]) : from.hostStart[call];
            each.end = areTimed ? m_state.clock.time(side.rank, from.end[call]) : from.hostStart[call];
            each.bytes = comparedBytes(ref);
            each.symbol = areDescribed ? symbols.of(kernelKind(kind), operation, type, each.bytes)
                                       : symbols.of(kernelKind(kind), operation, "", kNoInt);
            const bool isUnknown = hasFlag(ref, call_flag::KernelOnly) || isPointToPoint(kind);
            each.kind = isUnknown ? AlignedCall::kUnknown : static_cast<uint32_t>(kind);
            each.type = type.empty() ? AlignedCall::kUnknown : types.of({}, "", type, 0);
            if (hasFlag(ref, call_flag::Numbered) && !hasFlag(ref, call_flag::Replayed) && family().isCertain &&
                !family().isPointToPoint)
                each.number = from.number[call];
            each.step = from.step[call];
            side.aligned.push_back(each);
        }
        if (std::ranges::is_sorted(side.aligned, {}, &AlignedCall::end))
            continue;
        std::vector<std::pair<AlignedCall, uint32_t>> both;
        for (size_t at = 0; at < side.calls.size(); ++at)
            both.emplace_back(side.aligned[at], side.calls[at]);
        std::ranges::stable_sort(both, {}, [](const auto &each) { return each.first.end; });
        for (size_t at = 0; at < both.size(); ++at)
            std::tie(side.aligned[at], side.calls[at]) = both[at];
    }
    return found;
}

/// Calls without times on a device match by their order if all ranks have the same sequence of them.
void FamilyMatcher::matchOrder()
{
    const std::vector<Side> untimed = sides(false);
    if (untimed.size() < 2)
        return;
    bool areStepsEqual = true;
    const Side &reference = untimed.front();
    for (const Side &side : untimed) {
        if (side.calls.size() != reference.calls.size())
            return;
        for (size_t at = 0; at < side.calls.size(); ++at) {
            if (side.aligned[at].symbol != reference.aligned[at].symbol ||
                side.aligned[at].bytes != reference.aligned[at].bytes)
                return;
            areStepsEqual =
                areStepsEqual && side.aligned[at].step != kNoInt && side.aligned[at].step == reference.aligned[at].step;
        }
    }
    for (size_t at = 0; at < reference.calls.size(); ++at) {
        std::vector<CallRef> calls;
        for (const Side &side : untimed)
            calls.push_back({side.rank, side.calls[at]});
        const bool isLikely = areStepsEqual && !family().isMixed && family().basis <= GroupBasis::Ranks;
        add(std::move(calls), MatchBasis::Order, isLikely ? MatchConfidence::Likely : MatchConfidence::Ambiguous);
    }
}

void FamilyMatcher::matchTimes()
{
    // Each round finds the matches of one rank. Later ones find those in which earlier references have no part.
    for (size_t round = 0; round < family().members.size(); ++round) {
        m_sides = sides(true);
        if (m_sides.size() < 2)
            return;
        const auto size = [&](const Side &side) {
            return std::pair(m_state.clock.joinedWith(side.rank), side.calls.size());
        };
        const auto reference = std::ranges::max_element(m_sides, {}, size);
        const size_t before = m_state.made.matches.size();
        matchWith(static_cast<size_t>(reference - m_sides.begin()), round == 0);
        if (m_state.made.matches.size() == before && round > 0)
            return;
    }
}

void FamilyMatcher::matchWith(size_t place, bool areAll)
{
    const Side &reference = m_sides[place];
    std::vector<Partner> partners;
    std::vector<uint8_t> isUnclear(m_state.lists.size());
    for (size_t at = 0; at < m_sides.size(); ++at)
        if (at != place) {
            align(reference, m_sides[at], areAll, partners);
            isUnclear[m_sides[at].rank] = !m_sides[at].isClear;
        }
    std::ranges::stable_sort(partners, {}, &Partner::of);
    for (size_t first = 0, last = 0; first < partners.size(); first = last) {
        std::vector<CallRef> calls{{reference.rank, reference.calls[partners[first].of]}};
        bool isLikely = !family().isMixed || family().isPointToPoint;
        for (; last < partners.size() && partners[last].of == partners[first].of; ++last) {
            calls.push_back(partners[last].call);
            isLikely = isLikely && partners[last].isFirm && !isUnclear[partners[last].call.rank];
        }
        isLikely = isLikely && !areUnknown(calls) && agree(calls);
        add(std::move(calls), MatchBasis::Time, isLikely ? MatchConfidence::Likely : MatchConfidence::Ambiguous);
    }
}

void FamilyMatcher::align(const Side &reference, Side &side, bool areAll, std::vector<Partner> &partners)
{
    const bool isKnown = m_state.clock.areJoined(reference.rank, side.rank);
    const PairAlignment found =
        isKnown ? alignedAt(reference.aligned, side.aligned, {}) : aligned(reference.aligned, side.aligned);
    side.isClear = isKnown || (found.isClear && areAll);
    for (const PairAlignment::Pair &pair : found.pairs)
        partners.push_back({pair.left, {side.rank, side.calls[pair.right]}, pair.isFirm});
    if (isKnown || !side.isClear)
        return;
    std::vector<ClockVote> votes;
    for (const PairAlignment::Pair &pair : found.pairs)
        if (pair.isFirm)
            votes.push_back(
                {reference.aligned[pair.left].end, reference.aligned[pair.left].end - side.aligned[pair.right].end});
    if (!votes.empty())
        m_state.clock.join(reference.rank, side.rank, lineThrough(std::move(votes)));
}

/// Joins the clocks of ranks that sure matches connect.
void FamilyMatcher::joinByMatches(size_t firstMatch)
{
    std::map<std::pair<uint32_t, uint32_t>, std::vector<ClockVote>> votes;
    for (size_t at = firstMatch; at < m_state.made.matches.size(); ++at) {
        const MatchedCalls::Match &match = m_state.made.matches[at];
        const auto calls = m_state.made.of(match);
        if (match.confidence == MatchConfidence::Ambiguous || match.family != m_family)
            continue;
        const CallRef &first = calls.front();
        for (const CallRef &other : calls.subspan(1))
            if (hasFlag(first, call_flag::Timed) && hasFlag(other, call_flag::Timed) &&
                !m_state.clock.areJoined(first.rank, other.rank)) {
                const Ns end = m_state.clock.time(first.rank, table(first.rank).end[first.call]);
                const Ns otherEnd = m_state.clock.time(other.rank, table(other.rank).end[other.call]);
                votes[{first.rank, other.rank}].push_back({end, end - otherEnd});
            }
    }
    for (auto &[ranks, of] : votes)
        if (!m_state.clock.areJoined(ranks.first, ranks.second))
            m_state.clock.join(ranks.first, ranks.second, lineThrough(std::move(of)));
}

void FamilyMatcher::listRest()
{
    const bool hasPeers = !family().isPointToPoint || (family().sender >= 0 && family().receiver >= 0);
    // The time that each rank recorded of this family, on the common clock.
    std::vector<std::pair<uint32_t, TimeSpan>> spans;
    for (const CallFamily::Member &member : family().members) {
        TimeSpan span{INT64_MAX, INT64_MIN};
        for (const uint32_t call : member.calls)
            if (isTimed(table(member.rank).flags[call])) {
                span.begin = std::min(span.begin, m_state.clock.time(member.rank, table(member.rank).start[call]));
                span.end = std::max(span.end, m_state.clock.time(member.rank, table(member.rank).end[call]));
            }
        spans.emplace_back(member.rank, span);
    }
    for (const CallFamily::Member &member : family().members)
        for (const uint32_t call : member.calls) {
            const CallRef ref{member.rank, call};
            if (isDone(ref))
                continue;
            const Ns end = m_state.clock.time(member.rank, table(member.rank).end[call]);
            bool isInside = false, isJoined = false;
            for (const auto &[rank, span] : spans)
                if (rank != member.rank && m_state.clock.areJoined(rank, member.rank)) {
                    isJoined = true;
                    isInside = isInside || (span.begin <= end && end <= span.end);
                }
            list(ref, !hasPeers                                  ? UnmatchedReason::UnknownPeers
                      : family().members.size() < 2              ? UnmatchedReason::OneRank
                      : !isTimed(table(member.rank).flags[call]) ? UnmatchedReason::NoTimes
                      : !isJoined                                ? UnmatchedReason::NoOffset
                      : isInside                                 ? UnmatchedReason::NotFound
                                                                 : UnmatchedReason::OutsideOthers);
        }
}

int64_t FamilyMatcher::comparedBytes(const CallRef &call) const
{
    switch (kindOf(call)) {
    case CollectiveKind::AllToAll: // parts of different sizes
    case CollectiveKind::Gather:
    case CollectiveKind::Scatter:
    case CollectiveKind::Other: return kNoInt;
    default: return table(call.rank).bytes[call.call];
    }
}

const std::string &FamilyMatcher::text(const CallRef &call, const Column<uint32_t> CallTable::*column) const
{
    return m_state.lists[call.rank]->texts[(table(call.rank).*column)[call.call]];
}

bool FamilyMatcher::agree(std::span<const CallRef> calls) const
{
    int64_t bytes = kNoInt;
    const std::string *type = nullptr;
    const CallRef *described = nullptr;
    for (const CallRef &call : calls) {
        const std::string &own = text(call, &CallTable::dataType);
        const int64_t size = comparedBytes(call);
        if (bytes != kNoInt && size != kNoInt && size != bytes)
            return false;
        bytes = size != kNoInt ? size : bytes;
        if (type && !own.empty() && own != *type)
            return false;
        type = own.empty() ? type : &own;
        if (hasFlag(call, call_flag::KernelOnly))
            continue;
        if (described && kindOf(*described) != kindOf(call) && !isPointToPoint(kindOf(call)))
            return false;
        described = &call;
    }
    return true;
}

bool FamilyMatcher::areUnknown(std::span<const CallRef> calls) const
{
    return std::ranges::all_of(calls, [&](const CallRef &call) { return kindOf(call) == CollectiveKind::SendReceive; });
}

bool FamilyMatcher::areTooMany(std::span<const CallRef> calls) const
{
    if (family().size > 0 && static_cast<int64_t>(calls.size()) > family().size)
        return true;
    if (!m_state.areRanksRepeated)
        return false;
    std::set<int64_t> recorded;
    return !std::ranges::all_of(calls, [&](const CallRef &call) {
        const std::optional<int64_t> &rank = m_state.lists[call.rank]->rank;
        return !rank || recorded.insert(*rank).second;
    });
}

void FamilyMatcher::add(std::vector<CallRef> calls, MatchBasis basis, MatchConfidence confidence)
{
    MatchedCalls &made = m_state.made;
    std::ranges::sort(calls);
    if (areTooMany(calls))
        confidence = MatchConfidence::Ambiguous;
    const auto first = static_cast<uint32_t>(made.members.size());
    for (const CallRef &call : calls) {
        m_state.isDone[call.rank][call.call] = true;
        made.members.push_back(call);
    }
    made.matches.push_back({m_family, basis, confidence, first, static_cast<uint32_t>(made.members.size())});
}

void FamilyMatcher::list(const CallRef &call, UnmatchedReason reason)
{
    m_state.isDone[call.rank][call.call] = true;
    m_state.made.unmatched.push_back({call, m_family, reason});
}

} // namespace riffle
