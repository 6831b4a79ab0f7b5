// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Prints what this machine can do at best with a trace file.

#include "tests/support/limits.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char **argv)
{
    CLI::App app("What this machine can do at best with a trace file");
    std::string path;
    riffle::bench::LimitsOptions options;
    app.add_option("trace", path, "the trace as plain JSON")->required();
    app.add_option("--gz", options.gzipPath, "the same trace as gzip");
    app.add_option("--zst", options.zstdPath, "the same trace as zstd");
    app.add_option("--threads", options.threads, "0: all cores");
    app.add_option("--repeats", options.repeats, "runs of each, the best counts");
    CLI11_PARSE(app, argc, argv);

    const auto limits = riffle::bench::measureLimits(path, options);
    if (!limits) {
        fmt::print(stderr, "cannot read {}\n", path);
        return EXIT_FAILURE;
    }
    fmt::print("{}", riffle::bench::formatLimits(*limits));
    return EXIT_SUCCESS;
}
