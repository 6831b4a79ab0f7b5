// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"
#include "model/base/time.h"
#include "model/trace/trace.h"

#include <optional>
#include <vector>

namespace riffle {

/// The rows of a trace that are kept if only a part is requested: those that overlap the part, and those that questions
/// about it need. Device work and the call that launched it need each other, and each call needs the slices around it.
/// All times are as in the source, not relative to its first event.
struct KeptPart {
    TimeSpan span; ///< the requested span; for steps, including the device work that they launched
    /// Calls and device work with one of these correlations are kept, even outside the span: calls in the span, earlier
    /// calls whose work reaches the span or ends just before it, calls that recorded events for which streams wait, and
    /// the work nearest to the span on idle devices.
    SeededSet<int64_t> correlations;
    /// Times outside the span, ascending, of calls, operators and memory events that the part needs. Every host slice
    /// that covers one of these times is kept.
    std::vector<Ns> moments;
    /// Source offsets of allocations and releases of memory that is alive in the span.
    SeededSet<uint64_t> memory;

    bool keepsAt(Ns time) const { return keepsOnHost(time, time); }
    /// A slice of zero duration counts as a point in time.
    bool keepsOnHost(Ns begin, Ns end) const { return touches(begin, end) || hasMoment(begin, end); }
    bool keepsOnDevice(Ns begin, Ns end, int64_t correlation) const
    {
        return touches(begin, end) || (correlation != kNoInt && correlations.contains(correlation));
    }
    bool keepsMemory(Ns time, uint64_t offset) const { return keepsAt(time) || memory.contains(offset); }
    /// Flows from launches to device work have the correlation as their id.
    bool keepsFlow(Ns time, int64_t id, bool fromLaunch) const
    {
        return fromLaunch ? correlations.contains(id) : keepsAt(time);
    }

private:
    bool touches(Ns begin, Ns end) const
    {
        return begin < span.end && (end > span.begin || (begin == end && begin == span.begin));
    }
    bool hasMoment(Ns begin, Ns end) const;
};

/// Returns the part for a range. `scan` contains the step marks, the host slices that have a correlation, the device
/// slices, the flows from forward to backward operators, and what profile_memory recorded.
KeptPart partOfRange(const Trace &scan, TimeSpan range);

/// Returns the part for the steps with \p numbers [begin, end]; nothing if the trace has none of these steps.
std::optional<KeptPart> partOfSteps(const Trace &scan, TimeSpan numbers);

} // namespace riffle
