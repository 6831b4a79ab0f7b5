// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/compare_views.h"
#include "model/analysis/table/change.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace riffle {

namespace {

/// A rank on both sides; null if a side does not have it.
struct RankPair {
    const RankStep *a = nullptr, *b = nullptr;

    std::string rank() const
    {
        const std::string before = a ? std::to_string(a->rank) : "", after = b ? std::to_string(b->rank) : "";
        return before.empty() || before == after ? after : after.empty() ? before : before + " → " + after;
    }
    Change median() const { return {lengthOf(a), lengthOf(b)}; }
    static Ns lengthOf(const RankStep *step) { return step && step->median.steps ? step->median.duration : kNoInt; }
    static int64_t stepsOf(const RankStep *step) { return step ? static_cast<int64_t>(step->median.steps) : kNoInt; }
};

std::vector<RankPair> pairedRanks(const std::vector<RankStep> &a, const std::vector<RankStep> &b)
{
    if (a.size() == 1 && b.size() == 1)
        return {{&a.front(), &b.front()}};
    std::map<int64_t, RankPair> pairs;
    for (const RankStep &one : a)
        pairs[one.rank].a = &one;
    for (const RankStep &one : b)
        pairs[one.rank].b = &one;
    std::vector<RankPair> all;
    for (const auto &[rank, pair] : pairs)
        all.push_back(pair);
    return all;
}

} // namespace

ResultTable rankDifference(const ComparedSide &a, const ComparedSide &b)
{
    // A trace that is no run stands for itself.
    const std::vector<RankStep> before = a.ranks.empty() ? std::vector<RankStep>{{0, a.median}} : a.ranks;
    const std::vector<RankStep> after = b.ranks.empty() ? std::vector<RankStep>{{0, b.median}} : b.ranks;
    const std::vector<RankPair> rows = pairedRanks(before, after);
    ResultTable table;
    const std::span<const RankPair> all = rows;
    TableBuilder<RankPair> build(table, all);
    build.text("rank", "Rank", "As recorded; otherwise the place among the traces of the side.",
               [](const RankPair &row) { return row.rank(); });
    addChange(table, all, "median_ns", "Median step", CellKind::Time,
              "The median of the steps that ended, without a first one that is far longer.",
              [](const RankPair &row) { return row.median(); });
    for (ResultColumn &column : table.columns)
        column.summed = false;                     // steps of ranks run at the same time
    for (size_t row = 0; row < rows.size(); ++row) // a rank that is not there did not take 0
        if (rows[row].median().a == kNoInt || rows[row].median().b == kNoInt) {
            table.column("median_delta_ns")->integers[row] = kNoInt;
            table.column("median_delta_share")->numbers[row] = std::numeric_limits<double>::quiet_NaN();
        }
    TableBuilder<RankPair> rest(table, all);
    rest.count("steps_a", "A, Steps", "The number of these steps.",
               [](const RankPair &row) { return RankPair::stepsOf(row.a); });
    rest.count("steps_b", "B, Steps", "The number of these steps.",
               [](const RankPair &row) { return RankPair::stepsOf(row.b); });
    addState(table, all, [](const RankPair &row) {
        return stateOf(row.a != nullptr, row.b != nullptr, row.median().a == row.median().b);
    });
    table.keepRows(rowsBySize(table, *table.column("median_delta_ns")));
    return table;
}

} // namespace riffle
