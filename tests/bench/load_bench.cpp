// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how long a trace takes from its file to an answer, compared with the best that the machine can do with the
// same bytes.

#include "model/ingest/importer.h"
#include "model/ingest/stored_trace.h"
#include "model/trace/details.h"
#include "model/trace/json_entries.h"
#include "tests/support/archives.h"
#include "tests/support/byte_sink.h"
#include "tests/support/inflate_limits.h"
#include "tests/support/limits.h"
#include "tests/support/measured_child.h"
#include "tests/support/text_file.h"
#include "tests/support/trace_generator.h"
#include "tests/support/trace_tiler.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

using namespace riffle;
using namespace riffle::bench;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kRuns = 3; ///< number of runs, of which the middle one counts

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Reads everything that `slices --name … --args` prints for the last device slice; false if something is missing.
bool answersLateSlice(const Trace &trace)
{
    SliceId late(static_cast<uint32_t>(trace.sliceCount() - 1));
    for (const auto &segment : trace.segments)
        if (const Column<uint32_t> &work = segment->device.slice; !work.empty())
            late = SliceId(work[work.size() - 1]);
    const auto slice = trace.slice(late);
    if (!slice || !trace.source)
        return false;
    const auto text = trace.source->read(slice->data.sourceOffset, slice->data.sourceLength);
    return text && !argsText(*text).empty() &&
           (!hasDetails(trace, &Segment::device) || trace.launchOf(slice->id).valid());
}

Measured load(const fs::path &path)
{
    Measured measured;
    const auto begin = Clock::now();
    const auto trace = importTrace(path.string(), {}, {});
    measured.good = trace && answersLateSlice(**trace);
    measured.seconds = secondsSince(begin);
    measured.number = trace ? (*trace)->sliceCount() : 0;
    measured.endBytes = heldMemory();
    return measured;
}

Measured store(const fs::path &path, const StoreFolder &folder)
{
    Measured measured;
    const auto identity = SourceIdentity::of(path.string());
    const auto trace = importTrace(path.string(), {}, {});
    if (!identity || !trace)
        return measured;
    const auto begin = Clock::now();
    const auto bytes = storeTrace(folder, **trace, path.string(), *identity, {});
    measured.seconds = secondsSince(begin);
    measured.good = bool(bytes);
    measured.number = bytes ? *bytes : 0;
    return measured;
}

Measured reopen(const fs::path &path, const StoreFolder &folder)
{
    Measured measured;
    const auto begin = Clock::now();
    const auto identity = SourceIdentity::of(path.string());
    const auto stored =
        identity ? openStoredTrace(folder, path.string(), *identity) : Result<OpenedStore>(Error{"", "", {}});
    measured.good = stored && answersLateSlice(*stored->trace);
    measured.seconds = secondsSince(begin);
    const auto verifyBegin = Clock::now();
    measured.good = measured.good && stored->file->verify({});
    measured.seconds2 = secondsSince(verifyBegin);
    measured.endBytes = heldMemory();
    return measured;
}

void report(const std::string &name, const fs::path &path, uint64_t textBytes, const LimitsOptions *limitsOptions)
{
    std::vector<Measured> runs;
    for (size_t i = 0; i < kRuns; ++i)
        if (const auto run = measureInChild([&] { return load(path); }, Watch::Time); run && run->good)
            runs.push_back(*run);
    const auto watched = measureInChild([&] { return load(path); }, Watch::Memory);
    if (runs.size() < kRuns || !watched) {
        fmt::print("{:<28} failed\n", name);
        return;
    }
    std::sort(runs.begin(), runs.end(), [](const Measured &a, const Measured &b) { return a.seconds < b.seconds; });
    Measured *measured = &runs[runs.size() / 2];
    measured->peakBytes = watched->peakBytes;
    fmt::print("{:<28} {:>8.2f} GB {:>9.1f} M {:>8.3f} s {:>8.2f} GB/s {:>9.0f} MB  {:.2f} x\n", name,
               static_cast<double>(textBytes) / 1e9, static_cast<double>(measured->number) / 1e6, measured->seconds,
               static_cast<double>(textBytes) / 1e9 / measured->seconds, static_cast<double>(measured->peakBytes) / 1e6,
               static_cast<double>(measured->peakBytes) / static_cast<double>(textBytes));
    std::fflush(stdout);
    if (!limitsOptions) {
        const auto zstd = measureZstd(path, 1), gzip = zstd ? std::nullopt : measureIgzip(path, 1);
        if (const auto &alone = zstd ? zstd : gzip)
            fmt::print("{:<28} {} alone {:.3f} s\n", "  limit of this machine", zstd ? "zstd" : "igzip",
                       alone->seconds);
        return;
    }
    if (const auto limits = measureLimits(path, *limitsOptions)) {
        const double seal = 0.5 * static_cast<double>(measured->number) / 6.4e6;
        fmt::print("{:<28} read {:.3f} s, splitter {:.3f} s, On-Demand {:.3f} s, with 0.5 s of seal per 6.4 M slices "
                   "{:.3f} s\n",
                   "  limits of this machine", limits->readSeconds, limits->splitSeconds, limits->parseSeconds,
                   limits->sequentialSeconds() + seal);
    }
}

