// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>
#include <vector>

namespace riffle {

/// An annotation of the host that comes again and again, like a step.
struct RegularMark {
    std::string mark; ///< for stepsMarkedBy(): the name without its number
    uint64_t count = 0;
    Ns period = 0;       ///< the median time from one start to the next
    double evenness = 0; ///< 1 if all these times are equal; less the median deviation from the period, as its share
    double coverage = 0; ///< the share of the trace from the first start to the last end
};

/// The annotations that could serve as steps in a trace without marked ones, the best first: those that occur at least
/// three times without overlap, by evenness × coverage, which must be at least a quarter.
std::vector<RegularMark> regularMarks(const Trace &trace, size_t most = 2);

} // namespace riffle
