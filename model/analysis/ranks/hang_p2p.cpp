// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_compare.h"

#include <algorithm>
#include <map>
#include <utility>

namespace riffle {

namespace {

using Part = HangMember::Part;

/// The sends of one rank to another, and the receives of that one from it.
struct Exchange {
    std::vector<const FlightCall *> sends, receives;
};

size_t firstOpen(const std::vector<const FlightCall *> &calls)
{
    const auto open = std::ranges::find(calls, false, [](const FlightCall *call) { return call->isFinished; });
    return static_cast<size_t>(open - calls.begin());
}

class PeerComparison {
public:
    PeerComparison(const JobGroup &group, std::span<const FlightRank> dumps) : m_group(group), m_dumps(dumps)
    {
        for (const JobGroup::Member &member : group.members) {
            if (member.dump < 0 || member.group < 0)
                continue;
            for (const FlightCall &call : ownCalls(member)) {
                const int64_t source = globalRank(call.source), destination = globalRank(call.destination);
                if (call.kind == "recv" && call.source < 0)
                    ++m_fromAnybody[member.rank];
                else if (source >= 0 && destination >= 0 && (call.kind == "send" ? source : destination) == member.rank)
                    (call.kind == "send" ? m_exchanges[{source, destination}].sends
                                         : m_exchanges[{source, destination}].receives)
                        .push_back(&call);
            }
        }
    }

    std::vector<Divergence> divergences(uint64_t &compared)
    {
        std::vector<Divergence> all;
        for (const auto &[peers, exchange] : m_exchanges) {
            const JobGroup::Member *source = member(peers.first), *destination = member(peers.second);
            if (source && destination && source != destination)
                if (auto found = divergence(*source, *destination, exchange, compared))
                    all.push_back(std::move(*found));
        }
        return all;
    }

private:
    const std::vector<FlightCall> &ownCalls(const JobGroup::Member &member) const
    {
        return m_dumps[static_cast<size_t>(member.dump)].groups[static_cast<size_t>(member.group)].p2p;
    }
    /// Sends and receives name the ranks of their group.
    int64_t globalRank(int64_t own) const
    {
        if (!m_group.isKnown || own < 0)
            return own;
        return own < static_cast<int64_t>(m_group.ranks.size()) ? m_group.ranks[static_cast<size_t>(own)] : -1;
    }
    const JobGroup::Member *member(int64_t rank) const
    {
        const auto found = std::ranges::lower_bound(m_group.members, rank, {}, &JobGroup::Member::rank);
        return found == m_group.members.end() || found->rank != rank ? nullptr : &*found;
    }
    bool isWhole(const JobGroup::Member &one) const { return m_dumps[static_cast<size_t>(one.dump)].isWhole; }

    Divergence made(DivergenceKind kind, const JobGroup::Member &source, const JobGroup::Member &destination,
                    const FlightCall *send, const FlightCall *receive) const
    {
        const FlightCall &known = send ? *send : *receive;
        Divergence found = divergenceOf(m_group, kind, known.sequence);
        found.isP2p = true;
        found.source = source.rank;
        found.destination = destination.rank;
        const JobGroup::Member &owner = send ? source : destination;
        found.operation = callText(*m_dumps[static_cast<size_t>(owner.dump)].dump, known.entry);
        const auto add = [&](const JobGroup::Member &one, const FlightCall *call) {
            const Part part = one.dump < 0 ? Part::NoDump
                              : !call      ? Part::NeverCame
                                           : (call->isFinished ? Part::Finished : Part::Waits);
            found.members.push_back(hangMember(one, part, m_dumps, call));
        };
        add(source, send);
        add(destination, receive);
        const bool isTimedOut = (send && send->isTimedOut) || (receive && receive->isTimedOut);
        found.sureness = isTimedOut && m_group.isKnown ? Sureness::Sure : Sureness::Likely;
        found.evidence.push_back(isTimedOut
                                     ? "The time of a waiting call ran out, so this is no work in flight."
                                     : "No call is marked as timed out: dumps of a job that still runs look alike.");
        addTimes(found, m_dumps);
        return found;
    }

