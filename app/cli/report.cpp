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
#include "model/ingest/cuda_snapshot/snapshot_files.h"
#include "model/ingest/text_output.h"
#include "model/trace/source_identity.h"

#include <fmt/format.h>

#include <algorithm>
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
    return options.out == "-" ? Output() : TextOutput::create(options.out, sourceFiles(options.paths));
}

Result<void> writePage(TextOutput *file, const std::string &page)
{
    if (!file)
        return toStandardOutput(page);
    const Result<void> written = file->write(page);
    return written ? file->place() : written;
}

/// True if the files are memory snapshots, false if they are traces. A report is about one of them.
Result<bool> isAboutMemory(const ReportOptions &options)
{
    const auto refusal = [](std::string message, const std::string &path) {
        return Error{std::move(message), path, std::nullopt, ErrorKind::Question};
    };
    std::vector<std::string> snapshots, others;
    for (const std::string &path : options.paths)
        (isSnapshotFile(path) ? snapshots : others).push_back(path);
    for (const std::string &path : others)
        if (memoryKind(path) != MemoryKind::Snapshot)
            return refusal("A report shows traces or memory snapshots. For memory timelines and memory logs, use "
                           "riffle-cli memory.",
                           path);
    if (!snapshots.empty() && !others.empty()) {
        if (const auto there = SourceIdentity::of(others.front()); !there)
            return there.error();
        return refusal("A report shows either traces or memory snapshots. This is a snapshot, but " + others.front() +
                           " is not: write one report for each kind.",
                       snapshots.front());
    }
    if (!snapshots.empty() && !(options.open.range.empty() && options.open.steps.empty()))
        return refusal("--range and --steps only apply to traces.", snapshots.front());
    return !snapshots.empty();
}

/// The page; nothing if a file cannot be read or lacks something, or if the answer does.
std::optional<std::string> tracesPage(const ReportOptions &options, InputTraces &opened, int &code)
{
    opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return std::nullopt;
    const SetFacts facts(TraceSet::of(opened.traces));
    std::string page = reportHtml(facts, idleBands(facts, {}), options.limit);
    if (const int whole = codeAfterAnswer(facts.set(), code); whole != code) {
        code = whole;
        return std::nullopt;
    }
    return page;
}

int runReport(const ReportOptions &options)
{
    const Result<bool> ofMemory = isAboutMemory(options);
    if (!ofMemory) {
        complain(ofMemory.error().text());
        return codeOf(ofMemory.error());
    }
    const Result<Output> out = outputOf(options);
    if (!out) {
        complain(out.error().text());
        return Unreadable;
    }
    int code = Good;
    InputTraces opened;
    const std::optional<std::string> page =
        *ofMemory ? snapshotsPage(options.paths, options.limit, {options.open.noStore, options.open.storeLimit}, code)
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
    command
        ->add_option("FILE", options->paths,
                     "Traces; several are the ranks of one job. Or memory snapshots; each gets a part of the page")
        ->required();
    command->add_option("-o,--output", options->out, "The file to write; - writes to stdout")->required();
    command->add_option("--limit", options->limit, "Maximum number of rows per table; 0: all")
        ->check(rowCount())
        ->capture_default_str();
    options->open.addTo(*command, "--range");
    command->callback([options, &code] { code = runReport(*options); });
}

} // namespace riffle::cli
