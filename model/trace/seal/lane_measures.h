// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <vector>

/// Figures that follow from the tables of a trace, whether they were sealed at once or grow.
namespace riffle {

/// The rows of a lane in a table of events without a duration.
struct TimedRange {
    uint32_t lane = 0;
    uint32_t begin = 0, end = 0; ///< from its first row to behind its last one
    TimeSpan span;               ///< of its times, without those that were clamped; begin > end if there are no others
};

/// Returns the range of each lane that has rows, in the order of the first rows.
std::vector<TimedRange> timedRanges(const Column<uint32_t> &lane, const Column<Ns> &time);

/// The ranges in all tables of events without a duration.
struct AllTimedRanges {
    std::vector<TimedRange> instants, counters, memory;
};
AllTimedRanges timedRangesOf(const Trace &trace);

/// Sets the rows of lanes in the tables of instants and counters, their spans, whether they are empty, and the span of
/// the trace.
void measureLanes(Trace &trace, const AllTimedRanges &timed);
/// Reports all slices that cross longer ones.
void reportCrossing(Trace &trace);

} // namespace riffle
