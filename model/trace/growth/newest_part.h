// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <memory>

namespace riffle {

/// Returns a generation of a trace that grows with only its newest segments, which have at most `mostSlices` slices;
/// those that end last stay in any case. All ids are the same, and the columns are shared. Everything since the end of
/// the last segment that is left out is there, and what started before, but ended later, although slices around it may
/// be unknown. TraceInfo::part begins up to a second later, so that the launches of device work in it are there, too.
/// Memory events, instants and counters are complete. Returns the trace itself if it has no more slices, or does not
/// grow.
std::shared_ptr<const Trace> newestPart(std::shared_ptr<const Trace> trace, uint64_t mostSlices);

} // namespace riffle
