// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/log_writer.h"
#include "collector/src/step_plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle::collector {

/// The options of riffle_start(), checked.
struct Options {
    enum class Preset : uint8_t { Light, Normal, Memory };
    std::string folder = ".";
    Preset preset = Preset::Normal;
    int64_t rank = -1, worldSize = -1, localRank = -1; ///< -1: what the launcher says
    int64_t keepSeconds = 0;
    uint64_t maxBytes = 0;
    size_t ringBytes = 4u << 20;
    size_t memoryLimit = 256u << 20;
    bool paused = false;
    bool cupti = true;
    bool wholeGraphs = false;
    int64_t sampleMs = -1; ///< -1: what the preset has
    bool control = true;
    bool quiet = false;
    std::vector<std::pair<int64_t, int64_t>> ranks; ///< first and last of each range that records; empty: all
    std::optional<Schedule> schedule;
    std::string stepMark; ///< ranges of this name begin steps; empty: riffle_step() does
    int64_t startAfter = 0, maxSeconds = 0;
    int dumpSignal = 0; ///< its number
    SlowSteps slow;
    int64_t maxDumps = 10;

    /// Whether this process records at all.
    bool includes(int64_t ofRank) const;
    /// What is recorded is decided by time or steps, so that the user is told when that begins and ends.
    bool isTimed() const { return schedule || startAfter > 0 || maxSeconds > 0; }
};

/// Reads lines (or ';'-separated parts) of KEY=VALUE. False with `error` for what is wrong.
bool readOptions(std::string_view text, Options &options, std::string &error);

/// Rank, local rank or world size as the launcher says it in the environment (torchrun, Slurm, MPI, Paddle), else -1.
int64_t launchedRank();
int64_t launchedLocalRank();
int64_t launchedWorldSize();

const char *nameOf(Options::Preset preset);
/// Between two measurements of the process; 0: there are none.
int64_t samplePeriodMs(const Options &options);

} // namespace riffle::collector
