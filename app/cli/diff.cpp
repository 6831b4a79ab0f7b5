// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/diff_sides.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/analysis/compare/compare.h"
#include "model/analysis/summary/checks.h"
#include "model/analysis/summary/step_lookup.h"
#include "model/analysis/table/change.h"
#include "model/analysis/table/table_markdown.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace riffle::cli {

namespace {

constexpr int64_t kMarkdownRows = 10; ///< a comment should be short

/// The part of one side, as the user writes it.
struct PartWords {
    std::string steps, range;
    std::optional<int64_t> rank;
};

struct TraceDiffOptions {
    std::vector<std::string> paths;
    OpenOptions open; ///< its range and steps are for both sides
    PartWords both, a, b;
    std::string mark;
    std::vector<std::string> views = {"step"};
    std::string regression, format = "table", unit;
    int64_t limit = -1;
    bool all = false;
};

std::string viewWords()
{
    std::string all;
    for (const CompareView &view : compareViews())
        all += (all.empty() ? "" : ", ") + std::string(view.word);
    return all;
}

/// The views to show, each once.
std::vector<std::string> viewsOf(const TraceDiffOptions &options)
{
    std::vector<std::string> views;
    for (const std::string &word : options.views)
        if (std::ranges::find(views, word) == views.end())
            views.push_back(word);
    return views;
}

/// The request of a side: its own words if it has any, otherwise those for both.
Result<SideRequest> requestOf(const TraceDiffOptions &options, const PartWords &own)
{
    const PartWords &words = own.steps.empty() && own.range.empty() ? options.both : own;
    SideRequest request;
    request.stepMark = options.mark;
    if (words.steps == "all") {
        request.allSteps = true;
    } else if (!words.steps.empty()) {
        const auto steps = parseSteps(words.steps);
        if (!steps)
            return steps.error();
        request.steps = *steps;
    }
    if (!words.range.empty()) {
        const auto range = parseRange(words.range);
        if (!range)
            return range.error();
        request.range = *range;
    }
    return request;
}

/// The largest share by which the median step may be longer, from "5%".
Result<double> shareOf(const std::string &text)
{
    const auto check = parseCheck("regression<=" + text);
    if (!check || check->unit != Check::Unit::Share || check->limit < 0)
        return Error{"'" + text + "' is not a share. Write --max-regression 5%, for example.", {}, std::nullopt};
    return check->limit;
}

/// Says that a file is no trace, and which command compares such files; empty if it is one.
std::string wrongKind(const std::string &path)
{
    const Importer &importer = importerOf(path);
    if (importer.kind == FileKind::Trace)
        return {};
    return path + " is a " + std::string(importer.name) + ", and diff compares traces." +
           (importer.kind == FileKind::Snapshot ? " Compare two snapshots with memory diff." : "");
}

/// Finds the traces of each side and reads them, each file once. Prints what is wrong and sets `code` if that fails.
bool openSides(const TraceDiffOptions &options, DiffSides &sides, InputTraces &opened, int &code)
{
    std::vector<std::string> paths;
    std::map<std::string, uint32_t> known; // a file that is on both sides is one trace
    for (size_t at = 0; at < sides.size(); ++at) {
        std::vector<std::string> files = {options.paths[at]};
        if (!gather(files, Usable::OneKind, options.open, code))
            return false;
        for (const std::string &file : files) {
            std::error_code failed;
            if (!std::filesystem::exists(file, failed)) {
                openTrace(file, options.open, code); // says what is wrong
                return false;
            }
            if (const std::string wrong = wrongKind(file); !wrong.empty()) {
                complain(wrong);
                code = Usage;
                return false;
            }
            const std::filesystem::path real = std::filesystem::weakly_canonical(file, failed);
            const auto [found, isNew] =
                known.try_emplace(failed ? file : real.string(), static_cast<uint32_t>(paths.size()));
            if (isNew)
                paths.push_back(file);
            sides[at].traces.push_back({TraceId(found->second), 0, file});
        }
    }
    opened = openTraces(paths, options.open, code);
    if (opened.traces.empty())
        return false;
    for (DiffSide &side : sides) {
        const auto rankOf = [&](const RankOfSide &one) { return opened.traces[one.trace.value]->info.rank; };
        side.recordsRanks =
            std::ranges::any_of(side.traces, [&](const RankOfSide &one) { return rankOf(one).has_value(); });
        std::erase_if(side.traces, [&](const RankOfSide &one) {
            const bool isLeftOut = side.recordsRanks && !rankOf(one);
            if (isLeftOut)
                complain(one.path + ": Left out: it recorded no rank, unlike other traces of " + side.label + ".");
            return isLeftOut;
        });
        for (size_t place = 0; place < side.traces.size(); ++place)
            side.traces[place].rank = rankOf(side.traces[place]).value_or(static_cast<int64_t>(place));
    }
    return true;
}

/// Calls the sides by the names of their files or folders if these differ, which is shorter than their paths.
void nameSides(DiffSides &sides)
{
    for (DiffSide &side : sides) {
        std::filesystem::path path(side.path);
        if (!path.has_filename()) // a folder with a slash at its end
            path = path.parent_path();
        side.name = path.has_filename() ? path.filename().string() : side.path;
    }
    if (sides[0].name == sides[1].name && sides[0].path != sides[1].path)
        for (DiffSide &side : sides)
            side.name = side.path;
}

/// The share by which the median step may be longer, and how the user wrote it.
struct Allowed {
    double share;
    std::string written;
};

/// True if the median step of B is longer than allowed.
bool hasRegressed(const DiffSides &sides, double allowed)
{
    return Change{sides[0].medianStep, sides[1].medianStep}.share() > allowed;
}

/// The line about the median steps; empty if a side has none.
std::string medianText(const DiffSides &sides, const std::optional<Allowed> &allowed)
{
    const Change step{sides[0].medianStep, sides[1].medianStep};
    if (step.a <= 0 || step.b <= 0)
        return {};
    const Ns delta = step.delta();
    std::string text = fmt::format("Median step: {} → {} ({}, {})", formatDuration(step.a), formatDuration(step.b),
                                   changeText(formatDuration(delta), static_cast<double>(delta)),
                                   changeText(formatShare(step.share()), step.share()));
    if (allowed)
        text += fmt::format(", {} --max-regression {}", hasRegressed(sides, allowed->share) ? "beyond" : "within",
                            allowed->written);
    return text;
}

std::string sideJson(const DiffSide &side)
{
    const bool isKnown = side.recordsRanks || side.traces.size() > 1;
    return fmt::format("{{\"path\": {}, \"rank\": {}, \"part\": {}, \"median_step_ns\": {}, \"steps\": {}}}",
                       jsonString(side.path), isKnown ? std::to_string(side.chosenRank) : "null",
                       jsonString(side.compared.partText),
                       side.medianStep > 0 ? std::to_string(side.medianStep) : "null", side.compared.median.steps);
}

/// The rows to print. Those beyond the limit become one row with their sums; where rows have no sums, they are left
/// out. Without a limit, a comment has the first rows that changed only.
std::vector<uint32_t> shownRows(ResultTable &table, const TraceDiffOptions &options, int64_t &leftOut)
{
    const bool isShort = options.format == "md" && options.limit < 0;
    const int64_t limit = isShort ? kMarkdownRows : options.limit;
    const std::vector<uint8_t> wanted = isShort ? changedRows(table) : std::vector<uint8_t>();
    leftOut = 0;
    if (std::ranges::any_of(table.columns, &ResultColumn::summed)) {
        foldRows(table, limit, wanted);
        return allRows(table);
    }
    std::vector<uint32_t> rows = allRows(table);
    std::erase_if(rows, [&](uint32_t row) { return !wanted.empty() && !wanted[row]; });
    if (limit >= 0 && rows.size() > static_cast<size_t>(limit))
        rows.resize(static_cast<size_t>(limit));
    leftOut = static_cast<int64_t>(table.rows() - rows.size());
    return rows;
}

void print(const TraceDiffOptions &options, const DiffSides &sides, const std::string &remark,
           const std::optional<Allowed> &allowed, std::vector<ResultTable> &tables)
{
    const bool isMarkdown = options.format == "md";
    const std::string median = medianText(sides, allowed);
    if (options.format == "json")
        fmt::print("{{\"a\": {},\n\"b\": {},\n\"regressed\": {}", sideJson(sides[0]), sideJson(sides[1]),
                   !allowed                              ? "null"
                   : hasRegressed(sides, allowed->share) ? "true"
                                                         : "false");
    else if (isMarkdown)
        fmt::print("{}- A: {}\n- B: {}\n", median.empty() ? "" : "**" + median + "**\n\n",
                   markdownText(shownText(sides[0].description)), markdownText(shownText(sides[1].description)));
    else if (options.format == "table")
        fmt::print("A: {}\nB: {}\n{}", shownText(sides[0].description), shownText(sides[1].description),
                   median.empty() ? "" : median + "\n");
    if (!remark.empty() && isMarkdown)
        fmt::print("\n{}\n", markdownText(remark));
    else if (!remark.empty() && options.format == "table")
        fmt::print("{}\n", remark);
    PrintOptions how;
    how.unit = options.unit;
    how.hidden = options.all;
    for (ResultTable &table : tables) {
        const std::vector<uint32_t> rows = shownRows(table, options, how.rowsLeftOut);
        if (options.format == "json")
            fmt::print(",\n{}: {}", jsonString(table.view), tableJson(table, rows));
        else if (options.format == "csv")
            fmt::print("{}{}", &table == tables.data() ? "" : "\n", tableCsv(table, rows));
        else
            fmt::print("\n{}", isMarkdown ? tableMarkdown(table, rows, how) : tableForPeople(table, rows, how));
        if (!table.absence.empty() && (options.format == "json" || options.format == "csv"))
            complain(table.view + ": " + table.absence); // these formats contain only the tables
    }
    if (options.format == "json")
        fmt::print("}}\n");
}

int runDiff(const TraceDiffOptions &options)
{
    const auto usage = [](const std::string &text) {
        complain(text);
        return Usage;
    };
    for (const std::string &word : options.views)
        if (!findCompareView(word))
            return usage("There is no view " + word + ". The views are " + viewWords() + ".");
    std::optional<Allowed> allowed;
    if (!options.regression.empty()) {
        const Result<double> share = shareOf(options.regression);
        if (!share)
            return usage(share.error().text());
        allowed = Allowed{*share, options.regression};
    }
    DiffSides sides;
    for (size_t at = 0; at < sides.size(); ++at) {
        const PartWords &own = at ? options.b : options.a;
        const auto request = requestOf(options, own);
        if (!request)
            return usage(request.error().text());
        sides[at].label = at ? "B" : "A";
        sides[at].path = options.paths[at];
        sides[at].request = *request;
        sides[at].rank = own.rank ? own.rank : options.both.rank;
    }
    nameSides(sides);
    int code = Good;
    InputTraces opened;
    if (!openSides(options, sides, opened, code))
        return code;
    const SetFacts facts(TraceSet::of(opened.traces));
    const Result<std::string> remark = chooseSides(facts, sides);
    if (!remark)
        return usage(remark.error().text());
    for (const DiffSide &side : sides)
        if (allowed && side.medianStep <= 0)
            return usage(side.label + " (" + side.path +
                         ") has no step that can be measured, and --max-regression is "
                         "about the median step. Name the slices that are its steps with --step-mark.");
    std::vector<ResultTable> tables;
    Comparison comparison(facts, sides[0].compared, sides[1].compared);
    for (const std::string &word : viewsOf(options)) {
        auto table = comparison.table(*findCompareView(word), {});
        if (!table)
            return usage(table.error().text());
        tables.push_back(std::move(*table));
    }
    print(options, sides, *remark, allowed, tables);
    flushOutput();
    if (allowed && hasRegressed(sides, allowed->share)) {
        complain(medianText(sides, allowed) + ".");
        code = worseOf(code, CheckFailed);
    }
    opened.store();
    return codeAfterAnswer(facts.set(), code);
}

} // namespace

void addDiffCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<TraceDiffOptions>();
    CLI::App *command =
        app.add_subcommand("diff", "Compare two traces, runs, ranks, steps or ranges: what explains the difference");
    command->add_option("PATH", options->paths, "A and B: traces, logs, or folders with the ranks of a run")
        ->required()
        ->expected(2);
    command->add_option("--view", options->views, "Views to show, separated by commas (default step): " + viewWords())
        ->delimiter(',')
        ->allow_extra_args(false); // otherwise it would take the paths that follow it
    options->open.addTo(*command, "--range");
    for (PartWords *words : {&options->a, &options->b}) {
        const std::string side = words == &options->a ? "a" : "b", title = words == &options->a ? "A" : "B";
        command->add_option("--steps-" + side, words->steps,
                            "Only these steps of " + title + "; like --steps, all stands for all of them");
        command->add_option("--range-" + side, words->range, "Only this part of " + title);
        command->add_option("--rank-" + side, words->rank, "The rank of " + title + " to compare");
    }
    command->add_option("--rank", options->both.rank, "The rank of both runs to compare");
    command->add_option("--step-mark", options->mark,
                        "Use the slices of the host with this name as steps; NAME@device uses the annotations on a "
                        "stream, for example ProfilerStep@device");
    command->add_option("--max-regression", options->regression,
                        "The share by which the median step of B may be longer than that of A, for example 5%; the "
                        "exit code is 5 if it is more");
    command
        ->add_option("--limit", options->limit,
                     "Maximum number of rows; one more row has the sums of the others. Default: in md the first 10 "
                     "that changed, by the size of the change where rows have one, otherwise all")
        ->check(rowCount());
    command->add_option("--unit", options->unit, "Unit of times in table and md output (json and csv use ns)")
        ->check(CLI::IsMember({"ns", "us", "ms", "s"}));
    command->add_option("--format", options->format, "Output format; md is a comment for a pull request")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->add_flag("--all-columns", options->all, "Show every column");
    command->footer(
        "\nWithout --steps and --range, the median step of each side is compared: of its steps that ended, without a "
        "first\none that is far longer, the middle one by length. --steps all compares the sums over all of them, and "
        "a trace\nwithout steps is compared as a whole. The views memory and findings are about all steps unless a "
        "part of a side is chosen.\nΔ is B − A. The rows below a total sum to it exactly. If both sides have several "
        "ranks, the same rank of both is\ncompared: the one that is the slowest in B. Two memory snapshots are "
        "compared by memory diff.\n");
    command->callback([options, &code] {
        options->both.steps = std::exchange(options->open.steps, {});
        options->both.range = std::exchange(options->open.range, {});
        code = worseOf(code, runDiff(*options));
    });
}

} // namespace riffle::cli
