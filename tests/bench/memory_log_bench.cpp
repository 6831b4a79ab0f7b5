// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how fast the memory logs of a job become points and layouts, and how much memory that takes.

#include "model/ingest/memory_log/memory_log.h"
#include "tests/support/measured_child.h"
#include "tests/support/memory_log_generator.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace riffle;
using namespace riffle::bench;
namespace fs = std::filesystem;

int main(int argc, char **argv)
{
    CLI::App app("Measures how fast memory logs are read");
    uint32_t ranks = 8;
    test::MemoryLogOptions options;
    std::string folder = (fs::temp_directory_path() / "riffle-bench").string();
    int runs = 3;
    app.add_option("--ranks", ranks, "Number of ranks")->capture_default_str();
    app.add_option("--points", options.points, "Points per rank, all with layouts")->capture_default_str();
    app.add_option("--blocks", options.blocks, "Number of blocks in the model")->capture_default_str();
    app.add_option("--folder", folder, "Folder for the generated logs, which are kept for the next run")
        ->capture_default_str();
    app.add_option("--runs", runs, "Number of runs, of which the middle one counts")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const fs::path trace =
        fs::path(folder) / fmt::format("memory_trace-{}-{}-{}", ranks, options.points, options.blocks);
    uint64_t bytes = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        const fs::path log = trace / fmt::format("rank{0}_dp{0}_tp0", rank) / "memory.log";
        fs::create_directories(log.parent_path());
        options.rank = rank;
        if (!fs::exists(log))
            std::ofstream(log, std::ios::binary) << test::generateMemoryLog(options);
        bytes += fs::file_size(log);
    }
    const auto load = [&] {
        Measured measured;
        const auto begin = std::chrono::steady_clock::now();
        const auto log = readMemoryLog(trace.string(), {}, {});
        if (!log)
            return measured;
        measured.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        measured.good = (*log)->ranks.size() == ranks;
        for (const MemoryLogRank &rank : (*log)->ranks) {
            measured.good =
                measured.good && rank.points.size() == options.points && rank.troubles.empty() && !rank.damage;
            measured.number += rank.points.size();
        }
        measured.endBytes = heldMemory();
        return measured;
    };
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run)
        if (const auto one = measureInChild(load, Watch::Time); one && one->good)
            seconds.push_back(one->seconds);
    const auto watched = measureInChild(load, Watch::Memory);
    if (seconds.empty() || !watched || !watched->good) {
        fmt::print("{} failed\n", trace.string());
        return EXIT_FAILURE;
    }
    std::sort(seconds.begin(), seconds.end());
    const double middle = seconds[seconds.size() / 2];
    fmt::print("{} ranks x {} points: {:.0f} MB in {:.3f} s, {:.0f} MB/s; peak {:.0f} MB, {:.2f} x, held {:.0f} MB\n",
               ranks, options.points, static_cast<double>(bytes) / 1e6, middle,
               static_cast<double>(bytes) / 1e6 / middle, static_cast<double>(watched->peakBytes) / 1e6,
               static_cast<double>(watched->peakBytes) / static_cast<double>(bytes),
               static_cast<double>(watched->endBytes) / 1e6);
    return EXIT_SUCCESS;
}
