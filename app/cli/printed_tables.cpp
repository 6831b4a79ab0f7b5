// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/printed_tables.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/base/quoted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace riffle::cli {

namespace {

std::string listed(const std::vector<std::string> &words, const char *between)
{
    std::string text;
    for (const std::string &word : words)
        text.append(text.empty() ? "" : between).append(word);
    return text;
}

} // namespace

void TablesOptions::addTo(CLI::App &command, const std::vector<std::string> &known)
{
    command
        .add_option("--view", views,
                    "Views to show, separated by commas (default " + listed(views, ",") + "): " + listed(known, ", "))
        ->delimiter(',')
        ->allow_extra_args(false); // otherwise it would take the traces that follow it
    command.add_option("--limit", limit, "Maximum number of rows of each view")->check(rowCount());
    command.add_option("--unit", unit, "Unit of times in table and md output (json and csv use ns)")
        ->check(CLI::IsMember({"ns", "us", "ms", "s"}));
    command.add_option("--format", format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command.add_flag("--all-columns", all, "Show every column");
}

bool TablesOptions::checkViews(const std::vector<std::string> &known)
{
    std::vector<std::string> once;
    for (const std::string &word : views) {
        if (std::ranges::find(known, word) == known.end()) {
            complain("There is no view " + word + ". The views are " + listed(known, ", ") + ".");
            return false;
        }
        if (std::ranges::find(once, word) == once.end())
            once.push_back(word);
    }
    views = std::move(once);
    return true;
}

void printTables(const std::vector<ResultTable> &tables, const TablesOptions &options,
                 const std::vector<std::string> *sentences)
{
    const bool isJson = options.format == "json", isCsv = options.format == "csv";
    if (isJson)
        fmt::print("{{{}", sentences ? "\"notes\": " + jsonList(*sentences) + (tables.empty() ? "" : ",\n") : "");
    else if (sentences && !isCsv)
        for (const std::string &sentence : *sentences)
            fmt::print("{}\n{}", sentence, options.format == "md" || &sentence == &sentences->back() ? "\n" : "");
    for (size_t at = 0; at < tables.size(); ++at) {
        const ResultTable &table = tables[at];
        std::vector<uint32_t> rows = allRows(table);
        PrintOptions how;
        how.unit = options.unit;
        how.hidden = options.all;
        if (options.limit >= 0 && rows.size() > static_cast<size_t>(options.limit)) {
            how.rowsLeftOut = static_cast<int64_t>(rows.size()) - options.limit;
            rows.resize(static_cast<size_t>(options.limit));
        }
        if (isJson)
            fmt::print("{}{}: {}", at ? ",\n" : "", jsonString(table.view), tableJson(table, rows));
        else if (isCsv)
            fmt::print("{}{}", at ? "\n" : "", tableCsv(table, rows));
        else if (options.format == "md")
            fmt::print("{}{}", at ? "\n" : "", tableMarkdown(table, rows, how));
        else
            fmt::print("{}{}", at ? "\n" : "", tableForPeople(table, rows, how));
        if (!table.absence.empty() && (isJson || isCsv))
            complain(table.view + ": " + table.absence); // these formats contain only the tables
    }
    if (isJson)
        fmt::print("}}\n");
}

} // namespace riffle::cli
