// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <memory>

namespace riffle::test {

/// The trace with gaps between the ids of its segments, and before the first one. Everything else is the same.
std::shared_ptr<const Trace> withGaps(const Trace &trace);
/// The id in withGaps(trace) of a slice of `trace`; none if there is no such slice.
SliceId withGaps(const Trace &trace, SliceId slice);

} // namespace riffle::test
