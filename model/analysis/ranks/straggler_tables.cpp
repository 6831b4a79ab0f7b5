// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/straggler_tables.h"

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/ranks/hang_text.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/shown_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

std::vector<RankTimeline> timelinesOf(const MatchedSet &matched)
{
    std::vector<RankTimeline> timelines;
    for (size_t at = 0; at < matched.size(); ++at)
        timelines.push_back(rankTimelineOf(matched.facts->of(matched.traces[at]), matched.lists[at]));
    return timelines;
}

std::string shareText(Ns part, Ns whole) { return formatShare(ratio(part, whole)); }

/// The evidence for a call: its slice.
SliceRef sliceOf(const StragglerSet &set, const CallRef &call)
{
    return {set.matched.traces[call.rank], SliceId(set.matched.lists[call.rank].table.slice[call.call])};
}

/// The call on the paths by which a rank cost the others most; an invalid slice if it cost them nothing.
SliceRef costliestCall(const StragglerSet &set, uint32_t rank)
{
    const StepPath::Call *most = nullptr;
    for (const StepPath &path : set.report.paths)
        for (const StepPath::Call &call : path.calls)
            if (call.wait.last.rank == rank && call.wait.cost > (most ? most->wait.cost : 0))
                most = &call;
    return most ? sliceOf(set, most->wait.last) : SliceRef();
}

struct PartRow {
    std::string part;
    Ns time = 0;
    int64_t cost = kNoInt, steps = kNoInt, saved = kNoInt;
    SliceRef evidence;
};

ResultTable partTable(const StragglerSet &set)
{
    const StragglerReport &report = set.report;
    std::vector<PartRow> rows;
    for (uint32_t rank = 0; rank < report.ranks.size(); ++rank) {
        const StragglerReport::Rank &own = report.ranks[rank];
        rows.push_back({"Own time of " + set.title(rank), own.own, own.cost, own.steps, own.saved.value_or(kNoInt),
                        costliestCall(set, rank)});
    }
    std::ranges::stable_sort(rows, std::greater(), [](const PartRow &row) { return std::pair(row.cost, row.time); });
    rows.push_back({"Transfer", report.transfer, kNoInt, kNoInt, kNoInt, {}});
    rows.push_back({"Within uncertainty", report.within, kNoInt, kNoInt, kNoInt, {}});
    rows.push_back({"Unmatched", report.unmatched, kNoInt, kNoInt, kNoInt, {}});
    rows.push_back({"Unexplained", report.unexplained, kNoInt, kNoInt, kNoInt, {}});
    ResultTable table;
    TableBuilder<PartRow> build(table, rows);
    build.text("part", "Part",
               "The parts of the device-side steps of the slowest ranks: the own time of the rank that all others had "
               "to wait for, the transfers between, and what cannot be told.",
               [](const PartRow &row) { return row.part; });
    build
        .time("time_ns", "Time", "Of all steps together. The rows sum to the length of the steps.",
              [](const PartRow &row) { return row.time; })
        .summed = true;
    build.share("share", "Share", "Of the length of the steps.",
                [&](const PartRow &row) { return ratio(row.time, report.figure); });
    build
        .time("cost_ns", "Cost",
              "The median of what the other ranks waited for this one, summed over the calls that decide the length "
              "of the steps.",
              [](const PartRow &row) { return row.cost; })
        .summed = true;
    build.share("cost_share", "Of cost", "The share of the cost of all ranks.", [&](const PartRow &row) {
        return row.cost == kNoInt ? std::numeric_limits<double>::quiet_NaN() : ratio(row.cost, report.cost);
    });
    build.count("steps", "Steps", "The steps in which this rank cost the others most.",
                [](const PartRow &row) { return row.steps; });
    build.time("saved_ns", "Saved without it",
               "By how much the steps would be shorter if this rank took as long as the median of the others between "
               "their common calls: the calls are replayed.",
               [](const PartRow &row) { return row.saved; });
    build.share("saved_share", "Saved", "The same as a share of the length of the steps.", [&](const PartRow &row) {
        return row.saved == kNoInt ? std::numeric_limits<double>::quiet_NaN() : ratio(row.saved, report.figure);
    });
    for (const PartRow &row : rows)
        table.evidence.push_back(row.evidence);
    return table;
}

