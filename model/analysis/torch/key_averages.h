// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// What events of one row share beside their name, their side (host or device) and being an annotation or not.
struct KeyAveragesBy {
    bool shapes = false;
    bool stack = false;
};

/// What key_averages() of PyTorch's profiler says, from the trace (key_events.h has the events). Unlike the view
/// "operators", device events, calls of the runtime and annotations have rows, and a call inside one of the same row
/// counts twice in totals.
struct KeyAverages {
    struct Row {
        std::string name;
        bool onDevice = false, isAnnotation = false;
        uint64_t calls = 0;
        Ns hostSelf = 0, hostTotal = 0, deviceSelf = 0, deviceTotal = 0;
        int64_t hostBytesSelf = 0, hostBytes = 0, deviceBytesSelf = 0, deviceBytes = 0;
        int64_t flops = 0;              ///< as with_flops=True counts them
        std::string shapes = "[]";      ///< of the tensors; a list of tensors is []
        std::vector<std::string> stack; ///< innermost frame first
    };
    std::vector<Row> rows; ///< in the order in which they first occur
    Ns hostSelf = 0;       ///< of all rows
    Ns deviceSelf = 0;     ///< of all rows of devices but annotations
    std::string device;    ///< "CUDA"
    bool hasShapes = false, hasMemory = false;
    uint64_t unlinked = 0; ///< calls of the runtime without an operator
};

/// Host events count that begin inside what is asked about, device events whose launch does (without one: that begin
/// there), all whole.
KeyAverages keyAverages(const Scope &scope, KeyAveragesBy by);

} // namespace riffle
