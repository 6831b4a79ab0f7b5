// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_shapes.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// The rules of TreePairing by their words, recursive and quadratic, over plain trees of texts. It shares no code with
/// the pairing and knows no hashes: equal subtrees are equal texts.
class NaivePairing {
public:
    std::map<uint32_t, uint32_t> pairs; ///< nodes of A to nodes of B

    NaivePairing(const CallShapes &a, const CallShapes &b) : m_a(readTree(a)), m_b(readTree(b)) { pairNodes(0, 0); }

private:
    struct Node {
        ShapeKind kind;
        WorkClass work;
        std::string label, subtree;
        std::vector<uint32_t> children;
        bool isLeaf = false;
    };
    using Tree = std::vector<Node>;
    using Nodes = std::vector<uint32_t>;
    using Pairs = std::vector<std::pair<size_t, size_t>>;

    static Tree readTree(const CallShapes &shapes)
    {
        Tree tree;
        for (uint32_t node = 0; node < shapes.size(); ++node) {
            const ShapeLabel &label = shapes.labelOf(node);
            tree.push_back(
                {label.kind, label.work, std::to_string(int(label.kind)) + label.text, {}, {}, shapes.isWork(node)});
            if (node > 0)
                tree[shapes.parent[node]].children.push_back(node);
        }
        for (size_t node = tree.size(); node-- > 0;) {
            tree[node].subtree = tree[node].label + "(";
            for (const uint32_t child : tree[node].children)
                tree[node].subtree += tree[child].subtree + ",";
            tree[node].subtree += ")";
        }
        return tree;
    }

    void pairNodes(uint32_t a, uint32_t b)
    {
        pairs[a] = b;
        m_paired.insert(b);
        Nodes rowA = m_a[a].children, rowB = m_b[b].children;
        if (m_a[a].kind == ShapeKind::Root) {
            pairSteps(rowA, rowB);
            return;
        }
        const Pairs aligned = alignRows(rowA, rowB);
        for (const auto &[atA, atB] : aligned)
            pairNodes(rowA[atA], rowB[atB]);
        if (m_a[a].kind == ShapeKind::Step) {
            for (const ShapeKind kind : {ShapeKind::Thread, ShapeKind::Stream}) {
                const Nodes leftA = lanesLeft(m_a, rowA, kind, [&](uint32_t node) { return pairs.contains(node); });
                const Nodes leftB = lanesLeft(m_b, rowB, kind, [&](uint32_t node) { return m_paired.contains(node); });
                for (size_t at = 0; at < std::min(leftA.size(), leftB.size()); ++at)
                    pairNodes(leftA[at], leftB[at]);
            }
            return;
        }
        size_t fromA = 0, fromB = 0;
        for (size_t pair = 0; pair <= aligned.size(); ++pair) {
            const auto [endA, endB] = pair < aligned.size() ? aligned[pair] : std::pair(rowA.size(), rowB.size());
            pairBelow(part(rowA, fromA, endA), part(rowB, fromB, endB), m_a[a].kind == ShapeKind::Operator);
            fromA = endA + 1;
            fromB = endB + 1;
        }
    }

    static Nodes part(const Nodes &row, size_t from, size_t end)
    {
        return {row.begin() + static_cast<ptrdiff_t>(from), row.begin() + static_cast<ptrdiff_t>(end)};
    }

    template <typename IsPaired>
    static Nodes lanesLeft(const Tree &tree, const Nodes &row, ShapeKind kind, IsPaired isPaired)
    {
        Nodes left;
        for (const uint32_t node : row)
            if (tree[node].kind == kind && !isPaired(node))
                left.push_back(node);
        return left;
    }

    void pairSteps(Nodes rowA, Nodes rowB)
    {
        const std::string outside = std::to_string(int(ShapeKind::Step)) + std::string(kOutsideSteps);
        const bool outsideA = rowA.size() > 1 && m_a[rowA.back()].label == outside;
        const bool outsideB = rowB.size() > 1 && m_b[rowB.back()].label == outside;
        if (outsideA && outsideB)
            pairNodes(rowA.back(), rowB.back());
        for (size_t at = 0; at < std::min(rowA.size() - outsideA, rowB.size() - outsideB); ++at)
            pairNodes(rowA[at], rowB[at]);
    }

    bool isEqual(uint32_t a, uint32_t b) const { return m_a[a].subtree == m_b[b].subtree; }
    bool isAlike(uint32_t a, uint32_t b) const { return m_a[a].label == m_b[b].label; }

