// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/base/format.h"
#include "model/base/output_file.h"
#include "model/base/parallel.h"
#include "model/ingest/hashed_names.h"
#include "model/ingest/trimmed_trace.h"

#include <fmt/format.h>

#include <cstdio>

namespace riffle::cli {

namespace {

struct TrimOptions {
    std::string path, output;
    bool hashNames = false;
    OpenOptions open;
};

int runTrim(const TrimOptions &options)
{
    const Result<ImportOptions> import = importOptions(options.open);
    if (!import) {
        complain(import.error().text());
        return Usage;
    }
    if (import->range.has_value() == import->steps.has_value()) {
        complain("Say what to keep with either --range or --steps.");
        return Usage;
    }
    setWorkerCount(static_cast<unsigned>(options.open.threads));
    const bool toOutput = options.output == "-";
    if (const auto harmless = OutputFile::spares(inputsOf({options.path}), options.output); !toOutput && !harmless) {
        complain(harmless.error().text());
        return Unreadable;
    }
    const JsonRewrite rewrite = options.hashNames ? JsonRewrite(hashNames) : JsonRewrite();
    const Result<TrimmedTrace> trimmed = toOutput
                                             ? writeTrimmedTrace(options.path, *import, toStandardOutput, {}, rewrite)
                                             : trimTrace(options.path, *import, options.output, {}, rewrite);
    if (!trimmed) {
        complain(trimmed.error().text());
        return trimmed.error().kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
    }
    if (!toOutput)
        fmt::print("{}: {} events\n", options.output, formatCount(trimmed->events));
    return trimmed->report.total(Severity::Lost) ? WithLosses : Good;
}

} // namespace

void addTrimCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<TrimOptions>();
    CLI::App *command =
        app.add_subcommand("trim", "Write part of a trace to a new trace, which Perfetto and other tools can open too");
    command->add_option("TRACE", options->path, "A trace file: Chrome JSON, plain, gzip or zstd; or a collector log")
        ->required();
    command
        ->add_option("-o,--output", options->output,
                     "The JSON file to write, compressed if its name ends in .gz or .zst; - writes to stdout")
        ->required();
    command->add_flag("--hash-names", options->hashNames,
                      "Replace the names of kernels, operators, annotations and files, and the texts of arguments, by "
                      "hashes; words by which kinds of work are recognized, categories and numbers stay");
    options->open.addTo(*command, "--range");
    command->footer(
        "\nKeeps every event that overlaps the range, in full. For steps, keeps what the host did in them and the\n"
        "device work that it launched, no matter when that ran. Events are copied unchanged with all of their\n"
        "arguments, except that damaged ones are repaired. Riffle recognizes the new file as a part: times still "
        "count\n"
        "from the start of the whole trace, and figures leave out events that only reach into the part. The file\n"
        "appears once it is complete.\n"
        "\nExamples:\n"
        "  riffle-cli trim trace.json.gz --steps 3:5 -o steps3-5.json.gz\n"
        "  riffle-cli trim trace.json.gz --range 1.2s:1.35s -o spike.json\n");
    command->callback([options, &code] {
        if (gatherOne(options->path, Usable::Traces, options->open, code))
            code = worseOf(code, runTrim(*options));
    });
}

} // namespace riffle::cli
