// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/icicle.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

double sizeOf(const IcicleTree &tree, uint32_t node)
{
    return static_cast<double>(std::max<int64_t>(0, tree.values[node]));
}

} // namespace

IcicleTree::IcicleTree(std::vector<int64_t> nodeValues, std::vector<uint32_t> nodeDepth)
    : values(std::move(nodeValues))
    , depth(std::move(nodeDepth))
{
    assert(depth.size() == values.size() || depth.empty());
    depth.resize(values.size());
    parents.resize(values.size(), kNone);
    std::vector<uint32_t> path;
    for (uint32_t node = 0; node < values.size(); ++node) {
        path.resize(std::min<size_t>(path.size(), depth[node]));
        parents[node] = path.empty() ? kNone : path.back();
        depth[node] = static_cast<uint32_t>(path.size()); // so that a child is exactly one level below its parent
        path.push_back(node);
    }
}

uint32_t IcicleTree::end(uint32_t node) const
{
    assert(node < size() && depth.size() == size());
    uint32_t after = node + 1;
    while (after < size() && depth[after] > depth[node])
        ++after;
    return after;
}

int64_t IcicleTree::total() const
{
    int64_t sum = 0;
    for (uint32_t node = 0; node < size(); ++node)
        if (depth[node] == 0)
            sum += std::max<int64_t>(0, values[node]);
    return sum;
}

std::vector<IcicleBox> treePieces(const IcicleTree &tree, uint32_t root, double width, uint32_t levels,
                                  const std::function<double(uint32_t)> &least)
{
    assert(tree.depth.size() == tree.size() && tree.parents.size() == tree.size());
    std::vector<IcicleBox> pieces;
    struct Open {
        uint32_t first, last; ///< nodes of the level and all their descendants
        double left, width;
        double whole; ///< the value that corresponds to the width
        uint32_t level;
    };
    // The pieces of one level are computed from those of the level above.
    std::vector<Open> open;
    if (root == IcicleTree::kNone)
        open.push_back({0, static_cast<uint32_t>(tree.size()), 0, width, static_cast<double>(tree.total()), 0});
    else if (root < tree.size())
        open.push_back({root + 1, tree.end(root), 0, width, sizeOf(tree, root), 0});
    for (size_t at = 0; at < open.size(); ++at) {
        const Open part = open[at];
        if (part.level >= levels)
            continue;
        double sum = 0;
        for (uint32_t node = part.first; node < part.last; node = tree.end(node))
            sum += sizeOf(tree, node);
        const double whole = std::max(part.whole, sum);
        if (!(whole > 0))
            continue;
        const double narrowest = least(part.level);
        double left = part.left;
        bool joins = false; // the last piece merges narrow nodes, and the next narrow node joins it
        for (uint32_t node = part.first; node < part.last;) {
            const uint32_t after = tree.end(node);
            const double wide = sizeOf(tree, node) / whole * part.width;
            const bool narrow = wide < narrowest;
            if (narrow && joins) {
                pieces.back().right = left + wide;
                ++pieces.back().crowd;
            } else if (wide > 0) {
                pieces.push_back({node, part.level, left, left + wide, 1});
                if (!narrow)
                    open.push_back({node + 1, after, left, wide, sizeOf(tree, node), part.level + 1});
            }
            joins = narrow && (joins || wide > 0);
            left += wide;
            node = after;
        }
    }
    return pieces;
}

std::vector<IcicleBox> icicleBoxes(const IcicleTree &tree, uint32_t root, double width, uint32_t levels, double least)
{
    std::vector<IcicleBox> boxes;
    const bool hasRoot = root < tree.size();
    if (hasRoot && levels > 0)
        boxes.push_back({root, 0, 0, width, 1});
    const uint32_t above = hasRoot ? 1 : 0;
    for (IcicleBox box :
         treePieces(tree, root, width, std::max(levels, above) - above, [least](uint32_t) { return least; })) {
        box.level += above;
        boxes.push_back(box);
    }
    constexpr double kInvisible = 0.25; // pixels
    std::erase_if(boxes, [](const IcicleBox &box) { return box.right - box.left < kInvisible; });
    return boxes;
}

} // namespace riffle
