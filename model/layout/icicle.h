// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace riffle {

/// A tree with a size at each node, children behind their parent as in a ResultTable. A node's value holds those of its
/// children; where these are more together (they ran side by side), they share the node's width.
struct IcicleTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<int64_t> values; ///< negative ones count as 0
    std::vector<uint32_t> depth;
    std::vector<uint32_t> parents; ///< kNone at the top

    IcicleTree() = default;
    IcicleTree(std::vector<int64_t> nodeValues, std::vector<uint32_t> nodeDepth);

    size_t size() const { return values.size(); }
    uint32_t end(uint32_t node) const; ///< behind the last of the nodes in it
    /// Sum of the tops.
    int64_t total() const;
};

/// One box of the picture; levels count from what fills the width.
struct IcicleBox {
    uint32_t node = 0;
    uint32_t level = 0;
    double left = 0, right = 0; ///< pixels
    uint32_t crowd = 1;         ///< how many siblings share the box, each too narrow for one: the first is `node`
};

/// What lies in `root` (kNone: all tops), level by level from 0, each level from the left: children share the width of
/// what they are in, as much of it as they have of its value; where they are more together, all of it. Pieces narrower
/// than `least(level)` are put together with their neighbours, and nothing is made in them.
std::vector<IcicleBox> treePieces(const IcicleTree &tree, uint32_t root, double width, uint32_t levels,
                                  const std::function<double(uint32_t level)> &least);

/// Boxes in a picture `width` pixels wide, filled by `root` (kNone: by all tops) and below it what lies in it, down to
/// `levels` levels. Boxes narrower than `least` pixels are put together with their neighbours, and nothing is drawn
/// below.
std::vector<IcicleBox> icicleBoxes(const IcicleTree &tree, uint32_t root, double width, uint32_t levels,
                                   double least = 2);

} // namespace riffle
