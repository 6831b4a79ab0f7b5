// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/base/format.h"
#include "model/base/parallel.h"
#include "model/ingest/collector_log/kineto_export.h"
#include "model/trace/source_identity.h"

#include <fmt/format.h>

namespace riffle::cli {

namespace {

struct ConvertOptions {
    std::string path, output;
    int threads = 0;
};

Result<ImportReport> convert(const ConvertOptions &options)
{
    Result<std::unique_ptr<TextOutput>> out = TextOutput::create(options.output, inputsOf({options.path}));
    if (!out)
        return out.error();
    Result<ImportReport> report = exportKinetoJson(options.path, (*out)->sink(), {});
    if (!report)
        return report;
    if (const Result<void> placed = (*out)->place(); !placed)
        return placed.error();
    return report;
}

int runConvert(const ConvertOptions &options)
{
    setWorkerCount(static_cast<unsigned>(options.threads));
    const Result<ImportReport> report = convert(options);
    if (!report) {
        complain(report.error().text());
        return Unreadable;
    }
    for (size_t at = 0; at < size_t(Trouble::Count); ++at) {
        const auto kind = static_cast<Trouble>(at);
        if (ImportReport::severity(kind) == Severity::Lost && report->of(kind).count)
            complain(fmt::format("{}: Lost data: {} ({}).", options.path, ImportReport::sentence(kind),
                                 formatCount(static_cast<int64_t>(report->of(kind).count))));
    }
    return report->total(Severity::Lost) ? WithLosses : Good;
}

} // namespace

void addConvertCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<ConvertOptions>();
    CLI::App *command =
        app.add_subcommand("convert", "Convert a collector log to JSON that Perfetto and other tools can open");
    command->add_option("LOG", options->path, "A log: its folder or any file in it")->required();
    command
        ->add_option("-o,--output", options->output,
                     "The JSON file to write; compressed if its name ends in .gz or .zst")
        ->required();
    command->add_option("--threads", options->threads, "Number of worker threads (0 for one per core)")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    command->footer(
        "\nThe JSON has the form that PyTorch's profiler writes: operators, launches, kernels and the flow\n"
        "arrows between them. The file appears once it is complete and replaces any existing file that is not part\n"
        "of the log.\n"
        "\nExample:\n"
        "  riffle-cli convert host_rank0_4711.rifflelog -o rank0.json.gz\n");
    command->callback([options, &code] {
        if (gatherOne(options->path, Usable::Traces, {}, code))
            code = worseOf(code, runConvert(*options));
    });
}

} // namespace riffle::cli
