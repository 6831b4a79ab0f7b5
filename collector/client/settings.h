// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::record {

/// Which steps are recorded; the rules of torch.profiler.schedule.
struct Schedule {
    int wait = 0, warmup = 0, active = 0, repeat = 0, skipFirst = 0, skipFirstWait = 0;

    bool ends() const { return repeat > 0; }
    std::string text() const; ///< "wait=1,warmup=1,active=3,repeat=0,skip_first=0,skip_first_wait=0"
};

/// When a step is slow enough to be kept by a dump.
struct SlowStep {
    int milliseconds = 0;    ///< 0: by the factor
    std::string timesMedian; ///< "3" or "2.5", of the median of the steps before
};

/// What is to be recorded, and how.
struct Settings {
    std::string preset = "normal";
    std::string folder = ".";
    int keepSeconds = 0;    ///< 0: everything
    uint64_t maxBytes = 0;  ///< 0: no limit
    std::vector<int> ranks; ///< empty: all
    std::optional<Schedule> schedule;
    std::string stepMark;   ///< ranges of this name begin steps; empty: as PyTorch's optimizers say
    int timeLimit = 0;      ///< in seconds; 0: none
    std::string dumpSignal; ///< "USR2"; empty: none
    std::optional<SlowStep> dumpSlowStep;
    bool shapes = false;
    bool exitAfter = false;
    bool kineto = false;   ///< the GPU is left to PyTorch's profiler, which is asked for a trace
    int kinetoSeconds = 3; ///< of that trace, where no schedule says which steps
    bool quiet = false;    ///< errors only
    std::vector<std::string> command;

    /// Whether the recording comes to an end before the job does.
    bool ends() const { return (schedule && schedule->ends()) || timeLimit > 0; }
};

/// "wait=1,warmup=1,active=3[,repeat=…]"; `error` says what is wrong.
std::optional<Schedule> parseSchedule(std::string_view text, std::string &error);
/// "A:B": steps A to B-1, once.
std::optional<Schedule> parseSteps(std::string_view text, std::string &error);
/// "250", "250ms" or "2.5x"
std::optional<SlowStep> parseSlowStep(std::string_view text, std::string &error);
/// "0,1,8-15"
std::optional<std::vector<int>> parseRanks(std::string_view text, std::string &error);

} // namespace riffle::record