uint32_t mostCostly(const StepPath &path)
{
    return static_cast<uint32_t>(std::ranges::max_element(path.cost) - path.cost.begin());
}

ResultTable stepTable(const StragglerSet &set)
{
    const std::vector<StepPath> &paths = set.report.paths;
    ResultTable table;
    TableBuilder<StepPath> build(table, paths);
    const auto sum = [](const std::vector<Ns> &values) {
        return std::accumulate(values.begin(), values.end(), Ns(0), saturatedSum);
    };
    build.id("step", "Step", "The number in the name of the step's mark.",
             [](const StepPath &path) { return path.number; });
    build.count("ranks", "Ranks", "The ranks that recorded the step.", [](const StepPath &path) { return path.ranks; });
    build.text("slowest", "Slowest", "The rank with the longest device-side step.",
               [&](const StepPath &path) { return set.title(path.rank); });
    build
        .time("length_ns", "Length",
              "From the end of the device work launched up to the step before to the end of that launched up to this "
              "step, on the slowest rank.",
              [](const StepPath &path) { return path.figure; })
        .summed = true;
    build
        .time("own_ns", "Own", "The own time of the ranks that had to be waited for.",
              [&](const StepPath &path) { return sum(path.own); })
        .summed = true;
    build
        .time("transfer_ns", "Transfer", "The transfers of the calls in between: the shortest duration on any rank.",
              [](const StepPath &path) { return path.transfer; })
        .summed = true;
    build
        .time("within_uncertainty_ns", "Within uncertainty",
              "Waiting that is no longer than the resolution of the clocks can tell.",
              [](const StepPath &path) { return path.within; })
        .summed = true;
    build
        .time("unmatched_ns", "Unmatched", "Calls that match none of another rank, or do so only ambiguously.",
              [](const StepPath &path) { return path.unmatched; })
        .summed = true;
    build
        .time("unexplained_ns", "Unexplained",
              "The rest, which has a sign: the ranks did not leave calls at the same moment.",
              [](const StepPath &path) { return path.unexplained; })
        .summed = true;
    build
        .time("cost_ns", "Cost", "What the others waited: the median of each call, summed over the step.",
              [&](const StepPath &path) { return sum(path.cost); })
        .summed = true;
    build.text("waited_for", "Waited for", "The rank that cost the others most in this step.",
               [&](const StepPath &path) {
                   return path.cost[mostCostly(path)] > 0 ? set.title(mostCostly(path)) : std::string();
               });
    build.share("last_share", "Its share", "The share of that rank in the cost of the step.",
                [&](const StepPath &path) { return ratio(path.cost[mostCostly(path)], sum(path.cost)); });
    for (const StepPath &path : paths)
        table.evidence.push_back({set.matched.traces[path.rank], SliceId(path.step.mark)});
    return table;
}

struct NatureRow {
    std::string operation;
    const CallFamily *family = nullptr;
    int64_t bytes = kNoInt, calls = 0;
    Ns transfer = 0, cost = 0, longest = 0;
    std::array<int64_t, 4> natures{};
    Ns mostCost = -1;
    SliceRef evidence;
};

std::vector<NatureRow> natureRows(const StragglerSet &set)
{
    std::map<std::tuple<uint32_t, uint8_t, int64_t>, NatureRow> rows; // by family, kind and size
    for (const StepPath &path : set.report.paths)
        for (const StepPath::Call &call : path.calls) {
            const MatchedCalls::Match &match = set.matched.calls.matches[call.match];
            const CallRef last = call.wait.last;
            const CallList &list = set.matched.lists[last.rank];
            const uint8_t kind = list.table.kind[last.call];
            NatureRow &row = rows[{match.family, kind, list.table.bytes[last.call]}];
            row.operation = collectiveKindName(static_cast<CollectiveKind>(kind));
            if (row.operation.empty())
                row.operation = list.texts[list.table.operation[last.call]];
            row.family = &set.matched.calls.families[match.family];
            row.bytes = list.table.bytes[last.call];
            ++row.calls;
            row.transfer += call.wait.transfer;
            row.cost += call.wait.cost;
            row.longest = std::max(row.longest, call.wait.longest - call.wait.transfer);
            ++row.natures[static_cast<size_t>(natureOf(call.wait))];
            if (call.wait.cost > row.mostCost) {
                row.mostCost = call.wait.cost;
                row.evidence = sliceOf(set, last);
            }
        }
    std::vector<NatureRow> sorted;
    for (auto &[key, row] : rows)
        sorted.push_back(std::move(row));
    std::ranges::stable_sort(sorted, std::greater(), [](const NatureRow &row) { return row.transfer + row.cost; });
    return sorted;
}

