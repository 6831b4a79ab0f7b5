// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// How busy a GPU is over time: for each of several equal bins, the share of time that the work on its streams covers.
/// In a trace without a GPU, the threads of the host take its place.
struct BusyLine {
    std::string title;
    TraceId trace;
    int32_t device = -1;      ///< -1 for the host
    std::vector<float> share; ///< per bin, in [0, 1]
};

/// Returns one line per trace and GPU over `span` (set time); empty if stopped.
std::vector<BusyLine> busyLines(const TraceSet &set, TimeSpan span, size_t bins, Task task);

} // namespace riffle
