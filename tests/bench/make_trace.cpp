// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Writes large traces for benchmarks: generated ones, or a real one repeated.

#include "tests/support/byte_sink.h"
#include "tests/support/text_file.h"
#include "tests/support/trace_generator.h"
#include "tests/support/trace_tiler.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace riffle::test;

namespace {

struct Output {
    std::string path;
    std::string size = "1G";
};

/// Parses "512M" and "2.7G" in powers of ten, and "1GiB" in powers of two; 0 if the text is not a size.
std::uint64_t parseSize(const std::string &text)
{
    char *rest = nullptr;
    const double number = std::strtod(text.c_str(), &rest);
    const std::string unit = rest;
    static const std::string kUnits = "kMGT";
    const std::size_t power = unit.empty() ? std::string::npos : kUnits.find(unit[0] == 'K' ? 'k' : unit[0]);
    if (unit.empty() || unit == "B")
        return static_cast<std::uint64_t>(number);
    if (power == std::string::npos || number <= 0)
        return 0;
    const double base = unit.ends_with("iB") ? 1024 : 1000;
    return static_cast<std::uint64_t>(std::llround(number * std::pow(base, static_cast<double>(power) + 1)));
}

template <typename Write>
int writeFile(const std::string &path, Write write)
{
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file) {
        fmt::print(stderr, "Cannot write {}.\n", path);
        return EXIT_FAILURE;
    }
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t bytes = 0;
    bool failed = false;
    {
        ByteSink sink(ByteSink::toFile(file));
        write(sink);
        sink.flush();
        bytes = sink.bytesWritten();
        failed = sink.failed();
    }
    failed = std::fclose(file) != 0 || failed;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (failed) {
        fmt::print(stderr, "{} could not be written completely.\n", path);
        return EXIT_FAILURE;
    }
    fmt::print("{}: {} bytes in {:.2f} s, {:.2f} GB/s\n", path, bytes, elapsed.count(),
               static_cast<double>(bytes) / elapsed.count() / 1e9);
    return EXIT_SUCCESS;
}

int generate(TraceOptions options, const Output &output)
{
    options.targetBytes = parseSize(output.size);
    TraceCounts counts;
    const int status = writeFile(output.path, [&](ByteSink &sink) { counts = generateTrace(options, sink); });
    fmt::print("{} events, {} steps: {} operators, {} Python frames, {} runtime calls, {} GPU slices, {} flow ends, "
               "{} memory events, {} annotations\n",
               counts.events, counts.steps, counts.cpuOps, counts.pythonFrames, counts.runtimeCalls, counts.gpuSlices,
               counts.flows, counts.memoryEvents, counts.annotations);
    return status;
}

int tile(const std::string &input, const Output &output)
{
    const auto text = readText(input);
    if (!text) {
        fmt::print(stderr, "Cannot read {}.\n", input);
        return EXIT_FAILURE;
    }
    const TraceTiler tiler(*text);
    if (!tiler.isValid()) {
        fmt::print(stderr, "{} contains no trace events.\n", input);
        return EXIT_FAILURE;
    }
    const std::uint64_t tiles = tiler.tilesFor(parseSize(output.size));
    fmt::print("{} tiles of {} bytes, {} us each\n", tiles, tiler.tileBytes(), tiler.tileSpan());
    return writeFile(output.path, [&](ByteSink &sink) { tiler.write(sink, tiles); });
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Writes large traces for benchmarks");
    app.require_subcommand(1);
    Output output;
    TraceOptions options;
    std::string input;
    const auto addOutput = [&output](CLI::App *command) {
        command->add_option("--out", output.path, "File to write")->required();
        command->add_option("--size", output.size, "Target size: 512M, 2.7G, 1GiB")->check([](const std::string &text) {
            return parseSize(text) > 0 ? std::string() : std::string("not a size: ") + text;
        });
    };
    const auto addGenerator = [&](const char *name, const char *help) {
        CLI::App *command = app.add_subcommand(name, help);
        addOutput(command);
        command->add_option("--seed", options.seed, "Seed of the random numbers; each seed gives a different trace");
        command->add_option("--steps", options.steps, "Training steps; 0: as many as fit the size");
        command->add_option("--layers", options.layers, "Layers per step; 0: 12, or fewer for small traces");
        command->add_option("--rank", options.rank, "Rank in distributedInfo");
        command->add_flag("--python,!--no-python", options.withPython, "Python frames");
        command->add_flag("--shapes,!--no-shapes", options.withShapes, "Operator arguments");
        command->add_flag("--flows,!--no-flows", options.withFlows, "ac2g and fwdbwd flows");
        command->add_flag("--nccl,!--no-nccl", options.withNccl, "Collectives");
        command->add_flag("--memory,!--no-memory", options.withMemory, "[memory] events");
        return command;
    };
    const CLI::App *kineto = addGenerator("kineto", "Generate a training trace with all kinds of events");
    const CLI::App *shapes = addGenerator("shapes", "Generate a trace with long argument lists");
    CLI::App *tileCommand = app.add_subcommand("tile", "Repeat a real trace, with later times and new ids each time");
    addOutput(tileCommand);
    tileCommand->add_option("--input", input, "The trace, plain or gzip")->required();
    CLI11_PARSE(app, argc, argv);

    if (*tileCommand)
        return tile(input, output);
    options.profile = shapes->parsed() ? TraceProfile::Shapes : TraceProfile::Kineto;
    (void)kineto;
    return generate(options, output);
}