    Pairs alignRows(const Nodes &a, const Nodes &b) const
    {
        size_t head = 0, tail = 0;
        while (head < std::min(a.size(), b.size()) && isEqual(a[head], b[head]))
            ++head;
        while (head + tail < std::min(a.size(), b.size()) && isEqual(a[a.size() - 1 - tail], b[b.size() - 1 - tail]))
            ++tail;
        Pairs aligned;
        for (size_t at = 0; at < head; ++at)
            aligned.emplace_back(at, at);
        alignUnique(a, b, {head, a.size() - tail}, {head, b.size() - tail}, 0, aligned);
        for (size_t at = tail; at-- > 0;)
            aligned.emplace_back(a.size() - 1 - at, b.size() - 1 - at);
        return aligned;
    }

    using Range = std::pair<size_t, size_t>;

    /// Level 0 pairs unique equal subtrees, level 1 unique labels, and level 2 the longest common sequence.
    void alignUnique(const Nodes &a, const Nodes &b, Range inA, Range inB, int level, Pairs &aligned) const
    {
        if (level == 2) {
            alignLongest(a, b, inA, inB, aligned);
            return;
        }
        const auto textA = [&](size_t at) { return level == 0 ? m_a[a[at]].subtree : m_a[a[at]].label; };
        const auto textB = [&](size_t at) { return level == 0 ? m_b[b[at]].subtree : m_b[b[at]].label; };
        Pairs unique;
        for (size_t atA = inA.first; atA < inA.second; ++atA) {
            size_t same = 0, found = 0, where = 0;
            for (size_t other = inA.first; other < inA.second; ++other)
                same += textA(other) == textA(atA);
            for (size_t other = inB.first; other < inB.second; ++other)
                if (textB(other) == textA(atA)) {
                    ++found;
                    where = other;
                }
            if (same == 1 && found == 1)
                unique.emplace_back(atA, where);
        }
        Range fromA = inA, fromB = inB;
        for (const auto &[atA, atB] : ascending(unique)) {
            alignUnique(a, b, {fromA.first, atA}, {fromB.first, atB}, level + 1, aligned);
            aligned.emplace_back(atA, atB);
            fromA.first = atA + 1;
            fromB.first = atB + 1;
        }
        alignUnique(a, b, fromA, fromB, level + 1, aligned);
    }

    static Pairs ascending(const Pairs &all)
    {
        std::vector<size_t> length(all.size(), 1), before(all.size(), SIZE_MAX);
        for (size_t at = 0; at < all.size(); ++at)
            for (size_t other = 0; other < at; ++other)
                if (all[other].second < all[at].second && length[other] + 1 >= length[at]) {
                    length[at] = length[other] + 1;
                    before[at] = other;
                }
        size_t last = SIZE_MAX;
        for (size_t at = 0; at < all.size(); ++at)
            if (last == SIZE_MAX || length[at] > length[last] ||
                (length[at] == length[last] && all[at].second < all[last].second))
                last = at;
        Pairs longest;
        for (; last != SIZE_MAX; last = before[last])
            longest.insert(longest.begin(), all[last]);
        return longest;
    }

    /// How many pairs, and how many of them are of equal subtrees.
    using Score = std::pair<size_t, size_t>;

    void alignLongest(const Nodes &a, const Nodes &b, Range inA, Range inB, Pairs &aligned) const
    {
        std::map<Range, Score> known;
        const auto score = [&](auto &&self, size_t atA, size_t atB) -> Score {
            if (atA == inA.second || atB == inB.second)
                return {0, 0};
            const auto found = known.find({atA, atB});
            if (found != known.end())
                return found->second;
            Score best = std::max(self(self, atA + 1, atB), self(self, atA, atB + 1));
            if (isAlike(a[atA], b[atB])) {
                const Score rest = self(self, atA + 1, atB + 1);
                best = std::max(best, Score{rest.first + 1, rest.second + isEqual(a[atA], b[atB])});
            }
            return known[{atA, atB}] = best;
        };
        for (size_t atA = inA.first, atB = inB.first; atA < inA.second && atB < inB.second;) {
            const Score rest = score(score, atA + 1, atB + 1);
            const Score both{rest.first + 1, rest.second + isEqual(a[atA], b[atB])};
            if (isAlike(a[atA], b[atB]) && both == score(score, atA, atB))
                aligned.emplace_back(atA++, atB++);
            else if (score(score, atA + 1, atB) == score(score, atA, atB))
                ++atA;
            else
                ++atB;
        }
    }

