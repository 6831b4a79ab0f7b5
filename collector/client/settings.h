// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/stacks_way.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::record {

/// The steps to record, by the rules of torch.profiler.schedule.
struct Schedule {
    int wait = 0, warmup = 0, active = 0, repeat = 0, skipFirst = 0, skipFirstWait = 0;

    bool ends() const { return repeat > 0; }
    std::string text() const; ///< "wait=1,warmup=1,active=3,repeat=0,skip_first=0,skip_first_wait=0"
};

/// The limit above which a step is slow enough for a dump.
struct SlowStep {
    int milliseconds = 0;    ///< 0 if timesMedian is used
    std::string timesMedian; ///< "3" or "2.5": a factor for the median of the previous steps
};

/// The settings of a recording.
struct Settings {
    std::string preset = "normal";
    std::string folder = ".";
    int keepSeconds = 0;    ///< 0: everything
    uint64_t maxBytes = 0;  ///< 0: no limit
    std::vector<int> ranks; ///< empty: all
    std::optional<Schedule> schedule;
    std::string stepMark;   ///< ranges with this name start steps; empty: PyTorch's optimizers mark the steps
    int timeLimit = 0;      ///< in seconds; 0: none
    std::string dumpSignal; ///< "USR2"; empty: none
    std::optional<SlowStep> dumpSlowStep;
    bool shapes = false;
    bool modules = false;
    StacksWay stacks = StacksWay::None;  ///< which Python stacks
    std::string compiledObserver;        ///< "1": compile the observer of operators; "any": also if it is not tested
    int memoryHistory = 0;               ///< how many of the last allocations and frees PyTorch keeps; 0: none
    bool onOom = false;                  ///< leave a folder when memory runs out
    bool insteadOfTorchProfiler = false; ///< record what the program's own profiles of torch.profiler ask for
    bool exitAfter = false;
    bool kineto = false;   ///< the GPU is left to PyTorch's profiler, from which a trace is requested
    int kinetoSeconds = 3; ///< length of that trace if there is no schedule
    bool open = false;     ///< open the recording in the window afterwards
    bool quiet = false;    ///< print only errors
    std::vector<std::string> command;

    /// True if the recording ends before the job does.
    bool ends() const { return (schedule && schedule->ends()) || timeLimit > 0; }
};

// The parsers return nullopt with a message in `error` if the text is invalid.

/// Parses "wait=1,warmup=1,active=3[,repeat=…]".
std::optional<Schedule> parseSchedule(std::string_view text, std::string &error);
/// Parses "A:B": the steps A to B-1, once.
std::optional<Schedule> parseSteps(std::string_view text, std::string &error);
/// Parses "250", "250ms" or "2.5x".
std::optional<SlowStep> parseSlowStep(std::string_view text, std::string &error);
/// Parses the number of allocations and frees to keep, which is above 0.
std::optional<int> parseMemoryHistory(std::string_view text, std::string &error);
/// Parses "0,1,8-15".
std::optional<std::vector<int>> parseRanks(std::string_view text, std::string &error);

} // namespace riffle::record
