// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_html.h"

#include "model/analysis/summary/figures.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "model/layout/chart_scale.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace riffle::cli {

namespace {

constexpr const char *kStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1d252d; --dim: #5c6873; --line: #d5dbe1; --head: #eef1f4;
  --c0: #7fb3e6; --c1: #f2b36b; --c2: #8fcf8f; --c3: #d9a0d0; --c4: #e5d36a; --c5: #79cfc6; --c6: #e89191; --c7: #a9a4e0;
  --c8: #c3c98a; --c9: #9fb4c4; --c10: #d6b49a; --c11: #86c7ea; }
@media (prefers-color-scheme: dark) { :root { --back: #161b20; --text: #e4e9ee; --dim: #9aa6b2; --line: #36414b; --head: #222a31;
  --c0: #3f78b0; --c1: #a8712c; --c2: #4a8f4a; --c3: #96608e; --c4: #93832c; --c5: #37877f; --c6: #a85454; --c7: #6a64ad;
  --c8: #7f8547; --c9: #5d7587; --c10: #936f55; --c11: #447fa0; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 24px auto; max-width: 1240px; padding: 0 16px; }
h1 { font-size: 22px; } h2 { font-size: 17px; margin: 32px 0 8px; border-bottom: 1px solid var(--line); }
.note { color: var(--dim); margin: 4px 0; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 10px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { background: var(--head); cursor: pointer; position: sticky; top: 0; }
.t { text-align: left; max-width: 560px; overflow: hidden; text-overflow: ellipsis; }
.p { text-align: left; min-width: 200px; white-space: normal; } td { vertical-align: top; }
svg { max-width: 100%; height: auto; } svg text { font: 10px system-ui, sans-serif; fill: var(--text); } svg .axis { stroke: var(--line); }
svg .heading { fill: var(--head); } svg .letter { text-anchor: middle; } svg .label, svg .letter { pointer-events: none; }
svg .c0 { fill: var(--c0); } svg .c1 { fill: var(--c1); } svg .c2 { fill: var(--c2); } svg .c3 { fill: var(--c3); } svg .c4 { fill: var(--c4); }
svg .c5 { fill: var(--c5); } svg .c6 { fill: var(--c6); } svg .c7 { fill: var(--c7); } svg .c8 { fill: var(--c8); } svg .c9 { fill: var(--c9); }
svg .c10 { fill: var(--c10); } svg .c11 { fill: var(--c11); }
.key { display: inline-block; margin-right: 14px; } .key i { display: inline-block; width: 15px; font: 10px/15px system-ui, sans-serif; text-align: center; margin-right: 5px; }
)";

/// Sorts a table by a column when its heading is clicked, and reverses the order on the next click.
constexpr const char *kScript = R"(
for (const th of document.querySelectorAll('th')) th.onclick = () => {
  const body = th.closest('table').tBodies[0], at = th.cellIndex, down = th.dataset.down = th.dataset.down === '1' ? '0' : '1';
  const value = r => { const v = r.cells[at].dataset.v; return v === '' ? null : isNaN(v) ? v : Number(v); };
  [...body.rows].sort((a, b) => { const x = value(a), y = value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (down === '1' ? -1 : 1); }).forEach(r => body.append(r));
};
)";

/// A letter for each role, so that readers do not depend on the colours.
constexpr std::array<char, kRoles> kLetters{'K', 'M', 'S', 'C', 'R', 'D', 'P', 'O'};

std::vector<uint32_t> chosenSteps(const Scope &scope)
{
    std::vector<uint32_t> chosen;
    for (uint32_t step = 0; step < scope.steps().steps.size(); ++step)
        if (scope.hasStep(step))
            chosen.push_back(step);
    return chosen;
}

std::string stepBars(const Scope &scope)
{
    constexpr size_t kMost = 120;
    constexpr int kWidth = 1200, kTop = 14, kHeight = 180, kFoot = 16, kAxis = 60;
    const std::vector<uint32_t> shown = chosenSteps(scope);
    const size_t count = std::min(shown.size(), kMost);
    Ns longest = 1;
    for (size_t at = 0; at < count; ++at)
        longest = std::max(longest, scope.stepSpan(shown[at]).duration());
    std::string body;
    const double step = roundStep(static_cast<double>(longest), 4);
    for (double tick = 0; tick <= static_cast<double>(longest); tick += step) {
        const double y = kTop + kHeight * (1 - tick / static_cast<double>(longest));
        body += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"axis\"/><text x=\"0\" "
                            "y=\"{3:.1f}\">{4}</text>\n",
                            kAxis, kWidth, y, y + 3,
                            formatTick(static_cast<Ns>(tick), std::max<Ns>(1, static_cast<Ns>(step))));
    }
    const double wide =
        std::min(90.0, static_cast<double>(kWidth - kAxis) / static_cast<double>(std::max<size_t>(count, 1)));
    for (size_t at = 0; at < count; ++at) {
        const StepSet::Step &shownStep = scope.steps().steps[shown[at]];
        const Breakdown parts = breakdownOf(scope.facts(), scope.stepSpan(shown[at]));
        double y = kTop + kHeight;
        const double x = kAxis + wide * static_cast<double>(at);
        for (size_t role = 0; role < kRoles; ++role) {
            const double height = kHeight * static_cast<double>(parts[role]) / static_cast<double>(longest);
            y -= height;
            if (height > 0)
                body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.2f}\" "
                                    "class=\"c{}\"><title>{}: {} {}</title></rect>\n",
                                    x + 1, y, std::max(1.0, wide - 2), height, role, escapedXml(shownStep.name),
                                    kRoleTexts[role].title, formatDuration(parts[role]));
            if (height >= 12 && wide >= 14)
                body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"letter\">{}</text>\n", x + wide / 2,
                                    y + height / 2 + 4, kLetters[role]);
        }
        if (wide >= 26)
            body += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"letter\">{}</text>\n", x + wide / 2,
                                kTop + kHeight + kFoot - 4,
                                scope.steps().marked ? std::to_string(shownStep.number) : "all");
    }
    std::string key;
    for (size_t role = 0; role < kRoles; ++role)
        key += fmt::format("<span class=\"key\"><i style=\"background:var(--c{})\">{}</i>{}</span>", role,
                           kLetters[role], kRoleTexts[role].title);
    std::string out = fmt::format("<p>{}</p>\n<div class=\"wide\"><svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
                                  "aria-label=\"Steps\">\n{}</svg></div>\n",
                                  key, kWidth, kTop + kHeight + kFoot, kWidth, body);
    if (shown.size() > count)
        out += fmt::format("<p class=\"note\">Only the first {} of {} steps are shown.</p>\n", count, shown.size());
    return out;
}

