// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <vector>

namespace riffle {

/// An arrow from one slice to another: from a launch to its device work, or between two neighbouring points of a flow.
struct FlowLink {
    SliceId from;
    SliceId to;
    uint32_t category = 0; ///< StringId of the flow's category; 0 for launches
    auto operator<=>(const FlowLink &) const = default;
};

/// Returns at most `limit` arrows that start or end at a slice: launches first, one arrow per pair of slices.
std::vector<FlowLink> flowLinks(const Trace &trace, SliceId slice, size_t limit = 256);

/// Returns the slice that follows (direction 1) or precedes (-1) along the first arrow; none if there is no arrow.
SliceId alongFlow(const Trace &trace, SliceId slice, int direction);

} // namespace riffle
