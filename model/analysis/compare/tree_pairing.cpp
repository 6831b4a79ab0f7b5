// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/tree_pairing.h"

#include "model/analysis/compare/sibling_alignment.h"
#include "model/analysis/compare/unique_pairs.h"
#include "model/base/filled_vector.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace riffle {

namespace {

constexpr uint32_t kNoNode = TreePairing::kNone;

/// The numbers of the labels of B, in which equal labels have the number of A.
std::vector<uint32_t> commonLabels(const CallShapes &a, const CallShapes &b)
{
    std::map<std::pair<ShapeKind, std::string_view>, uint32_t> known;
    for (const ShapeLabel &label : a.labels())
        known.emplace(std::pair(label.kind, std::string_view(label.text)), static_cast<uint32_t>(known.size()));
    std::vector<uint32_t> common;
    for (const ShapeLabel &label : b.labels())
        common.push_back(
            known.emplace(std::pair(label.kind, std::string_view(label.text)), known.size()).first->second);
    return common;
}

/// True for a class that only few kernels of an operator have.
bool saysWhatItIs(WorkClass kind) { return kind != WorkClass::None && kind != WorkClass::OtherCompute; }

/// True if the names of two kernels say that they do different things.
bool areUnlike(WorkClass a, WorkClass b) { return a != b && saysWhatItIs(a) && saysWhatItIs(b); }

/// One of the two trees, with the labels that both share.
struct Side {
    const CallShapes &tree;
    std::span<const uint32_t> labels; ///< empty if they are those of the tree
    BigVector<uint32_t> &partners;

    Sibling at(uint32_t node) const
    {
        const uint32_t label = tree.label[node];
        return {node, labels.empty() ? label : labels[label], tree.hash[node]};
    }
    void children(uint32_t parent, std::vector<Sibling> &found) const
    {
        found.clear();
        for (uint32_t child = parent + 1; child < tree.end[parent]; child = tree.end[child])
            found.push_back(at(child));
    }
};

class TreePairer {
public:
    TreePairer(const CallShapes &a, const CallShapes &b, TreePairing &made)
        : m_a{a, {}, made.ofA}
        , m_b{b, made.labelsOfB, made.ofB}
        , m_unsearched(made.unsearched)
        , m_mostSearched(8 * (a.size() + b.size()))
    {
        if (a.size() == 0 || b.size() == 0)
            return;
        pair(0, 0);
        while (!m_open.empty()) {
            throwIfStopped();
            const auto [nodeA, nodeB] = m_open.back();
            m_open.pop_back();
            pairChildren(nodeA, nodeB);
        }
        made.rough = m_alignment.rough();
    }

private:
    using Row = std::span<const Sibling>;

    void pair(uint32_t a, uint32_t b)
    {
        const CallShapes &treeA = m_a.tree, &treeB = m_b.tree;
        const uint32_t nodes = treeA.end[a] - a;
        if (treeA.hash[a] == treeB.hash[b] && nodes == treeB.end[b] - b) {
            std::iota(m_a.partners.begin() + a, m_a.partners.begin() + treeA.end[a], b);
            std::iota(m_b.partners.begin() + b, m_b.partners.begin() + treeB.end[b], a);
            return;
        }
        m_a.partners[a] = b;
        m_b.partners[b] = a;
        if (nodes > 1 && treeB.end[b] > b + 1)
            m_open.emplace_back(a, b);
    }

    void pairChildren(uint32_t a, uint32_t b)
    {
        m_a.children(a, m_rowA);
        m_b.children(b, m_rowB);
        const ShapeKind kind = m_a.tree.labelOf(a).kind;
        if (kind == ShapeKind::Root) {
            pairSteps();
            return;
        }
        m_aligned = m_alignment.align(m_rowA, m_rowB);
        for (const auto &[atA, atB] : m_aligned)
            pair(m_rowA[atA].node, m_rowB[atB].node);
        if (kind == ShapeKind::Step) {
            pairLanes();
            return;
        }
        const bool isOperator = kind == ShapeKind::Operator;
        uint32_t fromA = 0, fromB = 0;
        for (const auto &[atA, atB] : m_aligned) {
            pairBelow(Row(m_rowA).subspan(fromA, atA - fromA), Row(m_rowB).subspan(fromB, atB - fromB), isOperator);
            fromA = atA + 1;
            fromB = atB + 1;
        }
        pairBelow(Row(m_rowA).subspan(fromA), Row(m_rowB).subspan(fromB), isOperator);
    }

