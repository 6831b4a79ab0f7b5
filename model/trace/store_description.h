// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// What a segment takes of the store's joined columns.
struct StoredSegment {
    LaneId lane;
    uint32_t firstSlice = 0;
    uint32_t slices = 0;
    uint32_t rowBegins = 0;
    TimeSpan span;
};

/// Everything of a trace that is no column: info, report, processes, lanes, segments, steps. Leaves out what differs
/// from run to run (path, load time).
std::string describeTrace(const Trace &trace);

/// Fills the trace from such bytes and checks every number in them against the others; false when they are no
/// description.
bool readDescription(std::string_view bytes, Trace &trace, std::vector<StoredSegment> &segments);

} // namespace riffle
