// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/kernel_traits.h"
#include "model/base/big_vector.h"

#include <cstdint>

namespace riffle {

/// The FLOPs of operators (R11). Shapes are read from the source once for each combination of name, shapes and other
/// inputs.
struct OperatorFlops {
    static constexpr uint32_t kNone = UINT32_MAX;
    /// The maximum number of combinations that are read; those with the most calls take precedence. Training runs have
    /// fewer.
    static constexpr size_t kMostCombinations = 4096;

    /// A counted call: its shapes determine its FLOPs, and no call inside it already counts for them.
    struct Call {
        uint32_t call = 0;
        uint32_t name = 0; ///< StringId
        LaneId lane;
        uint32_t device = kNone; ///< index of the device that its first work ran on; kNone if it has no work
        ComputeType type = ComputeType::Unknown; ///< according to the names of its kernels
        int64_t flops = 0;
        TimeSpan span;
        Ns deviceTime = 0; ///< the sum over its work, excluding the work of counted calls inside it
    };
    BigVector<Call> calls;      ///< ascending
    BigVector<uint32_t> ofWork; ///< per device work: the counted call that it belongs to, or kNone
    bool anyShapes = false;     ///< true if shapes were recorded
    uint64_t notRead = 0;       ///< the number of calls whose shapes could not be read, or exceed kMostCombinations

    OperatorFlops(const Trace &trace, const CallTree &tree, const DeviceWork &work);
};

/// a + b, clamped to the largest number, because the numbers of damaged files must not wrap.
inline int64_t addedFlops(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

} // namespace riffle
