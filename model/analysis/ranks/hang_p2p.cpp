// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_compare.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace riffle {

namespace {

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
    PeerComparison(const JobGroup &group, std::span<const JobGroup> groups, std::span<const FlightRank> dumps,
                   HangCounts &counts)
        : m_group(group)
        , m_groups(groups)
        , m_dumps(dumps)
        , m_counts(counts)
    {
        for (const Member &member : group.members) {
            if (member.group < 0)
                continue;
            m_counts.unplaced += callsOf(member).openAlone;
            for (const FlightCall &call : callsOf(member).p2p) {
                const bool isSend = call.kind == "send";
                const int64_t source = globalRank(call.source), destination = globalRank(call.destination);
                if (!isSend && call.source < 0)
                    ++m_fromAnybody[member.rank];
                // A call that names others than its own rank belongs to no exchange of it.
                if (source < 0 || destination < 0 || (isSend ? source : destination) != member.rank ||
                    source == destination || !peer(isSend ? destination : source)) {
                    m_counts.unplaced += !call.isFinished;
                    continue;
                }
                Exchange &exchange = m_exchanges[{source, destination}];
                (isSend ? exchange.sends : exchange.receives).push_back(&call);
            }
        }
    }

    std::vector<Divergence> divergences(const Task &task)
    {
        std::vector<Divergence> all;
        for (const auto &[peers, exchange] : m_exchanges) {
            if (task.stopped())
                break;
            if (auto found = divergence(*peer(peers.first), *peer(peers.second), exchange)) {
                addDoubts(*found, m_group, m_dumps);
                all.push_back(std::move(*found));
            }
        }
        return all;
    }

private:
    using Member = JobGroup::Member;
    using Part = HangMember::Part;

    const FlightRank &dumpOf(const Member &one) const { return m_dumps[static_cast<size_t>(one.dump)]; }
    const FlightGroupCalls &callsOf(const Member &one) const
    {
        return dumpOf(one).groups[static_cast<size_t>(one.group)];
    }
    /// Sends and receives name the ranks of their group. Where that is not listed, they are taken as global ones.
    int64_t globalRank(int64_t own) const { return m_group.isKnown && own >= 0 ? m_group.ranks.at(own) : own; }
    /// A rank of the group, with or without a dump. A group that is not listed may have any rank without one.
    std::optional<Member> peer(int64_t rank) const
    {
        if (const Member *known = m_group.member(rank))
            return *known;
        const bool hasDump = std::ranges::binary_search(m_dumps, rank, {}, &FlightRank::rank);
        const bool mayBeThere = m_group.isKnown ? m_group.ranks.contains(rank) : !hasDump;
        return mayBeThere ? std::optional<Member>({rank, -1, -1}) : std::nullopt;
    }
    bool isWhole(const Member &one) const { return dumpOf(one).isWhole; }
    /// True if no send or receive of this rank can be missing behind those that its dump has.
    bool isEndKnown(const Member &one) const
    {
        return dumpOf(one).isEndKnown && (one.group < 0 || callsOf(one).dropped == 0);
    }

    /// True if both ranks made one collective between the last finished call of one of them and the open call of the
    /// other, so that these two are not the sides of one message.
    bool isApart(const Member &finished, const FlightCall &last, const Member &waiting, const FlightCall &open) const
    {
        for (const JobGroup &group : m_groups) {
            const Member *left = group.member(finished.rank), *right = group.member(waiting.rank);
            if (!group.isKnown || !left || !right || left->group < 0 || right->group < 0)
                continue;
            const auto &others = callsOf(*right).collectives;
            for (const auto &[sequence, calls] : callsOf(*left).collectives)
                if (calls.front().entry > last.entry)
                    if (const auto same = others.find(sequence);
                        same != others.end() && same->second.back().entry < open.entry)
                        return true;
        }
        return false;
    }

    Divergence made(DivergenceKind kind, const Member &source, const Member &destination, const FlightCall *send,
                    const FlightCall *receive, Part other = Part::NeverCame) const
    {
        const FlightCall &known = send ? *send : *receive;
        Divergence found = divergenceOf(m_group, kind, known.sequence);
        found.isP2p = true;
        found.source = source.rank;
        found.destination = destination.rank;
        found.operation = callText(*dumpOf(send ? source : destination).dump, known.entry);
        const auto add = [&](const Member &one, const FlightCall *call) {
            const Part part = one.dump < 0 ? Part::NoDump
                              : !call      ? other
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

    std::optional<Divergence> divergence(const Member &source, const Member &destination, const Exchange &exchange)
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
            found.culprits = RankList({source.dump < 0 ? source.rank : destination.rank});
            return found;
        }
        // The n-th send belongs to the n-th receive. If a ring has lost some, what is open on both sides is paired.
        const bool areWhole = isWhole(source) && isWhole(destination);
        size_t atSend = areWhole ? 0 : openSend, atReceive = areWhole ? 0 : openReceive;
        const FlightDump &sendDump = *dumpOf(source).dump, &receiveDump = *dumpOf(destination).dump;
        for (; atSend < sends.size() && atReceive < receives.size(); ++atSend, ++atReceive) {
            const FlightCall &send = *sends[atSend], &receive = *receives[atReceive];
            ++m_counts.compared;
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
                found.culprits = RankList({send.isFinished ? destination.rank : source.rank});
            return found;
        }
        const auto alone = [&](const FlightCall *send, const FlightCall *receive) {
            const Member &waiting = send ? source : destination, &other = send ? destination : source;
            const auto &others = send ? receives : sends; // all of them ended, if they are not counted from the first
            const FlightCall &open = send ? *send : *receive;
            const bool mayBeFinished = !areWhole && !others.empty() && !isApart(other, *others.back(), waiting, open);
            if (mayBeFinished || !isEndKnown(other)) {
                Divergence found = made(DivergenceKind::StuckInside, source, destination, send, receive, Part::Unknown);
                found.sureness = Sureness::Likely;
                found.evidence.push_back(
                    "Whether rank " + std::to_string(other.rank) + " made its call is not known: " +
                    (mayBeFinished ? "a ring has lost its oldest calls, so one that it finished may be this one's."
                                   : "its dump may lack its last calls."));
                return found;
            }
            Divergence found = made(DivergenceKind::MissingPeer, source, destination, send, receive);
            found.culprits = RankList({other.rank});
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
                ++m_counts.unplaced;
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
    std::span<const JobGroup> m_groups;
    std::span<const FlightRank> m_dumps;
    HangCounts &m_counts;
    std::map<std::pair<int64_t, int64_t>, Exchange> m_exchanges; ///< by source and destination
    std::map<int64_t, uint64_t> m_fromAnybody;                   ///< receives without a source, by rank
};

} // namespace

std::vector<Divergence> p2pDivergences(const JobGroup &group, std::span<const JobGroup> groups,
                                       std::span<const FlightRank> dumps, HangCounts &counts, const Task &task)
{
    return PeerComparison(group, groups, dumps, counts).divergences(task);
}

} // namespace riffle
