// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/match_tables.h"

#include "model/analysis/ranks/call_words.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

namespace riffle {

namespace {

using Confidence = MatchConfidence;

struct GroupRow {
    const CallFamily *family = nullptr;
    std::string operation, ranks;
    int64_t calls = 0, matches = 0, incomplete = 0, unmatched = 0;
    std::array<int64_t, 3> byConfidence{};
    SliceRef first;
};

std::string peersOf(const CallFamily &family)
{
    const auto rank = [](int32_t number) { return number < 0 ? std::string("?") : std::to_string(number); };
    return family.isPointToPoint ? rank(family.sender) + " → " + rank(family.receiver) : std::string();
}

std::string nameOf(const CallFamily &family)
{
    return family.description.empty() ? std::string("unknown") : family.description;
}

/// The columns that tell which calls a row is about.
template <typename Row>
void addGroup(TableBuilder<Row> &build)
{
    build.text("group", "Group", "The description or the name of the process group, as one of its ranks recorded it.",
               [](const Row &row) { return nameOf(*row.family); });
    build.text("peers", "Peers", "Sender and receiver of a point-to-point operation.",
               [](const Row &row) { return peersOf(*row.family); });
}

ResultTable groupTable(const MatchedSet &matched)
{
    const CallWords words(matched);
    std::vector<GroupRow> rows;
    std::map<std::pair<uint32_t, std::string>, size_t> places;
    const auto rowOf = [&](uint32_t family, std::string operation, const CallRef &call) -> GroupRow & {
        const auto [entry, isNew] = places.emplace(std::pair(family, std::move(operation)), rows.size());
        if (isNew) {
            GroupRow &row = rows.emplace_back();
            row.family = &words.family(family);
            row.operation = entry->first.second;
            std::vector<uint32_t> lists;
            for (const CallFamily::Member &member : row.family->members)
                lists.push_back(member.rank);
            row.ranks = words.ranks(lists);
            row.first = words.slice(call);
        }
        return rows[entry->second];
    };
    for (const MatchedCalls::Match &match : matched.calls.matches) {
        throwIfStoppedAt(match.first);
        const auto calls = matched.calls.of(match);
        GroupRow &row = rowOf(match.family, words.operation(calls), calls.front());
        row.calls += static_cast<int64_t>(calls.size());
        ++row.matches;
        ++row.byConfidence[static_cast<size_t>(match.confidence)];
        row.incomplete += !words.missing(match).empty();
    }
    for (const MatchedCalls::Unmatched &each : matched.calls.unmatched) {
        GroupRow &row = rowOf(each.family, words.operation(each.call), each.call);
        ++row.calls;
        ++row.unmatched;
    }
    ResultTable table;
    TableBuilder<GroupRow> build(table, rows);
    build.text("operation", "Operation", "The kind of the operation.",
               [](const GroupRow &row) { return row.operation; });
    addGroup(build);
    build.text("ranks", "Ranks", "The ranks that recorded calls of this group.",
               [](const GroupRow &row) { return row.ranks; });
    build.count("group_size", "Group size", "The ranks of the group, as recorded.",
                [](const GroupRow &row) { return row.family->size; });
    build.text("group_known_by", "Group known by",
               "How it is known which ranks form the group: the communicator's id, its ranks, the first ranks and the "
               "size of a list that was cut, the size alone, or not recorded. Names are no evidence.",
               [](const GroupRow &row) { return groupBasisName(row.family->basis); });
    build.count("calls", "Calls", "The calls of all ranks.", [](const GroupRow &row) { return row.calls; }).summed =
        true;
    build
        .count("matches", "Matches", "Operations that several ranks made together.",
               [](const GroupRow &row) { return row.matches; })
        .summed = true;
    const auto confident = [](Confidence confidence) {
        return [confidence](const GroupRow &row) { return row.byConfidence[static_cast<size_t>(confidence)]; };
    };
    build
        .count("sure", "Sure",
               "Matches by a sequence number that occurs once on each rank, in a group that is certain.",
               confident(Confidence::Sure))
        .summed = true;
    build
        .count("likely", "Likely", "Matches for which nothing else explains the calls nearly as well.",
               confident(Confidence::Likely))
        .summed = true;
    build
        .count("ambiguous", "Ambiguous",
               "Matches that may be wrong: other ones explain the calls nearly as well, or the calls differ.",
               confident(Confidence::Ambiguous))
        .summed = true;
    build
        .count("incomplete", "Incomplete", "Matches without a call of some rank of the group.",
               [](const GroupRow &row) { return row.incomplete; })
        .summed = true;
    build
        .count("unmatched", "Unmatched", "Calls that have no partner on any other rank.",
               [](const GroupRow &row) { return row.unmatched; })
        .summed = true;
    for (const GroupRow &row : rows)
        table.evidence.push_back(row.first);
    return table;
}

struct MatchRow {
    const CallFamily *family = nullptr;
    const MatchedCalls::Match *match = nullptr;
    std::span<const CallRef> calls;
    int64_t number = 0;
};

ResultTable matchesTable(const MatchedSet &matched)
{
    const CallWords words(matched);
    std::vector<MatchRow> rows;
    ResultTable table;
    for (const MatchedCalls::Match &match : matched.calls.matches) {
        rows.push_back(
            {&words.family(match.family), &match, matched.calls.of(match), static_cast<int64_t>(rows.size())});
        table.evidence.push_back(words.slice(rows.back().calls.front()));
    }
    TableBuilder<MatchRow> build(table, rows);
    const auto extreme = [&](bool isLongest) {
        return [&words, isLongest](const MatchRow &row) {
            int64_t found = kNoInt;
            for (const CallRef &call : row.calls)
                if (const Ns each = words.duration(call);
                    each != kNoInt && (found == kNoInt || (isLongest ? each > found : each < found)))
                    found = each;
            return found;
        };
    };
    build.id("match", "Match", "The number of the match, in the order of the groups and of their calls.",
             [](const MatchRow &row) { return row.number; });
    build.text("operation", "Operation", "The kind of the operation.",
               [&](const MatchRow &row) { return words.operation(row.calls); });
    addGroup(build);
    build.text("type", "Type", "The data type.", [&](const MatchRow &row) { return words.type(row.calls); });
    build.integer("message_bytes", "Message", CellKind::Bytes, "The size of the message on the first of the ranks.",
                  [&](const MatchRow &row) { return words.bytes(row.calls); });
    build.id("sequence", "Seq", "The sequence number on the first of the ranks, if it was recorded.",
             [&](const MatchRow &row) { return words.number(row.calls.front()); });
    build.text("ranks", "Ranks", "The ranks whose calls match.",
               [&](const MatchRow &row) { return words.ranks(row.calls); });
    build.text("missing_ranks", "Missing", "Ranks of the group without a call in this match.",
               [&](const MatchRow &row) { return words.ranks(words.missing(*row.match)); });
    build.text(
        "basis", "Matched by",
        "The evidence: the sequence number, the time (the calls ran at the same time under the one offset of the "
        "clocks that explains all calls), or the order alone.",
        [](const MatchRow &row) { return matchBasisName(row.match->basis); });
    build.text("confidence", "Confidence", "How sure the match is: sure, likely or ambiguous.",
               [](const MatchRow &row) { return matchConfidenceName(row.match->confidence); });
    build.integer("start_ns", "Start", CellKind::Moment, "The start on the first of the ranks.",
                  [&](const MatchRow &row) { return words.start(row.calls.front()); });
    build.time("shortest_ns", "Shortest",
               "The duration on the rank where it is shortest, waiting included: the transfer takes no longer.",
               extreme(false));
    build.time("longest_ns", "Longest", "The duration on the rank where it is longest, waiting included.",
               extreme(true));
    return table;
}

struct CallRowText {
    CallRef call;
    const CallFamily *family = nullptr;
    std::optional<uint32_t> match;
    std::string why;
};

ResultTable callTable(const MatchedSet &matched)
{
    const CallWords words(matched);
    std::vector<CallRowText> rows;
    for (uint32_t at = 0; at < matched.calls.matches.size(); ++at)
        for (const CallRef &call : matched.calls.of(matched.calls.matches[at]))
            rows.push_back({call, &words.family(matched.calls.matches[at].family), at,
                            matchConfidenceName(matched.calls.matches[at].confidence)});
    for (const MatchedCalls::Unmatched &each : matched.calls.unmatched)
        rows.push_back({each.call, &words.family(each.family), {}, unmatchedReasonName(each.reason)});
    std::ranges::sort(rows, {}, &CallRowText::call);
    ResultTable table;
    for (const CallRowText &row : rows)
        table.evidence.push_back(words.slice(row.call));
    TableBuilder<CallRowText> build(table, rows);
    const auto own = [](const CallRowText &row) { return std::span(&row.call, 1); };
    build.id("rank", "Rank", "The rank that the trace recorded, otherwise that of its path if no other trace has it.",
             [&](const CallRowText &row) { return words.rank(row.call.rank); });
    if (matched.needsTitles())
        build.text("trace", "Trace", "The name of the trace, because ranks do not tell all traces apart.",
                   [&](const CallRowText &row) { return words.title(row.call.rank); });
    build.text("operation", "Operation", "The kind of the operation.",
               [&](const CallRowText &row) { return words.operation(row.call); });
    addGroup(build);
    build.text("type", "Type", "The data type.", [&](const CallRowText &row) { return words.type(own(row)); });
    build.integer("message_bytes", "Message", CellKind::Bytes, "The size of the message.",
                  [&](const CallRowText &row) { return words.bytes(own(row)); });
    build.id("sequence", "Seq", "The sequence number, if it was recorded.",
             [&](const CallRowText &row) { return words.number(row.call); });
    build.integer("start_ns", "Start", CellKind::Moment,
                  "The start on the device, otherwise that of the call on the host.",
                  [&](const CallRowText &row) { return words.start(row.call); });
    build.time("duration_ns", "Duration", "The time on the device, waiting for other ranks included.",
               [&](const CallRowText &row) { return words.duration(row.call); });
    build.id("match", "Match", "The number of the match in the view matches.",
             [](const CallRowText &row) { return row.match ? static_cast<int64_t>(*row.match) : kNoInt; });
    build.text("confidence", "Confidence", "How sure the match is, or why there is none.",
               [](const CallRowText &row) { return row.why; });
    return table;
}

struct LackRow {
    CallRef call; ///< the first one of those that were made
    const CallFamily *family = nullptr;
    std::optional<uint32_t> match;
    std::string madeBy, lackedBy, why;
};

/// Says where calls of a family that a rank lacks lie among those that it has.
class MissingCalls {
public:
    explicit MissingCalls(const MatchedSet &matched)
    {
        for (uint32_t at = 0; at < matched.calls.matches.size(); ++at)
            for (const CallRef &call : matched.calls.of(matched.calls.matches[at])) {
                const auto [entry, isNew] =
                    m_present.emplace(std::pair(matched.calls.matches[at].family, call.rank), std::pair(at, at));
                entry->second.second = at;
            }
    }
    const char *reason(uint32_t family, uint32_t rank, uint32_t match) const
    {
        const auto found = m_present.find({family, rank});
        return found == m_present.end()       ? "it recorded no call of this group that matches"
               : match < found->second.first  ? "before its first call"
               : match > found->second.second ? "after its last call"
                                              : "it recorded calls before and after";
    }

private:
    std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> m_present; ///< first and last match
};

/// A sentence about calls of which no rank lacks one.
std::string saidOfWhole(const MatchedCalls &calls)
{
    const auto ambiguous = std::ranges::count(calls.matches, Confidence::Ambiguous, &MatchedCalls::Match::confidence);
    if (ambiguous == 0)
        return "Every call matches one of each other rank of its group.";
    return "No rank lacks a call of its group, but " + formatCount(ambiguous) + " of " +
           formatCount(static_cast<int64_t>(calls.matches.size())) +
           (calls.matches.size() == 1 ? " match is"
            : ambiguous == 1          ? " matches is"
                                      : " matches are") +
           " ambiguous, so calls may be missing that others hide.";
}

ResultTable unmatchedTable(const MatchedSet &matched)
{
    const CallWords words(matched);
    const MissingCalls missing(matched);
    std::vector<LackRow> rows;
    for (uint32_t at = 0; at < matched.calls.matches.size(); ++at) {
        const MatchedCalls::Match &match = matched.calls.matches[at];
        std::map<std::string, std::vector<uint32_t>> byReason;
        for (const uint32_t list : words.missing(match))
            byReason[missing.reason(match.family, list, at)].push_back(list);
        const auto calls = matched.calls.of(match);
        for (const auto &[why, lists] : byReason)
            rows.push_back(
                {calls.front(), &words.family(match.family), at, words.ranks(calls), words.ranks(lists), why});
    }
    for (const MatchedCalls::Unmatched &each : matched.calls.unmatched)
        rows.push_back({each.call,
                        &words.family(each.family),
                        {},
                        words.ranks(std::span(&each.call, 1)),
                        "",
                        unmatchedReasonName(each.reason)});
    ResultTable table;
    for (const LackRow &row : rows)
        table.evidence.push_back(words.slice(row.call));
    TableBuilder<LackRow> build(table, rows);
    build.text("operation", "Operation", "The kind of the operation.",
               [&](const LackRow &row) { return words.operation(row.call); });
    addGroup(build);
    build.integer("message_bytes", "Message", CellKind::Bytes, "The size of the message.",
                  [&](const LackRow &row) { return words.bytes(std::span(&row.call, 1)); });
    build.id("sequence", "Seq", "The sequence number, if it was recorded.",
             [&](const LackRow &row) { return words.number(row.call); });
    build.text("made_by", "Made by", "The ranks that made the call.", [](const LackRow &row) { return row.madeBy; });
    build
        .text("missing_ranks", "Missing",
              "The ranks of the group whose traces lack the call. Empty if only one rank made it.",
              [](const LackRow &row) { return row.lackedBy; })
        .unnamed = "all others";
    build.text("why", "Why", "Where the call lies among those of the ranks that lack it, or why it has no partner.",
               [](const LackRow &row) { return row.why; });
    build.integer("start_ns", "Start", CellKind::Moment, "The start on the first rank that made the call.",
                  [&](const LackRow &row) { return words.start(row.call); });
    build.id("match", "Match", "The number of the match in the view matches; none if only one rank made the call.",
             [](const LackRow &row) { return row.match ? static_cast<int64_t>(*row.match) : kNoInt; });
    if (rows.empty())
        table.absence = saidOfWhole(matched.calls);
    return table;
}

constexpr MatchView kViews[]{
    {"groups", "Matched calls by group and operation", groupTable},
    {"matches", "Matched calls", matchesTable},
    {"unmatched", "Calls that some ranks lack", unmatchedTable},
    {"calls", "Calls of each rank", callTable},
    {"clocks", "Clocks of the ranks", clockTable},
};

} // namespace

std::span<const MatchView> matchViews() { return kViews; }

const MatchView *findMatchView(std::string_view word)
{
    const auto found = std::ranges::find_if(kViews, [&](const MatchView &view) { return view.word == word; });
    return found == std::end(kViews) ? nullptr : found;
}

ResultTable matchTable(const MatchView &view, const MatchedSet &matched)
{
    const bool hasCalls = !matched.calls.matches.empty() || !matched.calls.unmatched.empty();
    ResultTable table = hasCalls ? view.make(matched) : ResultTable();
    table.view = view.word;
    table.title = view.title;
    table.origin = matched.facts->set().origin();
    if (!hasCalls)
        table.absence = "The traces have no collectives and no point-to-point operations. Record a job with several "
                        "ranks, and each rank with its own file.";
    else if (matched.size() == 1)
        table.notes.push_back("Only one trace was given, so no call can match one of another rank.");
    else
        std::ranges::move(matched.notes(), std::back_inserter(table.notes));
    return table;
}

} // namespace riffle
