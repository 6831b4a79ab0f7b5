// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_compare.h"

#include "model/base/format.h"

namespace riffle {

Divergence divergenceOf(const JobGroup &group, DivergenceKind kind, int64_t sequence)
{
    Divergence found;
    found.kind = kind;
    found.groupName = group.name;
    found.groupDescription = group.description;
    found.groupRanks = group.ranks;
    found.isGroupKnown = group.isKnown;
    found.sequence = sequence;
    if (!group.isKnown)
        found.evidence.push_back("The dumps do not say which ranks group \"" + group.name +
                                 "\" has; those whose dumps have calls in it were compared.");
    return found;
}

void addDoubts(Divergence &divergence, const JobGroup &group, std::span<const FlightRank> dumps)
{
    if (group.isByOrder) {
        divergence.sureness = Sureness::Likely;
        divergence.evidence.push_back("Several groups have these ranks, and their names do not tell them apart; they "
                                      "were paired in the order in which they were made.");
    }
    std::vector<int64_t> ranks;
    for (const HangMember &member : divergence.members)
        if (member.dump >= 0 && dumps[static_cast<size_t>(member.dump)].isOfOtherTime)
            ranks.push_back(member.rank);
    if (ranks.empty())
        return;
    divergence.sureness = Sureness::Likely;
    divergence.evidence.push_back(
        "The last call of rank " + rankListText(ranks) +
        " was made long before the first ones of the others, so its dump may be from another run.");
}

HangMember hangMember(const JobGroup::Member &member, HangMember::Part part, std::span<const FlightRank> dumps,
                      const FlightCall *call)
{
    HangMember own;
    own.rank = member.rank;
    own.part = part;
    own.dump = member.dump;
    if (call) {
        own.entry = call->entry;
        own.isStarted = call->isStarted;
    }
    if (member.dump >= 0) {
        const auto &entries = dumps[static_cast<size_t>(member.dump)].dump->entries;
        if (!entries.empty())
            own.last = static_cast<uint32_t>(entries.size() - 1);
    }
    return own;
}

void addTimes(Divergence &divergence, std::span<const FlightRank> dumps)
{
    Ns first = INT64_MAX, last = INT64_MIN;
    int64_t firstRank = -1, lastRank = -1;
    for (const HangMember &member : divergence.members) {
        if (!member.entry)
            continue;
        const Ns created = dumps[static_cast<size_t>(member.dump)].entry(*member.entry).created;
        if (created == FlightEntry::kNone)
            continue;
        if (created < first) {
            first = created;
            firstRank = member.rank;
        }
        if (created > last) {
            last = created;
            lastRank = member.rank;
        }
    }
    if (firstRank >= 0 && lastRank >= 0 && firstRank != lastRank)
        divergence.evidence.push_back("Rank " + std::to_string(firstRank) + " made its call first and rank " +
                                      std::to_string(lastRank) + " last, " + formatDuration(last - first) +
                                      " later by the clocks of their hosts.");
}

} // namespace riffle
