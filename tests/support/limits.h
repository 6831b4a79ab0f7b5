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

/// The best that this machine can do with a trace file: the yardstick for every load time. Each figure is the best of
/// several runs with a warm page cache.
struct Limits {
    std::uint64_t bytes = 0;
    unsigned cores = 0;
    std::uint64_t batches = 0;
    std::uint64_t events = 0;
    std::uint64_t badBatches = 0;
    double readSeconds = 0;     ///< to map the file and sum its bytes, on all cores, page faults included
    double splitSeconds = 0;    ///< to cut it at event ends, on one core, with pages mapped
    double parseSeconds = 0;    ///< On-Demand from the batches into columns, on all cores, with pages mapped
    double parseCpuSeconds = 0; ///< the same as processor time of all threads, which is steadier on a shared machine
    std::optional<InflateLimit> igzip;
    std::optional<InflateLimit> zstd;

    /// The time of one stage after the other, as in an importer without overlap.
    double sequentialSeconds() const { return splitSeconds + parseSeconds; }
};

struct LimitsOptions {
    std::filesystem::path gzipPath; ///< the same trace as gzip, if there is one
    std::filesystem::path zstdPath; ///< the same trace as zstd, if there is one
    unsigned threads = 0;           ///< 0: all cores
    int repeats = 3;
};

/// Measures a trace file. Nothing if the file cannot be mapped.
std::optional<Limits> measureLimits(const std::filesystem::path &path, const LimitsOptions &options = {});

/// A table of the figures, one line each.
std::string formatLimits(const Limits &limits);

} // namespace riffle::bench
