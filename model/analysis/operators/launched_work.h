// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Adds the device work that the scope launches to the nodes of a tree: to deviceSelf, and to deviceBackward what
/// backward operators launched. `nodeOf(call)` names the node of a call, or none (FrameChains::kNone), as for work
/// whose call is not known. Gives the time that belongs to no node, in ns.
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
