// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace riffle::bench {

/// The cost of one run in its own process.
struct Measured {
    double seconds = 0;     ///< as reported by the run itself
    double seconds2 = 0;    ///< a second figure, if it has one
    uint64_t number = 0;    ///< a count that the run reports
    uint64_t peakBytes = 0; ///< the highest RssAnon + RssShmem + dirty file pages, minus the value before the run
    uint64_t endBytes = 0;  ///< the same at the end of the run
    bool good = false;
};

/// The bytes of anonymous memory, shared memory and dirty file pages of this process now.
uint64_t heldMemory();
/// Only the anonymous memory.
uint64_t anonymousMemory();

/// The quantity to measure in a child. Polling its memory every 10 ms slows it down, so times are measured without it.
enum class Watch { Memory, Time };

/// Runs `body` in a child process, so that memory and caches of one measurement do not touch the next.
std::optional<Measured> measureInChild(const std::function<Measured()> &body, Watch watch = Watch::Memory);

} // namespace riffle::bench
