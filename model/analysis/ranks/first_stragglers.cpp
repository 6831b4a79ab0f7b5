// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/first_stragglers.h"

#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace riffle {

namespace {

/// The rank that has the most own work in a step.
struct FirstOne {
    uint32_t column;
    uint32_t rank;
    int64_t own, median, length;
    size_t known; ///< the number of ranks whose own work is known
};

/// True if the rank has more own work than the median by a share of the step that is worth a name.
bool isClear(const FirstOne &row)
{
    return row.length > 0 && static_cast<double>(row.own - row.median) >= 0.02 * static_cast<double>(row.length);
}

/// A sentence about how often the rank comes first that does so most often.
std::string recurrence(std::span<const FirstOne> rows, std::span<const std::string> titles)
{
    std::vector<size_t> times(titles.size(), 0);
    for (const FirstOne &row : rows)
        times[row.rank] += isClear(row);
    const auto most = std::ranges::max_element(times);
    if (*most == 0)
        return "In no step has a rank more own work than the median by 2 % of the step or more.";
    const auto steps = formatCount(static_cast<int64_t>(rows.size()));
    const std::string &title = titles[static_cast<size_t>(most - times.begin())];
    return title + " has the most own work, and 2 % of the step or more above the median, in " +
           formatCount(static_cast<int64_t>(*most)) + " of " + steps + (rows.size() == 1 ? " step." : " steps.");
}

} // namespace

ResultTable firstStragglers(const StepGrid &grid, std::span<const TraceId> members, std::span<const std::string> titles)
{
    assert(members.size() == grid.ranks() && titles.size() == grid.ranks());
    const std::vector<int64_t> own = grid.values(*findStepFigure("own_work_ns"));
    const std::vector<int64_t> medians = medianOfSteps(grid, own);
    ResultTable table;
    std::vector<FirstOne> rows;
    size_t leftOut = 0;
    for (uint32_t column = 0; column < grid.steps(); ++column) {
        FirstOne first{column, 0, kNoInt, medians[column], kNoInt, 0};
        for (uint32_t rank = 0; rank < grid.ranks(); ++rank) {
            const int64_t value = own[rank * grid.steps() + column];
            first.known += value != kNoInt;
            if (value > first.own) {
                first.own = value;
                first.rank = rank;
            }
        }
        if (first.known < 2) {
            ++leftOut;
            continue;
        }
        const StepFigureTable &steps = grid.facts(first.rank)->steps;
        const uint32_t row = grid.firstRow(first.rank, column);
        first.length = steps.duration[row];
        table.evidence.push_back({members[first.rank], SliceId(steps.mark[row])});
        rows.push_back(first);
    }
    TableBuilder<FirstOne> build(table, rows);
    build.text("step", "Step", "The number in the names of the steps' marks, or the place of the steps.",
               [&](const FirstOne &row) { return grid.step(row.column).name(); });
    build.text("rank", "Most own work", "The rank that had the most own work in the step.",
               [&](const FirstOne &row) { return titles[row.rank]; });
    build
        .time("own_work_ns", "Own work, at least",
              "Length of the rank's step less exposed communication and less the time that was not recorded.",
              [](const FirstOne &row) { return row.own; })
        .barred = true;
    build.time("median_ns", "Median of the ranks", "The median of the own work of all ranks in the step.",
               [](const FirstOne &row) { return row.median; });
    build.time("more_ns", "More than the median", "Own work less the median of the ranks.",
               [](const FirstOne &row) { return row.own - row.median; });
    build.share("share", "Of the step", "More than the median, as a share of the length of the rank's step.",
                [](const FirstOne &row) { return ratio(row.own - row.median, row.length); });
    build.count("ranks", "Ranks", "The number of ranks whose own work in the step is known.",
                [](const FirstOne &row) { return static_cast<int64_t>(row.known); });
    table.view = "first-stragglers";
    table.title = "First stragglers";
    if (rows.empty()) {
        table.absence = "No step has own work of two ranks that is known, so there is nothing to compare.";
        return table;
    }
    table.notes.push_back(recurrence(rows, titles));
    table.notes.push_back("Own work is a lower bound of what a rank did itself. It needs no common clock, and it names "
                          "no cause.");
    if (leftOut)
        table.notes.push_back(formatCount(static_cast<int64_t>(leftOut)) + (leftOut == 1 ? " step is" : " steps are") +
                              " left out, because fewer than two ranks have figures of them.");
    if (grid.isByPlace())
        table.notes.push_back("Steps are compared by their place, because some have no number.");
    return table;
}

} // namespace riffle
