// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/call_families.h"

#include "model/analysis/facts/collective_kind.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace riffle {

namespace {

constexpr size_t kMostComparisons = 1 << 24; ///< of cut lists with whole ones

/// The identity of a group across ranks.
struct GroupKey {
    GroupBasis basis = GroupBasis::Unknown;
    int64_t comms = 0;          ///< for CommsId
    std::string ranks;          ///< for Ranks, as a text
    std::vector<int64_t> first; ///< for CutRanks
    int64_t size = kNoInt;      ///< for CutRanks and Size
    std::string description;    ///< if it tells groups of the same ranks apart
    auto operator<=>(const GroupKey &) const = default;
};

/// A group of one rank: of one entry of CallList::groups, or of one communicator of it.
struct LocalGroup {
    uint32_t rank = 0, group = 0;
    bool hasComms = false;
    int64_t comms = 0;
    auto operator<=>(const LocalGroup &) const = default;
};

class FamilyMaker {
public:
    explicit FamilyMaker(std::span<const CallList *const> lists) : m_lists(lists) { collect(); }

    std::vector<CallFamily> make()
    {
        for (auto &[local, calls] : m_locals)
            m_keys[local] = keyOf(local);
        completeCut();
        joinComms();
        tellApart();
        return divided();
    }

private:
    const RecordedGroup &group(const LocalGroup &local) const { return m_lists[local.rank]->groups[local.group]; }

    void collect()
    {
        for (uint32_t rank = 0; rank < m_lists.size(); ++rank) {
            const CallTable &table = m_lists[rank]->table;
            std::vector<uint32_t> *last = nullptr;
            LocalGroup of;
            for (uint32_t call = 0; call < m_lists[rank]->size(); ++call) {
                throwIfStoppedAt(call);
                const LocalGroup local{rank, table.group[call], (table.flags[call] & call_flag::HasComms) != 0,
                                       table.commsId[call]};
                if (!last || local != of) {
                    last = &m_locals[local];
                    of = local;
                }
                last->push_back(call);
            }
        }
    }

    GroupKey keyOf(const LocalGroup &local) const
    {
        const RecordedGroup &of = group(local);
        GroupKey key;
        if (local.hasComms) {
            key.basis = GroupBasis::CommsId;
            key.comms = local.comms;
        } else if (!of.ranks.empty()) {
            key.basis = GroupBasis::Ranks;
            key.ranks = rankListText(of.ranks);
        } else if (!of.first.empty()) {
            key.basis = GroupBasis::CutRanks;
            key.first = of.first;
            key.size = of.size;
        } else if (of.size != kNoInt) {
            key.basis = GroupBasis::Size;
            key.size = of.size;
        }
        return key;
    }

    /// A cut list is that of the only whole list that starts with it.
    void completeCut()
    {
        std::map<std::string, RankList> whole;
        for (const auto &[local, key] : m_keys)
            if (!group(local).ranks.empty())
                whole.emplace(rankListText(group(local).ranks), group(local).ranks);
        if (whole.size() * m_keys.size() > kMostComparisons)
            return; // no real job has so many groups
        for (auto &[local, key] : m_keys) {
            if (key.basis != GroupBasis::CutRanks)
                continue;
            const std::string *found = nullptr;
            size_t fits = 0;
            for (const auto &[text, ranks] : whole)
                if (startsWith(ranks, key)) {
                    found = &text;
                    ++fits;
                }
            if (fits == 1) {
                GroupKey completed;
                completed.basis = GroupBasis::Ranks;
                completed.ranks = *found;
                key = std::move(completed);
                m_guessed.insert(local);
            }
        }
    }
    static bool startsWith(const RankList &whole, const GroupKey &cut)
    {
        if (cut.size != kNoInt && cut.size != static_cast<int64_t>(whole.size()))
            return false;
        for (size_t place = 0; place < cut.first.size(); ++place)
            if (whole.at(static_cast<int64_t>(place)) != cut.first[place])
                return false;
        return true;
    }

    /// A group without a communicator's id has that of the same ranks, if there is only one.
    void joinComms()
    {
        std::map<std::string, std::set<int64_t>> ofRanks;
        for (const auto &[local, key] : m_keys)
            if (key.basis == GroupBasis::CommsId && !group(local).ranks.empty())
                ofRanks[rankListText(group(local).ranks)].insert(local.comms);
        for (auto &[local, key] : m_keys)
            if (key.basis == GroupBasis::Ranks)
                if (const auto found = ofRanks.find(key.ranks); found != ofRanks.end() && found->second.size() == 1) {
                    GroupKey joined;
                    joined.basis = GroupBasis::CommsId;
                    joined.comms = *found->second.begin();
                    key = std::move(joined);
                    m_guessed.insert(local);
                }
    }

