// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <vector>

namespace riffle {

/// The figures of one device that Ascend's profiler wrote into the trace itself (“Overlap Analysis”), inside the
/// scope's window.
struct OverlapAnalysis {
    ProcessId process;
    Ns window = 0;
    Ns computing = 0, communication = 0, exposedCommunication = 0, free = 0;
};

/// One for each process with that name; empty for other traces.
std::vector<OverlapAnalysis> overlapAnalyses(const Scope &scope);

} // namespace riffle