const char *styleOf(const ResultColumn &column)
{
    return column.prose ? "p" : column.kind == CellKind::Text ? "t" : "n";
}

std::string tableHtml(const ResultTable &table, size_t limit)
{
    std::string out;
    if (!table.absence.empty())
        out += "<p class=\"note\">" + escapedXml(table.absence) + "</p>\n";
    for (const std::string &note : table.notes)
        out += "<p class=\"note\">" + escapedXml(note) + "</p>\n";
    const size_t rows = std::min(table.rows(), limit);
    std::vector<const ResultColumn *> shown;
    for (const ResultColumn &column : table.columns) {
        bool any = false;
        for (size_t row = 0; row < rows && !any; ++row)
            any = !column.absent(row);
        if (any && !column.hidden)
            shown.push_back(&column);
    }
    if (shown.empty())
        return out;
    out += "<div class=\"wide\"><table><thead><tr>";
    for (const ResultColumn *column : shown)
        out += fmt::format("<th class=\"{}\" title=\"{}\">{}</th>", styleOf(*column), escapedXml(column->formula),
                           escapedXml(column->title));
    out += "</tr></thead><tbody>\n";
    for (size_t row = 0; row < rows; ++row) {
        out += "<tr>";
        for (const ResultColumn *column : shown) {
            const std::string text =
                escapedXml(column->absent(row) ? column->unnamed : cellText(*column, row, table.origin));
            const std::string indent = column == shown.front() && !table.depth.empty()
                                           ? fmt::format(" style=\"padding-left:{}px\"", 10 + 14 * table.depth[row])
                                           : "";
            if (column->kind == CellKind::Text)
                out +=
                    fmt::format("<td class=\"{}\"{} data-v=\"{}\" title=\"{}\">{}</td>", styleOf(*column), indent, text,
                                column->prose ? "" : text,
                                column->shorts.empty() || column->absent(row) ? text : escapedXml(column->shorts[row]));
            else
                out += fmt::format("<td{} data-v=\"{}\">{}</td>", indent, cellValue(*column, row), text);
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (table.rows() > rows)
        out += fmt::format("<p class=\"note\">Only {} of {} rows are shown.</p>\n", rows, table.rows());
    return out;
}

} // namespace

std::string reportHtml(const SetFacts &facts, const SetBands &bands, size_t limit)
{
    std::string names;
    for (const TraceSet::Member &member : facts.set().members)
        names +=
            (names.empty() ? "" : ", ") + member.trace->info.path.substr(member.trace->info.path.find_last_of('/') + 1);
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{1}</style></head>\n"
        "<body><h1>{0}</h1>\n",
        escapedXml(names), kStyle);
    for (size_t trace = 0; trace < facts.size(); ++trace) {
        if (facts.size() > 1)
            out += "<h2>Steps of " + escapedXml(facts.set().title(static_cast<uint32_t>(trace))) + "</h2>\n";
        else
            out += "<h2>Where the time of each step went</h2>\n";
        out += stepBars(Scope(facts.of(trace), {}, static_cast<uint32_t>(trace)));
    }
    const auto section = [&](const SummaryView &view) {
        SummaryRequest request;
        request.view = view.word;
        if (const auto table = summarize(facts, request, {}))
            out += fmt::format("<h2>{}</h2>\n{}", escapedXml(view.title),
                               tableHtml(*table, table->view == "overview" ? table->rows() : limit)); // no limit
    };
    const SummaryView &findings = *findSummaryView("findings");
    section(findings);
    out += "<h2>Timeline</h2>\n<div class=\"wide\">" + timelineSvg(facts.set(), facts.set().askedSpan(), bands) +
           "</div>\n";
    if (!facts.set().empty() && facts.of(0).steps().marked) {
        const Scope scope(facts.of(0), {});
        if (const std::vector<uint32_t> steps = chosenSteps(scope); !steps.empty()) {
            const uint32_t step = steps[steps.size() > 1 ? 1 : 0];
            const TimeSpan host = facts.set().members[0].time.toSet(scope.stepSpan(step));
            out += "<h2>Timeline of " + escapedXml(scope.steps().steps[step].name) + "</h2>\n<div class=\"wide\">" +
                   timelineSvg(facts.set(), host, bands) + "</div>\n";
        }
    }
    for (const SummaryView &view : summaryViews())
        if (&view != &findings)
            section(view);
    return out + "<script>" + kScript + "</script></body></html>\n";
}

} // namespace riffle::cli
