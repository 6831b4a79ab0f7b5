// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// Operators, annotations and their like on the threads of a trace, with the device work that was launched inside each. Frames
/// and runtime calls are none: what they are in counts.
struct HostNodes {
    static constexpr uint32_t kNone = UINT32_MAX;

    std::vector<uint32_t> slice;  ///< SliceId, ascending
    std::vector<uint32_t> parent; ///< the nearest node around it
    std::vector<Ns> device;       ///< summed time of the device work launched inside, as far as the scope chooses it
    std::vector<uint32_t> ofWork; ///< by device work: the nearest node around its launch
    std::vector<uint8_t> isOperator; ///< Paddle's Operator; elsewhere operators in no other operator

    explicit HostNodes(const Scope &scope);
    size_t size() const { return slice.size(); }
};

} // namespace riffle
