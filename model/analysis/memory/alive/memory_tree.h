// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace riffle {

/// Memory put together by something, as a tree: children stand behind their parent (pre-order), the largest first,
/// equal ones by name. A node's numbers hold those of its children. `depth` and `parents` are as in layout's
/// IcicleTree, `bytes` its values.
struct MemoryTree {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<std::string> names;
    std::vector<std::string> shorts; ///< for narrow places; empty where the name is short enough
    std::vector<uint32_t> depth, parents;
    std::vector<int64_t> bytes;   ///< active: requested, and not back in the pool
    std::vector<int64_t> pending; ///< of `bytes`: given back, waiting for other streams
    std::vector<int64_t> counts;  ///< allocations
    std::vector<int64_t> own;     ///< of `bytes`: those of no child
    std::vector<uint8_t> unknown; ///< 1: what nothing is known of
    std::vector<uint32_t>
        leaves; ///< by allocation, in the order that they were given: the innermost node that holds it

    uint32_t size() const { return static_cast<uint32_t>(names.size()); }
    uint32_t end(uint32_t node) const; ///< behind the last of the nodes in it
    int64_t totalBytes() const;        ///< of the tops
    int64_t totalPending() const;
    int64_t totalCount() const;
    int64_t unknownBytes() const;
};

/// Puts a tree together: nodes are known by their parent and a label, numbers that whoever calls gives a meaning.
class MemoryTreeBuilder {
public:
    struct Label {
        std::string name, shortName;
        bool unknown = false;
    };

    /// `parent`: MemoryTree::kNone for a top.
    uint32_t node(uint32_t parent, uint32_t label);
    void add(uint32_t node, int64_t bytes, int64_t pending, int64_t count);
    /// `place` becomes, by node() number, the row in the tree.
    MemoryTree finish(const std::function<Label(uint32_t label)> &text, std::vector<uint32_t> &place);

private:
    struct Node {
        uint32_t parent, label;
        uint64_t bytes = 0, pending = 0, own = 0, count = 0; ///< wrap where sizes are impossible
    };
    struct Hash {
        size_t operator()(uint64_t key) const
        {
            return static_cast<size_t>((key ^ key >> 29) * 0x9E3779B97F4A7C15ull >> 7);
        }
    };
    std::vector<Node> m_nodes;
    std::unordered_map<uint64_t, uint32_t, Hash> m_known;
};

} // namespace riffle