void reportStore(const fs::path &path, const fs::path &folderPath)
{
    const StoreFolder folder(folderPath.string());
    const auto written = measureInChild([&] { return store(path, folder); }, Watch::Time);
    ::sync();
    const auto opened = measureInChild([&] { return reopen(path, folder); }, Watch::Time);
    if (written && written->good && opened && opened->good)
        fmt::print("{:<28} {:>8.2f} GB written in {:.3f} s; second open answers in {:.1f} ms, verified in {:.1f} ms, "
                   "{:.0f} MB held\n",
                   "  its store", static_cast<double>(written->number) / 1e9, written->seconds, opened->seconds * 1e3,
                   opened->seconds2 * 1e3, static_cast<double>(opened->endBytes) / 1e6);
    else
        fmt::print("{:<28} failed\n", "  its store");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures load times of traces and compares them with the machine's limits");
    std::vector<double> gigabytes{0.256, 1.0};
    std::string folder = (fs::temp_directory_path() / "riffle-bench").string();
    const char *traces = std::getenv("RIFFLE_TRACES");
    std::string real =
        (fs::path(traces ? traces : "../shared/traces") / "kineto/pytorch-labs__asdf_False.json.gz").string();
    app.add_option("--size", gigabytes, "Sizes of the traces in GB")->delimiter(',')->capture_default_str();
    app.add_option("--folder", folder, "Folder for the generated traces, which are kept for the next run")
        ->capture_default_str();
    app.add_option("--real", real, "A real trace to repeat")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    fs::create_directories(folder);

    // Pages that still wait for the disk would count as memory of the process that maps them.
    const auto flush = [](std::FILE *file) {
        std::fflush(file);
        ::fsync(::fileno(file));
        std::fclose(file);
    };
    const auto made = [&](const std::string &name, double size, const std::function<void(test::ByteSink &)> &write) {
        const fs::path path = fs::path(folder) / fmt::format("{}-{:g}.json", name, size);
        if (!fs::exists(path)) {
            std::FILE *file = std::fopen(path.c_str(), "wb");
            if (file) {
                {
                    test::ByteSink sink(test::ByteSink::toFile(file));
                    write(sink);
                }
                flush(file);
            }
        }
        return path;
    };
    fmt::print("{:<28} {:>11} {:>11} {:>10} {:>13} {:>12}  {}\n", "trace", "text", "slices", "time", "rate", "memory",
               "of the text");
    const auto text = test::readText(real);
    if (!text)
        fmt::print("{:<28} skipped: {} does not exist\n", "real trace, repeated", real);
    for (const double size : gigabytes) {
        const auto bytes = static_cast<uint64_t>(size * 1e9);
        const LimitsOptions options;
        const auto one = [&](const std::string &name, const fs::path &path) {
            report(name, path, fs::file_size(path), &options);
            reportStore(path, fs::path(folder) / "stores");
        };
        if (text) {
            const test::TraceTiler tiler(*text);
            const fs::path path =
                made("real", size, [&](test::ByteSink &sink) { tiler.write(sink, tiler.tilesFor(bytes)); });
            one("real trace, repeated", path);
            for (const char *packer : {"gzip -1", "zstd -q -3"}) {
                const std::string suffix = packer[0] == 'g' ? ".gz" : ".zst";
                const fs::path packed = path.string() + suffix;
                if (!fs::exists(packed) && std::system(fmt::format("{} -k '{}'", packer, path.string()).c_str()) != 0)
                    continue;
                if (std::FILE *file = std::fopen(packed.c_str(), "rb"))
                    flush(file);
                report(packer[0] == 'g' ? "  the same, gzip" : "  the same, zstd", packed, fs::file_size(path),
                       nullptr);
                reportStore(packed, fs::path(folder) / "stores");
            }
        }
        for (const auto &[name, profile] : {std::pair("generated", test::TraceProfile::Kineto),
                                            std::pair("shape-heavy", test::TraceProfile::Shapes)}) {
            test::TraceOptions traceOptions;
            traceOptions.profile = profile;
            traceOptions.targetBytes = bytes;
            one(name, made(name, size, [&](test::ByteSink &sink) { test::generateTrace(traceOptions, sink); }));
        }
    }
    return 0;
}
