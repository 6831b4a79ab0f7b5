// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace riffle {

/// A tree with a value at each node; children follow their parent, as in a ResultTable. A node's value includes those
/// of its children. If the sum of the children is larger (because they ran in parallel), they share the node's width.
struct IcicleTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<int64_t> values; ///< negative ones count as 0
    std::vector<uint32_t> depth;
    std::vector<uint32_t> parents; ///< kNone at the top

    IcicleTree() = default;
    IcicleTree(std::vector<int64_t> nodeValues, std::vector<uint32_t> nodeDepth);

    size_t size() const { return values.size(); }
    uint32_t end(uint32_t node) const; ///< one past its last descendant
    /// Returns the sum of the top nodes.
    int64_t total() const;
};

/// One box of the picture. Levels are counted from the node that fills the width.
struct IcicleBox {
    uint32_t node = 0;
    uint32_t level = 0;
    double left = 0, right = 0; ///< pixels
    uint32_t crowd = 1;         ///< siblings that share the box, each too narrow for its own; the first is `node`
};

/// Returns the pieces for the descendants of `root` (for all nodes if kNone), level by level from 0 and from left to
/// right within a level. Children take up their parent's width in proportion to its value, or all of it if their sum is
/// larger. Pieces narrower than `least(level)` are merged with their neighbours, and their descendants get no pieces.
std::vector<IcicleBox> treePieces(const IcicleTree &tree, uint32_t root, double width, uint32_t levels,
                                  const std::function<double(uint32_t level)> &least);

/// Returns the boxes of a picture `width` pixels wide: `root` (all top nodes if kNone) fills the width, with its
/// descendants below it, down to `levels` levels. Boxes narrower than `least` pixels are merged with their neighbours,
/// and nothing is drawn below them.
std::vector<IcicleBox> icicleBoxes(const IcicleTree &tree, uint32_t root, double width, uint32_t levels,
                                   double least = 2);

} // namespace riffle
