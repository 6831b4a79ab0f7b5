// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/replay.h"

#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <deque>
#include <span>

namespace riffle {

Replay::Replay(const CallWaits &waits) : m_waits(waits), m_shifts(waits.ranks().size(), kNoInt)
{
    makeShifts();
    makeEvents();
    makeSteps();
    order();
}

/// Puts all ranks on one clock, by calls that two of them left together. Only the first calls of the ranks need it.
void Replay::makeShifts()
{
    const auto ranks = m_waits.ranks();
    size_t left = ranks.size(); // without a shift
    for (uint32_t first = 0; first < ranks.size(); ++first) {
        if (m_shifts[first] != kNoInt)
            continue;
        m_shifts[first] = 0;
        --left;
        for (std::deque<uint32_t> next{first}; left > 0 && !next.empty(); next.pop_front()) {
            const uint32_t rank = next.front();
            for (uint32_t call = 0; left > 0 && call < ranks[rank].calls->size(); ++call) {
                throwIfStoppedAt(call);
                const uint32_t match = m_waits.matchOf({rank, call});
                if (match == CallWaits::kNone)
                    continue;
                const Ns common = saturatedSum(m_waits.end({rank, call}), m_shifts[rank]);
                for (const CallRef &other : m_waits.callsOf(match))
                    if (m_shifts[other.rank] == kNoInt) {
                        m_shifts[other.rank] = saturatedSum(common, -m_waits.end(other));
                        next.push_back(other.rank);
                        --left;
                    }
            }
        }
    }
}

void Replay::addEvent(std::span<const CallRef> calls, Ns transfer)
{
    const auto first = static_cast<uint32_t>(m_arrivals.size());
    for (const CallRef &call : calls) {
        m_eventOf[call.rank][call.call] = static_cast<uint32_t>(m_events.size());
        m_arrivals.push_back({call, {}});
    }
    m_events.push_back({first, static_cast<uint32_t>(m_arrivals.size()), transfer});
}

void Replay::makeEvents()
{
    const auto ranks = m_waits.ranks();
    for (const RankTimeline &rank : ranks)
        m_eventOf.emplace_back(rank.calls->size(), CallWaits::kNone);
    for (uint32_t match = 0; match < m_waits.matched().matches.size(); ++match) {
        throwIfStoppedAt(match);
        const auto calls = m_waits.callsOf(match);
        if (m_waits.matchOf(calls.front()) == match)
            addEvent(calls, m_waits.waitOf(match).transfer);
    }
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
        for (const uint32_t call : m_waits.blocking(rank))
            if (const CallRef own{rank, call}; m_eventOf[rank][call] == CallWaits::kNone)
                addEvent({&own, 1}, m_waits.duration(own));
    for (Arrival &arrival : m_arrivals)
        arrival.base = baseOf(arrival.call.rank, m_waits.start(arrival.call), m_waits.placeOf(arrival.call));
}

/// `place` is that of the call which the time belongs to, so that it is not its own base; kNone if there is none.
Replay::Base Replay::baseOf(uint32_t rank, Ns moment, uint32_t place) const
{
    const size_t ended = std::min(m_waits.endedBy(rank, moment), place == CallWaits::kNone ? SIZE_MAX : size_t(place));
    if (ended == 0)
        return {CallWaits::kNone, saturatedSum(moment, m_shifts[rank])};
    const CallRef before{rank, m_waits.blocking(rank)[ended - 1]};
    return {m_eventOf[rank][before.call], moment - m_waits.end(before)};
}

void Replay::order()
{
    std::vector<uint32_t> waitsFor(m_events.size(), 0);
    std::vector<std::vector<uint32_t>> dependents(m_events.size());
    for (uint32_t event = 0; event < m_events.size(); ++event)
        for (uint32_t at = m_events[event].first; at < m_events[event].last; ++at)
            if (const uint32_t base = m_arrivals[at].base.event; base != CallWaits::kNone) {
                ++waitsFor[event];
                dependents[base].push_back(event);
            }
    for (uint32_t event = 0; event < m_events.size(); ++event)
        if (waitsFor[event] == 0)
            m_order.push_back(event);
    for (size_t at = 0; at < m_order.size(); ++at)
        for (const uint32_t next : dependents[m_order[at]])
            if (--waitsFor[next] == 0)
                m_order.push_back(next);
    m_isPossible = m_order.size() == m_events.size();
}

/// The base of one of several arrivals, with the median of the gaps of the others that have the same base.
template <typename Parts>
Replay::Base Replay::likeOthers(const Parts &parts, size_t own)
{
    Base base = parts[own].base;
    std::vector<Ns> gaps;
    for (size_t at = 0; at < parts.size(); ++at)
        if (at != own && parts[at].base.event == base.event)
            gaps.push_back(parts[at].base.gap);
    if (!gaps.empty()) // at the start of the recording, gaps are moments of the common clock
        base.gap = medianOf(gaps);
    return base;
}

/// When the ranks leave each event, in common time.
std::vector<Ns> Replay::leaves(std::optional<uint32_t> without) const
{
    std::vector<Ns> leaves(m_events.size(), 0);
    for (const uint32_t event : m_order) {
        throwIfStoppedAt(event);
        const auto arrivals =
            std::span(m_arrivals).subspan(m_events[event].first, m_events[event].last - m_events[event].first);
        Ns last = kNoInt;
        for (size_t at = 0; at < arrivals.size(); ++at) {
            const Base base = without == arrivals[at].call.rank ? likeOthers(arrivals, at) : arrivals[at].base;
            last = std::max(last, saturatedSum(base.gap, base.event == CallWaits::kNone ? 0 : leaves[base.event]));
        }
        leaves[event] = saturatedSum(last, m_events[event].transfer);
    }
    return leaves;
}

void Replay::makeSteps()
{
    for (const RunStep &step : runStepsOf(m_waits.ranks())) {
        StepEdges &edges = m_steps.emplace_back();
        for (const RunStep::Part &part : step.parts) {
            edges.begins.push_back({part.rank, baseOf(part.rank, part.step.begin, CallWaits::kNone)});
            edges.ends.push_back({part.rank, baseOf(part.rank, part.step.end, CallWaits::kNone)});
        }
    }
}

std::vector<Ns> Replay::lengths(std::optional<uint32_t> without) const
{
    const std::vector<Ns> left = leaves(without);
    std::vector<Ns> lengths;
    for (const StepEdges &step : m_steps) {
        const auto time = [&](const std::vector<Edge> &edges, size_t at) {
            const Base base = without == edges[at].rank ? likeOthers(edges, at) : edges[at].base;
            return saturatedSum(base.gap, base.event == CallWaits::kNone ? 0 : left[base.event]);
        };
        Ns longest = 0;
        for (size_t at = 0; at < step.ends.size(); ++at)
            longest = std::max(longest, saturatedSum(time(step.ends, at), -time(step.begins, at)));
        lengths.push_back(longest);
    }
    return lengths;
}

} // namespace riffle
