// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_html.h"

#include "app/cli/report_steps.h"
#include "app/cli/report_style.h"
#include "model/analysis/table/table_builder.h"
#include "model/analysis/table/table_text.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace riffle::cli {

namespace {

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

/// Adds notes to a page: as they are if they are few, otherwise folded.
void addNotes(std::string &out, const std::vector<std::string> &notes)
{
    constexpr size_t kFew = 3;
    const bool isFolded = notes.size() > kFew;
    if (isFolded)
        out += fmt::format("<details><summary>{} notes</summary>\n", notes.size());
    for (const std::string &note : notes)
        out += "<p class=\"note\">" + escapedXml(note) + "</p>\n";
    if (isFolded)
        out += "</details>\n";
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
    addNotes(out, table.notes);
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

std::string fileName(const Trace &trace) { return trace.info.path.substr(trace.info.path.find_last_of('/') + 1); }

/// The figures that matter most, from the overview: a row per device, with the steps of its trace.
ResultTable headlines(const ResultTable &overview, bool severalTraces)
{
    struct Row {
        std::string trace;
        int64_t device = kNoInt, steps = kNoInt, step = kNoInt;
        double busy = std::numeric_limits<double>::quiet_NaN(), exposed = busy, idle = busy;
    };
    std::vector<Row> rows;
    const ResultColumn *trace = overview.column(kTraceColumn), *section = overview.column("section"),
                       *name = overview.column("name"), *device = overview.column("device"),
                       *time = overview.column("time_ns"), *share = overview.column("share"),
                       *count = overview.column("count");
    if (!section || !name || !device || !time || !share || !count)
        return {};
    Row now; // the trace's own figures, which come before those of its devices
    for (size_t at = 0; at < overview.rows(); ++at) {
        const std::string &part = section->texts[at], &figure = name->texts[at];
        if (part == "trace" && figure == "format") {
            now = {};
            now.trace = trace ? trace->texts[at] : std::string();
            rows.push_back(now);
        }
        if (rows.empty())
            continue;
        if (part == "trace" && figure == "steps")
            now.steps = rows.back().steps = count->integers[at];
        if (part == "step" && figure == "mean")
            now.step = rows.back().step = time->integers[at];
        if (part != "device" || device->absent(at))
            continue;
        if (rows.back().device != kNoInt && rows.back().device != device->integers[at])
            rows.push_back(now);
        Row &row = rows.back();
        row.device = device->integers[at];
        if (figure == "busy")
            row.busy = share->numbers[at];
        else if (figure == "exposed_communication")
            row.exposed = share->numbers[at];
        else if (figure == "idle")
            row.idle = share->numbers[at];
    }
    ResultTable table;
    TableBuilder<Row> build(table, rows);
    if (severalTraces)
        build.text(kTraceColumn, "Trace", "", [](const Row &row) { return row.trace; });
    build.id("device", "Device", "", [](const Row &row) { return row.device; });
    build.count("steps", "Steps", "", [](const Row &row) { return row.steps; });
    build.time("step_ns", "Mean step", "", [](const Row &row) { return row.step; });
    const auto addShare = [&](const char *key, const char *title, double Row::*figure) {
        build.number(key, title, CellKind::Share, "share of the time of the steps, or of the device's whole time",
                     [figure](const Row &row) { return row.*figure; });
    };
    addShare("busy", "Device busy", &Row::busy);
    addShare("exposed_communication", "Exposed communication", &Row::exposed);
    addShare("idle", "Device idle", &Row::idle);
    return table;
}

} // namespace

std::string reportHtml(const SetFacts &facts, const SetBands &bands, size_t limit)
{
    const auto &members = facts.set().members;
    std::string title = members.empty() ? std::string() : fileName(*members.front().trace);
    if (members.size() > 1)
        title += fmt::format(" and {} more", members.size() - 1);
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{1}</style></head>\n"
        "<body><h1>{0}</h1>\n",
        escapedXml(title), reportStyle());
    if (members.size() > 1) {
        out += fmt::format("<details><summary>{} traces</summary>\n", members.size());
        for (uint32_t trace = 0; trace < members.size(); ++trace)
            out += fmt::format("<p class=\"note\">{}: {}</p>\n", escapedXml(facts.set().title(trace)),
                               escapedXml(fileName(*members[trace].trace)));
        out += "</details>\n";
    }
    const auto tableOf = [&](const char *view) {
        SummaryRequest request;
        request.view = view;
        return summarize(facts, request, {});
    };
    const auto section = [&](const SummaryView &view) {
        if (const auto table = tableOf(view.word))
            out += fmt::format("<h2>{}</h2>\n{}", escapedXml(view.title),
                               tableHtml(*table, table->view == "overview" ? table->rows() : limit)); // no limit
    };
    if (const auto overview = tableOf("overview"))
        out += "<h2>Summary</h2>\n" + tableHtml(headlines(*overview, members.size() > 1), SIZE_MAX);
    const SummaryView &findings = *findSummaryView("findings");
    section(findings);
    out += "<h2>Where the time of each step went</h2>\n" + stepChart(facts);
    out += "<h2>Timeline</h2>\n<div class=\"wide\">" + timelineSvg(facts.set(), facts.set().askedSpan(), bands) +
           "</div>\n";
    if (!facts.set().empty() && facts.of(0).steps().marked) {
        const Scope scope(facts.of(0), {});
        std::vector<uint32_t> steps; // those that ended
        for (uint32_t at = 0; at < scope.steps().steps.size(); ++at)
            if (scope.steps().steps[at].ended)
                steps.push_back(at);
        if (!steps.empty()) {
            const uint32_t step = steps[steps.size() > 1]; // the first one often prepares what others reuse
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
