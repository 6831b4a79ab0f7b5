// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/trace.h"

#include <optional>
#include <unordered_set>

namespace riffle {

/// What is kept of a trace when only a part is asked for; all times are the source's.
struct KeptPart {
    TimeSpan span; ///< what overlaps it is kept
    /// For steps: device work belongs to the step of its launch, so it is kept by these correlations, whenever it runs.
    std::optional<std::unordered_set<int64_t>> launches;
    std::unordered_set<int64_t> launchless; ///< correlations of device work without a launch: it belongs where it starts
    TimeSpan device; ///< from the first to the last of that work; annotations on streams go by it

    bool keeps(Ns begin, Ns end) const { return touches(span, begin, end); }
    bool keepsOnDevice(Ns begin, Ns end, int64_t correlation) const;
    /// Flows from launches to device work have the correlation as their id.
    bool keepsFlow(Ns time, int64_t id, bool fromLaunch) const
    {
        return fromLaunch && launches ? launches->contains(id) : keeps(time, time);
    }
    /// From the first to the last of all that was asked for.
    TimeSpan whole() const;

private:
    /// Slices of no length count where they stand.
    static bool touches(TimeSpan span, Ns begin, Ns end)
    {
        return begin < span.end && (end > span.begin || (begin == end && begin == span.begin));
    }
};

/// The part that steps \p numbers [begin, end] make up. `scan` holds the step marks, the host slices that have a
/// correlation and the device's slices. Nothing when the trace has none of these steps.
std::optional<KeptPart> partOfSteps(const Trace &scan, TimeSpan numbers);

} // namespace riffle
