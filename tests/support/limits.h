// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace riffle::bench {

/// How fast one compressed file inflates on one core.
struct InflateLimit {
    std::uint64_t compressedBytes = 0;
    std::uint64_t textBytes = 0;
    double seconds = 0;
};

/// What this machine can do at best with a trace file: the yardstick that stands beside every load time. Each
/// figure is the best of some runs with a warm page cache.
struct Limits {
    std::uint64_t bytes = 0;
    unsigned cores = 0;
    std::uint64_t batches = 0;
    std::uint64_t events = 0;
    std::uint64_t badBatches = 0;
    double readSeconds = 0;     ///< map the file and sum its bytes, all cores, page faults included
    double splitSeconds = 0;    ///< cut it at event ends, one core, pages mapped
    double parseSeconds = 0;    ///< On-Demand over the batches into columns, all cores, pages mapped
    double parseCpuSeconds = 0; ///< the same, processor time of all threads: steadier on a machine that is shared
    std::optional<InflateLimit> igzip;
    std::optional<InflateLimit> zstd;

    /// One stage after the other, as an importer without overlap would run.
    double sequentialSeconds() const { return splitSeconds + parseSeconds; }
};

struct LimitsOptions {
    std::filesystem::path gzipPath; ///< the same trace as gzip, when there is one
    std::filesystem::path zstdPath; ///< the same trace as zstd, when there is one
    unsigned threads = 0;           ///< 0: all cores
    int repeats = 3;
};

/// Nothing when the file cannot be mapped.
std::optional<Limits> measureLimits(const std::filesystem::path &path, const LimitsOptions &options = {});

/// A table of the figures, one line each.
std::string formatLimits(const Limits &limits);

} // namespace riffle::bench
