// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/rank_clocks.h"

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/ranks/common_clock.h"
#include "model/analysis/ranks/drift.h"
#include "model/analysis/ranks/offset_bounds.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

constexpr Ns kAgree = 20'000; ///< ends of an all-to-all that agree, ns
constexpr int kRounds = 12;   ///< of medians by rank and by match
constexpr size_t kMostRejected = 64;
constexpr size_t kFewForQuantile = 20;
constexpr double kMostSlack = 1e15; ///< ns, of a drift's error, and of a drift

/// One rank's call of a match, on its straightened clock.
struct ClockCall {
    uint32_t rank = 0;
    Ns start = 0, end = 0;
};

struct ClockMatch {
    uint32_t match = 0;
    uint32_t first = 0, last = 0; ///< its calls
    bool isAllToAll = false;
    bool isLeftTogether = true; ///< its ends count
    bool isRejected = false;
};

/// The value below which this share of the values lies. There must be a value.
Ns quantile(std::vector<Ns> values, double share)
{
    const auto place = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
    const auto at = values.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(place, 1, values.size()) - 1);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// Times are below an eighth of what fits into 64 bits (CommonClock), so their differences are below a quarter. Sums of
/// them along a chain of ranks stay there, too.
Ns nearOffset(Ns offset) { return std::clamp(offset, -INT64_MAX / 4, INT64_MAX / 4); }

class ClockEstimator {
public:
    ClockEstimator(std::span<const CallList *const> lists, const MatchedCalls &matched)
        : m_lists(lists)
        , m_recorded(lists)
    {
        m_made.ranks.resize(lists.size());
        m_offset.resize(lists.size());
        collect(matched);
    }

    RankClocks estimate()
    {
        connect();
        fit();
        chooseAllToAlls();
        fit();
        if (straighten())
            fit();
        bound();
        judge();
        return std::move(m_made);
    }

private:
    std::span<const ClockCall> of(const ClockMatch &match) const
    {
        return {m_calls.data() + match.first, m_calls.data() + match.last};
    }
    bool isKnown(uint32_t rank) const { return m_made.ranks[rank].reference != RankClock::kAlone; }

    void collect(const MatchedCalls &matched)
    {
        for (uint32_t at = 0; at < matched.matches.size(); ++at) {
            throwIfStoppedAt(at);
            const MatchedCalls::Match &match = matched.matches[at];
            if (match.confidence == MatchConfidence::Ambiguous || matched.families[match.family].isPointToPoint)
                continue;
            ClockMatch found{.match = at, .first = static_cast<uint32_t>(m_calls.size())};
            bool isUsable = true;
            for (const CallRef &call : matched.of(match)) {
                const CallTable &table = m_lists[call.rank]->table;
                const auto kind = static_cast<CollectiveKind>(table.kind[call.call]);
                const bool isAllToAll = kind == CollectiveKind::AllToAll || kind == CollectiveKind::SendReceive;
                found.isAllToAll = found.isAllToAll || isAllToAll;
                isUsable = isUsable && (table.flags[call.call] & call_flag::Timed) != 0 &&
                           (isAllToAll || kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather ||
                            kind == CollectiveKind::ReduceScatter || kind == CollectiveKind::Barrier);
                m_calls.push_back({call.rank, m_recorded.time(call.rank, table.start[call.call]),
                                   m_recorded.time(call.rank, table.end[call.call])});
            }
            if (!isUsable) {
                m_calls.resize(found.first);
                continue;
            }
            found.last = static_cast<uint32_t>(m_calls.size());
            m_matches.push_back(found);
        }
    }

    /// Gives each rank that matches connect a reference, and a first offset.
    void connect()
    {
        std::map<std::pair<uint32_t, uint32_t>, std::vector<Ns>> differences; // later rank - earlier rank
        std::vector<std::vector<uint32_t>> neighbours(m_lists.size());
        for (const ClockMatch &match : m_matches)
            for (const ClockCall &call : of(match).subspan(1))
                differences[{of(match).front().rank, call.rank}].push_back(call.end - of(match).front().end);
        for (const auto &[ranks, each] : differences) {
            neighbours[ranks.first].push_back(ranks.second);
            neighbours[ranks.second].push_back(ranks.first);
        }
        for (uint32_t first = 0; first < m_lists.size(); ++first) {
            if (isKnown(first) || neighbours[first].empty())
                continue;
            std::deque<uint32_t> open{first};
            m_made.ranks[first].reference = first;
            while (!open.empty()) {
                const uint32_t rank = open.front();
                open.pop_front();
                for (const uint32_t other : neighbours[rank]) {
                    if (isKnown(other))
                        continue;
                    const bool isLater = other > rank;
                    const Ns ahead = medianOf(differences[isLater ? std::pair(rank, other) : std::pair(other, rank)]);
                    m_offset[other] = nearOffset(saturatedSum(m_offset[rank], isLater ? ahead : -ahead));
                    m_made.ranks[other].reference = first;
                    open.push_back(other);
                }
            }
        }
    }

