// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/flight_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace riffle {

namespace {

struct OwnGroup {
    size_t dump = 0;
    size_t group = 0;
    std::string name, description;
    int64_t id = 0;
};

constexpr std::string_view kDefaultGroup = "default_pg"; ///< how PyTorch describes the group of all ranks

bool hasCalls(const FlightGroupCalls &calls)
{
    return !calls.collectives.empty() || !calls.p2p.empty() || calls.last.has_value();
}

JobGroup jobGroup(const OwnGroup &like, std::vector<int64_t> ranks, std::span<const FlightRank> dumps)
{
    JobGroup group;
    group.name = like.name;
    group.description = like.description;
    group.ranks = std::move(ranks);
    for (const int64_t rank : group.ranks) {
        const auto found = std::ranges::lower_bound(dumps, rank, {}, &FlightRank::rank);
        const bool isThere = found != dumps.end() && found->rank == rank;
        group.members.push_back({rank, isThere ? static_cast<int32_t>(found - dumps.begin()) : -1, -1});
    }
    return group;
}

void join(JobGroup &group, const OwnGroup &own, std::span<const FlightRank> dumps)
{
    const int64_t rank = dumps[own.dump].rank;
    const auto member = std::ranges::lower_bound(group.members, rank, {}, &JobGroup::Member::rank);
    if (member != group.members.end() && member->rank == rank)
        member->group = static_cast<int32_t>(own.group);
    if (group.description.empty())
        group.description = own.description;
}

/// The groups of one set of ranks: one, or several that are told apart by name or by order.
void addGroupsOf(const std::vector<int64_t> &ranks, const std::vector<OwnGroup> &owns,
                 std::span<const FlightRank> dumps, std::vector<JobGroup> &into)
{
    std::map<size_t, std::vector<const OwnGroup *>> byDump;
    std::set<std::string> names;
    for (const OwnGroup &own : owns) {
        byDump[own.dump].push_back(&own);
        names.insert(own.name);
    }
    // The names tell groups apart if every dump lists all of them with these ranks.
    size_t most = 0;
    bool doNamesTell = true;
    for (auto &[dump, list] : byDump) {
        most = std::max(most, list.size());
        std::set<std::string> here;
        for (const OwnGroup *own : list)
            doNamesTell = here.insert(own->name).second && doNamesTell;
        for (const std::string &name : names)
            doNamesTell = doNamesTell && std::ranges::any_of(dumps[dump].dump->groups, [&](const FlightGroup &one) {
                              return one.name == name && one.ranks == ranks;
                          });
        std::ranges::sort(list, {}, &OwnGroup::id);
    }
    const size_t first = into.size();
    if (!doNamesTell) {
        for (const auto &[dump, list] : byDump)
            for (size_t at = 0; at < list.size(); ++at) {
                if (into.size() <= first + at) {
                    into.push_back(jobGroup(*list[at], ranks, dumps));
                    into.back().isByOrder = most > 1;
                }
                join(into[first + at], *list[at], dumps);
            }
    } else {
        std::map<std::string, size_t> places;
        for (const OwnGroup &own : owns) {
            const auto [place, isNew] = places.try_emplace(own.name, into.size());
            if (isNew)
                into.push_back(jobGroup(own, ranks, dumps));
            join(into[place->second], own, dumps);
        }
    }
    for (size_t at = first; at < into.size(); ++at)
        into[at].isKnown = true;
}

} // namespace

std::vector<JobGroup> jobGroupsOf(std::span<const FlightRank> dumps, int64_t world)
{
    std::vector<int64_t> everybody(static_cast<size_t>(std::max<int64_t>(world, 0)));
    std::iota(everybody.begin(), everybody.end(), 0);
    std::map<std::vector<int64_t>, std::vector<OwnGroup>> known;
    std::map<std::pair<std::string, std::string>, std::vector<OwnGroup>> unknown;
    for (size_t at = 0; at < dumps.size(); ++at) {
        const FlightRank &own = dumps[at];
        for (size_t number = 0; number < own.groups.size(); ++number) {
            if (!hasCalls(own.groups[number]))
                continue;
            const FlightGroup &group = own.dump->groups[number];
            OwnGroup one{at, number, group.name, group.description, group.id};
            if (group.isListed && std::ranges::binary_search(group.ranks, own.rank))
                known[group.ranks].push_back(std::move(one));
            else if (group.description == kDefaultGroup && own.rank < world)
                known[everybody].push_back(std::move(one));
            else
                unknown[{group.name, group.description}].push_back(std::move(one));
        }
    }
    std::vector<JobGroup> groups;
    for (const auto &[ranks, owns] : known)
        addGroupsOf(ranks, owns, dumps, groups);
    for (const auto &[name, owns] : unknown) {
        std::vector<int64_t> ranks;
        for (const OwnGroup &own : owns)
            ranks.push_back(dumps[own.dump].rank);
        std::ranges::sort(ranks);
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        groups.push_back(jobGroup(owns.front(), std::move(ranks), dumps));
        for (const OwnGroup &own : owns)
            join(groups.back(), own, dumps);
    }
    return groups;
}

} // namespace riffle
