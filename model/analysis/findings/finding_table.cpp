// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/findings/finding.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <cmath>

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

/// The evidence of the findings as row slices. A slice that is evidence of several findings belongs to the first.
std::shared_ptr<const RowSlices> slicesOf(const std::vector<Finding> &findings, TraceId trace)
{
    BigVector<std::pair<uint32_t, uint32_t>> members;
    for (uint32_t row = 0; row < findings.size(); ++row)
        for (const SliceRef &slice : findings[row].evidence)
            members.emplace_back(slice.slice.value, row);
    return RowSlices::ofTrace(trace, std::move(members));
}

} // namespace

ResultTable findingTable(const Scope &scope, std::string_view, const Task &)
{
    const Findings findings = findingsOf(scope);
    ResultTable table;
    TableBuilder<Finding> build(table, findings.found);
    build.text("id", "Rule", "The rule's name.", [](const Finding &one) { return one.rule->id; }).hidden = true;
    build
        .text("severity", "Severity", "error: figures cannot be trusted; warning: time is lost; hint: worth knowing.",
              [](const Finding &one) { return textOf(one.rule->severity); })
        .words = {"error", "warning", "hint"};
    build.text("title", "Finding", "", [](const Finding &one) { return one.rule->title; });
    build.text("measured_text", "Measured", "The value that the rule measures.",
               [](const Finding &one) { return formatMeasured(one.measured, one.rule->unit); });
    build
        .number("measured", "Measured (number)", CellKind::Number, "The same as a number; a share is 0 to 1.",
                [](const Finding &one) { return one.measured; })
        .hidden = true;
    build
        .number("threshold", "Threshold", CellKind::Number, "The rule applies beyond this value.",
                [](const Finding &one) { return one.rule->threshold; })
        .hidden = true;
    build
        .text("unit", "Unit", "What the two numbers are: share, times, gb_per_s (10⁹ bytes per second) or count.",
              [](const Finding &one) { return wordOf(one.rule->unit); })
        .hidden = true;
    build.id("device", "Device", "The device that the finding is about.",
             [](const Finding &one) { return one.device; });
    build.id("step", "Step", "The step in which the evidence starts.", [](const Finding &one) { return one.step; });
    build.text("text", "What was found", "", [](const Finding &one) { return one.text; }).prose = true;
    build.text("rule", "Rule and threshold", "", [](const Finding &one) { return ruleText(*one.rule); }).prose = true;
    build.text("suggestion", "What may help", "", [](const Finding &one) { return one.rule->suggestion; }).prose = true;
    build.integer("start_ns", "Start", CellKind::Moment, "Where to look.",
                  [](const Finding &one) { return one.span.empty() ? kNoInt : one.span.begin; });
    build.time("duration_ns", "Duration", "The duration of the span to look at.",
               [](const Finding &one) { return one.span.empty() ? kNoInt : one.span.duration(); });
    build.count("instances", "Instances", "The number of slices that show the problem.", [](const Finding &one) {
        return one.evidence.empty() ? kNoInt : static_cast<int64_t>(one.evidence.size());
    });
    for (const Finding &one : findings.found)
        table.evidence.push_back(one.evidence.empty() ? SliceRef{} : one.evidence.front());
    table.slices = slicesOf(findings.found, scope.trace());
    if (findings.found.empty())
        table.notes.push_back("None of the " + std::to_string(findingRules().size()) + " rules found anything.");
    table.notes.insert(table.notes.end(), findings.unjudged.begin(), findings.unjudged.end());
    return table;
}

} // namespace riffle
