// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how fast a collector's log becomes a sealed trace. The log has operators in steps, launches and kernels,
// like that of a training job.

#include "model/base/parallel.h"
#include "model/ingest/importer.h"
#include "tests/support/training_log.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <ctime>

using namespace riffle;
using namespace riffle::test;

int main(int argc, char **argv)
{
    CLI::App app("Measures how fast a collector's log is read into a sealed trace");
    uint64_t events = 12'000'000;
    int runs = 3;
    unsigned threads = 0;
    app.add_option("--events", events, "Number of events in the log")->capture_default_str();
    app.add_option("--runs", runs, "Number of runs")->capture_default_str();
    app.add_option("--threads", threads, "Worker threads (0: one per core)")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    setWorkerCount(threads);
    const LogFolder folder;
    const uint64_t written = writeTrainingLog(folder, events);
    for (int run = 0; run < runs; ++run) {
        const std::clock_t before = std::clock();
        const auto trace = importTrace(folder.path(), {}, {});
        const double processor = double(std::clock() - before) / CLOCKS_PER_SEC;
        if (!trace) {
            fmt::print(stderr, "{}\n", trace.error().text());
            return 1;
        }
        const TraceInfo &info = (*trace)->info;
        fmt::print(
            "{} events, {:.1f} MB ({:.1f} bytes per event): {:.2f} s, {:.2f} million events per second; processor "
            "{:.2f} s\n",
            written, double(info.fileBytes) / 1e6, double(info.fileBytes) / double(written), info.loadSeconds,
            double(written) / 1e6 / info.loadSeconds, processor);
    }
    return 0;
}
