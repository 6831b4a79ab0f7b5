// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/match_tables.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"

#include <limits>
#include <set>

namespace riffle {

namespace {

struct ClockRow {
    int64_t rank = kNoInt, reference = kNoInt, launchDelay = kNoInt;
    RankClock clock;
    std::string title, referenceTitle;
    bool isAlone() const { return clock.reference == RankClock::kAlone; }
    bool isBounded() const { return clock.low <= clock.high; }
};

} // namespace

ResultTable clockTable(const MatchedSet &matched)
{
    const RankClocks &clocks = matched.clocks;
    const auto numberOf = [&](uint32_t list) { return matched.ranks[list].value_or(kNoInt); };
    std::vector<ClockRow> rows;
    std::set<uint32_t> references;
    bool isAnyAlone = false, areFew = false;
    for (uint32_t list = 0; list < clocks.ranks.size(); ++list) {
        ClockRow row;
        row.rank = numberOf(list);
        row.launchDelay = matched.lists[list].leastLaunchDelay.value_or(kNoInt);
        row.clock = clocks.ranks[list];
        row.title = matched.title(list);
        isAnyAlone = isAnyAlone || row.isAlone();
        if (!row.isAlone()) {
            references.insert(row.clock.reference);
            row.reference = numberOf(row.clock.reference);
            row.referenceTitle = matched.title(row.clock.reference);
            areFew = areFew || (row.clock.reference != list && row.clock.calls < RankClock::kFewestCalls);
        }
        rows.push_back(row);
    }
    ResultTable table;
    TableBuilder<ClockRow> build(table, rows);
    const auto known = [](auto get) {
        return [get](const ClockRow &row) { return row.isAlone() ? kNoInt : static_cast<int64_t>(get(row.clock)); };
    };
    const auto bound = [](Ns RankClock::*side) {
        return [side](const ClockRow &row) { return row.isAlone() || !row.isBounded() ? kNoInt : row.clock.*side; };
    };
    build.id("rank", "Rank", "The rank that the trace recorded, otherwise that of its path if no other trace has it.",
             [](const ClockRow &row) { return row.rank; });
    const bool areNamed = matched.needsTitles();
    if (areNamed)
        build.text("trace", "Trace", "The name of the trace, because ranks do not tell all traces apart.",
                   [](const ClockRow &row) { return row.title; });
    build.id("reference", "Reference",
             "The rank whose clock counts. Clocks of different references cannot be compared.",
             [](const ClockRow &row) { return row.reference; });
    if (areNamed)
        build.text("reference_trace", "Reference's trace", "The name of the trace whose clock counts.",
                   [](const ClockRow &row) { return row.referenceTitle; });
    build
        .time("offset_ns", "Ahead",
              "How far the clock is ahead of that of the reference, in the middle of the calls: the median of the ends "
              "of "
              "collectives that all ranks leave together, or the middle of the bound if there are none.",
              known([](const RankClock &clock) { return clock.offset; }))
        .isChange = true;
    build.time(
        "uncertainty_ns", "Uncertainty",
        "95 % of the ends agree with the reference to this; of fewer than 20 calls, all of them. It is never more than "
        "to the farther end of the bound, which is all that fewer than 5 calls show, and never under the resolution of "
        "the file. Unknown with fewer than 5 calls and no bound.",
        known([](const RankClock &clock) { return clock.uncertainty; }));
    build
        .time("bound_low_ns", "Bound, from",
              "The least offset that causality allows: nobody leaves a collective before its last member came.",
              bound(&RankClock::low))
        .isChange = true;
    build.time("bound_high_ns", "Bound, to", "The largest offset that causality allows.", bound(&RankClock::high))
        .isChange = true;
    build.number("drift_ppm", "Drift (ppm)", CellKind::Number,
                 "By how much faster the clock runs than that of the reference; 0 unless the calls prove a drift.",
                 [](const ClockRow &row) {
                     return row.isAlone() ? std::numeric_limits<double>::quiet_NaN() : row.clock.drift * 1e6;
                 });
    build.count("calls", "Calls", "The calls whose ends tell the offset.",
                known([](const RankClock &clock) { return clock.calls; }));
    build.time(
        "median_residual_ns", "Residual, median",
        "How far the ends of these calls are from the common end of each collective, with all clocks made equal.",
        known([](const RankClock &clock) { return clock.medianResidual; }));
    build.time("p90_residual_ns", "90 %", "The residual that 90 % of the calls do not exceed.",
               known([](const RankClock &clock) { return clock.p90Residual; }));
    build.time("largest_residual_ns", "Largest", "The largest residual.",
               known([](const RankClock &clock) { return clock.largestResidual; }));
    build.time(
        "least_launch_delay_ns", "Launch delay, least",
        "From the end of a launch to the start of its work on the device, where it is least (but for a thousandth of "
        "the work). It is negative if the clock of the device is behind that of the host, by at least so much.",
        [](const ClockRow &row) { return row.launchDelay; });
    build
        .time("slack_ns", "Slack", "By how much the constraints of this rank are relaxed.",
              known([](const RankClock &clock) { return clock.slack; }))
        .hidden = true;
    build
        .integer("at_ns", "At", CellKind::Count, "The time of the rank's clock for which the offset holds.",
                 known([](const RankClock &clock) { return clock.at; }))
        .hidden = true;
    table.notes.push_back("Times are those that the ranks recorded. Nothing was moved.");
    if (references.size() > 1)
        table.notes.push_back("No chain of matched collectives connects all ranks, so there are " +
                              formatCount(static_cast<int64_t>(references.size())) +
                              " groups of clocks, which cannot be compared.");
    if (isAnyAlone)
        table.notes.push_back(
            "Ranks without a reference have no sure or likely match of a collective that all leave together.");
    if (areFew)
        table.notes.push_back(
            "The uncertainty of a rank with fewer than 5 calls reaches to the farther end of the bound: "
            "so few ends do not show how well they agree.");
    return table;
}

} // namespace riffle
