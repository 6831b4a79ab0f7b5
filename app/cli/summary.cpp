// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"
#include "app/cli/command.h"
#include "app/cli/known_ranks.h"
#include "app/cli/like/like.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/ranks/rank_facts_of.h"
#include "model/analysis/summary/step_lookup.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace riffle::cli {

namespace {

struct SummaryOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    StepOptions steps;
    ScopeRequest scope;
    std::vector<std::string> views;
    std::string groupBy, sort, filter, format = "table", unit, like, by = "rank";
    int64_t limit = -1;
    bool ascending = false, all = false;
    bool detailed = false, byThread = false, withoutInner = false;
};

std::string words()
{
    std::string all;
    for (const SummaryView &view : summaryViews()) {
        all += (all.empty() ? "" : ", ") + std::string(view.word);
        for (size_t at = 0; at < view.groupings.size(); ++at)
            all +=
                (at ? " | " : " (by ") + std::string(view.groupings[at]) + (at + 1 == view.groupings.size() ? ")" : "");
    }
    return all;
}

/// The columns of a table that --sort names, separated by commas. Their suffix _ns may be left out.
Result<std::vector<SortKey>> sortKeys(const ResultTable &table, const SummaryOptions &options)
{
    std::vector<SortKey> keys;
    for (size_t at = 0; at <= options.sort.size();) {
        const size_t end = std::min(options.sort.find(',', at), options.sort.size());
        const std::string word = options.sort.substr(at, end - at);
        const ResultColumn *by = table.column(word);
        if (!by)
            by = table.column(word + "_ns");
        if (!by)
            return Error{"The view " + table.view + " has no column " + word + ". Its columns are " + table.keys() +
                             ".",
                         {},
                         std::nullopt};
        keys.push_back({by, by->kind == CellKind::Text ? options.ascending : !options.ascending});
        at = end + 1;
    }
    return keys;
}

/// For each table, the sort keys of --sort. They are empty for a table that lacks one of the columns; it is an error if
/// this is so for every table.
Result<std::vector<std::vector<SortKey>>> sortKeys(const std::vector<ResultTable> &tables,
                                                   const SummaryOptions &options)
{
    std::vector<std::vector<SortKey>> all(tables.size());
    std::vector<Error> errors;
    for (size_t at = 0; at < tables.size() && !options.sort.empty(); ++at) {
        if (tables[at].columns.empty())
            continue;
        if (auto keys = sortKeys(tables[at], options))
            all[at] = std::move(*keys);
        else
            errors.push_back(keys.error());
    }
    const bool isAnySorted =
        std::any_of(all.begin(), all.end(), [](const std::vector<SortKey> &keys) { return !keys.empty(); });
    if (!errors.empty() && !isAnySorted)
        return errors.front();
    for (const Error &error : errors)
        complain(error.text() + " Its rows keep their order.");
    return all;
}

/// For each table, a mask of the rows that pass --filter. If the filter does not fit the table's columns or values, the
/// mask is empty and all rows pass; it is an error if the filter fits no table.
Result<std::vector<std::vector<uint8_t>>> filterMasks(const std::vector<ResultTable> &tables,
                                                      const SummaryOptions &options)
{
    std::vector<std::vector<uint8_t>> all(tables.size());
    std::vector<std::string> errors;
    bool isAnyFiltered = false;
    for (size_t at = 0; at < tables.size() && !options.filter.empty(); ++at) {
        if (tables[at].columns.empty())
            continue;
        if (auto passing = rowsPassing(tables[at], options.filter)) {
            all[at] = std::move(*passing);
            isAnyFiltered = true;
        } else if (passing.error().kind == ErrorKind::Question) {
            return passing.error();
        } else {
            errors.push_back((tables.size() > 1 ? tables[at].view + ": " : "") + passing.error().text());
        }
    }
    if (!errors.empty() && !isAnyFiltered)
        return Error{errors.front(), {}, std::nullopt};
    for (const std::string &error : errors)
        complain(error + " All its rows are shown.");
    return all;
}

struct ChosenRows {
    std::vector<uint32_t> rows;
    int64_t leftOut = 0; ///< the number of rows omitted because of the limit
};

/// The rows to print after sorting, filtering and limiting. If the rows are not sorted, the limit applies to each trace
/// separately.
ChosenRows chosenRows(const ResultTable &table, std::span<const SortKey> by, std::span<const uint8_t> passing,
                      const SummaryOptions &options)
{
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    if (!by.empty())
        rows = sortedRows(table, by);
    if (!passing.empty())
        std::erase_if(rows, [&](uint32_t row) { return !passing[row]; });
    if (options.limit < 0)
        return ChosenRows{std::move(rows)};
    const ResultColumn *traces = by.empty() ? table.column(kTraceColumn) : nullptr;
    std::map<std::string_view, int64_t> kept;
    const size_t leftOut = std::erase_if(
        rows, [&](uint32_t row) { return ++kept[traces ? std::string_view(traces->texts[row]) : ""] > options.limit; });
    return ChosenRows{std::move(rows), static_cast<int64_t>(leftOut)};
}

