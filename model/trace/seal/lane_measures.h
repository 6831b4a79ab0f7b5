// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

/// What follows from the tables of a trace, whether they were sealed at once or grow.
namespace riffle {

/// Sets the rows of lanes in the tables of instants and counters, their spans, whether they are empty, and the span of
/// the trace.
void measureLanes(Trace &trace);
/// Reports all slices that cross longer ones.
void reportCrossing(Trace &trace);

} // namespace riffle
