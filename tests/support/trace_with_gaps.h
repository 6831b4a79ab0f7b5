// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <memory>
#include <vector>

namespace riffle::test {

enum class IdOrder {
    Stored,  ///< with gaps between segments and before the first one, but in the order of slices in a segment
    Arrival, ///< also with gaps in segments, in random order, and mixed with ids of the next segment
};

/// A trace with other ids than those of files, as a trace that grows has them. Everything else is the same.
struct TraceWithGaps {
    std::shared_ptr<const Trace> trace;
    std::vector<uint32_t> ids; ///< per id of the original

    TraceWithGaps(const Trace &original, IdOrder order);
    /// The id of a slice of the original; none if there is no such slice.
    SliceId idOf(SliceId slice) const { return slice.value < ids.size() ? SliceId(ids[slice.value]) : SliceId(); }
};

} // namespace riffle::test
