// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Writes one self-contained HTML file that shows where the time or the memory went.
#include "app/cli/command.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/output.h"
#include "app/cli/report_html.h"
#include "app/cli/report_snapshots.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/summary/summary.h"
#include "model/ingest/text_output.h"
#include "model/trace/source_identity.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

namespace riffle::cli {

namespace {

struct ReportOptions {
    std::vector<std::string> paths;
    std::string out;
    OpenOptions open;
    size_t limit = 50;
};

using Output = std::unique_ptr<TextOutput>;

/// The file to write; null for stdout. It is opened before the traces are read, so that a wrong name costs no time.
Result<Output> outputOf(const ReportOptions &options)
{
    return options.out == "-" ? Output() : TextOutput::create(options.out, inputsOf(options.paths));
}

Result<void> writePage(TextOutput *file, const std::string &page)
{
    if (!file)
        return toStandardOutput(page);
    const Result<void> written = file->write(page);
    return written ? file->place() : written;
}

/// Returns the kind of files that the report is about. An Error says what a report cannot show.
Result<FileKind> subjectOf(const ReportOptions &options)
{
    const auto refusal = [](std::string message, const std::string &path) {
        return Error{std::move(message), path, std::nullopt, ErrorKind::Question};
    };
    for (const std::string &path : options.paths)
        if (memoryKind(path) != FileKind::Snapshot)
            return refusal("A report shows traces or memory snapshots. For memory timelines and memory logs, use "
                           "riffle-cli memory.",
                           path);
    const Result<FileKind> kind = kindOfFiles(options.paths);
    if (const char *option = options.open.traceOption(); kind && *kind == FileKind::Snapshot && option)
        return refusal(std::string(option) + " is for traces. Snapshots are always read as a whole.", {});
    return kind;
}

/// Returns the page; nothing if a file cannot be read or if the answer is incomplete.
std::optional<std::string> tracesPage(const ReportOptions &options, InputTraces &opened, int &code)
{
    opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return std::nullopt;
    const SetFacts facts(TraceSet::of(opened.traces));
    std::string page = reportHtml(facts, idleBands(facts, {}, {}), options.limit);
    if (const int whole = codeAfterAnswer(facts.set(), code); whole != code) {
        code = whole;
        return std::nullopt;
    }
    return page;
}

int runReport(const ReportOptions &options)
{
    const Result<FileKind> kind = subjectOf(options);
    if (!kind) {
        complain(kind.error().text());
        return codeOf(kind.error());
    }
    const Result<Output> out = outputOf(options);
    if (!out) {
        complain(out.error().text());
        return Unreadable;
    }
    int code = Good;
    InputTraces opened;
    const std::optional<std::string> page =
        *kind == FileKind::Snapshot
            ? snapshotsPage(options.paths, options.limit, {options.open.noStore, options.open.storeLimit}, code)
            : tracesPage(options, opened, code);
    if (!page)
        return code;
    if (const Result<void> written = writePage(out->get(), *page); !written) {
        complain(written.error().text());
        return Unreadable;
    }
    opened.store();
    return code;
}

} // namespace

void addReportCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<ReportOptions>();
    CLI::App *command = app.add_subcommand(
        "report", "Write one HTML file: for traces, figures, tables, findings and timelines; for memory snapshots, why "
                  "allocations failed, the memory over time, and what was alive at the peak");
    CLI::Option *paths =
        command
            ->add_option("FILE", options->paths,
                         "Traces; several are the ranks of one job. Or memory snapshots; each gets a part of the page")
            ->required();
    addLogdirOption(*command, paths);
    command->add_option("-o,--output", options->out, "The file to write; - writes to stdout")->required();
    command->add_option("--limit", options->limit, "Maximum number of rows per table; 0: all")
        ->check(rowCount())
        ->capture_default_str();
    options->open.addTo(*command, "--range");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::OneKind, options->open, code))
            code = worseOf(code, runReport(*options));
    });
}

} // namespace riffle::cli
