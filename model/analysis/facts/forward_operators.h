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

/// Finds the forward operator of each operator with a Fwd thread id. The candidates have the same Sequence number and
/// no Fwd thread id, and start before it. The candidate that starts last is chosen; if several start at that time, the
/// deepest of them. All forward operators for a Fwd thread id are taken from one thread: the one that has candidates
/// for the most backward operators with that id. If several threads tie, it is the one whose first operator starts
/// first.
BigVector<ForwardOperator> forwardOperators(const Trace &trace, const CallTree &calls);

} // namespace riffle
