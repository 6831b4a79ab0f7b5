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
/// the path and the load time, which can differ from run to run.
std::string describeTrace(const Trace &trace);

/// Fills the trace from bytes that describeTrace() returned, and checks that their numbers fit together. Returns false
/// if they are not a valid description.
bool readDescription(std::string_view bytes, Trace &trace, std::vector<StoredSegment> &segments);

} // namespace riffle
