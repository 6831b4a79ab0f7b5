// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/stragglers.h"

#include "model/analysis/ranks/replay.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace riffle {

namespace {

bool isAtLeast(Ns part, double share, Ns whole)
{
    return static_cast<double>(part) >= share * static_cast<double>(whole);
}

uint32_t largest(const std::vector<Ns> &costs)
{
    return static_cast<uint32_t>(std::ranges::max_element(costs) - costs.begin());
}

void addPath(StragglerReport &report, const CallWaits &waits, const StepPath &path)
{
    report.figure += path.figure;
    report.transfer += path.transfer;
    report.within += path.within;
    report.unmatched += path.unmatched;
    report.unexplained += path.unexplained;
    for (size_t rank = 0; rank < report.ranks.size(); ++rank) {
        report.ranks[rank].own += path.own[rank];
        report.ranks[rank].cost += path.cost[rank];
        report.cost += path.cost[rank];
    }
    if (const uint32_t rank = largest(path.cost); path.cost[rank] > 0)
        ++report.ranks[rank].steps;
    for (const StepPath::Call &call : path.calls) {
        const CallFamily &family = waits.matched().families[waits.matched().matches[call.match].family];
        const size_t members = family.isPointToPoint  ? 2
                               : family.ranks.empty() ? family.members.size()
                                                      : family.ranks.size();
        report.incomplete += waits.callsOf(call.match).size() < members;
    }
}

StragglerVerdict verdictOf(const StragglerReport &report)
{
    const bool anyCall = std::ranges::any_of(report.paths, [](const StepPath &path) { return !path.calls.empty(); });
    if (!anyCall)
        return StragglerVerdict::Nothing;
    if (!isAtLeast(report.cost, kLeastShare, report.figure))
        return StragglerVerdict::Nobody;
    if (isAtLeast(report.ranks[report.culprit].cost, kNamedShare, report.cost))
        return StragglerVerdict::One;
    Ns ofOne = 0; // the cost of steps in which one rank has most of it
    for (const StepPath &path : report.paths) {
        const Ns all = std::accumulate(path.cost.begin(), path.cost.end(), Ns(0));
        if (all > 0 && isAtLeast(path.cost[largest(path.cost)], kNamedShare, all))
            ofOne += all;
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
    std::map<Alike, Ns> usual; // the median of the medians of the families, so that one with many calls counts once
    for (auto &[alike, families] : transfers) {
        std::vector<Ns> medians;
        for (auto &[family, values] : families)
            medians.push_back(medianOf(values));
        if (medians.size() > 1)
            usual[alike] = medianOf(medians);
    }
    std::map<uint32_t, Ns> excess; // by family
    Ns all = 0;
    for (const StepPath &path : report.paths)
        for (const StepPath::Call &call : path.calls) {
            const auto found = usual.find(alikeOf(waits, call.match));
            if (found == usual.end() || call.wait.transfer <= found->second)
                continue;
            excess[waits.matched().matches[call.match].family] += call.wait.transfer - found->second;
            all += call.wait.transfer - found->second;
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
    report.replayed = std::accumulate(unchanged.begin(), unchanged.end(), Ns(0));
    for (size_t at = 0; at < unchanged.size(); ++at)
        if (const auto figure = static_cast<double>(report.paths[at].figure); figure > 0)
            report.worstReplay =
                std::max(report.worstReplay, std::abs(static_cast<double>(unchanged[at]) - figure) / figure);
    for (uint32_t rank = 0; rank < report.ranks.size(); ++rank) {
        throwIfStopped();
        const std::vector<Ns> without = replay.lengths(rank);
        report.ranks[rank].saved = *report.replayed - std::accumulate(without.begin(), without.end(), Ns(0));
    }
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

StragglerReport stragglersOf(const CallWaits &waits)
{
    StragglerReport report;
    report.paths = stragglerPaths(waits);
    report.ranks.resize(waits.ranks().size());
    for (const StepPath &path : report.paths)
        addPath(report, waits, path);
    const auto culprit = std::ranges::max_element(report.ranks, {}, &StragglerReport::Rank::cost);
    report.culprit = static_cast<uint32_t>(culprit - report.ranks.begin());
    report.verdict = report.ranks.empty() ? StragglerVerdict::Nothing : verdictOf(report);
    findSlowGroup(report, waits);
    replay(report, waits);
    return report;
}

} // namespace riffle
