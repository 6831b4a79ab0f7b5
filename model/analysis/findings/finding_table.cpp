// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/findings/finding.h"
#include "model/analysis/summary/summary.h"
#include "model/analysis/summary/summary_layout.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace riffle {

namespace {

const char *wordOf(FindingUnit unit)
{
    switch (unit) {
    case FindingUnit::Share: return "share";
    case FindingUnit::Times: return "times";
    case FindingUnit::Rate: return "gb_per_s";
    case FindingUnit::Count: break;
    }
    return "count";
}

/// The rule's condition, as in "… > 5 %".
std::string ruleText(const FindingRule &rule)
{
    return std::string(rule.measure) + (rule.below ? " < " : " > ") + formatMeasured(rule.threshold, rule.unit);
}

/// A finding of one or several traces.
struct FindingRow {
    Finding worst;             ///< its span is set time if there are several traces
    std::string traces, label; ///< the traces that it holds for, and that of `worst`; empty if there is only one
    int64_t instances = 0;
    std::vector<uint32_t> order; ///< the places of the traces, the worst first
};

/// A place in the links of a trace for each evidence. A slice that is evidence of several findings belongs to the
/// first.
using Links = BigVector<std::pair<uint32_t, uint32_t>>;

void link(Links &links, const Finding &finding, uint32_t row)
{
    for (const SliceRef &slice : finding.evidence)
        links.emplace_back(slice.slice.value, row);
}

ResultTable tableOf(std::span<const FindingRow> rows, bool areSeveral)
{
    ResultTable table;
    TableBuilder<FindingRow> build(table, rows);
    build.text("id", "Rule", "The rule's name.", [](const FindingRow &row) { return row.worst.rule->id; }).hidden =
        true;
    build
        .text("severity", "Severity", "error: figures cannot be trusted; warning: time is lost; hint: worth knowing.",
              [](const FindingRow &row) { return textOf(row.worst.rule->severity); })
        .words = {"error", "warning", "hint"};
    build.text("title", "Finding", "", [](const FindingRow &row) { return row.worst.rule->title; });
    if (areSeveral) {
        build.count(kTracesColumn, "Traces", "The number of traces that the finding holds for.",
                    [](const FindingRow &row) { return row.order.size(); });
        build.text("holds_for", "Holds for", "These traces, the worst first.",
                   [](const FindingRow &row) { return row.traces; });
    }
    const char *const ofWorst = areSeveral ? " On the worst trace." : "";
    build.text("measured_text", "Measured", std::string("The value that the rule measures.") + ofWorst,
               [](const FindingRow &row) { return formatMeasured(row.worst.measured, row.worst.rule->unit); });
    build
        .number("measured", "Measured (number)", CellKind::Number, "The same as a number; a share is 0 to 1.",
                [](const FindingRow &row) { return row.worst.measured; })
        .hidden = true;
    build
        .number("threshold", "Threshold", CellKind::Number, "The rule applies beyond this value.",
                [](const FindingRow &row) { return row.worst.rule->threshold; })
        .hidden = true;
    build
        .text("unit", "Unit", "What the two numbers are: share, times, gb_per_s (10⁹ bytes per second) or count.",
              [](const FindingRow &row) { return wordOf(row.worst.rule->unit); })
        .hidden = true;
    build.id("device", "Device", std::string("The device that the finding is about.") + ofWorst,
             [](const FindingRow &row) { return row.worst.device; });
    build.id("step", "Step", std::string("The step in which the evidence starts.") + ofWorst,
             [](const FindingRow &row) { return row.worst.step; });
    build
        .text("text", "What was found", "",
              [](const FindingRow &row) { return (row.label.empty() ? "" : row.label + ": ") + row.worst.text; })
        .prose = true;
    build.text("rule", "Rule and threshold", "", [](const FindingRow &row) { return ruleText(*row.worst.rule); })
        .prose = true;
    build.text("suggestion", "What may help", "", [](const FindingRow &row) { return row.worst.rule->suggestion; })
        .prose = true;
    build.integer("start_ns", "Start", CellKind::Moment, "Where to look.",
                  [](const FindingRow &row) { return row.worst.span.empty() ? kNoInt : row.worst.span.begin; });
    build.time("duration_ns", "Duration", "The duration of the span to look at.",
               [](const FindingRow &row) { return row.worst.span.empty() ? kNoInt : row.worst.span.duration(); });
    build.count("instances", "Instances", "The number of slices that show the problem.",
                [](const FindingRow &row) { return row.instances == 0 ? kNoInt : row.instances; });
    for (const FindingRow &row : rows)
        table.evidence.push_back(row.worst.evidence.empty() ? SliceRef{} : row.worst.evidence.front());
    if (rows.empty())
        table.notes.push_back("None of the " + std::to_string(findingRules().size()) + " rules found anything.");
    return table;
}

} // namespace

