// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <string_view>

namespace riffle {

/// A backward operator and the operator whose derivative it computes, as call numbers.
struct ForwardOperator {
    uint32_t backward;
    uint32_t forward;
};

/// The name of the operator in which autograd runs a backward function starts with this, and ends with that function's.
inline constexpr std::string_view kAutogradNode = "autograd::engine::evaluate_function: ";

/// True if a name, and that of the operator around it, are those of a node or of the function inside it.
inline bool isBackwardName(std::string_view name, std::string_view around)
{
    return name.starts_with(kAutogradNode) ||
           (around.starts_with(kAutogradNode) && around.substr(kAutogradNode.size()) == name);
}

/// Finds the forward operator of each operator with a Fwd thread id. If operators lack that id, which only PyTorch's
/// own profiler records, backward operators are known by their names, and count as those of one thread. The candidates
/// have the same Sequence number and no Fwd thread id, and start before it. The candidate that starts last is chosen;
/// if several start at that time, the deepest of them. All forward operators for a Fwd thread id are taken from one
/// thread: the one that has candidates for the most backward operators with that id. If several threads tie, it is the
/// one whose first operator starts first.
BigVector<ForwardOperator> forwardOperators(const Trace &trace, const CallTree &calls);

} // namespace riffle