/// Says that --filter hides all rows of a table.
void explainFilter(ResultTable &table, const ChosenRows &chosen, const SummaryOptions &options)
{
    if (options.filter.empty() || table.rows() == 0 || !chosen.rows.empty() || chosen.leftOut)
        return;
    EmptyFacts facts;
    facts.rowFilter = options.filter;
    facts.rowsUnfiltered = table.rows();
    table.notes.clear(); // they are about the rows that are hidden
    table.setEmpty(emptyState(facts));
}

int print(std::vector<ResultTable> tables, const SummaryOptions &options)
{
    const auto keys = sortKeys(tables, options);
    const auto masks = filterMasks(tables, options);
    if (!keys || !masks) {
        complain(keys ? masks.error().text() : keys.error().text());
        return Usage;
    }
    std::vector<ChosenRows> chosen;
    for (size_t at = 0; at < tables.size(); ++at) {
        chosen.push_back(chosenRows(tables[at], (*keys)[at], (*masks)[at], options));
        explainFilter(tables[at], chosen.back(), options);
    }
    // JSON and CSV contain only the tables, so stderr says why one is empty.
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
            fmt::print("{}\n{}: {}", at ? "," : "", jsonString(tables[at].view),
                       tableJson(tables[at], chosen[at].rows));
        fmt::print("}}\n");
        return Good;
    }
    for (size_t at = 0; at < tables.size(); ++at) {
        const std::vector<uint32_t> &rows = chosen[at].rows;
        print.rowsLeftOut = chosen[at].leftOut;
        if (options.format == "json")
            fmt::print("{}", tableJson(tables[at], rows));
        else if (options.format == "csv")
            fmt::print("{}{}", at ? "\n" : "", tableCsv(tables[at], rows));
        else if (options.format == "md")
            fmt::print("{}{}", at ? "\n" : "", tableMarkdown(tables[at], rows, print));
        else
            fmt::print("{}{}", at ? "\n" : "", tableForPeople(tables[at], rows, print));
    }
    return Good;
}

int printTables(const SetFacts &facts, const SummaryOptions &options, std::span<const SummaryView> views)
{
    std::vector<ResultTable> tables;
    std::vector<std::string> asked = options.views;
    if (asked.empty())
        for (const SummaryView &view : views)
            asked.emplace_back(view.word);
    // With several views, those that do not support the grouping keep their default.
    const auto isGrouped = [&](const std::string &word) {
        const SummaryView *view = findSummaryView(word, views);
        return view && view->canBeGrouped(options.groupBy);
    };
    const bool isAnyGrouped = std::any_of(asked.begin(), asked.end(), isGrouped);
    for (const std::string &word : asked) {
        SummaryRequest request;
        request.view = word;
        request.scope = options.scope;
        request.layout = options.by == "merged"    ? RankLayout::Merged
                         : options.by == "columns" ? RankLayout::Columns
                                                   : RankLayout::RankByRank;
        request.spread = options.sort.substr(0, options.sort.find(','));
        if (!isAnyGrouped || isGrouped(word))
            request.groupBy = options.groupBy;
        else
            complain("The view " + word + " cannot be grouped by " + options.groupBy +
                     ", so it keeps its default grouping.");
        auto table = summarize(facts, request, {}, views);
        if (!table) {
            complain(table.error().text());
            return Usage;
        }
        tables.push_back(std::move(*table));
    }
    return print(std::move(tables), options);
}

int printLike(const SetFacts &facts, const SummaryOptions &options, const LikePrinter &printer)
{
    if (options.format != "table" || !options.filter.empty() || options.all) {
        complain("--like " + options.like + " cannot be combined with --format, --filter or --all-columns.");
        return Usage;
    }
    LikeRequest request;
    request.scope = options.scope;
    request.views = options.views;
    request.groupBy = options.groupBy;
    request.sort = options.sort;
    request.unit = options.unit;
    request.limit = options.limit;
    request.detailed = options.detailed;
    request.byThread = options.byThread;
    request.withoutInner = options.withoutInner;
    bool isFirst = true;
    for (const LoadedTrace &member : facts.set().loaded()) {
        const auto text = printer.print(facts, member.id, request);
        if (!text) {
            complain(text.error().text());
            return Usage;
        }
        if (facts.size() > 1)
            fmt::print("{}{}\n\n", std::exchange(isFirst, false) ? "" : "\n\n",
                       shownText(facts.set().title(member.id)));
        fmt::print("{}", shownText(*text));
    }
    return Good;
}

/// True if only the figures that are kept of each rank are asked for.
bool asksForRunSteps(const SummaryOptions &options)
{
    return options.views == std::vector<std::string>{"run-steps"} && options.like.empty() && options.groupBy.empty() &&
           !options.open.traceOption() && options.steps.mark.empty() && !options.steps.withoutFirst;
}

