// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/call_waits.h"

#include "model/base/rounding.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

bool isTimed(const RankTimeline &rank, uint32_t call)
{
    return (rank.calls->table.flags[call] & call_flag::Timed) != 0;
}

} // namespace

CallWaits::CallWaits(const MatchedCalls &matched, std::span<const RankTimeline> ranks)
    : m_matched(matched)
    , m_ranks(ranks)
    , m_matchOf(ranks.size())
    , m_placeOf(ranks.size())
    , m_blocking(ranks.size())
{
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
        const CallTable &calls = ranks[rank].calls->table;
        const auto count = static_cast<uint32_t>(calls.start.size());
        assert(ranks[rank].blocks.size() == count);
        m_matchOf[rank].assign(count, kNone);
        m_placeOf[rank].assign(count, kNone);
        for (uint32_t call = 0; call < count; ++call)
            if (ranks[rank].blocks[call] && isTimed(ranks[rank], call))
                m_blocking[rank].push_back(call);
        std::ranges::stable_sort(m_blocking[rank], {}, [&](uint32_t call) { return calls.end[call]; });
        for (uint32_t place = 0; place < m_blocking[rank].size(); ++place)
            m_placeOf[rank][m_blocking[rank][place]] = place;
    }
    for (uint32_t match = 0; match < matched.matches.size(); ++match) {
        const auto calls = matched.of(matched.matches[match]);
        const bool areTimed =
            std::ranges::all_of(calls, [&](const CallRef &call) { return isTimed(ranks[call.rank], call.call); });
        if (!areTimed || matched.matches[match].confidence == MatchConfidence::Ambiguous)
            continue;
        for (const CallRef &call : calls)
            m_matchOf[call.rank][call.call] = match;
    }
}

std::optional<CallRef> CallWaits::callOf(uint32_t match, uint32_t rank) const
{
    const auto calls = callsOf(match);
    const auto found = std::ranges::lower_bound(calls, rank, {}, &CallRef::rank);
    return found == calls.end() || found->rank != rank ? std::nullopt : std::optional(*found);
}

CallWaits::Wait CallWaits::waitOf(uint32_t match) const
{
    const auto calls = callsOf(match);
    Wait wait;
    wait.last = *std::ranges::min_element(calls, {}, [&](const CallRef &call) { return duration(call); });
    wait.transfer = duration(wait.last);
    for (const CallRef &call : calls) {
        wait.longest = std::max(wait.longest, duration(call));
        wait.uncertainty = std::max(wait.uncertainty, 2 * m_ranks[call.rank].calls->resolution);
    }
    std::vector<Ns> waits;
    for (const CallRef &call : calls)
        if (wait.waits(duration(call)))
            waits.push_back(duration(call) - wait.transfer);
        else
            wait.allLast.push_back(call.rank);
    if (!waits.empty())
        wait.cost = medianOf(waits);
    return wait;
}

size_t CallWaits::endedBy(uint32_t rank, Ns moment) const
{
    const auto &calls = m_blocking[rank];
    const auto behind = std::ranges::upper_bound(calls, moment, {},
                                                 [&](uint32_t call) { return m_ranks[rank].calls->table.end[call]; });
    return static_cast<size_t>(behind - calls.begin());
}

} // namespace riffle