ResultTable findingTable(const Scope &scope, std::string_view)
{
    Findings findings = findingsOf(scope);
    std::vector<FindingRow> rows;
    Links links;
    for (Finding &one : findings.found) {
        link(links, one, static_cast<uint32_t>(rows.size()));
        const auto instances = static_cast<int64_t>(one.evidence.size());
        rows.push_back({std::move(one), {}, {}, instances, {}});
    }
    ResultTable table = tableOf(rows, false);
    table.slices = RowSlices::ofTrace(scope.trace(), std::move(links));
    table.notes.insert(table.notes.end(), findings.unjudged.begin(), findings.unjudged.end());
    return table;
}

namespace {

/// True if `a` is further beyond the threshold of its rule than `b`, which has the same rule.
bool isWorse(const Finding &a, const Finding &b)
{
    return a.rule->below ? a.measured < b.measured : a.measured > b.measured;
}

/// Puts the findings of several traces together. A rule that holds for several devices of a trace has a row for each;
/// the only device of a trace corresponds to those of the other traces.
class FindingMerging {
public:
    explicit FindingMerging(std::span<const LabelledScope> scopes) : m_scopes(scopes), m_findings(scopes.size())
    {
        parallelFor(scopes.size(), [&](size_t at) { m_findings[at] = findingsOf(scopes[at].scope); });
        for (uint32_t scope = 0; scope < scopes.size(); ++scope)
            add(scope);
    }

    ResultTable table()
    {
        std::vector<FindingRow> rows;
        std::vector<RowSlices::Part> parts(m_scopes.size());
        std::vector<Links> links(m_scopes.size());
        std::vector<std::vector<uint32_t>> orders;
        for (auto &[key, members] : m_rows) {
            std::ranges::stable_sort(members, [](const Member &a, const Member &b) { return isWorse(*a.one, *b.one); });
            FindingRow row{*members.front().one, {}, m_scopes[members.front().scope].label, 0, {}};
            if (!row.worst.span.empty())
                row.worst.span = m_scopes[members.front().scope].time.toSet(row.worst.span);
            for (const Member &member : members) {
                link(links[member.scope], *member.one, static_cast<uint32_t>(rows.size()));
                row.traces += (row.traces.empty() ? "" : ", ") + m_scopes[member.scope].label;
                row.instances += static_cast<int64_t>(member.one->evidence.size());
                row.order.push_back(member.scope);
            }
            if (members.size() == m_scopes.size())
                row.traces = "All traces";
            orders.push_back(row.order);
            rows.push_back(std::move(row));
        }
        ResultTable table = tableOf(rows, true);
        TraceNotes unjudged;
        for (size_t at = 0; at < m_scopes.size(); ++at) {
            parts[at].slices = RowSlices::ofTrace(m_scopes[at].scope.trace(), std::move(links[at]));
            parts[at].rows = allRows(table);
            unjudged.add(std::move(m_findings[at].unjudged), m_scopes[at].label);
        }
        table.slices = RowSlices::together(parts, orders);
        for (std::string &line : unjudged.lines())
            table.notes.push_back(std::move(line));
        return table;
    }

private:
    /// The severity, the rule's place in the table of rules, the device, and the place among such findings of one
    /// trace.
    using Key = std::tuple<FindingSeverity, const FindingRule *, int64_t, uint32_t>;
    struct Member {
        uint32_t scope;
        const Finding *one;
    };

    void add(uint32_t scope)
    {
        const bool hasOneDevice = m_scopes[scope].scope.facts().work().devices.size() < 2;
        for (const Finding &one : m_findings[scope].found) {
            Key key{one.rule->severity, one.rule, hasOneDevice ? kNoInt : one.device, 0};
            const auto isTaken = [&] {
                const auto known = m_rows.find(key);
                return known != m_rows.end() && known->second.back().scope == scope;
            };
            while (isTaken())
                ++std::get<uint32_t>(key);
            m_rows[key].push_back({scope, &one});
        }
    }

    std::span<const LabelledScope> m_scopes;
    std::vector<Findings> m_findings;
    std::map<Key, std::vector<Member>> m_rows;
};

} // namespace

ResultTable mergedFindingTable(std::span<const LabelledScope> scopes, std::string_view)
{
    return FindingMerging(scopes).table();
}

} // namespace riffle
