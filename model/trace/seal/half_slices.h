// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_builder.h"

#include <vector>

namespace riffle {

/// A slice built from a begin event and an end event.
struct PairedSlice {
    SliceRow row;
    uint32_t lane = 0;
    uint64_t group = 0;
    TextPlace end; ///< the text of its end event; length 0 if there is none
};

/// Joins begin and end events (B/E; b/e and S/F by their id) into slices. An end closes the innermost open begin of its
/// lane and group that has the same name, or the innermost one if the end has no name. Begins that stay open end at
/// `traceEnd` and are flagged. `halves` are in file order and use the trace's lanes and strings. Ends without a begin
/// are reported. O(n log n), no matter how many begins are open.
std::vector<PairedSlice> pairHalves(std::vector<HalfRow> halves, Ns traceEnd, ImportReport &report);

} // namespace riffle
