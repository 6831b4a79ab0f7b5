// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The use of memory at one point, as a tree in pre-order. The values are those of the file, so a node's value need not
/// be the sum of its children's.
struct LogTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<std::string> names;
    std::vector<std::string> paths; ///< each identifies its node, also in another tree
    std::vector<uint32_t> depth;
    std::vector<int64_t> values; ///< hundredths of MB, or bytes of a timeline; 0 if nothing is printed
    std::vector<int64_t> own;    ///< layer_mem; for a part, that of the layer that contains all others, or 0
    int64_t total = kNotPrinted; ///< the total according to the file, which need not be the sum of the parts

    uint32_t size() const { return static_cast<uint32_t>(names.size()); }
};

/// The parts, and inside each part the layers that the log lists at this point.
LogTree logTreeAt(const MemoryLogRank &rank, uint32_t point);
/// The content of a sunburst page, in hundredths of MB.
LogTree logTreeOf(const MemoryLogPage &page);
/// The categories of a timeline at a point.
LogTree timelineTreeAt(const MemoryTimeline &timeline, uint32_t point);

/// For each node of `tree`, the node of `other` with the same path, or kNone.
std::vector<uint32_t> sameNodes(const LogTree &tree, const LogTree &other);
/// For each node of `tree`, how much larger (up to 1) or smaller (down to -1) its value is than that of the same node
/// of `other`: the difference divided by the larger of the two values.
std::vector<double> treeDifferences(const LogTree &tree, const LogTree &other, const std::vector<uint32_t> &same);

} // namespace riffle
