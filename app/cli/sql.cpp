// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/query/query_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace riffle::cli {

namespace {

struct SqlOptions {
    std::vector<std::string> words; ///< the traces, followed by the query
    OpenOptions open;
    std::string format = "table";
    int64_t limit = 1'000'000;
};

int exitCodeFor(const Error &error)
{
    return error.kind == ErrorKind::Question ? Usage : error.kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
}

void show(const ResultTable &table, const SqlOptions &options)
{
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    PrintOptions print;
    print.hidden = true; // also show columns in which every value is NULL, because the query asks for them
    if (options.format == "json")
        fmt::print("{}", tableJson(table, rows));
    else if (options.format == "csv")
        fmt::print("{}", tableCsv(table, rows));
    else if (options.format == "md")
        fmt::print("{}", tableMarkdown(table, rows, print));
    else
        fmt::print("{}", tableForPeople(table, rows, print));
    if (options.format == "json" || options.format == "csv")
        for (const std::string &note : table.notes)
            complain(note);
}

int runSql(const SqlOptions &options)
{
    const std::string &query = options.words.back();
    if (std::error_code none; std::filesystem::exists(query, none)) {
        complain("The query is missing: the last argument, " + query + ", is a file.");
        return Usage;
    }
    int code = Good;
    const std::vector<std::string> paths(options.words.begin(), options.words.end() - 1);
    InputTraces opened = openTraces(paths, options.open, code);
    if (opened.traces.empty())
        return code;
    QueryEngine engine(SetFacts(TraceSet::of(std::move(opened.traces))));
    const auto table = engine.run(query, {.rows = static_cast<size_t>(options.limit)}, {});
    if (!table) {
        complain(table.error().text());
        code = exitCodeFor(table.error());
    } else {
        show(*table, options);
        flushOutput();
    }
    opened.store();
    return code;
}

} // namespace

void addSqlCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<SqlOptions>();
    CLI::App *command = app.add_subcommand("sql", "Run an SQL query on traces");
    command
        ->add_option("TRACE... QUERY", options->words,
                     "Traces (several are the ranks of one job), followed by a SELECT statement")
        ->required()
        ->expected(2, -1);
    command->add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->add_option("--limit", options->limit, "Maximum number of rows to read")
        ->check(rowCount())
        ->capture_default_str();
    options->open.addTo(*command, "--range");
    command->footer(
        "\nThe dialect is SQLite's, with REGEXP (RE2 syntax) in addition to LIKE and GLOB. Queries are read-only. The\n"
        "tables are slices, args, lanes, processes, operators, kernels, copies, launches, collectives, steps, flows,\n"
        "counters, instants and memory; the table columns describes them. summary_operators, summary_kernels and so\n"
        "on are the tables of riffle-cli summary. Times are integer nanoseconds; with several traces, they are on\n"
        "the clock of the first one.\n"
        "\nExamples:\n"
        "  riffle-cli sql trace.json.gz \"select * from columns where table_name = 'kernels'\"\n"
        "  riffle-cli sql trace.json.gz 'select name, count(*), sum(dur) from kernels group by name'\n"
        "  riffle-cli sql trace.json.gz 'select name, calls from summary_operators where calls > 100'\n"
        "  riffle-cli sql --format csv rank*.json 'select rank, sum(dur) from copies group by rank'\n");
    command->callback([options, &code] { code = runSql(*options); });
}

} // namespace riffle::cli