    /// All-to-alls count where their ends agree. For ranks of which nothing else is known, most of them must agree:
    /// under the medians, some do so by chance.
    void chooseAllToAlls()
    {
        struct Known {
            size_t others = 0, agreeing = 0, all = 0;
            bool isEnough() const { return others > 0 || agreeing * 2 >= all; }
        };
        std::vector<Known> known(m_lists.size());
        for (ClockMatch &match : m_matches) {
            match.isLeftTogether = !match.isAllToAll || spreadOf(match) <= kAgree;
            for (const ClockCall &call : of(match)) {
                known[call.rank].others += !match.isAllToAll;
                known[call.rank].agreeing += match.isAllToAll && match.isLeftTogether;
                known[call.rank].all += match.isAllToAll;
            }
        }
        for (ClockMatch &match : m_matches)
            match.isLeftTogether = match.isLeftTogether &&
                                   (!match.isAllToAll || std::ranges::all_of(of(match), [&](const ClockCall &call) {
                                       return known[call.rank].isEnough();
                                   }));
    }

    /// The common end of a match on the clocks made equal.
    Ns endOf(const ClockMatch &match) const
    {
        std::vector<Ns> ends;
        for (const ClockCall &call : of(match))
            ends.push_back(call.end - m_offset[call.rank]);
        return medianOf(ends);
    }
    Ns spreadOf(const ClockMatch &match) const
    {
        Ns first = INT64_MAX, last = INT64_MIN;
        for (const ClockCall &call : of(match)) {
            first = std::min(first, call.end - m_offset[call.rank]);
            last = std::max(last, call.end - m_offset[call.rank]);
        }
        return last - first;
    }

    /// Takes medians by match and by rank in turn until the offsets stay.
    void fit()
    {
        for (int round = 0; round < kRounds; ++round) {
            throwIfStopped();
            std::vector<std::vector<Ns>> ahead(m_lists.size());
            for (const ClockMatch &match : m_matches)
                if (match.isLeftTogether) {
                    const Ns end = endOf(match);
                    for (const ClockCall &call : of(match))
                        ahead[call.rank].push_back(call.end - end);
                }
            std::vector<Ns> before = m_offset;
            for (uint32_t rank = 0; rank < m_lists.size(); ++rank)
                if (!ahead[rank].empty())
                    m_offset[rank] = nearOffset(medianOf(ahead[rank]));
            std::vector<Ns> ofReference = m_offset;
            for (uint32_t rank = 0; rank < m_lists.size(); ++rank)
                if (isKnown(rank))
                    m_offset[rank] =
                        nearOffset(saturatedSum(m_offset[rank], -ofReference[m_made.ranks[rank].reference]));
            if (before == m_offset)
                break;
        }
    }

    /// The call of the rank whose clock counts; null if it has no part in the match.
    const ClockCall *referenceOf(const ClockMatch &match) const
    {
        const uint32_t reference = m_made.ranks[of(match).front().rank].reference;
        const auto found = std::ranges::find(of(match), reference, &ClockCall::rank);
        return found == of(match).end() ? nullptr : &*found;
    }

