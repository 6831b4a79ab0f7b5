// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace riffle {

/// Grouped memory as a tree in pre-order: children follow their parent, the largest first, equal ones by name. A node's
/// numbers include those of its children. `depth` and `parents` mean the same as in the layout's IcicleTree, and
/// `bytes` correspond to its `values`.
struct MemoryTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<std::string> names;
    std::vector<std::string> shorts; ///< for narrow places; the same as the name if there is no shorter one
    std::vector<uint32_t> depth, parents;
    std::vector<int64_t> bytes;   ///< active: requested, and the block is not yet back in the pool
    std::vector<int64_t> pending; ///< the part of `bytes` that is freed but still waits for other streams
    std::vector<int64_t> counts;  ///< allocations
    std::vector<int64_t> own;     ///< the part of `bytes` that is not in any child
    std::vector<uint8_t> unknown; ///< 1 for memory about which nothing is known
    std::vector<uint32_t>
        leaves; ///< per allocation, in the order in which they were grouped: the innermost node that contains it

    uint32_t size() const { return static_cast<uint32_t>(names.size()); }
    uint32_t end(uint32_t node) const; ///< one past the last descendant
    int64_t totalBytes() const;        ///< the sum over the top nodes
    int64_t totalPending() const;
    int64_t totalCount() const;
    int64_t unknownBytes() const;
};

/// Builds a tree. A node is identified by its parent and a label, a number whose meaning the caller chooses.
class MemoryTreeBuilder {
public:
    struct Label {
        std::string name, shortName;
        bool unknown = false;
    };

    /// The number of the node with this parent and label; it is added if it is new. `parent` is MemoryTree::kNone for a
    /// top node.
    uint32_t node(uint32_t parent, uint32_t label);
    void add(uint32_t node, int64_t bytes, int64_t pending, int64_t count);
    /// Returns the tree. `place` receives, for each number that node() returned, the row in the tree.
    MemoryTree finish(const std::function<Label(uint32_t label)> &text, std::vector<uint32_t> &place);

private:
    struct Node {
        uint32_t parent, label;
        uint64_t bytes = 0, pending = 0, own = 0, count = 0; ///< wrap if sizes are impossible
    };
    std::vector<Node> m_nodes;
    SeededMap<uint64_t, uint32_t> m_known;
};

} // namespace riffle
