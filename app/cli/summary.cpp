// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/like.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/step_lookup.h"
#include "model/analysis/summary.h"
#include "model/base/quoted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace riffle::cli {

namespace {

struct Options {
    std::vector<std::string> paths;
    OpenOptions open;
    std::vector<std::string> views;
    std::string groupBy, stepMark, sort, filter, format = "table", unit, like;
    int64_t limit = -1;
    bool withoutFirst = false, ascending = false, all = false;
    bool detailed = false, byThread = false, withoutInner = false;

    ScopeRequest scope() const
    {
        ScopeRequest request;
        request.stepMark = stepMark;
        request.withoutFirstStep = withoutFirst;
        return request;
    }
};

std::string words()
{
    std::string all;
    for (const SummaryView &view : summaryViews()) {
        all += (all.empty() ? "" : ", ") + std::string(view.word);
        for (size_t at = 0; at < view.groupings.size(); ++at)
            all += (at ? " | " : " (by ") + std::string(view.groupings[at]) + (at + 1 == view.groupings.size() ? ")" : "");
    }
    return all;
}

/// The columns that --sort names: without _ns, too, and several separated by commas.
Result<std::vector<SortKey>> sortKeys(const ResultTable &table, const Options &options)
{
    std::vector<SortKey> keys;
    for (size_t at = 0; at <= options.sort.size();) {
        const size_t end = std::min(options.sort.find(',', at), options.sort.size());
        const std::string word = options.sort.substr(at, end - at);
        const ResultColumn *by = table.column(word);
        if (!by)
            by = table.column(word + "_ns");
        if (!by)
            return Error{table.view + " has no column " + word + "; it has " + table.keys(), {}, std::nullopt};
        keys.push_back({by, by->kind == CellKind::Text ? options.ascending : !options.ascending});
        at = end + 1;
    }
    return keys;
}

/// The rows that the options leave, in their order. A limit is for each trace where these stand behind each other.
Result<std::vector<uint32_t>> chosenRows(const ResultTable &table, const Options &options)
{
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    if (!options.sort.empty() && !table.columns.empty()) {
        const auto keys = sortKeys(table, options);
        if (!keys)
            return keys.error();
        rows = sortedRows(table, *keys);
    }
    if (!options.filter.empty()) {
        const auto passing = rowsPassing(table, options.filter);
        if (!passing)
            return passing.error();
        std::erase_if(rows, [&](uint32_t row) { return !(*passing)[row]; });
    }
    if (options.limit < 0)
        return rows;
    const ResultColumn *traces = options.sort.empty() ? table.column(kTraceColumn) : nullptr;
    std::map<std::string_view, int64_t> kept;
    std::erase_if(rows, [&](uint32_t row) { return ++kept[traces ? std::string_view(traces->texts[row]) : ""] > options.limit; });
    return rows;
}

int print(const std::vector<ResultTable> &tables, const Options &options)
{
    std::vector<std::vector<uint32_t>> rows;
    for (const ResultTable &table : tables) {
        auto chosen = chosenRows(table, options);
        if (!chosen) {
            complain(chosen.error().text());
            return Usage;
        }
        rows.push_back(std::move(*chosen));
    }
    // Machines read the tables alone; why one is empty is told beside them.
    if (options.format == "json" || options.format == "csv")
        for (const ResultTable &table : tables)
            if (!table.absence.empty())
                complain(table.view + ": " + table.absence);
    PrintOptions print;
    print.unit = options.unit;
    print.hidden = options.all;
    if (options.format == "json" && tables.size() > 1) {
        fmt::print("{{");
        for (size_t at = 0; at < tables.size(); ++at)
            fmt::print("{}\n{}: {}", at ? "," : "", jsonString(tables[at].view), tableJson(tables[at], rows[at]));
        fmt::print("}}\n");
        return Good;
    }
    for (size_t at = 0; at < tables.size(); ++at) {
        if (options.format == "json")
            fmt::print("{}", tableJson(tables[at], rows[at]));
        else if (options.format == "csv")
            fmt::print("{}{}", at ? "\n" : "", tableCsv(tables[at], rows[at]));
        else if (options.format == "md")
            fmt::print("{}{}", at ? "\n" : "", tableMarkdown(tables[at], rows[at], print));
        else
            fmt::print("{}{}", at ? "\n" : "", tableForPeople(tables[at], rows[at], print));
    }
    return Good;
}

int printTables(const SetFacts &facts, const Options &options, std::span<const SummaryView> views)
{
    std::vector<ResultTable> tables;
    std::vector<std::string> asked = options.views;
    if (asked.empty())
        for (const SummaryView &view : views)
            asked.emplace_back(view.word);
    for (const std::string &word : asked) {
        SummaryRequest request;
        request.view = word;
        request.groupBy = options.groupBy;
        request.scope = options.scope();
        auto table = summarize(facts, request, {}, views);
        if (!table) {
            complain(table.error().text());
            return Usage;
        }
        tables.push_back(std::move(*table));
    }
    return print(tables, options);
}

int printLike(const SetFacts &facts, const Options &options, const LikePrinter &printer)
{
    if (options.format != "table" || !options.filter.empty() || options.all) {
        complain("--like " + options.like + " has a layout of its own: it takes no --format, --filter or --all-columns");
        return Usage;
    }
    LikeRequest request;
    request.scope = options.scope();
    request.views = options.views;
    request.groupBy = options.groupBy;
    request.sort = options.sort;
    request.unit = options.unit;
    request.limit = options.limit;
    request.detailed = options.detailed;
    request.byThread = options.byThread;
    request.withoutInner = options.withoutInner;
    for (uint32_t trace = 0; trace < facts.size(); ++trace) {
        const auto text = printer.print(facts, trace, request);
        if (!text) {
            complain(text.error().text());
            return Usage;
        }
        if (facts.size() > 1)
            fmt::print("{}{}\n\n", trace ? "\n\n" : "", facts.set().title(trace));
        fmt::print("{}", *text);
    }
    return Good;
}

int run(Options options)
{
    if (options.views.empty() && options.like.empty())
        options.views = {"overview"};
    for (const std::string &word : options.views)
        if (!findSummaryView(word)) {
            complain("there is no view " + word + "; there are " + words());
            return Usage;
        }
    int code = Good;
    OpenedTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(std::move(opened.traces)));
    const auto printers = likePrinters();
    const auto like = std::find_if(printers.begin(), printers.end(), [&](const LikePrinter &one) { return options.like == one.word; });
    const int printed = like == printers.end() ? printTables(facts, options, summaryViews())
                        : like->views          ? printTables(facts, options, like->views())
                                               : printLike(facts, options, *like);
    if (printed != Good)
        return printed;
    flushOutput();
    opened.store();
    return code;
}

} // namespace

void addSummaryCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("summary", "Say where the time went: steps, operators, kernels and more");
    command->add_option("trace", options->paths, "Traces; several are ranks of one job")->required();
    command->add_option("--view", options->views, "What to show, separated by commas (overview): " + words())->delimiter(',');
    command->add_option("--group-by", options->groupBy, "How to put slices into rows");
    command->add_option("--step-mark", options->stepMark, "Slices of this name are the steps");
    command->add_flag("--without-first-step", options->withoutFirst, "Leave the first step out where it is far longer than the rest");
    command->add_option("--sort", options->sort, "Columns to sort by, separated by commas, the largest first (texts: the first)");
    command->add_flag("--ascending", options->ascending, "The smallest first (texts: the last)");
    command->add_option("--filter", options->filter, "Rows to show: words, /expressions/, calls>100, host_total>10ms");
    command->add_option("--limit", options->limit, "Rows to show; of several traces of each, unless they are sorted")->check(CLI::NonNegativeNumber);
    command->add_option("--unit", options->unit, "Unit of times for people (json and csv have ns)")->check(CLI::IsMember({"ns", "us", "ms", "s"}));
    command->add_option("--format", options->format, "How to print")->check(CLI::IsMember({"table", "csv", "json", "md"}))->capture_default_str();
    command->add_flag("--all-columns", options->all, "Show every column");
    std::vector<std::string> others;
    for (const LikePrinter &printer : likePrinters())
        others.emplace_back(printer.word);
    CLI::Option *like = command->add_option("--like", options->like, "Print as that program does, with its tables, sort words and units")->check(CLI::IsMember(others));
    command->add_flag("--detailed", options->detailed, "With --like paddle: all tables")->needs(like);
    command->add_flag("--by-thread", options->byThread, "With --like paddle: a block a thread")->needs(like);
    command->add_flag("--no-op-detail", options->withoutInner, "With --like paddle: only the operators themselves")->needs(like);
    options->open.addTo(*command, "--range");
    command->callback([options, &code] { code = run(*options); });
}

} // namespace riffle::cli
