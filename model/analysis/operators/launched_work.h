// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Adds the time of the device work launched in the scope to the nodes of a tree: to deviceSelf and, if a backward
/// operator launched it, to deviceBackward. `nodeOf(call)` returns the node of a call, or FrameChains::kNone. Returns
/// the time that belongs to no node, in ns; work whose call is unknown belongs to none.
template <typename Node, typename NodeOf>
Ns addLaunchedWork(const Scope &scope, std::vector<Node> &nodes, NodeOf nodeOf)
{
    const DeviceWork &work = scope.facts().work();
    const CallTree &calls = scope.facts().calls();
    const FrameChains &chains = scope.facts().chains();
    Ns without = 0;
    for (size_t at = 0; at < work.size(); ++at) {
        if (!scope.launches(at))
            continue;
        const uint32_t call = FrameChains::callOf(work, calls, at);
        const uint32_t node = call == CallTree::kNone ? FrameChains::kNone : nodeOf(call);
        if (node == FrameChains::kNone) {
            without += work.duration(at);
            continue;
        }
        nodes[node].deviceSelf += work.duration(at);
        nodes[node].deviceBackward += chains.isBackward(calls, call) ? work.duration(at) : 0;
    }
    return without;
}

} // namespace riffle
