// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The keys by which events are grouped into rows, in addition to their name, their side (host or device) and whether
/// they are annotations.
struct KeyAveragesBy {
    bool shapes = false;
    bool stack = false;
};

/// The result of key_averages() of PyTorch's profiler, computed from the trace's events (key_events.h). Unlike in the
/// view "operators", device events, runtime calls and annotations have rows, and a call inside another call of the same
/// row counts twice in totals.
struct KeyAverages {
    struct Row {
        std::string name;
        bool onDevice = false, isAnnotation = false;
        uint64_t calls = 0;
        Ns hostSelf = 0, hostTotal = 0, deviceSelf = 0, deviceTotal = 0;
        int64_t hostBytesSelf = 0, hostBytes = 0, deviceBytesSelf = 0, deviceBytes = 0;
        int64_t flops = 0;              ///< as with_flops=True counts them
        std::string shapes = "[]";      ///< of the inputs; [] for a list of tensors
        std::vector<std::string> stack; ///< innermost frame first
    };
    std::vector<Row> rows; ///< in order of their first occurrence
    Ns hostSelf = 0;       ///< of all rows
    Ns deviceSelf = 0;     ///< of all device rows except annotations
    std::string device;    ///< "CUDA"
    bool hasShapes = false, hasMemory = false;
    uint64_t unlinked = 0; ///< runtime calls without an operator
};

/// Host events count if they start inside the scope. Device events count if their launch starts inside the scope or,
/// without a launch, if they start there themselves. An event that counts does so with its whole time.
KeyAverages keyAverages(const Scope &scope, KeyAveragesBy by);

} // namespace riffle