/// Prints the view run-steps and returns the exit code; nothing if the files are not of training, about which
/// summarize() knows what to say.
std::optional<int> runRunSteps(const SummaryOptions &options)
{
    int code = Good;
    const InputRanks known = knownRanks(options.paths, options.open, code);
    if (known.ranks.empty())
        return code;
    if (std::ranges::none_of(known.ranks, [](const KnownRank &rank) { return rank.facts->ofTraining; }))
        return std::nullopt;
    std::vector<ResultTable> tables;
    tables.push_back(stepsOfRun(known.ranks));
    if (const int printed = print(std::move(tables), options); printed != Good)
        return printed;
    flushOutput();
    if (known.store)
        known.store();
    return code;
}

/// Caches the figures that are kept of each rank if they were made anyway.
void storeRanks(const SetFacts &facts, const InputTraces &opened, const SummaryOptions &options)
{
    if (std::ranges::find(options.views, "run-steps") == options.views.end())
        return;
    size_t at = 0;
    for (const LoadedTrace &member : facts.set().loaded())
        if (const auto &store = opened.rankStores[at++]; store && !member.trace->failure())
            store(rankFactsOf(facts.of(member.id)));
}

int runSummary(SummaryOptions options)
{
    if (options.views.empty() && options.like.empty())
        options.views = {"overview"};
    for (const std::string &word : options.views)
        if (!findSummaryView(word)) {
            complain("There is no view " + word + ". The views are " + words() + ".");
            return Usage;
        }
    const Result<ScopeRequest> scope = options.steps.take(options.open);
    if (!scope) {
        complain(scope.error().text());
        return Usage;
    }
    options.scope = *scope;
    if (asksForRunSteps(options))
        if (const std::optional<int> code = runRunSteps(options))
            return *code;
    int code = Good;
    InputTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(std::move(opened.traces)));
    if (const Result<void> found = options.steps.find(facts, options.scope); !found) {
        complain(found.error().text());
        return Usage;
    }
    const auto printers = likePrinters();
    const auto like = std::find_if(printers.begin(), printers.end(),
                                   [&](const LikePrinter &one) { return options.like == one.word; });
    const int printed = like == printers.end() ? printTables(facts, options, summaryViews())
                        : like->views          ? printTables(facts, options, like->views())
                                               : printLike(facts, options, *like);
    if (printed != Good)
        return printed;
    flushOutput();
    opened.store();
    storeRanks(facts, opened, options);
    return codeAfterAnswer(facts.set(), code);
}

} // namespace

void addSummaryCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<SummaryOptions>();
    CLI::App *command = app.add_subcommand("summary", "Show where the time went: steps, operators, kernels and more");
    CLI::Option *paths =
        command->add_option("trace", options->paths, "Traces; several are the ranks of one job")->required();
    addLogdirOption(*command, paths);
    command->add_option("--view", options->views, "Views to show, separated by commas (default overview): " + words())
        ->delimiter(',')
        ->allow_extra_args(false); // otherwise it would take the traces that follow it
    command->add_option("--group-by", options->groupBy, "How to group slices into rows");
    CLI::Option *by = command->add_option(
        "--by", options->by,
        "With several traces: their rows one after another (rank), one row for the same rows of all traces with the "
        "spread of the first column of --sort (merged), or that column trace by trace (columns). Steps, allocations "
        "and critical paths always stand rank by rank.");
    by->check(CLI::IsMember({"rank", "merged", "columns"}))->capture_default_str();
    options->steps.addTo(*command);
    command->add_option("--sort", options->sort,
                        "Columns to sort by, separated by commas; numbers in descending order, texts from A to Z");
    command->add_flag("--ascending", options->ascending,
                      "Sort the other way round: numbers in ascending order, texts from Z to A");
    command->add_option("--filter", options->filter,
                        "Rows to show, for example: words, /expressions/, calls>100, host_total>10ms");
    command
        ->add_option("--limit", options->limit,
                     "Maximum number of rows; it applies to each trace separately unless the rows are sorted")
        ->check(rowCount());
    command->add_option("--unit", options->unit, "Unit of times in table and md output (json and csv use ns)")
        ->check(CLI::IsMember({"ns", "us", "ms", "s"}));
    command->add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->add_flag("--all-columns", options->all, "Show every column");
    std::vector<std::string> others;
    for (const LikePrinter &printer : likePrinters())
        others.emplace_back(printer.word);
    CLI::Option *like = command
                            ->add_option("--like", options->like,
                                         "Print in the format of that program, with its tables, sort words and units")
                            ->check(CLI::IsMember(others))
                            ->excludes(by);
    command->add_flag("--detailed", options->detailed, "With --like paddle: all tables")->needs(like);
    command->add_flag("--by-thread", options->byThread, "With --like paddle: one block per thread")->needs(like);
    command->add_flag("--no-op-detail", options->withoutInner, "With --like paddle: only the operators themselves")
        ->needs(like);
    options->open.addTo(*command, "--range");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::Traces, options->open, code))
            code = worseOf(code, runSummary(*options));
    });
}

} // namespace riffle::cli