    std::optional<Divergence> divergence(const JobGroup::Member &source, const JobGroup::Member &destination,
                                         const Exchange &exchange, uint64_t &compared)
    {
        const auto &sends = exchange.sends, &receives = exchange.receives;
        const size_t openSend = firstOpen(sends), openReceive = firstOpen(receives);
        if (source.dump < 0 || destination.dump < 0) {
            const bool hasSend = openSend < sends.size(), hasReceive = openReceive < receives.size();
            if (!hasSend && !hasReceive)
                return std::nullopt;
            Divergence found = made(DivergenceKind::NoDump, source, destination, hasSend ? sends[openSend] : nullptr,
                                    hasReceive ? receives[openReceive] : nullptr);
            found.sureness = Sureness::Likely;
            found.culprits = {source.dump < 0 ? source.rank : destination.rank};
            return found;
        }
        // The n-th send belongs to the n-th receive. If a ring has lost some, what is open on both sides is paired.
        const bool areWhole = isWhole(source) && isWhole(destination);
        size_t atSend = areWhole ? 0 : openSend, atReceive = areWhole ? 0 : openReceive;
        const auto &sendDump = *m_dumps[static_cast<size_t>(source.dump)].dump;
        const auto &receiveDump = *m_dumps[static_cast<size_t>(destination.dump)].dump;
        for (; atSend < sends.size() && atReceive < receives.size(); ++atSend, ++atReceive) {
            const FlightCall &send = *sends[atSend], &receive = *receives[atReceive];
            ++compared;
            const FlightEntry &from = sendDump.entries[send.entry], &to = receiveDump.entries[receive.entry];
            const int64_t sent = from.inputs.elements,
                          wanted = to.outputs.count ? to.outputs.elements : to.inputs.elements;
            if (sent >= 0 && wanted >= 0 && sent != wanted) {
                Divergence found = made(DivergenceKind::OtherSize, source, destination, &send, &receive);
                found.sureness = areWhole ? Sureness::Sure : Sureness::Likely;
                found.evidence.push_back("Rank " + std::to_string(source.rank) + " sends " + std::to_string(sent) +
                                         " elements, and rank " + std::to_string(destination.rank) + " expects " +
                                         std::to_string(wanted) + ".");
                return found;
            }
            if (send.isFinished && receive.isFinished)
                continue;
            Divergence found = made(DivergenceKind::StuckInside, source, destination, &send, &receive);
            if (send.isFinished != receive.isFinished)
                found.culprits = {send.isFinished ? destination.rank : source.rank};
            return found;
        }
        const auto alone = [&](const FlightCall *send, const FlightCall *receive) {
            Divergence found = made(DivergenceKind::MissingPeer, source, destination, send, receive);
            found.culprits = {send ? destination.rank : source.rank};
            if (!areWhole) {
                found.sureness = Sureness::Likely;
                found.evidence.push_back("A ring has lost its oldest calls, so what did not end was paired in order.");
            }
            return found;
        };
        for (; atSend < sends.size(); ++atSend) {
            if (sends[atSend]->isFinished)
                continue; // small messages are sent before anybody receives them
            if (uint64_t &anybody = m_fromAnybody[destination.rank]; anybody > 0) {
                --anybody; // a receive from anybody may be this one's
                continue;
            }
            return alone(sends[atSend], nullptr);
        }
        for (; atReceive < receives.size(); ++atReceive)
            if (!receives[atReceive]->isFinished)
                return alone(nullptr, receives[atReceive]);
        return std::nullopt;
    }

    const JobGroup &m_group;
    std::span<const FlightRank> m_dumps;
    std::map<std::pair<int64_t, int64_t>, Exchange> m_exchanges; ///< by source and destination
    std::map<int64_t, uint64_t> m_fromAnybody;                   ///< receives without a source, by rank
};

} // namespace

std::vector<Divergence> p2pDivergences(const JobGroup &group, std::span<const FlightRank> dumps, uint64_t &compared)
{
    return PeerComparison(group, dumps).divergences(compared);
}

} // namespace riffle
