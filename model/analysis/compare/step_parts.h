// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// One of the parts that a window is cut into.
struct StepPart {
    std::string key; ///< snake_case; must never change
    std::string title;
    std::string meaning; ///< for tooltips
    Ns time = 0;
};

/// The window of a scope (Scope::wholeWindow()), cut into disjoint parts as one device sees it. The times of the parts
/// sum to the length of the window, to the nanosecond.
struct StepParts {
    std::optional<int32_t> device; ///< the profiler's number; nothing if the trace has no device work
    Ns window = 0;
    std::vector<StepPart> parts; ///< all parts, in order of priority, also those without time
};

/// Cuts the window of a scope into parts, once for each device of the trace, in the order of their numbers.
///
/// Each time belongs to the first part that has it:
/// - kernels that compute, by their WorkClass. If several run at the same time, the one that started first counts; of
///   those that started together, the one of the earlier class;
/// - copies, memsets and communication, in the order of R4. For a trace with one device, these parts are those of R4;
/// - not recorded (RecordingGaps);
/// - idle times by cause (R6). A gap that the window cuts is judged as a whole, so that it has the cause that the
///   timeline shows.
///
/// A trace without device work has one element, with the roles of R4.
std::vector<StepParts> stepParts(const Scope &scope);

} // namespace riffle