    /// Rule 1. What is outside the steps has no place among them.
    void pairSteps()
    {
        const auto split = [](const Side &side, const std::vector<Sibling> &row, std::vector<uint32_t> &steps) {
            uint32_t outside = kNoNode;
            for (const Sibling &one : row)
                if (side.tree.labelOf(one.node).text == kOutsideSteps)
                    outside = one.node;
                else
                    steps.push_back(one.node);
            if (steps.empty() && outside != kNoNode) // it is all that there is
                steps.push_back(std::exchange(outside, kNoNode));
            return outside;
        };
        std::vector<uint32_t> stepsA, stepsB;
        const uint32_t outsideA = split(m_a, m_rowA, stepsA), outsideB = split(m_b, m_rowB, stepsB);
        if (outsideA != kNoNode && outsideB != kNoNode)
            pair(outsideA, outsideB);
        for (size_t at = 0; at < std::min(stepsA.size(), stepsB.size()); ++at)
            pair(stepsA[at], stepsB[at]);
    }

    /// The second part of rule 3.
    void pairLanes()
    {
        for (const ShapeKind kind : {ShapeKind::Thread, ShapeKind::Stream}) {
            const auto next = [kind](const Side &side, const std::vector<Sibling> &row, size_t at) {
                while (at < row.size() &&
                       (side.partners[row[at].node] != kNoNode || side.tree.labelOf(row[at].node).kind != kind))
                    ++at;
                return at;
            };
            size_t a = next(m_a, m_rowA, 0), b = next(m_b, m_rowB, 0);
            for (; a < m_rowA.size() && b < m_rowB.size(); a = next(m_a, m_rowA, a), b = next(m_b, m_rowB, b))
                pair(m_rowA[a].node, m_rowB[b].node);
        }
    }

    /// Rules 4 and 5, for two rows of subtrees without partners.
    void pairBelow(Row rowA, Row rowB, bool isOperator)
    {
        if (rowA.empty() || rowB.empty())
            return;
        pairInner(rowA, rowB);
        leavesOf(m_a, rowA, m_leavesA);
        leavesOf(m_b, rowB, m_leavesB);
        if (m_leavesA.empty() || m_leavesB.empty())
            return;
        for (const auto &[atA, atB] : m_alignment.align(m_leavesA, m_leavesB))
            pair(m_leavesA[atA].node, m_leavesB[atB].node);
        const auto isPaired = [](const Side &side) {
            return [&side](const Sibling &leaf) { return side.partners[leaf.node] != kNoNode; };
        };
        std::erase_if(m_leavesA, isPaired(m_a));
        std::erase_if(m_leavesB, isPaired(m_b));
        for (const ShapeKind kind : {ShapeKind::Kernel, ShapeKind::Copy, ShapeKind::Memset})
            renameWork(kind, isOperator);
    }

