// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// What memory is for at one point, as a tree: children stand behind their parent. Values are those of the file: a
/// node's need not be the sum of those in it.
struct LogTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<std::string> names;
    std::vector<std::string> paths; ///< tell nodes apart, and find the same one in another tree
    std::vector<uint32_t> depth;
    std::vector<int64_t> values; ///< hundredths of MB, or bytes of a timeline; 0 where nothing is printed
    std::vector<int64_t> own;    ///< layer_mem; of parts 0
    int64_t total = kNotPrinted; ///< what the file says that all of it is: need not be the sum of the parts

    uint32_t size() const { return static_cast<uint32_t>(names.size()); }
};

/// Parts, and in each the layers that the log lists at this point.
LogTree logTreeAt(const MemoryLogRank &rank, uint32_t point);
/// What a sunburst page shows, in hundredths of MB.
LogTree logTreeOf(const MemoryLogPage &page);
/// The categories of a timeline at a point.
LogTree timelineTreeAt(const MemoryTimeline &timeline, uint32_t point);

/// By node of `tree`: the node of `other` with its path, or kNone.
std::vector<uint32_t> sameNodes(const LogTree &tree, const LogTree &other);
/// By node of `tree`, how much more (up to 1) or less (down to -1) it holds than the same one of `other`: the
/// difference in relation to the larger of both.
std::vector<double> treeDifferences(const LogTree &tree, const LogTree &other, const std::vector<uint32_t> &same);

} // namespace riffle
