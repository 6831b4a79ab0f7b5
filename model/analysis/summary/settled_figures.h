// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <limits>
#include <memory>
#include <optional>

namespace riffle {

/// How a recording that goes on is doing: the figures of the last step that is settled, or of the last second that is,
/// if there are no steps. What is missing is NaN or kNoInt.
struct SettledFigures {
    std::optional<int64_t> step;                               ///< its number
    Ns duration = kNoInt;                                      ///< of the step, or of the second
    double busy = std::numeric_limits<double>::quiet_NaN();    ///< share of that time, over all devices
    double exposed = std::numeric_limits<double>::quiet_NaN(); ///< the same for exposed communication
    /// Bytes on all devices after the last event before the settled mark; a generation may lack its newest events.
    int64_t allocated = kNoInt, reserved = kNoInt;
    int64_t gpuUsed = kNoInt; ///< the same by NVML, of all processes
    bool operator==(const SettledFigures &) const = default;
};

/// Computes the figures from what ended before `settled`, in the trace's time.
SettledFigures settledFigures(const std::shared_ptr<const Trace> &trace, Ns settled);

} // namespace riffle
