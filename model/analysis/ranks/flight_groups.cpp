// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/flight_groups.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace riffle {

namespace {

/// A group of one dump.
struct OwnGroup {
    size_t dump = 0;
    size_t group = 0;
    const FlightGroup *is = nullptr;
    bool hasCalls = false;
};
using OwnGroups = std::vector<OwnGroup>;

constexpr std::string_view kDefaultGroup = "default_pg"; ///< how PyTorch describes the group of all ranks

bool hasCallsOf(const FlightGroupCalls &calls)
{
    return !calls.collectives.empty() || !calls.p2p.empty() || calls.last.has_value() || calls.dropped > 0 ||
           calls.openAlone > 0;
}

/// The number that a name is: PyTorch counts the groups that it makes.
std::optional<uint64_t> numberOf(const std::string &name)
{
    uint64_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    return read.ec == std::errc() && read.ptr == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

/// Sorts groups of one dump by the order in which the process made them, as far as the dump tells.
void sortByOrder(OwnGroups &list)
{
    const auto number = [](const OwnGroup &own) { return numberOf(own.is->name); };
    const auto id = [](const OwnGroup &own) { return own.is->id; };
    const auto isNumbered = [&](const OwnGroup &own) { return number(own).has_value(); };
    if (std::ranges::all_of(list, isNumbered))
        std::ranges::stable_sort(list, {}, number);
    else if (std::ranges::none_of(list, [](const OwnGroup &own) { return own.is->id == FlightEntry::kNone; }))
        std::ranges::stable_sort(list, {}, id);
}

/// The groups of one set of ranks.
class GroupsOfRanks {
public:
    /// `members` are the ranks of the set with a dump.
    GroupsOfRanks(RankList ranks, std::span<const FlightRank> dumps) : m_ranks(std::move(ranks))
    {
        std::vector<int64_t> withDump;
        for (size_t at = 0; at < dumps.size(); ++at)
            if (m_ranks.contains(dumps[at].rank)) {
                m_members.push_back({dumps[at].rank, static_cast<int32_t>(at), -1});
                withDump.push_back(dumps[at].rank);
            }
        m_withoutDump = m_ranks.without(withDump);
    }

    void add(const OwnGroups &owns, std::vector<JobGroup> &into) const
    {
        std::map<size_t, OwnGroups> byDump;
        for (const OwnGroup &own : owns)
            byDump[own.dump].push_back(own);
        std::erase_if(byDump, [](const auto &one) { return std::ranges::none_of(one.second, &OwnGroup::hasCalls); });
        // Where the group with the calls is not listed, the list says nothing about its place among others.
        for (auto &[dump, list] : byDump)
            if (std::ranges::any_of(list, [](const OwnGroup &own) { return own.hasCalls && !own.is->isListed; }))
                std::erase_if(list, [](const OwnGroup &own) { return !own.hasCalls; });
        const auto name = [](const OwnGroup &own) -> const std::string & { return own.is->name; };
        const auto description = [](const OwnGroup &own) -> const std::string & { return own.is->description; };
        if (doTell(byDump, name, true))
            addByText(byDump, name, into);
        else if (doTell(byDump, description, false))
            addByText(byDump, description, into);
        else
            addByOrder(byDump, into);
    }

private:
    using ByDump = std::map<size_t, OwnGroups>;

    /// True if every dump lists all groups that any dump has calls of, by this text. If it `mustBeUnique`, no dump may
    /// have calls in two groups of one text.
    template <typename Text>
    static bool doTell(const ByDump &byDump, Text text, bool mustBeUnique)
    {
        std::set<std::string_view> used;
        for (const auto &[dump, list] : byDump)
            for (const OwnGroup &own : list)
                if (own.hasCalls)
                    used.insert(text(own));
        for (const auto &[dump, list] : byDump) {
            std::set<std::string_view> listed, here;
            for (const OwnGroup &own : list) {
                if (mustBeUnique && own.hasCalls && !here.insert(text(own)).second)
                    return false;
                if (own.is->isListed)
                    listed.insert(text(own));
            }
            if (!std::ranges::includes(listed, used))
                return false;
        }
        return !used.contains("");
    }

    /// Pairs groups of one text. If a dump has several of one, their order decides.
    template <typename Text>
    void addByText(const ByDump &byDump, Text text, std::vector<JobGroup> &into) const
    {
        std::map<std::string_view, ByDump> byText;
        for (const auto &[dump, list] : byDump)
            for (const OwnGroup &own : list)
                byText[text(own)][dump].push_back(own);
        for (const auto &[name, own] : byText)
            addByOrder(own, into);
    }

    void addByOrder(const ByDump &byDump, std::vector<JobGroup> &into) const
    {
        size_t most = 0;
        for (const auto &[dump, list] : byDump)
            most = std::max(most, list.size());
        std::vector<std::optional<JobGroup>> groups(most);
        for (auto [dump, list] : byDump) {
            sortByOrder(list);
            for (size_t at = 0; at < list.size(); ++at)
                if (list[at].hasCalls)
                    join(groups[at], list[at], most > 1);
        }
        for (std::optional<JobGroup> &group : groups)
            if (group)
                into.push_back(std::move(*group));
    }

    void join(std::optional<JobGroup> &group, const OwnGroup &own, bool isByOrder) const
    {
        if (!group) {
            group.emplace();
            group->name = own.is->name;
            group->ranks = m_ranks;
            group->withoutDump = m_withoutDump;
            group->isKnown = true;
            group->isByOrder = isByOrder;
            group->members = m_members;
        }
        const auto member =
            std::ranges::lower_bound(group->members, static_cast<int32_t>(own.dump), {}, &JobGroup::Member::dump);
        if (member != group->members.end() && member->dump == static_cast<int32_t>(own.dump))
            member->group = static_cast<int32_t>(own.group);
        if (group->description.empty())
            group->description = own.is->description;
    }

    RankList m_ranks, m_withoutDump;
    std::vector<JobGroup::Member> m_members;
};

/// Groups whose ranks no dump tells, and which have one name and description. A dump can have several of them: those
/// are paired by their order, or if the ranks have unlike many, by their number in the process.
void addUnlisted(const OwnGroups &owns, std::span<const FlightRank> dumps, std::vector<JobGroup> &into)
{
    std::map<size_t, OwnGroups> byDump;
    for (const OwnGroup &own : owns)
        byDump[own.dump].push_back(own);
    const size_t count = byDump.begin()->second.size();
    const bool areEven = std::ranges::all_of(byDump, [&](const auto &one) { return one.second.size() == count; });
    std::map<int64_t, JobGroup> groups;
    for (auto &[dump, list] : byDump) {
        std::ranges::stable_sort(list, {}, [](const OwnGroup &own) { return own.is->id; });
        for (size_t at = 0; at < list.size(); ++at) {
            JobGroup &group = groups[areEven ? static_cast<int64_t>(at) : list[at].is->id];
            group.name = list[at].is->name;
            group.description = list[at].is->description;
            group.isByOrder = !areEven || count > 1;
            group.members.push_back(
                {dumps[dump].rank, static_cast<int32_t>(dump), static_cast<int32_t>(list[at].group)});
        }
    }
    for (auto &[place, group] : groups) {
        std::vector<int64_t> ranks;
        for (const JobGroup::Member &member : group.members)
            ranks.push_back(member.rank);
        group.ranks = RankList(ranks);
        into.push_back(std::move(group));
    }
}

} // namespace

const JobGroup::Member *JobGroup::member(int64_t rank) const
{
    const auto found = std::ranges::lower_bound(members, rank, {}, &Member::rank);
    return found == members.end() || found->rank != rank ? nullptr : &*found;
}

std::vector<JobGroup> jobGroupsOf(std::span<const FlightRank> dumps, int64_t world, const Task &task)
{
    std::map<std::vector<int64_t>, OwnGroups> listed;
    OwnGroups everybody;
    std::map<std::pair<std::string, std::string>, OwnGroups> unlisted;
    for (size_t at = 0; at < dumps.size() && !task.stopped(); ++at) {
        const FlightRank &own = dumps[at];
        for (size_t number = 0; number < own.groups.size(); ++number) {
            const FlightGroup &group = own.dump->groups[number];
            const OwnGroup one{at, number, &group, hasCallsOf(own.groups[number])};
            if (group.isListed && std::ranges::binary_search(group.ranks, own.rank))
                listed[group.ranks].push_back(one);
            else if (!one.hasCalls)
                continue;
            else if (group.description == kDefaultGroup && own.rank < world)
                everybody.push_back(one);
            else
                unlisted[{group.name, group.description}].push_back(one);
        }
    }
    std::vector<JobGroup> groups;
    const RankList all = RankList::firstRanks(world);
    for (auto &[ranks, owns] : listed) {
        if (task.stopped())
            return groups;
        const RankList own(ranks);
        if (own == all) {
            owns.insert(owns.end(), everybody.begin(), everybody.end());
            everybody.clear();
        }
        if (std::ranges::any_of(owns, &OwnGroup::hasCalls))
            GroupsOfRanks(own, dumps).add(owns, groups);
    }
    if (!everybody.empty())
        GroupsOfRanks(all, dumps).add(everybody, groups);
    for (const auto &[name, owns] : unlisted)
        addUnlisted(owns, dumps, groups);
    return groups;
}

} // namespace riffle
