// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// A backward operator and the operator that it is the derivative of, as call numbers.
struct ForwardOperator {
    uint32_t backward;
    uint32_t forward;
};

/// Of each operator with a Fwd thread id its forward operator: of those with the same Sequence number and no Fwd thread
/// id that start before it the one that starts last, and of equal starts the deepest. They lie on one thread per Fwd
/// thread id: the one that has such operators for most of its backward operators, else the one that begins first.
std::vector<ForwardOperator> forwardOperators(const Trace &trace, const CallTree &calls);

} // namespace riffle
