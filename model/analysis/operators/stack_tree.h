// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/scope.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/table/result_table.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// A frame of a call stack, or an operator called in one. Times in ns.
struct StackNode {
    uint32_t parent;
    uint32_t name; ///< for FrameChains::nameOf()
    bool isOperator = false;
    uint64_t occurrences = 0; ///< calls that start inside the scope
    uint64_t operators = 0;   ///< called in it, but not in a frame inside it
    Ns hostSelf = 0, deviceSelf = 0, deviceBackward = 0;
    Ns hostTotal = 0, deviceTotal = 0; ///< self times, plus those of all nodes inside
    uint32_t longest = UINT32_MAX;     ///< SliceId of the longest call
    Ns longestDuration = -1;
    Ns first = kLatestTime; ///< start of its first call, inside the scope or not
};

/// The call stacks that host time and device time belong to, as a tree in which every path occurs once.
///
/// Without operators, the nodes are frames, and host self is the time of a frame without the frames inside it. With
/// operators, operators are nodes as well. They are below the innermost frame of their stack, which may be that of
/// their forward operator, or below the operator around them if it has the same stack. Only they have a host self time:
/// their time without the operators inside them. Device work is self time of the operator that launched it, or of its
/// frame.
struct StackTree {
    std::vector<StackNode> nodes;            ///< parents first
    BigVector<uint32_t> slices, nodeOfSlice; ///< the nodes' calls, and their nodes
    Ns deviceWithout = 0;                    ///< device time without a stack

    StackTree(const Scope &scope, bool withOperators);

private:
    void addCall(const Scope &scope, uint32_t node, uint32_t slice, const SliceReader &reader);
    void addFrames(const Scope &scope);
    void addOperators(const Scope &scope);
    void addDevice(const Scope &scope);
    void sumUp();
    uint32_t nodeOfOperator(const Scope &scope, uint32_t call);

    struct NodeHash {
        size_t operator()(uint64_t key) const { return mixed(key); }
    };
    bool m_withOperators;
    SlicePositions m_positions;
    Numbering<uint64_t, NodeHash> m_numbers; ///< numbers the operators' nodes by parent node and name
    BigVector<uint32_t> m_nodeOfCall;        ///< per call; only operators have nodes
};

/// The tree as a table.
ResultTable stackTable(const Scope &scope, bool withOperators);

} // namespace riffle
