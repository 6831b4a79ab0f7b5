// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// How busy a GPU is over the whole set: the union of all work on its streams, per bin of equal length. Without a GPU
/// the threads of the host take its place.
struct BusyLine {
    std::string title;
    uint32_t trace = 0;
    int32_t device = -1;      ///< -1: the host
    std::vector<float> share; ///< per bin, in [0, 1]
};

/// One line per trace and GPU over `span` (set time). Empty when stopped.
std::vector<BusyLine> busyLines(const TraceSet &set, TimeSpan span, size_t bins, Task task);

} // namespace riffle