ResultTable callTableOnPaths(const StragglerSet &set)
{
    const std::vector<NatureRow> rows = natureRows(set);
    ResultTable table;
    TableBuilder<NatureRow> build(table, rows);
    build.text("operation", "Operation", "The kind of the operation.",
               [](const NatureRow &row) { return row.operation; });
    build.text("group", "Group", "The description or the name of the process group, as one of its ranks recorded it.",
               [](const NatureRow &row) {
                   return row.family->description.empty() ? std::string("unknown") : row.family->description;
               });
    build.text("group_ranks", "Ranks", "The ranks of the group, if they are known.",
               [](const NatureRow &row) { return rankListText(row.family->ranks); });
    build.text("peers", "Peers", "Sender and receiver of a point-to-point operation.", [](const NatureRow &row) {
        return row.family->isPointToPoint
                   ? std::to_string(row.family->sender) + " → " + std::to_string(row.family->receiver)
                   : std::string();
    });
    build.integer("message_bytes", "Message", CellKind::Bytes, "The size of the message on the last rank.",
                  [](const NatureRow &row) { return row.bytes; });
    build
        .count("calls", "Calls", "The calls that decide the length of the steps.",
               [](const NatureRow &row) { return row.calls; })
        .summed = true;
    build
        .time("transfer_ns", "Transfer", "The shortest duration on any rank, summed.",
              [](const NatureRow &row) { return row.transfer; })
        .summed = true;
    build
        .time("cost_ns", "Cost", "The median of what the others waited for the last rank, summed.",
              [](const NatureRow &row) { return row.cost; })
        .summed = true;
    build.time("longest_wait_ns", "Longest wait", "The longest that a rank waited in one of these calls.",
               [](const NatureRow &row) { return row.longest; });
    const auto nature = [&](CallNature of, const char *key, const char *title, const char *formula) {
        build.count(key, title, formula, [of](const NatureRow &row) { return row.natures[static_cast<size_t>(of)]; })
            .summed = true;
    };
    nature(CallNature::Transfer, "by_transfer", "By transfer", "Calls of which waiting is at most a third.");
    nature(CallNature::ArrivalSkew, "by_skew", "By arrival",
           "Calls of which waiting for the last rank is two thirds or more.");
    nature(CallNature::Mixed, "mixed", "Mixed", "Calls between the two.");
    nature(CallNature::Inconclusive, "inconclusive", "Inconclusive",
           "Calls too short for the resolution of the clocks.");
    for (const NatureRow &row : rows)
        table.evidence.push_back(row.evidence);
    return table;
}

constexpr StragglerView kStragglerViews[] = {
    {"parts", "What the steps consist of", partTable},
    {"steps", "Steps", stepTable},
    {"collectives", "Collectives that decide the steps", callTableOnPaths},
};

std::string verdictSentence(const StragglerSet &set)
{
    const StragglerReport &report = set.report;
    const std::string cost =
        formatDuration(report.cost) + " (" + shareText(report.cost, report.figure) + " of the steps)";
    const auto ofCulprit = [&] {
        return set.title(report.culprit) + ": it has " + shareText(report.ranks[report.culprit].cost, report.cost) +
               " of the waiting, which is " + cost + ".";
    };
    switch (report.verdict) {
    case StragglerVerdict::Nothing: return {};
    case StragglerVerdict::Undecided:
        return report.twins.empty()
                   ? "Whether somebody holds the others up is open: of " + shareText(untoldOf(report), report.figure) +
                         " of the steps it cannot be told who was waited for, and the ranks wait " + cost + "."
                   : std::string("Whether somebody holds the others up is open.");
    case StragglerVerdict::Nobody: return "Nobody holds the others up: the ranks wait " + cost + " for the last one.";
    case StragglerVerdict::One: {
        std::string text = "The others wait for " + ofCulprit();
        if (const auto saved = report.ranks[report.culprit].saved; saved && *saved > 0)
            text += " Without it, the steps would take " + shareText(*saved, report.figure) + " less.";
        return text;
    }
    case StragglerVerdict::HeldUp:
        return "The others wait for " + ofCulprit() +
               " But the steps would hardly be shorter if it computed like the others, so it is held up itself, by a "
               "transfer or by other work than that between common calls.";
    case StragglerVerdict::Rotates:
        return "One rank holds the others up in most steps, but not the same one each time. The ranks wait " + cost +
               ".";
    case StragglerVerdict::Spread: break;
    }
    return "The ranks wait " + cost + " for the last one, but nobody has most of it.";
}