    /// Rule 5, for the leaves of one kind.
    void renameWork(ShapeKind kind, bool isOperator)
    {
        const auto ofKind = [kind](const Side &side, const std::vector<Sibling> &leaves, std::vector<uint32_t> &nodes) {
            nodes.clear();
            for (const Sibling &leaf : leaves)
                if (side.tree.labelOf(leaf.node).kind == kind)
                    nodes.push_back(leaf.node);
        };
        ofKind(m_a, m_leavesA, m_workA);
        ofKind(m_b, m_leavesB, m_workB);
        const auto classOf = [](const Side &side, uint32_t node) { return side.tree.labelOf(node).work; };
        bool isInOrder = isOperator && m_workA.size() == m_workB.size();
        for (size_t at = 0; isInOrder && at < m_workA.size(); ++at)
            isInOrder = !areUnlike(classOf(m_a, m_workA[at]), classOf(m_b, m_workB[at]));
        if (isInOrder) {
            for (size_t at = 0; at < m_workA.size(); ++at)
                rename(m_workA[at], m_workB[at]);
            return;
        }
        const auto onlyOnes = [&](const Side &side, const std::vector<uint32_t> &nodes) {
            std::array<std::pair<uint32_t, uint32_t>, kWorkClasses> found{}; // per class: how many, and the last one
            for (const uint32_t leaf : nodes) {
                auto &[count, node] = found[static_cast<size_t>(classOf(side, leaf))];
                ++count;
                node = leaf;
            }
            return found;
        };
        const auto ofA = onlyOnes(m_a, m_workA), ofB = onlyOnes(m_b, m_workB);
        for (size_t work = 0; work < kWorkClasses; ++work)
            if (saysWhatItIs(static_cast<WorkClass>(work)) && ofA[work].first == 1 && ofB[work].first == 1)
                rename(ofA[work].second, ofB[work].second);
    }

    /// The first part of rule 4. Nodes can be searched again below other ancestors, so their number has a limit.
    void pairInner(Row rowA, Row rowB)
    {
        const auto nodesIn = [](const Side &side, Row row) {
            return size_t{side.tree.end[row.back().node]} - row.front().node;
        };
        const size_t searched = nodesIn(m_a, rowA) + nodesIn(m_b, rowB);
        if (searched > m_mostSearched - m_searched) {
            ++m_unsearched;
            return;
        }
        m_searched += searched;
        uint32_t behindA = 0, behindB = 0; // the last pair's subtrees, whose nodes pair among themselves
        for (const auto &[a, b] : uniquePairs(innerNodes(m_a, rowA), innerNodes(m_b, rowB))) {
            if (a < behindA || b < behindB)
                continue;
            pair(a, b);
            behindA = m_a.tree.end[a];
            behindB = m_b.tree.end[b];
        }
    }

    using Labelled = std::pair<uint32_t, uint32_t>; ///< a label and a node

    /// The inner nodes of some subtrees, with their labels.
    static std::vector<Labelled> innerNodes(const Side &side, Row row)
    {
        std::vector<Labelled> all;
        for (uint32_t node = row.front().node; node < side.tree.end[row.back().node]; ++node)
            if (!side.tree.isWork(node))
                all.emplace_back(side.at(node).label, node);
        return all;
    }

    /// The leaves of some subtrees that are in no subtree with a partner.
    static void leavesOf(const Side &side, Row row, std::vector<Sibling> &leaves)
    {
        leaves.clear();
        for (uint32_t node = row.front().node; node < side.tree.end[row.back().node];) {
            if (side.partners[node] != kNoNode) {
                node = side.tree.end[node];
                continue;
            }
            if (side.tree.isWork(node))
                leaves.push_back(side.at(node));
            ++node;
        }
    }

    void rename(uint32_t a, uint32_t b)
    {
        m_a.partners[a] = b;
        m_b.partners[b] = a;
    }

    Side m_a, m_b;
    uint64_t &m_unsearched;
    const size_t m_mostSearched;
    size_t m_searched = 0;
    SiblingAlignment m_alignment;
    std::vector<std::pair<uint32_t, uint32_t>> m_open; ///< pairs whose children are not paired yet
    std::vector<Sibling> m_rowA, m_rowB, m_leavesA, m_leavesB;
    std::vector<uint32_t> m_workA, m_workB;
    std::vector<SiblingAlignment::Pair> m_aligned;
};

} // namespace

TreePairing::TreePairing(const CallShapes &a, const CallShapes &b)
    : ofA(filledVector(a.size(), kNone))
    , ofB(filledVector(b.size(), kNone))
    , labelsOfB(commonLabels(a, b))
{
    TreePairer(a, b, *this);
}

} // namespace riffle
