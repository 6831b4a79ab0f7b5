// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/stragglers.h"

#include "model/analysis/ranks/replay.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

namespace riffle {

namespace {

/// Hostile times add up to more than a number can hold.
void add(Ns &sum, Ns part) { sum = saturatedSum(sum, part); }

bool isAtLeast(Ns part, double share, Ns whole)
{
    return part > 0 && static_cast<double>(part) >= share * static_cast<double>(whole);
}

Ns sumOf(const std::vector<Ns> &values)
{
    Ns sum = 0;
    for (const Ns value : values)
        add(sum, value);
    return sum;
}

uint32_t largest(const std::vector<Ns> &costs)
{
    return static_cast<uint32_t>(std::ranges::max_element(costs) - costs.begin());
}

void addPath(StragglerReport &report, const CallWaits &waits, const StepPath &path)
{
    add(report.figure, path.figure);
    add(report.transfer, path.transfer);
    add(report.within, path.within);
    add(report.unmatched, path.unmatched);
    add(report.unexplained, path.unexplained);
    for (size_t rank = 0; rank < report.ranks.size(); ++rank) {
        add(report.ranks[rank].own, path.own[rank]);
        add(report.ranks[rank].cost, path.cost[rank]);
        add(report.cost, path.cost[rank]);
    }
    if (const uint32_t rank = largest(path.cost); path.cost[rank] > 0)
        ++report.ranks[rank].steps;
    for (const StepPath::Call &call : path.calls) {
        const CallFamily &family = waits.matched().families[waits.matched().matches[call.match].family];
        const size_t members = family.isPointToPoint  ? 2
                               : family.ranks.empty() ? family.members.size()
                                                      : family.ranks.size();
        if (waits.callsOf(call.match).size() >= members)
            continue;
        ++report.incomplete;
        add(report.incompleteTransfer, call.wait.transfer);
    }
}

StragglerVerdict verdictOf(const StragglerReport &report)
{
    const bool anyCall = std::ranges::any_of(report.paths, [](const StepPath &path) { return !path.calls.empty(); });
    if (!anyCall || report.figure <= 0)
        return StragglerVerdict::Nothing;
    const Ns untold = untoldOf(report);
    if (!report.twins.empty() || (isAtLeast(untold, kUntoldShare, report.figure) && untold > report.cost))
        return StragglerVerdict::Undecided;
    if (!isAtLeast(report.cost, kLeastShare, report.figure))
        return StragglerVerdict::Nobody;
    const StragglerReport::Rank &culprit = report.ranks[report.culprit];
    if (isAtLeast(culprit.cost, kNamedShare, report.cost))
        return !culprit.saved || isAtLeast(*culprit.saved, kSavedShare, culprit.cost) ? StragglerVerdict::One
                                                                                      : StragglerVerdict::HeldUp;
    Ns ofOne = 0; // the cost of steps in which one rank has most of it
    for (const StepPath &path : report.paths) {
        const Ns all = sumOf(path.cost);
        if (isAtLeast(path.cost[largest(path.cost)], kNamedShare, all))
            add(ofOne, all);
    }
    return isAtLeast(ofOne, kNamedShare, report.cost) ? StragglerVerdict::Rotates : StragglerVerdict::Spread;
}

/// Matches that should take equally long to transfer, whichever group they belong to.
using Alike = std::tuple<uint8_t, std::string, int64_t, int64_t>;

Alike alikeOf(const CallWaits &waits, uint32_t match)
{
    const CallRef call = waits.callsOf(match).front();
    const CallList &list = *waits.ranks()[call.rank].calls;
    const CallFamily &family = waits.matched().families[waits.matched().matches[match].family];
    return {list.table.kind[call.call], list.texts[list.table.dataType[call.call]], list.table.bytes[call.call],
            family.size};
}

void findSlowGroup(StragglerReport &report, const CallWaits &waits)
{
    std::map<Alike, std::map<uint32_t, std::vector<Ns>>> transfers; // by family
    for (uint32_t match = 0; match < waits.matched().matches.size(); ++match) {
        throwIfStoppedAt(match);
        if (waits.matchOf(waits.callsOf(match).front()) == match)
            transfers[alikeOf(waits, match)][waits.matched().matches[match].family].push_back(
                waits.waitOf(match).transfer);
    }
    std::map<Alike, std::map<uint32_t, Ns>> usual; // by family: the median of the medians of the other ones
    for (auto &[alike, families] : transfers) {
        std::map<uint32_t, Ns> medians; // of each, so that one with many calls counts once
        for (auto &[family, values] : families)
            medians[family] = medianOf(values);
        for (const auto &[family, own] : medians) {
            std::vector<Ns> others;
            for (const auto &[other, median] : medians)
                if (other != family)
                    others.push_back(median);
            if (!others.empty())
                usual[alike][family] = medianOf(others);
        }
    }
    std::map<uint32_t, Ns> excess; // by family
    Ns all = 0;
    for (const StepPath &path : report.paths)
        for (const StepPath::Call &call : path.calls) {
            const uint32_t family = waits.matched().matches[call.match].family;
            const auto alike = usual.find(alikeOf(waits, call.match));
            if (alike == usual.end())
                continue;
            const auto found = alike->second.find(family);
            if (found == alike->second.end() || call.wait.transfer <= found->second)
                continue;
            add(excess[family], call.wait.transfer - found->second);
            add(all, call.wait.transfer - found->second);
        }
    for (const auto &[family, own] : excess)
        if (isAtLeast(all, kLeastShare, report.figure) && isAtLeast(own, kNamedShare, all)) {
            report.slowFamily = family;
            report.slowExcess = own;
        }
}

void replay(StragglerReport &report, const CallWaits &waits)
{
    const Replay replay(waits);
    if (!replay.isPossible() || report.paths.empty())
        return;
    const std::vector<Ns> unchanged = replay.lengths();
    report.replayed = sumOf(unchanged);
    for (size_t at = 0; at < unchanged.size(); ++at)
        if (const auto figure = static_cast<double>(report.paths[at].figure); figure > 0)
            report.worstReplay =
                std::max(report.worstReplay, std::abs(static_cast<double>(unchanged[at]) - figure) / figure);
    for (uint32_t rank = 0; rank < report.ranks.size(); ++rank)
        if (report.ranks[rank].cost > 0)
            report.ranks[rank].saved = saturatedSum(*report.replayed, -sumOf(replay.lengths(rank)));
}

} // namespace

std::string_view callNatureName(CallNature nature)
{
    switch (nature) {
    case CallNature::Transfer: return "transfer";
    case CallNature::ArrivalSkew: return "arrival skew";
    case CallNature::Mixed: return "mixed";
    case CallNature::Inconclusive: break;
    }
    return "inconclusive";
}

CallNature natureOf(const CallWaits::Wait &wait)
{
    if (wait.longest <= wait.uncertainty)
        return CallNature::Inconclusive;
    const double skew = static_cast<double>(wait.longest - wait.transfer) / static_cast<double>(wait.longest);
    return skew >= 2.0 / 3 ? CallNature::ArrivalSkew : skew <= 1.0 / 3 ? CallNature::Transfer : CallNature::Mixed;
}

Ns untoldOf(const StragglerReport &report)
{
    Ns untold = std::max(report.unexplained, -report.unexplained);
    for (const Ns part : {report.within, report.unmatched, report.incompleteTransfer})
        add(untold, part);
    return untold;
}

StragglerReport stragglersOf(const CallWaits &waits)
{
    StragglerReport report;
    report.paths = stragglerPaths(waits);
    report.ranks.resize(waits.ranks().size());
    for (const StepPath &path : report.paths)
        addPath(report, waits, path);
    const auto culprit = std::ranges::max_element(report.ranks, {}, &StragglerReport::Rank::cost);
    report.culprit = static_cast<uint32_t>(culprit - report.ranks.begin());
    std::vector<const CallList *> lists;
    for (const RankTimeline &rank : waits.ranks())
        lists.push_back(rank.calls);
    report.twins = repeatedRanks(lists);
    findSlowGroup(report, waits);
    replay(report, waits);
    report.verdict = report.ranks.empty() ? StragglerVerdict::Nothing : verdictOf(report);
    return report;
}

} // namespace riffle
