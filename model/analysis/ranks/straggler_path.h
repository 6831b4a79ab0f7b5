// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/call_waits.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The device-side step of the slowest rank, and what it consists of (docs/stragglers.md). Own times of all ranks,
/// transfer, within uncertainty, unmatched and unexplained sum to `figure`, exactly.
struct StepPath {
    /// A matched call that the path goes through.
    struct Call {
        uint32_t match = 0;
        CallWaits::Wait wait;
    };
    int64_t number = 0;  ///< of the step
    uint32_t rank = 0;   ///< index of the slowest rank
    uint32_t ranks = 0;  ///< that have the step
    DeviceStep step;     ///< on the slowest rank
    Ns figure = 0;       ///< its length
    std::vector<Ns> own; ///< per rank
    Ns transfer = 0, within = 0, unmatched = 0, unexplained = 0;
    std::vector<Ns> cost;    ///< per rank: its share of what the others waited for the last ones of calls on the path
    std::vector<Call> calls; ///< from the end of the step to its begin
};

/// The paths of all steps, by number. Only steps that at least two ranks have.
std::vector<StepPath> stragglerPaths(const CallWaits &waits);

} // namespace riffle
