// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/squeezed_lanes.h"
#include "model/trace/trace.h"

namespace riffle {

/// Returns the slice after (direction 1) or before (-1) another on the same drawing row of its lane; none at the end.
/// The rows are those of the squeezed lane if there is one, unless it leaves out the slice.
SliceId nextOnRow(const Trace &trace, SliceId slice, int direction, const SqueezedLane *squeezed = nullptr);
/// Returns the next (1) or previous (-1) slice with the same name on any lane of the trace, in order of start, then
/// lane, then position. At worst, this reads the column of names once, which takes milliseconds for ten million slices.
SliceId nextOfName(const Trace &trace, SliceId slice, int direction);

} // namespace riffle
