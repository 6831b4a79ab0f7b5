// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_builder.h"

#include <vector>

namespace riffle {

/// A slice made of two halves.
struct PairedSlice {
    SliceRow row;
    uint32_t lane = 0;
    uint64_t group = 0;
    TextPlace end; ///< the text of its end; no length where it has none
};

/// Joins begin and end events (B/E; b/e and S/F by their id) into slices. An end closes the innermost open begin of its
/// lane and group that bears its name, or simply the innermost if it has no name; what stays open ends at `traceEnd`
/// and is flagged. `halves`: in file order, with the trace's lanes and strings. Ends without a begin are reported. O(n
/// log n), whatever is open.
std::vector<PairedSlice> pairHalves(std::vector<HalfRow> halves, Ns traceEnd, ImportReport &report);

} // namespace riffle
