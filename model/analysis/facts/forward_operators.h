// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/base/big_vector.h"

#include <cstdint>

namespace riffle {

/// A backward operator and the operator whose derivative it computes, as call numbers.
struct ForwardOperator {
    uint32_t backward;
    uint32_t forward;
};

/// Finds the forward operator of each operator with a Fwd thread id. The candidates have the same Sequence number, no
/// Fwd thread id, and start before it; the one that starts last is chosen, and the deepest of equal starts. All forward
/// operators of a Fwd thread id are on one thread: the thread that has candidates for the most of its backward
/// operators, or among equal ones the thread whose first operator starts first.
BigVector<ForwardOperator> forwardOperators(const Trace &trace, const CallTree &calls);

} // namespace riffle
