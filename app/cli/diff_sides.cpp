// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/diff_sides.h"

#include "model/base/format.h"

#include <algorithm>
#include <map>
#include <utility>

namespace riffle::cli {

namespace {

Error questionFor(const std::string &text) { return Error{text, {}, std::nullopt, ErrorKind::Question}; }

using ByRank = std::map<int64_t, std::vector<const RankOfSide *>>;

/// The traces of a side that can be compared, by rank.
Result<ByRank> candidatesOf(const DiffSide &side)
{
    ByRank found;
    std::string known;
    for (const RankOfSide &one : side.traces) {
        std::vector<const RankOfSide *> &own = found[one.rank];
        own.push_back(&one);
    }
    for (const auto &[rank, traces] : found)
        known += (known.empty() ? "" : ", ") + std::to_string(rank);
    if (side.rank) {
        if (!found.contains(*side.rank))
            return questionFor(side.label + " has no rank " + std::to_string(*side.rank) + ". Its ranks are " + known +
                               ".");
        found = ByRank{{*side.rank, found[*side.rank]}};
    }
    return found;
}

Result<const RankOfSide *> onlyTraceOf(const DiffSide &side, const ByRank &byRank, int64_t rank)
{
    const std::vector<const RankOfSide *> &traces = byRank.at(rank);
    if (traces.size() == 1)
        return traces.front();
    return questionFor(side.label + " has " + std::to_string(traces.size()) + " traces of rank " +
                       std::to_string(rank) + ", for example " + traces[0]->path + " and " + traces[1]->path +
                       ". Name one of them instead of " + side.path + ", or another rank with --rank-" +
                       (side.label == "A" ? "a" : "b") + ".");
}

/// Succeeds if each rank of a run has one trace: all ranks count for the choice of one, or for the median step.
Result<void> hasOneTraceEach(const DiffSide &side, const ByRank &byRank)
{
    for (const auto &[rank, traces] : byRank)
        if (const auto only = onlyTraceOf(side, byRank, rank); !only)
            return only.error();
    return {};
}

/// The part of one trace of a side. An Error names its rank, if the side has several.
Result<ComparedSide> partOf(const SetFacts &facts, const DiffSide &side, const RankOfSide &one)
{
    return comparedSide(facts, one.trace, side.request,
                        side.traces.size() > 1 ? side.label + " (rank " + std::to_string(one.rank) + ")" : side.label);
}

struct CommonRank {
    int64_t rank = 0;
    bool hasSteps = false; ///< it is the slowest; otherwise the first, because none has steps
    std::string leftOut;   ///< a sentence about ranks that lack the part; empty if there are none
};

/// The rank of two runs to compare: of the ranks that both sides have, with the part that was chosen, the one with the
/// longest median step in B.
Result<CommonRank> slowestCommonRank(const SetFacts &facts, const DiffSides &sides, const std::array<ByRank, 2> &byRank)
{
    std::optional<std::pair<Ns, int64_t>> slowest;
    std::vector<int64_t> leftOut;
    std::optional<Error> why; // of the first one
    for (const auto &[rank, traces] : byRank[1]) {
        if (!byRank[0].contains(rank))
            continue;
        const auto a = partOf(facts, sides[0], *byRank[0].at(rank).front());
        const auto b = partOf(facts, sides[1], *traces.front());
        if (!a || !b) {
            leftOut.push_back(rank);
            why = why ? why : a ? b.error() : a.error();
        } else if (!slowest || b->median.duration > slowest->first) {
            slowest = std::pair(b->median.duration, rank);
        }
    }
    if (!slowest)
        return why ? *why
                   : questionFor("A and B have no rank in common. Choose one of each with --rank-a and --rank-b.");
    CommonRank found{slowest->second, slowest->first > 0, {}};
    if (leftOut.size() == 1)
        found.leftOut = "Rank " + std::to_string(leftOut.front()) + " was left out: " + why->text();
    else if (!leftOut.empty())
        found.leftOut = formatCount(static_cast<int64_t>(leftOut.size())) +
                        " ranks were left out, for the first of them because: " + why->text();
    return found;
}

/// Describes the chosen trace of a side. `run` has the ranks of the run that is compared; empty if it is only a trace.
Result<void> describe(const SetFacts &facts, DiffSide &side, const ByRank &run, const RankOfSide &chosen)
{
    auto compared = partOf(facts, side, chosen);
    if (!compared)
        return compared.error();
    side.compared = std::move(*compared);
    side.compared.label = side.label;
    side.chosenRank = chosen.rank;
    side.description = side.name;
    if (side.traces.size() > 1)
        side.description += ", rank " + std::to_string(chosen.rank);
    side.description += ", " + side.compared.partText;
    side.medianStep = side.compared.median.duration;
    side.compared.ranks.push_back({chosen.rank, side.compared.median});
    for (const auto &[rank, traces] : run) {
        if (rank == chosen.rank)
            continue;
        // The range or the steps that were chosen may be missing in another rank, which then has no median.
        const auto other = partOf(facts, side, *traces.front());
        const StepMedian median = other ? other->median : StepMedian();
        side.medianStep = std::max(side.medianStep, median.duration);
        side.compared.ranks.push_back({rank, median});
    }
    return {};
}

/// Says which runs recorded no ranks; empty if both did.
std::string placesText(const DiffSides &sides)
{
    std::string lacking;
    for (const DiffSide &side : sides)
        if (!side.recordsRanks)
            lacking += (lacking.empty() ? "" : " and ") + side.label;
    return lacking.empty() ? lacking : lacking + " recorded no ranks; the places of the traces count as their ranks.";
}

} // namespace

Result<std::string> chooseSides(const SetFacts &facts, DiffSides &sides)
{
    std::array<ByRank, 2> byRank;
    for (const size_t at : {size_t{0}, size_t{1}}) {
        auto found = candidatesOf(sides[at]);
        if (!found)
            return found.error();
        byRank[at] = std::move(*found);
    }
    std::array<int64_t, 2> ranks{byRank[0].begin()->first, byRank[1].begin()->first};
    std::string remark, leftOut;
    const auto add = [&](const std::string &sentence) {
        remark += (remark.empty() || sentence.empty() ? "" : " ") + sentence;
    };
    const bool isRun[2] = {byRank[0].size() > 1, byRank[1].size() > 1};
    if (isRun[0] && isRun[1]) {
        for (const size_t at : {size_t{0}, size_t{1}})
            if (const auto good = hasOneTraceEach(sides[at], byRank[at]); !good)
                return good.error();
        const auto slowest = slowestCommonRank(facts, sides, byRank);
        if (!slowest)
            return slowest.error();
        ranks = {slowest->rank, slowest->rank};
        add(placesText(sides));
        add("Rank " + std::to_string(slowest->rank) + " is compared, the " +
            (slowest->hasSteps ? "slowest in B" : "first") + " of the ranks that both have (A " +
            std::to_string(byRank[0].size()) + ", B " + std::to_string(byRank[1].size()) + ").");
        leftOut = slowest->leftOut;
    } else if (isRun[0] || isRun[1]) {
        const size_t run = isRun[0] ? 0 : 1, one = 1 - run;
        const std::string unranked = sides[one].label + " recorded no rank";
        if (!byRank[run].contains(ranks[one]) && !sides[one].recordsRanks)
            return questionFor(unranked + ". Choose a rank of " + sides[run].label + " with --rank-" +
                               (run ? "b" : "a") + ".");
        if (!byRank[run].contains(ranks[one]))
            return questionFor(sides[run].label + " has no rank " + std::to_string(ranks[one]) + " to compare with " +
                               sides[one].label + ". Choose one of its ranks with --rank-" + (run ? "b" : "a") + ".");
        ranks[run] = ranks[one];
        if (!sides[one].recordsRanks)
            add(unranked + "; it is compared with rank " + std::to_string(ranks[run]) + " of " + sides[run].label +
                ". Choose another one with --rank-" + (run ? "b" : "a") + ".");
    }
    for (const size_t at : {size_t{0}, size_t{1}}) {
        const auto chosen = onlyTraceOf(sides[at], byRank[at], ranks[at]);
        if (!chosen)
            return chosen.error();
        if (const auto described = describe(facts, sides[at], isRun[0] && isRun[1] ? byRank[at] : ByRank(), **chosen);
            !described)
            return described.error();
    }
    if (isRun[0] && isRun[1] && sides[0].medianStep > 0 && sides[1].medianStep > 0)
        add("The median step is that of the slowest rank of each side.");
    add(leftOut);
    const ComparedSide &a = sides[0].compared, &b = sides[1].compared;
    if (a.trace == b.trace && a.part == b.part && a.whole == b.whole)
        add("A and B are the same part of the same trace.");
    return remark;
}

} // namespace riffle::cli
