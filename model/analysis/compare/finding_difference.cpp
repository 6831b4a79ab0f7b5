// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The findings of both sides of a comparison: which rules hold for only one of them.

#include "model/analysis/compare/compare_views.h"
#include "model/analysis/findings/finding.h"
#include "model/analysis/summary/summary_layout.h"
#include "model/analysis/table/change.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

struct FindingPair {
    std::array<const Finding *, 2> sides{};

    const Finding &any() const { return sides[1] ? *sides[1] : *sides[0]; }
    ChangeState state() const
    {
        const bool isEqual = sides[0] && sides[1] && sides[0]->measured == sides[1]->measured;
        return stateOf(sides[0] != nullptr, sides[1] != nullptr, isEqual);
    }
    std::string measured(size_t side) const
    {
        return sides[side] ? formatMeasured(sides[side]->measured, sides[side]->rule->unit) : std::string();
    }
    std::string text(size_t side) const { return sides[side] ? sides[side]->text : std::string(); }
};

/// Pairs the findings of a rule about a device. If there are several on a side, the first is paired with the first.
std::vector<FindingPair> pairsOf(const Findings &a, const Findings &b, bool byDevice)
{
    std::map<std::tuple<const FindingRule *, int64_t, size_t>, FindingPair> pairs;
    for (const size_t side : {size_t{0}, size_t{1}}) {
        std::map<std::pair<const FindingRule *, int64_t>, size_t> times;
        for (const Finding &one : (side ? b : a).found) {
            const int64_t device = byDevice ? one.device : kNoInt;
            pairs[{one.rule, device, times[{one.rule, device}]++}].sides[side] = &one;
        }
    }
    std::vector<FindingPair> all;
    for (const auto &[key, pair] : pairs)
        all.push_back(pair);
    const auto rank = [](const FindingPair &pair) {
        const ChangeState state = pair.state();
        return std::pair(state == ChangeState::New ? 0 : state == ChangeState::Gone ? 1 : 2, pair.any().rule->severity);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const FindingPair &left, const FindingPair &right) { return rank(left) < rank(right); });
    return all;
}

} // namespace

ResultTable findingDifference(const LabelledScope &a, const LabelledScope &b)
{
    const Findings before = findingsOf(a.scope), after = findingsOf(b.scope);
    const bool byDevice = a.scope.facts().work().devices.size() > 1 || b.scope.facts().work().devices.size() > 1;
    const std::vector<FindingPair> rows = pairsOf(before, after, byDevice);
    ResultTable table;
    const std::span<const FindingPair> all = rows;
    TableBuilder<FindingPair> build(table, all);
    build.text("id", "Rule", "The rule's name.", [](const FindingPair &row) { return row.any().rule->id; }).hidden =
        true;
    addState(table, all, [](const FindingPair &row) { return row.state(); });
    build
        .text("severity", "Severity", "error: figures cannot be trusted; warning: time is lost; hint: worth knowing.",
              [](const FindingPair &row) { return textOf(row.any().rule->severity); })
        .words = {"error", "warning", "hint"};
    build.text("title", "Finding", "", [](const FindingPair &row) { return row.any().rule->title; });
    build.id("device", "Device", "The device that the finding is about.",
             [byDevice](const FindingPair &row) { return byDevice ? row.any().device : kNoInt; });
    build.text("measured_a", "A", "The value that the rule measures.",
               [](const FindingPair &row) { return row.measured(0); });
    build.text("measured_b", "B", "The value that the rule measures.",
               [](const FindingPair &row) { return row.measured(1); });
    build.text("text_a", "In A", "", [](const FindingPair &row) { return row.text(0); }).prose = true;
    build.text("text_b", "In B", "", [](const FindingPair &row) { return row.text(1); }).prose = true;
    for (const FindingPair &row : rows)
        table.evidence.push_back(row.any().evidence.empty() ? SliceRef{} : row.any().evidence.front());
    TraceNotes notes;
    notes.add(before.unjudged, a.label);
    notes.add(after.unjudged, b.label);
    table.notes = notes.lines();
    if (rows.empty())
        table.notes.push_back("None of the " + std::to_string(findingRules().size()) +
                              " rules found anything in A or B.");
    return table;
}

} // namespace riffle
