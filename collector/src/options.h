// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/log_writer.h"
#include "collector/src/step_plan.h"

#include "riffle/stacks_way.h"

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
    int64_t rank = -1, worldSize = -1, localRank = -1; ///< -1: taken from the launcher's variables
    int64_t keepSeconds = 0;
    uint64_t maxBytes = 0;
    size_t ringBytes = 4u << 20;
    size_t memoryLimit = 256u << 20;
    bool paused = false;
    bool cupti = true;
    bool wholeGraphs = false;
    int64_t sampleMs = -1; ///< -1: the preset's interval
    bool control = true;
    bool quiet = false;
    std::vector<std::pair<int64_t, int64_t>> ranks; ///< first and last rank of each recorded range; empty: all
    std::optional<Schedule> schedule;
    std::string stepMark; ///< ranges with this name start steps; empty: riffle_step() does
    int64_t startAfter = 0, maxSeconds = 0;
    int dumpSignal = 0; ///< the number of the signal; 0: none
    SlowSteps slow;
    int64_t maxDumps = 10;
    int64_t operators = -1;    ///< 1: PyTorch's operators are wanted from the Python part; -1: as the preset says
    bool shapes = false;       ///< with the shapes of the operators' inputs
    bool modules = false;      ///< the forward calls of torch.nn modules
    int64_t memoryHistory = 0; ///< the number of allocations that PyTorch should keep; 0: none
    StacksWay stacks = StacksWay::None;
    int64_t stackSampleMs = 10; ///< the interval of sampled stacks

    /// True if a process with this rank records at all.
    bool includes(int64_t ofRank) const;
};

/// Reads lines (or ';'-separated parts) of KEY=VALUE. Returns false with a message in `error` if one is invalid.
bool readOptions(std::string_view text, Options &options, std::string &error);

/// The rank, local rank or world size that the launcher has set in the environment (torchrun, Slurm, MPI, Paddle); -1
/// if there is none.
int64_t launchedRank();
int64_t launchedLocalRank();
int64_t launchedWorldSize();

const char *nameOf(Options::Preset preset);
/// True if PyTorch's operators are wanted.
bool wantsOperators(const Options &options);
/// The interval between two measurements of the process in ms; 0: none.
int64_t samplePeriodMs(const Options &options);

} // namespace riffle::collector
