// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Writes one self-contained HTML file that shows where the time went.
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/report_html.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/summary/summary.h"
#include "model/ingest/text_output.h"
#include "model/trace/source_identity.h"

#include <fmt/format.h>

#include <memory>
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

int runReport(const ReportOptions &options)
{
    const Result<Output> out = outputOf(options);
    if (!out) {
        complain(out.error().text());
        return Unreadable;
    }
    int code = Good;
    InputTraces opened = openTraces(options.paths, options.open, code);
    if (opened.traces.empty())
        return code;
    const SetFacts facts(TraceSet::of(std::move(opened.traces)));
    const std::string page = reportHtml(facts, idleBands(facts, {}), options.limit);
    if (const int whole = codeAfterAnswer(facts.set(), code); whole != code)
        return whole;
    if (const Result<void> written = writePage(out->get(), page); !written) {
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
    CLI::App *command =
        app.add_subcommand("report", "Write one HTML file with figures, tables, findings and timelines");
    command->add_option("trace", options->paths, "Traces; several are the ranks of one job")->required();
    command->add_option("-o,--output", options->out, "The file to write; - writes to stdout")->required();
    command->add_option("--limit", options->limit, "Maximum number of rows per table")->capture_default_str();
    options->open.addTo(*command, "--range");
    command->callback([options, &code] { code = runReport(*options); });
}

} // namespace riffle::cli
