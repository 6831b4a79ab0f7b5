// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace riffle::bench {

/// What one run in a process of its own took.
struct Measured {
    double seconds = 0;     ///< what the run itself reports
    double seconds2 = 0;    ///< a second figure, if it has one
    uint64_t number = 0;    ///< a count it reports
    uint64_t peakBytes = 0; ///< highest RssAnon + RssShmem + dirty file pages seen, beyond what there was before
    uint64_t endBytes = 0;  ///< the same when the run was over
    bool good = false;
};

/// Bytes of anonymous memory, shared memory and dirty file pages of this process now.
uint64_t heldMemory();

/// What else is measured of a child: looking at its memory every 10 ms slows it down.
enum class Watch { Memory, Time };

/// Runs `body` in a child process, so that memory and caches of one measurement do not touch the next.
std::optional<Measured> measureInChild(const std::function<Measured()> &body, Watch watch = Watch::Memory);

} // namespace riffle::bench
