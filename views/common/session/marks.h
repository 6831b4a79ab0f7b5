// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <QString>

#include <vector>

namespace riffle {

/// A point or range that the user marked, with a note. A mark on a rank is in the time of that rank's trace, so it
/// moves with the rank if the rank's clock is shifted; any other one is in set time.
struct Mark {
    TimeSpan span; ///< a point if begin == end
    QString note;
    TraceId trace = {}; ///< the rank that it is on; invalid for set time
    bool operator==(const Mark &) const = default;
    /// Its place on the clock of the set now.
    TimeSpan in(const TraceSet &set) const { return set.time(trace).toSet(span); }
};

/// An area selected in the lanes: a range and the lanes that it touches (all lanes if empty). If all of them belong to
/// one rank, the range is in the time of its trace, as for a mark.
struct AreaSelection {
    TimeSpan span;
    std::vector<LaneRef> lanes;
    TraceId trace = {}; ///< the rank that it is on; invalid for set time
    bool operator==(const AreaSelection &) const = default;
    TimeSpan in(const TraceSet &set) const { return set.time(trace).toSet(span); }
    /// The area of a range in set time.
    static AreaSelection of(const TraceSet &set, TimeSpan span, std::vector<LaneRef> lanes);
};

/// "on rank 3": what a mark or area is on. Empty for set time, or if only one trace is open.
QString rankText(const TraceSet &set, TraceId trace);

} // namespace riffle