    /// Removes drifts against the references from the times, where the calls prove one. Returns true if there is one.
    bool straighten()
    {
        std::vector<std::vector<DriftPoint>> points(m_lists.size());
        std::vector<TimeSpan> spans(m_lists.size(), TimeSpan{INT64_MAX, INT64_MIN});
        for (const ClockMatch &match : m_matches) {
            const ClockCall *reference = match.isLeftTogether ? referenceOf(match) : nullptr;
            for (const ClockCall &call : of(match)) {
                TimeSpan &span = spans[call.rank];
                span = {std::min(span.begin, call.end), std::max(span.end, call.end)};
                if (reference && reference->rank != call.rank)
                    points[call.rank].push_back({call.end, call.end - reference->end - m_offset[call.rank]});
            }
        }
        bool isAny = false;
        for (uint32_t rank = 0; rank < m_lists.size(); ++rank) {
            RankClock &clock = m_made.ranks[rank];
            if (!isKnown(rank))
                continue;
            const Ns half = (spans[rank].end - spans[rank].begin) / 2;
            const Drift drift = driftOf(points[rank], m_lists[rank]->resolution);
            clock.drift = drift.slope;
            clock.at = spans[rank].begin + half;
            clock.slack = saturatedSum(m_lists[rank]->resolution,
                                       static_cast<Ns>(std::min(drift.error * static_cast<double>(half), kMostSlack)));
            isAny = isAny || drift.slope != 0;
        }
        for (ClockCall &call : m_calls) {
            const RankClock &clock = m_made.ranks[call.rank];
            const auto straight = [&](Ns time) {
                const double gained = clock.drift * static_cast<double>(time - clock.at);
                return time - static_cast<Ns>(std::llround(std::clamp(gained, -kMostSlack, kMostSlack)));
            };
            call = {call.rank, straight(call.start), straight(call.end)};
        }
        return isAny;
    }

    /// The least slack that a match leaves to the offsets; negative if it contradicts them.
    Ns slackOf(const ClockMatch &match) const
    {
        Ns came = INT64_MIN, left = INT64_MAX;
        for (const ClockCall &call : of(match)) {
            came = std::max(came, call.start - m_offset[call.rank]);
            left = std::min(left, call.end - m_offset[call.rank]);
        }
        return left - came;
    }

    /// The limits that matches (indices) set to the clocks of one part.
    OffsetBounds boundsOf(size_t clocks, const std::vector<size_t> &matches) const
    {
        OffsetBounds bounds(clocks);
        for (const size_t at : matches) {
            throwIfStoppedAt(at);
            if (m_matches[at].isRejected)
                continue;
            for (const ClockCall &left : of(m_matches[at]))
                for (const ClockCall &came : of(m_matches[at]))
                    if (left.rank != came.rank)
                        bounds.limit(m_place[left.rank], m_place[came.rank],
                                     saturatedSum(left.end - came.start, saturatedSum(m_made.ranks[left.rank].slack,
                                                                                      m_made.ranks[came.rank].slack)));
        }
        return bounds;
    }

    /// Finds the offsets that causality allows, for the ranks of each reference apart.
    void bound()
    {
        std::map<uint32_t, std::vector<uint32_t>> parts; // ranks by reference
        std::map<uint32_t, std::vector<size_t>> matches;
        m_place.resize(m_lists.size());
        for (uint32_t rank = 0; rank < m_lists.size(); ++rank)
            if (isKnown(rank)) {
                std::vector<uint32_t> &part = parts[m_made.ranks[rank].reference];
                m_place[rank] = part.size();
                part.push_back(rank);
            }
        for (size_t at = 0; at < m_matches.size(); ++at)
            matches[m_made.ranks[of(m_matches[at]).front().rank].reference].push_back(at);
        for (const auto &[reference, ranks] : parts)
            boundPart(ranks, matches[reference]);
        if (!m_made.rejected.empty())
            fit();
        std::ranges::sort(m_made.rejected);
    }