/// "the group of ranks 4-7", "the sends from rank 2 to rank 3"
std::string familyText(const CallFamily &family)
{
    if (family.isPointToPoint)
        return "the sends from rank " + std::to_string(family.sender) + " to rank " + std::to_string(family.receiver);
    if (!family.ranks.empty())
        return "the group of " + ranksText(family.ranks);
    return family.description.empty() ? "a group of unknown ranks" : "the group " + shownText(family.description);
}

} // namespace

StragglerSet::StragglerSet(const MatchedSet &all)
    : matched(all)
    , timelines(timelinesOf(all))
    , report(stragglersOf(CallWaits(all.calls, timelines)))
{
}

std::string StragglerSet::title(uint32_t index) const
{
    std::string text = matched.facts->set().title(matched.traces[index]);
    if (text.starts_with("Rank "))
        text.front() = 'r';
    return text;
}

std::vector<std::string> stragglerSentences(const StragglerSet &set)
{
    const StragglerReport &report = set.report;
    std::vector<std::string> sentences;
    if (std::string verdict = verdictSentence(set); !verdict.empty())
        sentences.push_back(std::move(verdict));
    if (report.slowFamily) {
        sentences.push_back("Transfers of " + familyText(set.matched.calls.families[*report.slowFamily]) + " take " +
                            formatDuration(report.slowExcess) + " (" + shareText(report.slowExcess, report.figure) +
                            " of the steps) longer than those alike of other groups.");
    }
    if (report.incomplete > 0)
        sentences.push_back(formatCounted(static_cast<int64_t>(report.incomplete), "call lacks", "calls lack") +
                            " a rank of its group. If that one came last, what the others waited for it counts as "
                            "transfer.");
    if (report.figure > 0) {
        const Ns untold = saturatedSum(untoldOf(report), -report.incompleteTransfer);
        sentences.push_back("Unexplained, within uncertainty and unmatched are " + shareText(untold, report.figure) +
                            " of the steps together. " +
                            (report.replayed
                                 ? "The replay of the calls misses the length of a step by " +
                                       formatShare(report.worstReplay) + " at most."
                                 : "The matches contradict each other in order, so the calls cannot be replayed."));
    }
    std::ranges::move(set.matched.notes(), std::back_inserter(sentences));
    return sentences;
}

std::span<const StragglerView> stragglerViews() { return kStragglerViews; }

const StragglerView *findStragglerView(std::string_view word)
{
    const auto found =
        std::ranges::find_if(kStragglerViews, [&](const StragglerView &view) { return view.word == word; });
    return found == std::end(kStragglerViews) ? nullptr : found;
}

ResultTable stragglerTable(const StragglerView &view, const StragglerSet &set)
{
    const bool hasRows = set.report.verdict != StragglerVerdict::Nothing;
    ResultTable table = hasRows ? view.make(set) : ResultTable();
    table.view = view.word;
    table.title = view.title;
    table.origin = set.matched.facts->set().origin();
    if (!hasRows && set.report.paths.empty())
        table.absence = "No step has device work on two ranks. Mark the steps (ProfilerStep#), and give the traces of "
                        "several ranks of one job.";
    else if (!hasRows)
        table.absence = "No call in the steps matches one of another rank and is exposed, so nobody waits for anybody. "
                        "riffle-cli comm says what matches.";
    return table;
}

} // namespace riffle
