// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang.h"

#include "model/analysis/ranks/hang_compare.h"
#include "model/base/format.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

/// When the first and the last call of a dump were made; INT64_MAX and INT64_MIN if it does not tell.
std::pair<Ns, Ns> createdIn(const FlightDump &dump)
{
    std::pair<Ns, Ns> span{INT64_MAX, INT64_MIN};
    for (const FlightEntry &entry : dump.entries)
        if (entry.created != FlightEntry::kNone) {
            span.first = std::min(span.first, entry.created);
            span.second = std::max(span.second, entry.created);
        }
    return span;
}

/// The longest time that a rank waits in the calls of a dump.
Ns longestWait(const FlightDump &dump)
{
    constexpr int64_t kNsPerMs = 1'000'000, kUsualMs = 600'000, kMostMs = INT64_MAX / kNsPerMs / 2;
    int64_t longest = kUsualMs;
    for (const FlightEntry &entry : dump.entries)
        longest = std::max(longest, entry.timeoutMs);
    return std::min(longest, kMostMs) * kNsPerMs;
}

/// Finds the dumps that end so long before all others begin that the others would not have waited for them, if those
/// are at least as many.
void findOtherTimes(std::vector<FlightRank> &ranks, HangReport &report)
{
    std::vector<std::tuple<Ns, Ns, FlightRank *>> ends; // the last and the first call
    Ns longest = 0;
    for (FlightRank &one : ranks) {
        longest = std::max(longest, longestWait(*one.dump));
        if (const auto [first, last] = createdIn(*one.dump); first <= last)
            ends.emplace_back(last, first, &one);
    }
    std::ranges::sort(ends);
    Ns othersBegin = INT64_MAX;
    for (size_t at = ends.size(); at-- > 1;) {
        othersBegin = std::min(othersBegin, std::get<1>(ends[at]));
        const Ns end = std::get<0>(ends[at - 1]);
        if (at > ends.size() / 2 || end >= othersBegin || othersBegin - end <= longest)
            continue;
        std::vector<int64_t> early;
        for (const auto &[last, first, one] : std::span(ends).first(at)) {
            one->isOfOtherTime = true;
            early.push_back(one->rank);
        }
        std::ranges::sort(early);
        report.remarks.push_back("The last call of rank " + rankListText(early) + " was made " +
                                 formatDuration(othersBegin - end) +
                                 " before the first ones of the others, longer than a call waits: are all dumps from "
                                 "one run?");
        return;
    }
}

std::string fileName(const std::string &path) { return path.substr(path.find_last_of("/\\") + 1); }

/// One dump per rank: of several, the one that was written last.
std::vector<FlightRank> chosen(std::span<const std::shared_ptr<const FlightDump>> dumps, HangReport &report,
                               const Task &task)
{
    std::map<int64_t, std::shared_ptr<const FlightDump>> byRank;
    for (const auto &dump : dumps) {
        if (!dump->rank) {
            report.remarks.push_back(fileName(dump->path) +
                                     ": Left out: its name does not tell the rank, and a dump does not contain it.");
            continue;
        }
        auto &known = byRank[*dump->rank];
        if (known) {
            const Ns here = createdIn(*dump).second, there = createdIn(*known).second;
            report.remarks.push_back(
                fileName((here > there ? known : dump)->path) + ": Left out: " +
                (here == there
                     ? "another dump of rank " + std::to_string(*dump->rank) + " ends with a call of the same time."
                     : "it is an older dump of rank " + std::to_string(*dump->rank) + "."));
            if (here <= there)
                continue;
        }
        known = dump;
    }
    std::vector<FlightRank> ranks;
    std::set<std::string> versions;
    for (const auto &[rank, dump] : byRank) {
        if (task.stopped())
            break;
        if (dump->isRankGuessed)
            report.remarks.push_back(fileName(dump->path) + ": Taken as rank " + std::to_string(rank) +
                                     ", because its name ends with that number.");
        if (dump->damage)
            report.remarks.push_back(fileName(dump->path) + ": " + dump->damage->message +
                                     " What comes before was compared.");
        if (dump->unreadable)
            report.remarks.push_back(fileName(dump->path) + ": " + std::to_string(dump->unreadable) +
                                     " fields have another type than expected and were left out.");
        constexpr std::string_view kKnownVersion = "2.";
        if (!dump->version.empty() && !dump->version.starts_with(kKnownVersion))
            report.remarks.push_back(fileName(dump->path) + ": Its version is " + dump->version +
                                     ", and Riffle knows versions 2: fields may mean something else.");
        versions.insert(dump->version);
        report.ranks.push_back(rank);
        report.dumps.push_back(dump);
        ranks.push_back(callsOf(dump, rank));
        for (const FlightGroupCalls &calls : ranks.back().groups)
            report.dropped += calls.dropped;
    }
    if (versions.size() > 1)
        report.remarks.push_back("The dumps have several versions, so they are not from the same job or program.");
    return ranks;
}

