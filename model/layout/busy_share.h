// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// How busy a GPU is over time: the union of all work on its streams as a share of each of a number of equal bins.
/// Without a GPU, the threads of the host take its place.
struct BusyLine {
    std::string title;
    uint32_t trace = 0;
    int32_t device = -1;      ///< -1 for the host
    std::vector<float> share; ///< per bin, in [0, 1]
};

/// Returns one line per trace and GPU over `span` (set time); empty if stopped.
std::vector<BusyLine> busyLines(const TraceSet &set, TimeSpan span, size_t bins, Task task);

} // namespace riffle