    /// Tells groups of the same ranks apart by their descriptions, if all ranks have the same distinct ones.
    void tellApart()
    {
        std::map<GroupKey, std::map<uint32_t, std::vector<LocalGroup>>> alike;
        for (const auto &[local, key] : m_keys)
            alike[key][local.rank].push_back(local);
        for (const auto &[key, byRank] : alike) {
            std::set<std::set<std::string>> seen;
            bool isDistinct = false;
            for (const auto &[rank, locals] : byRank) {
                std::set<std::string> descriptions;
                for (const LocalGroup &local : locals)
                    descriptions.insert(group(local).description);
                isDistinct = isDistinct || locals.size() > 1;
                if (descriptions.size() != locals.size() || descriptions.contains(""))
                    descriptions.clear(); // they tell nothing
                seen.insert(std::move(descriptions));
            }
            if (isDistinct && seen.size() == 1 && !seen.begin()->empty())
                for (const auto &[rank, locals] : byRank)
                    for (const LocalGroup &local : locals)
                        m_keys[local].description = group(local).description;
        }
    }

    std::vector<CallFamily> divided()
    {
        std::map<GroupKey, std::vector<LocalGroup>> groups;
        for (const auto &[local, key] : m_keys)
            groups[key].push_back(local);
        std::vector<CallFamily> families;
        for (const auto &[key, locals] : groups)
            divide(key, locals, families);
        const auto order = [](const CallFamily &family) {
            return std::tuple(family.members.front().rank, family.members.front().calls.front());
        };
        std::stable_sort(families.begin(), families.end(),
                         [&](const CallFamily &a, const CallFamily &b) { return order(a) < order(b); });
        return families;
    }

    void divide(const GroupKey &key, const std::vector<LocalGroup> &locals, std::vector<CallFamily> &families) const
    {
        CallFamily common;
        common.basis = key.basis;
        common.size = key.size;
        std::map<std::string, RankList> lists;
        std::map<uint32_t, std::set<std::string_view>> names; // per rank, of its groups that look like this
        bool isGuessed = false, isOnly = true;
        for (const LocalGroup &local : locals) {
            const RecordedGroup &of = group(local);
            if (!of.ranks.empty())
                lists.emplace(rankListText(of.ranks), of.ranks);
            if (common.size == kNoInt)
                common.size = of.size;
            names[local.rank].insert(key.basis == GroupBasis::CommsId ? std::string_view() : of.name);
            isOnly = isOnly && !of.hasTwin;
            isGuessed = isGuessed || m_guessed.contains(local);
            if (common.description.empty())
                common.description = of.description.empty() ? of.name : of.description;
        }
        if (lists.size() == 1) {
            common.ranks = lists.begin()->second;
            common.size = static_cast<int64_t>(common.ranks.size());
        }
        common.isMixed =
            std::any_of(names.begin(), names.end(), [](const auto &each) { return each.second.size() > 1; });
        // There can be no second group if as many ranks as the group has recorded one such group each.
        const bool isComplete = common.size == static_cast<int64_t>(names.size());
        const bool isNamed = key.basis == GroupBasis::CommsId || (key.basis == GroupBasis::Ranks && isOnly);
        common.isCertain = !common.isMixed && lists.size() < 2 && key.description.empty() &&
                           ((isNamed && !isGuessed) || (isComplete && isOnly));
        std::map<std::tuple<bool, int32_t, int32_t>, std::map<uint32_t, std::vector<uint32_t>>> parts;
        for (const LocalGroup &local : locals) {
            const CallTable &table = m_lists[local.rank]->table;
            for (const uint32_t call : m_locals.at(local)) {
                const bool isPair = isPointToPoint(static_cast<CollectiveKind>(table.kind[call]));
                parts[{isPair, isPair ? table.sender[call] : -1, isPair ? table.receiver[call] : -1}][local.rank]
                    .push_back(call);
            }
        }
        for (auto &[peers, byRank] : parts) {
            CallFamily &family = families.emplace_back(common);
            std::tie(family.isPointToPoint, family.sender, family.receiver) = peers;
            for (auto &[rank, calls] : byRank) {
                std::sort(calls.begin(), calls.end());
                family.members.push_back({rank, std::move(calls)});
            }
        }
    }

    std::span<const CallList *const> m_lists;
    std::map<LocalGroup, std::vector<uint32_t>> m_locals;
    std::map<LocalGroup, GroupKey> m_keys;
    std::set<LocalGroup> m_guessed; ///< those whose identity is that of another one which looks like it
};

} // namespace

std::vector<CallFamily> callFamiliesOf(std::span<const CallList *const> lists) { return FamilyMaker(lists).make(); }

} // namespace riffle
