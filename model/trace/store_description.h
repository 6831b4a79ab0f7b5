// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A segment's share of the store's joined columns.
struct StoredSegment {
    LaneId lane;
    uint32_t firstSlice = 0;
    uint32_t slices = 0;
    uint32_t rowBegins = 0;
    TimeSpan span;
};

/// Serializes everything in a trace that is not a column: info, report, processes, lanes, segments, steps. Leaves out
/// what differs from run to run (path, load time).
std::string describeTrace(const Trace &trace);

/// Fills the trace from bytes of describeTrace() and checks every number in them against the others; false if they are
/// not a valid description.
bool readDescription(std::string_view bytes, Trace &trace, std::vector<StoredSegment> &segments);

} // namespace riffle
