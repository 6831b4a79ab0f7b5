// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The use of an allocation in a trace, guessed from the stages of the steps (Stages) in which it was allocated and
/// released. The first rule that holds decides.
enum class MemoryUse : uint8_t {
    Temporary,      ///< allocated and released within one outermost operator
    Input,          ///< allocated while a batch is loaded
    OptimizerState, ///< allocated in the optimizer, not released before it ends
    Gradient,       ///< allocated in backward, not released before it ends
    AutogradDetail, ///< allocated in backward and released in it
    Activation,     ///< allocated in forward, released in backward
    Unknown,
    Count
};
const char *memoryUseName(MemoryUse use);

/// The memory of one device at the time at which the program had the most of it.
struct MemoryPeak {
    int32_t deviceType = 0, device = 0;
    uint32_t row = 0;          ///< row of Trace::memory: the event that led to the peak
    int64_t bytes = 0;         ///< Total Allocated at the peak
    BigVector<uint32_t> alive; ///< the allocations that were alive at the peak, as indices of TraceMemory::lives
    int64_t before = 0; ///< the part of `bytes` that was allocated before the recording and not released during it;
                        ///< negative if sizes do not agree
};

/// One peak per device, in the order of the devices' numbers. Only events in the scope count.
std::vector<MemoryPeak> memoryPeaks(const Scope &scope);

/// The use of each of TraceMemory::lives.
BigVector<MemoryUse> memoryUses(const Scope &scope);

} // namespace riffle
