// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_html.h"

#include "app/cli/report_page.h"
#include "app/cli/report_steps.h"
#include "model/analysis/table/table_builder.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace riffle::cli {

namespace {

std::string fileName(const Trace &trace) { return nameOfFile(trace.info.path); }

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
    const std::span<const LoadedTrace> members = facts.set().loaded();
    std::string title = members.empty() ? std::string() : fileName(*members.front().trace);
    if (members.size() > 1)
        title += fmt::format(" and {} more", members.size() - 1);
    std::string out = pageHead(title) + "<h1>" + escapedXml(title) + "</h1>\n";
    if (members.size() > 1) {
        out += fmt::format("<details><summary>{} traces</summary>\n", members.size());
        for (const LoadedTrace &member : members)
            out += fmt::format("<p class=\"note\">{}: {}</p>\n", escapedXml(facts.set().title(member.id)),
                               escapedXml(fileName(*member.trace)));
        out += "</details>\n";
    }
    const auto tableOf = [&](const char *view, RankLayout layout) {
        SummaryRequest request;
        request.view = view;
        request.layout = layout;
        return summarize(facts, request, {});
    };
    const auto section = [&](const SummaryView &view) {
        if (const auto table = tableOf(view.word, RankLayout::Merged))
            out += fmt::format("<h2>{}</h2>\n{}", escapedXml(view.title),
                               tableHtml(*table, table->view == "overview" ? 0 : limit)); // 0: all rows
    };
    if (const auto overview = tableOf("overview", RankLayout::RankByRank))
        out += "<h2>Summary</h2>\n" + tableHtml(headlines(*overview, members.size() > 1), 0);
    const SummaryView &findings = *findSummaryView("findings");
    section(findings);
    out += "<h2>Where the time of each step went</h2>\n" + stepChart(facts);
    SetWorkClasses classes;
    for (const LoadedTrace &member : facts.set().loaded())
        classes[member.id] = facts.of(member.id).workClasses();
    out += "<h2>Timeline</h2>\n<div class=\"wide\">" +
           timelineSvg(facts.set(), facts.set().askedSpan(), bands, classes) + "</div>\n";
    if (!facts.set().empty() && facts.of(facts.set().loaded().front().id).steps().marked) {
        const Scope scope(facts.of(facts.set().loaded().front().id), {});
        std::vector<uint32_t> steps; // those that ended
        for (uint32_t at = 0; at < scope.steps().steps.size(); ++at)
            if (scope.steps().steps[at].ended)
                steps.push_back(at);
        if (!steps.empty()) {
            const uint32_t step = steps[steps.size() > 1]; // the first one often prepares what others reuse
            const TimeSpan host = facts.set().loaded().front().time.toSet(scope.stepSpan(step));
            out += "<h2>Timeline of " + escapedXml(scope.steps().steps[step].name) + "</h2>\n<div class=\"wide\">" +
                   timelineSvg(facts.set(), host, bands, classes) + "</div>\n";
        }
    }
    for (const SummaryView &view : summaryViews())
        if (&view != &findings)
            section(view);
    return out + pageEnd();
}

} // namespace riffle::cli
