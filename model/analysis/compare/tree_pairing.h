// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_shapes.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Which node of one tree of calls is which node of another one. A node has at most one partner. Partners are below
/// partners, or below the lowest nodes around them that have partners. Those that one alignment (rules 3 and 4) or one
/// row (rule 5, in order) makes are in the same order; all partners of a tree need not be. The rules, from the roots
/// down:
///
/// 1. Steps pair in order, whatever their numbers are.
/// 2. Nodes that pair and have equal subtrees pair as a whole.
/// 3. Otherwise their children are aligned in order (alignedSiblings()). Threads without a partner then pair in order,
///    and so do streams, because their names say little.
/// 4. What is left between two siblings with partners stands below its lowest common ancestor. There, inner nodes pair
///    whose label occurs once on each side, so that a range around a part of the calls does not tear it apart. Then the
///    leaves that are left are aligned like siblings, by their names.
/// 5. Leaves still without a partner can be the same work under another name. Kernels, copies and memsets are judged
///    apart: they are the same, in order, if the common ancestor is an operator, both sides have equally many, and no
///    two of them have different WorkClasses. Otherwise, one is the same as one if each side has exactly one of its
///    class. “Other compute” says too little to be a class here.
///
/// Everything else has no partner: it is gone (A) or new (B). There is no pairing without such evidence.
struct TreePairing {
    static constexpr uint32_t kNone = CallShapes::kNone;

    BigVector<uint32_t> ofA;         ///< per node of A: its partner in B, or kNone
    BigVector<uint32_t> ofB;         ///< per node of B: its partner in A, or kNone
    std::vector<uint32_t> labelsOfB; ///< per label of B: the number of the equal label of A, otherwise one behind them
    uint64_t rough = 0;              ///< how often so many siblings differed that they were aligned only roughly
    uint64_t unsearched = 0;         ///< how often inner nodes were not searched (rule 4), because that took too long

    TreePairing(const CallShapes &a, const CallShapes &b);
    /// True if two nodes have the same label.
    bool isNamedAlike(const CallShapes &a, const CallShapes &b, uint32_t nodeA, uint32_t nodeB) const
    {
        return a.label[nodeA] == labelsOfB[b.label[nodeB]];
    }
};

} // namespace riffle
