// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/matched_calls.h"
#include "model/analysis/ranks/rank_timeline.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace riffle {

/// The matched calls of several ranks as waits: who came last to which call, and what the others waited
/// (docs/stragglers.md). Refers to everything that it is made from.
class CallWaits {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    /// `ranks` has one entry for each list that `matched` was made from.
    CallWaits(const MatchedCalls &matched, std::span<const RankTimeline> ranks);

    const MatchedCalls &matched() const { return m_matched; }
    std::span<const RankTimeline> ranks() const { return m_ranks; }

    /// The match of a call; kNone for calls without one, and for ambiguous matches and those without times.
    uint32_t matchOf(const CallRef &call) const { return m_matchOf[call.rank][call.call]; }
    std::span<const CallRef> callsOf(uint32_t match) const { return m_matched.of(m_matched.matches[match]); }
    /// The call of this rank in a match; nothing if it has none.
    std::optional<CallRef> callOf(uint32_t match, uint32_t rank) const;

    Ns start(const CallRef &call) const { return table(call).start[call.call]; }
    Ns end(const CallRef &call) const { return table(call).end[call.call]; }
    Ns duration(const CallRef &call) const { return end(call) - start(call); }

    struct Wait {
        Ns transfer = 0;               ///< the shortest duration
        Ns longest = 0;                ///< the longest one
        Ns cost = 0;                   ///< the median of what the others waited for the last ones; 0 if there are none
        Ns uncertainty = 0;            ///< durations that differ by no more are equal
        CallRef last;                  ///< of the rank with the shortest duration; of several, the first one
        std::vector<uint32_t> allLast; ///< the ranks whose durations equal the shortest
        /// True if it is longer than the shortest by more than the uncertainty.
        bool waits(Ns duration) const { return duration - transfer > uncertainty; }
        bool hasLast() const { return waits(longest); }
    };
    /// `match` must be one that matchOf() returns.
    Wait waitOf(uint32_t match) const;

    /// The blocking calls of a rank with times, by end; matched or not.
    std::span<const uint32_t> blocking(uint32_t rank) const { return m_blocking[rank]; }
    /// The number of blocking calls of the rank that end at this moment or before.
    size_t endedBy(uint32_t rank, Ns moment) const;
    /// The place of a call among the blocking ones of its rank; kNone if it does not block.
    uint32_t placeOf(const CallRef &call) const { return m_placeOf[call.rank][call.call]; }

private:
    const CallTable &table(const CallRef &call) const { return m_ranks[call.rank].calls->table; }

    const MatchedCalls &m_matched;
    std::span<const RankTimeline> m_ranks;
    std::vector<std::vector<uint32_t>> m_matchOf, m_placeOf, m_blocking;
};

} // namespace riffle