    static void collect(const Tree &tree, uint32_t node, const std::set<uint32_t> &without, Nodes &inner, Nodes &leaves)
    {
        if (without.contains(node))
            return;
        (tree[node].isLeaf ? leaves : inner).push_back(node);
        for (const uint32_t child : tree[node].children)
            collect(tree, child, without, inner, leaves);
    }
    static size_t nodesOf(const Tree &tree, uint32_t node)
    {
        size_t nodes = 1;
        for (const uint32_t child : tree[node].children)
            nodes += nodesOf(tree, child);
        return nodes;
    }

    void pairBelow(const Nodes &rowA, const Nodes &rowB, bool isOperator)
    {
        if (rowA.empty() || rowB.empty())
            return;
        Nodes innerA, innerB, leavesA, leavesB;
        for (const uint32_t node : rowA)
            collect(m_a, node, {}, innerA, leavesA);
        for (const uint32_t node : rowB)
            collect(m_b, node, {}, innerB, leavesB);
        Pairs unique;
        for (const uint32_t a : innerA) {
            Nodes sameA, sameB;
            for (const uint32_t other : innerA)
                if (m_a[other].label == m_a[a].label)
                    sameA.push_back(other);
            for (const uint32_t other : innerB)
                if (m_b[other].label == m_a[a].label)
                    sameB.push_back(other);
            if (sameA.size() == 1 && sameB.size() == 1)
                unique.emplace_back(a, sameB.front());
        }
        std::set<uint32_t> withoutA, withoutB;
        size_t endA = 0, endB = 0;
        for (const auto &[a, b] : ascending(unique)) {
            if (a < endA || b < endB)
                continue;
            const auto nodeA = static_cast<uint32_t>(a), nodeB = static_cast<uint32_t>(b);
            pairNodes(nodeA, nodeB);
            withoutA.insert(nodeA);
            withoutB.insert(nodeB);
            endA = a + nodesOf(m_a, nodeA);
            endB = b + nodesOf(m_b, nodeB);
        }
        leavesA.clear();
        leavesB.clear();
        for (const uint32_t node : rowA)
            collect(m_a, node, withoutA, innerA, leavesA);
        for (const uint32_t node : rowB)
            collect(m_b, node, withoutB, innerB, leavesB);
        Nodes leftA, leftB;
        for (const auto &[atA, atB] : alignRows(leavesA, leavesB))
            pairLeaves(leavesA[atA], leavesB[atB]);
        for (const uint32_t leaf : leavesA)
            if (!pairs.contains(leaf))
                leftA.push_back(leaf);
        for (const uint32_t leaf : leavesB)
            if (!m_paired.contains(leaf))
                leftB.push_back(leaf);
        for (const ShapeKind kind : {ShapeKind::Kernel, ShapeKind::Copy, ShapeKind::Memset})
            rename(ofKind(m_a, leftA, kind), ofKind(m_b, leftB, kind), isOperator);
    }

    static Nodes ofKind(const Tree &tree, const Nodes &nodes, ShapeKind kind)
    {
        Nodes found;
        for (const uint32_t node : nodes)
            if (tree[node].kind == kind)
                found.push_back(node);
        return found;
    }

    void rename(const Nodes &leftA, const Nodes &leftB, bool isOperator)
    {
        bool inOrder = isOperator && leftA.size() == leftB.size();
        for (size_t at = 0; inOrder && at < leftA.size(); ++at) {
            const WorkClass a = m_a[leftA[at]].work, b = m_b[leftB[at]].work;
            inOrder = a == b || a == WorkClass::OtherCompute || b == WorkClass::OtherCompute;
        }
        for (size_t at = 0; inOrder && at < leftA.size(); ++at)
            pairLeaves(leftA[at], leftB[at]);
        if (inOrder)
            return;
        for (const uint32_t a : leftA)
            for (const uint32_t b : leftB) {
                if (m_a[a].work == WorkClass::OtherCompute)
                    continue;
                const auto count = [&](const Tree &tree, const Nodes &left) {
                    return std::count_if(left.begin(), left.end(),
                                         [&](uint32_t one) { return tree[one].work == m_a[a].work; });
                };
                if (m_b[b].work == m_a[a].work && count(m_a, leftA) == 1 && count(m_b, leftB) == 1)
                    pairLeaves(a, b);
            }
    }

    void pairLeaves(uint32_t a, uint32_t b)
    {
        pairs[a] = b;
        m_paired.insert(b);
    }

    Tree m_a, m_b;
    std::set<uint32_t> m_paired; ///< nodes of B
};

} // namespace riffle::test