/// Sorts divergences so that each comes after those that all its ranks reached before.
class FirstOrder {
public:
    explicit FirstOrder(std::vector<Divergence> &found, std::span<const FlightRank> dumps) : m_found(found)
    {
        m_after.resize(found.size());
        m_before.resize(found.size());
        std::map<int64_t, std::vector<std::pair<uint64_t, size_t>>> byRank;
        for (size_t at = 0; at < found.size(); ++at) {
            Ns first = INT64_MAX;
            for (const HangMember &member : found[at].members) {
                if (member.entry) {
                    byRank[member.rank].emplace_back(*member.entry, at);
                    first = std::min(first, dumps[static_cast<size_t>(member.dump)].entry(*member.entry).created);
                } else if (member.part == HangMember::Part::NeverCame) {
                    byRank[member.rank].emplace_back(kNever, at);
                }
            }
            m_time.push_back(first);
        }
        for (auto &[rank, places] : byRank) {
            std::ranges::sort(places);
            size_t last = SIZE_MAX; // the latest one that the rank reached
            for (size_t at = 0; at < places.size(); ++at) {
                if (last != SIZE_MAX)
                    link(last, places[at].second);
                if (places[at].first != kNever)
                    last = places[at].second;
            }
        }
    }

    void sort()
    {
        std::vector<size_t> order;
        std::set<std::pair<Ns, size_t>> ready;
        std::set<size_t> left;
        for (size_t at = 0; at < m_found.size(); ++at) {
            left.insert(at);
            if (m_before[at].empty())
                ready.insert({m_time[at], at});
        }
        while (!left.empty()) {
            if (ready.empty()) {
                const size_t one = inCircle(*left.begin(), left);
                ready.insert({m_time[one], one});
            }
            const size_t next = ready.begin()->second;
            ready.erase(ready.begin());
            left.erase(next);
            order.push_back(next);
            for (const size_t after : m_after[next]) {
                m_before[after].erase(next);
                if (m_before[after].empty() && left.contains(after))
                    ready.insert({m_time[after], after});
            }
        }
        std::vector<Divergence> sorted;
        for (const size_t at : order)
            sorted.push_back(std::move(m_found[at]));
        m_found = std::move(sorted);
    }

private:
    static constexpr uint64_t kNever = UINT64_MAX;

    void link(size_t before, size_t after)
    {
        if (before == after)
            return;
        m_after[before].insert(after);
        m_before[after].insert(before);
    }
    /// Follows what comes before until it repeats, marks that circle, and returns its earliest divergence.
    size_t inCircle(size_t from, const std::set<size_t> &left)
    {
        std::vector<size_t> path;
        std::map<size_t, size_t> places;
        for (size_t at = from;;) {
            const auto [seen, isNew] = places.try_emplace(at, path.size());
            if (!isNew) {
                path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen->second));
                break;
            }
            path.push_back(at);
            at = *std::ranges::find_if(m_before[at], [&](size_t before) { return left.contains(before); });
        }
        for (const size_t at : path)
            m_found[at].isCircular = true;
        return *std::ranges::min_element(path, {}, [&](size_t at) { return m_time[at]; });
    }

    std::vector<Divergence> &m_found;
    std::vector<std::set<size_t>> m_after, m_before;
    std::vector<Ns> m_time; ///< when the first rank made its call
};

} // namespace

HangReport hangOf(std::span<const std::shared_ptr<const FlightDump>> dumps, const Task &task)
{
    HangReport report;
    std::vector<FlightRank> ranks = chosen(dumps, report, task);
    findOtherTimes(ranks, report);
    int64_t world = 0;
    for (const FlightRank &one : ranks)
        if (const auto size = one.dump->worldSize()) {
            report.isWorldKnown = true;
            world = std::max(world, *size);
        }
    if (!report.ranks.empty() && report.ranks.back() >= world) {
        report.isWorldKnown = false;
        world = report.ranks.back() + 1;
    }
    report.worldSize = world;
    report.missing = RankList::firstRanks(world).without(report.ranks);
    if (!report.isWorldKnown && !ranks.empty())
        report.remarks.push_back("The dumps do not say how many ranks there are; there are at least " +
                                 std::to_string(world) + ".");
    for (const FlightRank &one : ranks)
        if (one.dump->entries.empty())
            report.remarks.push_back("The dump of rank " + std::to_string(one.rank) + " has no calls.");
    const std::vector<JobGroup> groups = jobGroupsOf(ranks, world, task);
    report.groups = groups.size();
    HangCounts counts;
    for (const JobGroup &group : groups) {
        if (task.stopped())
            return report;
        if (auto found = collectiveDivergence(group, ranks, counts, task))
            report.found.push_back(std::move(*found));
        for (Divergence &found : p2pDivergences(group, groups, ranks, counts, task))
            report.found.push_back(std::move(found));
    }
    report.compared = counts.compared;
    report.unplaced = counts.unplaced;
    if (report.unplaced > 0)
        report.remarks.push_back(formatCounted(static_cast<int64_t>(report.unplaced), "call", "calls") +
                                 " did not end and could be compared with none: sends and receives whose peer is "
                                 "anybody, not recorded, or outside the known ranks of their group.");
    if (report.dropped > 0)
        report.remarks.push_back(formatCounted(static_cast<int64_t>(report.dropped), "entry", "entries") +
                                 " without a number that tells the place (collective_seq_id) " +
                                 (report.dropped == 1 ? "was" : "were") + " left out.");
    if (task.stopped())
        return report;
    FirstOrder(report.found, ranks).sort();
    for (Divergence &found : report.found)
        if (found.isCircular)
            found.evidence.push_back("Ranks wait for each other in several calls: each is held up by another one of "
                                     "them, so the order of the calls differs between ranks.");
    return report;
}

} // namespace riffle
