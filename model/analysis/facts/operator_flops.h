// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/kernel_traits.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// What operators compute (R11). Shapes are read from the source once for each combination of name, shapes and other
/// inputs.
struct OperatorFlops {
    static constexpr uint32_t kNone = UINT32_MAX;
    /// Combinations that are read, those of the most calls first: more are no training run.
    static constexpr size_t kMostCombinations = 4096;

    /// A call that is counted: it has FLOPs by its shapes, and no call inside it already stands for them.
    struct Call {
        uint32_t call = 0;
        uint32_t name = 0; ///< StringId
        LaneId lane;
        uint32_t device = kNone;                 ///< index of the device that its work first ran on; kNone: no work
        ComputeType type = ComputeType::Unknown; ///< as the names of its kernels say
        int64_t flops = 0;
        TimeSpan span;
        Ns deviceTime = 0; ///< sum over its work, without that of counted calls inside
    };
    std::vector<Call> calls;      ///< ascending
    std::vector<uint32_t> ofWork; ///< by device work: the counted call that it belongs to, or kNone
    bool anyShapes = false;       ///< shapes were recorded
    uint64_t notRead = 0;         ///< calls whose shapes could not be read, or are among too many different ones

    OperatorFlops(const Trace &trace, const CallTree &tree, const DeviceWork &work);
};

/// a + b, and the largest number where that is more: what damaged files say must not wrap.
inline int64_t addedFlops(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

} // namespace riffle
