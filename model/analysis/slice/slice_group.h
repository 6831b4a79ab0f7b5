// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <span>

namespace riffle {

/// The times that several slices, of any lanes and ranks, take together. Times are in ns; the span is in set time.
struct SliceGroup {
    size_t count = 0; ///< slices that exist; each counts once
    Ns sum = 0;       ///< of the durations
    Ns covered = 0;   ///< the length of the union: time that several cover counts once
    TimeSpan span;    ///< first start to last end
    /// The time in the span that none covers.
    Ns gaps() const { return span.duration() - covered; }
};

SliceGroup groupOf(const TraceSet &set, std::span<const SliceRef> slices);

} // namespace riffle
