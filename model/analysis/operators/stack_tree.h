// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/scope.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// A frame of a call stack, or an operator called in one. Times in ns.
struct StackNode {
    uint32_t parent;
    uint32_t name; ///< for FrameChains::nameOf()
    bool isOperator = false;
    uint64_t occurrences = 0; ///< calls that start inside what is asked about
    uint64_t operators = 0;   ///< called in it, in no frame inside
    Ns hostSelf = 0, deviceSelf = 0, deviceBackward = 0;
    Ns hostTotal = 0, deviceTotal = 0; ///< these, and those of all nodes inside
    uint32_t longest = UINT32_MAX;     ///< SliceId of the longest call
    Ns longestDuration = -1;
    Ns first = kLatestTime; ///< start of the first of all its calls
};

/// Where the time of the host and of the device was called from, as a tree in which every path occurs once.
///
/// Without operators the nodes are frames: host self is the time of a frame without the frames inside it. With
/// operators these are nodes, too, below the frame that they have (their own, their forward operator's), or below the
/// operator around them where that has the same; only they have a host self, their time without the operators inside
/// them. Device work is self where it was launched: in the operator, or in its frame.
struct StackTree {
    std::vector<StackNode> nodes;              ///< parents first
    std::vector<uint32_t> slices, nodeOfSlice; ///< calls of the nodes by ascending SliceIds
    Ns deviceWithout = 0;                      ///< device time that has no stack

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
    Numbering<uint64_t, NodeHash> m_numbers; ///< of operators' nodes, by what they are in and their name
    std::vector<uint32_t> m_nodeOfCall;      ///< of operators
};

/// The tree as a table.
ResultTable stackTable(const Scope &scope, bool withOperators);

} // namespace riffle
