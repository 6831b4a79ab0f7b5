// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Prints the best that this machine can do with a trace file.

#include "tests/support/limits.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv)
{
    CLI::App app("Measures the best that this machine can do with a trace file");
    std::string path;
    riffle::bench::LimitsOptions options;
    app.add_option("trace", path, "The trace as plain JSON")->required();
    app.add_option("--gz", options.gzipPath, "The same trace as gzip");
    app.add_option("--zst", options.zstdPath, "The same trace as zstd");
    app.add_option("--threads", options.threads, "Number of threads; 0: one per core");
    app.add_option("--repeats", options.repeats, "Runs per measurement, of which the best counts");
    CLI11_PARSE(app, argc, argv);

    const auto limits = riffle::bench::measureLimits(path, options);
    if (!limits) {
        fmt::print(stderr, "Cannot read {}.\n", path);
        return EXIT_FAILURE;
    }
    fmt::print("{}", riffle::bench::formatLimits(*limits));
    return EXIT_SUCCESS;
}
