// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/memory/snapshot_opening.h"
#include "app/cli/output.h"
#include "app/cli/table_printer.h"
#include "model/query/query_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace riffle::cli {

namespace {

struct SqlOptions {
    std::vector<std::string> words; ///< the traces or snapshots, followed by the query
    OpenOptions open;
    std::string format = "table";
    int64_t limit = 1'000'000;
    double seconds = 0; ///< 0 if the query may take any time
};

int exitCodeFor(const Error &error)
{
    return error.kind == ErrorKind::Question ? Usage : error.kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
}

/// Prints a table for people, whose column widths depend on all rows.
void show(const ResultTable &table, const SqlOptions &options)
{
    PrintOptions print;
    print.hidden = true; // also show columns in which every value is NULL, because the query asks for them
    fmt::print("{}", options.format == "md" ? tableMarkdown(table, allRows(table), print)
                                            : tableForPeople(table, allRows(table), print));
}

/// Prints CSV or JSON, piece by piece.
class Printer {
public:
    explicit Printer(bool json) : m_json(json) {}

    void print(const ResultTable &piece)
    {
        const std::vector<uint32_t> rows = allRows(piece);
        if (!m_json)
            fmt::print("{}{}", m_begun ? "" : csvHeader(piece), csvRows(piece, rows));
        else
            fmt::print("{}{}", !m_begun ? "[" : rows.empty() ? "" : ",", jsonRows(piece, rows));
        m_begun = true;
        m_any = m_any || !rows.empty();
    }
    void end() const
    {
        if (m_json && m_begun)
            fmt::print("{}", m_any ? "\n]\n" : "]\n");
    }

private:
    bool m_json;
    bool m_begun = false;
    bool m_any = false; ///< a row was printed
};

/// Prints the answer to the query and returns `code`, or that of the error.
int answerQuery(QueryEngine &engine, const SqlOptions &options, int code)
{
    QueryEngine::Limits limits{.rows = static_cast<size_t>(options.limit)};
    if (options.seconds > 0)
        limits.time = std::chrono::milliseconds(static_cast<int64_t>(options.seconds * 1000));
    const bool piecewise = options.format == "json" || options.format == "csv";
    Printer printer(options.format == "json");
    const QueryEngine::Sink sink = [&](const ResultTable &piece) {
        printer.print(piece);
        return true;
    };
    const auto table = engine.stream(options.words.back(), limits, {}, piecewise ? sink : QueryEngine::Sink());
    if (!table) {
        printer.end(); // so that what was printed before the failure can be read
        flushOutput();
        complain(table.error().text());
        return exitCodeFor(table.error());
    }
    if (piecewise) {
        printer.print(*table);
        printer.end();
    } else {
        show(*table, options);
    }
    flushOutput();
    for (size_t at = 0; piecewise && at < table->notes.size(); ++at)
        complain(table->notes[at]);
    return code;
}

int askTraces(const std::vector<std::string> &paths, const SqlOptions &options)
{
    int code = Good;
    InputTraces opened = openTraces(paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const TraceSet traces = TraceSet::of(std::move(opened.traces));
    QueryEngine engine{SetFacts(traces)};
    const int answered = answerQuery(engine, options, code);
    code = answered == code ? codeAfterAnswer(traces, code) : answered;
    opened.store();
    return code;
}

int askSnapshots(const std::vector<std::string> &paths, const SqlOptions &options)
{
    if (const char *option = options.open.traceOption()) {
        complain(std::string(option) + " is for traces. Snapshots are always read as a whole.");
        return Usage;
    }
    int code = Good;
    std::vector<OpenedFacts> opened;
    std::vector<std::shared_ptr<const SnapshotFacts>> snapshots;
    for (const std::string &path : paths) {
        opened.push_back(openSnapshot(path, {options.open.noStore, options.open.storeLimit}, code));
        if (!opened.back().facts)
            return code;
        snapshots.push_back(opened.back().facts);
    }
    QueryEngine engine{std::move(snapshots)};
    code = answerQuery(engine, options, code);
    for (const OpenedFacts &one : opened)
        code = one.finish(code);
    return code;
}

int runSql(const SqlOptions &options)
{
    const std::string &query = options.words.back();
    if (std::error_code none; std::filesystem::exists(query, none)) {
        complain("The query is missing: the last argument, " + query + ", is a file.");
        return Usage;
    }
    std::vector<std::string> paths(options.words.begin(), options.words.end() - 1);
    int code = Good;
    if (!gather(paths, Usable::OneKind, options.open, code))
        return code;
    const auto kind = kindOfFiles(paths);
    if (!kind) {
        complain(kind.error().text());
        return Usage;
    }
    return worseOf(code, *kind == FileKind::Snapshot ? askSnapshots(paths, options) : askTraces(paths, options));
}

} // namespace

void addSqlCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<SqlOptions>();
    CLI::App *command = app.add_subcommand("sql", "Run an SQL query on traces or on memory snapshots");
    command
        ->add_option("FILE... QUERY", options->words,
                     "Traces (several are the ranks of one job) or memory snapshots, followed by a SELECT statement")
        ->required()
        ->expected(2, -1);
    command->add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"table", "csv", "json", "md"}))
        ->capture_default_str();
    command->add_option("--limit", options->limit, "Maximum number of rows to read")
        ->check(rowCount())
        ->capture_default_str();
    command->add_option("--timeout", options->seconds, "Stop the query after this many seconds (default: no limit)")
        ->check(CLI::Range(0.001, 1e6));
    options->open.addTo(*command, "--range");
    command->footer(
        "\nThe dialect is SQLite's, with REGEXP (RE2 syntax) in addition to LIKE and GLOB. Queries are read-only. The\n"
        "tables of traces are slices, args, lanes, processes, operators, kernels, copies, launches, collectives, "
        "steps,\n"
        "flows, counters, instants and memory. summary_operators, summary_kernels and so on are the tables of\n"
        "riffle-cli summary; slices_by_name, slices_by_lane_and_name and kernels_by_name hold precomputed sums. The\n"
        "tables of snapshots are allocations, events, segments, blocks, stacks, marks and devices. The table columns\n"
        "describes them all. CSV and JSON are printed while the query runs, so rows may precede an error. Times are\n"
        "integer nanoseconds; with several traces, they are on the clock of the first one.\n"
        "\nExamples:\n"
        "  riffle-cli sql trace.json.gz \"select * from columns where table_name = 'kernels'\"\n"
        "  riffle-cli sql trace.json.gz 'select name, count(*), sum(dur) from kernels group by name'\n"
        "  riffle-cli sql trace.json.gz 'select name, calls from summary_operators where calls > 100'\n"
        "  riffle-cli sql --format csv rank*.json 'select rank, sum(dur) from copies group by rank'\n"
        "  riffle-cli sql snapshot.pickle \"select place, sum(size) from allocations where at_peak is not null group "
        "by "
        "place\"\n");
    command->callback([options, &code] { code = runSql(*options); });
}

} // namespace riffle::cli
