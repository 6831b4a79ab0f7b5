// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <vector>

namespace riffle {

/// An arrow from one slice to another: a launch to its device work, or two neighbouring points of a flow.
struct FlowLink {
    SliceId from;
    SliceId to;
    uint32_t category = 0; ///< StringId of the flow's category; 0 for launches
    auto operator<=>(const FlowLink &) const = default;
};

/// Arrows that begin or end at a slice, launches first, each pair of slices once. At most `limit`.
std::vector<FlowLink> flowLinks(const Trace &trace, SliceId slice, size_t limit = 256);

/// The slice that follows (direction 1) or precedes (-1) along the first arrow; none when there is no arrow.
SliceId alongFlow(const Trace &trace, SliceId slice, int direction);

} // namespace riffle