    /// Matches that contradict the others are left out, the worst first. If that does not help, all of them stay.
    void boundPart(const std::vector<uint32_t> &ranks, const std::vector<size_t> &matches)
    {
        OffsetBounds bounds = boundsOf(ranks.size(), matches);
        bool isPossible = bounds.close();
        std::vector<std::pair<Ns, size_t>> worst;
        for (size_t at = 0; !isPossible && at < matches.size(); ++at)
            worst.emplace_back(slackOf(m_matches[matches[at]]), matches[at]);
        std::ranges::sort(worst);
        size_t rejected = 0;
        while (!isPossible && rejected < std::min(worst.size(), kMostRejected)) {
            m_matches[worst[rejected++].second].isRejected = true;
            bounds = boundsOf(ranks.size(), matches);
            isPossible = bounds.close();
        }
        for (size_t at = 0; at < rejected; ++at) {
            ClockMatch &match = m_matches[worst[at].second];
            match.isRejected = isPossible;
            match.isLeftTogether = match.isLeftTogether && !isPossible;
            if (isPossible)
                m_made.rejected.push_back(match.match);
        }
        const uint32_t reference = ranks.front();
        size_t compared = 0;
        for (const uint32_t rank : ranks) {
            RankClock &clock = m_made.ranks[rank];
            const Ns most = bounds.most(m_place[rank], m_place[reference]);
            const Ns least = bounds.most(m_place[reference], m_place[rank]);
            if (!isPossible)
                std::tie(clock.low, clock.high) = std::pair(Ns{1}, Ns{0});
            else if (most == OffsetBounds::kNone || least == OffsetBounds::kNone)
                clock = RankClock(); // only rejected matches connected it
            else
                std::tie(clock.low, clock.high) = std::pair(-std::max(least, -INT64_MAX), most);
            compared += isKnown(rank);
        }
        if (compared < 2)
            m_made.ranks[reference] = RankClock();
    }

    /// The residuals, and what they say about the offsets.
    void judge()
    {
        std::vector<std::vector<Ns>> residuals(m_lists.size()), againstReference(m_lists.size());
        for (const ClockMatch &match : m_matches) {
            if (!match.isLeftTogether)
                continue;
            const Ns end = endOf(match);
            const ClockCall *reference = referenceOf(match);
            for (const ClockCall &call : of(match)) {
                const Ns own = call.end - m_offset[call.rank];
                residuals[call.rank].push_back(std::abs(own - end));
                if (reference)
                    againstReference[call.rank].push_back(std::abs(own - reference->end + m_offset[reference->rank]));
            }
        }
        const auto certain = [](const std::vector<Ns> &values) {
            return quantile(values, values.size() < kFewForQuantile ? 1 : 0.95);
        };
        for (uint32_t rank = 0; rank < m_lists.size(); ++rank) {
            RankClock &clock = m_made.ranks[rank];
            if (!isKnown(rank))
                continue;
            const bool isPossible = clock.low <= clock.high;
            clock.offset = m_offset[rank];
            if (isPossible)
                clock.offset = residuals[rank].empty() && rank != clock.reference
                                   ? clock.low + (clock.high - clock.low) / 2
                                   : std::clamp(clock.offset, clock.low, clock.high);
            clock.calls = static_cast<uint32_t>(residuals[rank].size());
            if (!residuals[rank].empty()) {
                clock.medianResidual = quantile(residuals[rank], 0.5);
                clock.p90Residual = quantile(residuals[rank], 0.9);
                clock.largestResidual = quantile(residuals[rank], 1);
            }
            if (rank != clock.reference) {
                const std::vector<Ns> &own = residuals[rank], &others = residuals[clock.reference];
                std::optional<Ns> found;
                if (againstReference[rank].size() >= RankClock::kFewestCalls)
                    found = certain(againstReference[rank]);
                else if (std::min(own.size(), others.size()) >= RankClock::kFewestCalls)
                    found = saturatedSum(certain(own), certain(others));
                if (isPossible) {
                    const Ns farthest = std::max(clock.high - clock.offset, clock.offset - clock.low);
                    found = std::min(found.value_or(farthest), farthest);
                }
                clock.uncertainty = found ? std::max(*found, m_lists[rank]->resolution) : kNoInt;
            }
            const Ns between = m_recorded.origin(rank) - m_recorded.origin(clock.reference);
            clock.offset = saturatedSum(clock.offset, between);
            if (isPossible) {
                clock.low = saturatedSum(clock.low, between);
                clock.high = saturatedSum(clock.high, between);
            }
            clock.at = saturatedSum(clock.at, m_recorded.origin(rank));
        }
    }

    std::span<const CallList *const> m_lists;
    CommonClock m_recorded; ///< nothing is joined here
    RankClocks m_made;
    std::vector<ClockCall> m_calls;
    std::vector<ClockMatch> m_matches;
    std::vector<Ns> m_offset;    ///< per rank, against its reference
    std::vector<size_t> m_place; ///< per rank, among those of its reference
};

} // namespace

RankClocks rankClocksOf(std::span<const CallList *const> lists, const MatchedCalls &matched)
{
    return ClockEstimator(lists, matched).estimate();
}

} // namespace riffle
