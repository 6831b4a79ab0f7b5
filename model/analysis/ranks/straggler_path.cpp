// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/straggler_path.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

namespace riffle {

namespace {

/// Goes back through one step.
class PathWalk {
public:
    PathWalk(const CallWaits &waits, StepPath &path)
        : m_waits(waits)
        , m_path(path)
        , m_limits(waits.ranks().size(), kNoInt)
    {
        m_limits[path.rank] = path.step.begin;
    }

    void walk()
    {
        uint32_t rank = m_path.rank;
        Ns moment = m_path.step.end;
        size_t ended = m_waits.endedBy(rank, moment); // calls that may be the next one
        for (;;) {
            const Ns limit = m_limits[rank];
            const CallRef call{rank, ended > 0 ? m_waits.blocking(rank)[ended - 1] : CallWaits::kNone};
            if (ended == 0 || m_waits.end(call) <= limit) {
                add(m_path.own[rank], moment - limit);
                return;
            }
            add(m_path.own[rank], moment - m_waits.end(call));
            const CallRef next = through(call, limit);
            if (next.rank == CallWaits::kNone || m_waits.start(next) <= m_limits[next.rank])
                return;
            rank = next.rank;
            moment = m_waits.start(next);
            const uint32_t place = m_waits.placeOf(next);
            ended = std::min(m_waits.endedBy(rank, moment), place == CallWaits::kNone ? SIZE_MAX : size_t(place));
        }
    }

private:
    static constexpr CallRef kEnd{CallWaits::kNone, 0};

    /// Hostile times add up to more than a number can hold.
    static void add(Ns &sum, Ns part) { sum = saturatedSum(sum, std::max<Ns>(0, part)); }

    /// Takes the time of a call of the current rank behind the limit. Returns the call at whose start the path goes on.
    CallRef through(const CallRef &call, Ns limit)
    {
        const Ns here = m_waits.end(call) - std::max(m_waits.start(call), limit);
        const uint32_t match = m_waits.matchOf(call);
        if (match == CallWaits::kNone) {
            add(m_path.unmatched, here);
            return call;
        }
        if (!m_seen.insert(match).second)
            return kEnd; // matches that contradict each other in order; the rest stays unexplained
        const CallWaits::Wait wait = m_waits.waitOf(match);
        const auto shares = static_cast<Ns>(wait.allLast.size());
        for (const uint32_t last : wait.allLast)
            add(m_path.cost[last], wait.cost / shares);
        add(m_path.transfer, std::min(here, wait.transfer));
        m_path.calls.push_back({match, wait});
        if (!wait.waits(m_waits.duration(call))) {
            add(m_path.within, here - wait.transfer);
            return call;
        }
        if (here <= wait.transfer)
            return kEnd; // the step begins during the transfer
        findLimit(wait.last, call);
        return wait.last;
    }

    /// Finds the begin of the step on the rank of `to`, to which the path comes from the call `from`.
    void findLimit(const CallRef &to, const CallRef &from)
    {
        Ns &limit = m_limits[to.rank];
        if (limit != kNoInt)
            return;
        const auto common = nearestCommon(to.rank);
        limit = common ? m_waits.end(common->second) + (m_path.step.begin - m_waits.end(common->first))
                       : m_waits.end(to) + (m_limits[from.rank] - m_waits.end(from));
    }

    /// The calls of the slowest rank and of another one in the match that both left closest to the begin of the step.
    std::optional<std::pair<CallRef, CallRef>> nearestCommon(uint32_t other) const
    {
        const auto calls = m_waits.blocking(m_path.rank);
        const size_t begin = m_waits.endedBy(m_path.rank, m_path.step.begin);
        const auto common = [&](size_t place) -> std::optional<std::pair<CallRef, CallRef>> {
            const CallRef own{m_path.rank, calls[place]};
            const uint32_t match = m_waits.matchOf(own);
            const auto found = match == CallWaits::kNone ? std::nullopt : m_waits.callOf(match, other);
            return found ? std::optional(std::pair(own, *found)) : std::nullopt;
        };
        const auto distance = [&](size_t place) {
            return std::abs(m_waits.end({m_path.rank, calls[place]}) - m_path.step.begin);
        };
        size_t before = begin, behind = begin; // both sides, the nearer one first
        while (before > 0 || behind < calls.size()) {
            throwIfStoppedAt(behind - before);
            const bool isBefore = behind == calls.size() || (before > 0 && distance(before - 1) <= distance(behind));
            if (const auto found = common(isBefore ? --before : behind++))
                return found;
        }
        return std::nullopt;
    }

    const CallWaits &m_waits;
    StepPath &m_path;
    std::vector<Ns> m_limits; ///< per rank: the begin of the step; kNoInt until the path comes there
    std::set<uint32_t> m_seen;
};

} // namespace

std::vector<StepPath> stragglerPaths(const CallWaits &waits)
{
    std::vector<StepPath> paths;
    for (const RunStep &step : runStepsOf(waits.ranks())) {
        throwIfStopped();
        StepPath &path = paths.emplace_back();
        path.number = step.number;
        path.rank = step.slowest().rank;
        path.step = step.slowest().step;
        path.ranks = static_cast<uint32_t>(step.parts.size());
        path.figure = path.step.end - path.step.begin;
        path.own.assign(waits.ranks().size(), 0);
        path.cost.assign(waits.ranks().size(), 0);
        PathWalk(waits, path).walk();
        path.unexplained = path.figure;
        for (const Ns part : path.own)
            path.unexplained = saturatedSum(path.unexplained, -part);
        for (const Ns part : {path.transfer, path.within, path.unmatched})
            path.unexplained = saturatedSum(path.unexplained, -part);
    }
    return paths;
}

} // namespace riffle
