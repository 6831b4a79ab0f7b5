// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// What an allocation of a trace is for, guessed from the stages of the steps (Stages) in which it began and ended. The
/// first rule that holds decides.
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

/// The memory of one device when the program had the most of it.
struct MemoryPeak {
    int32_t deviceType = 0, device = 0;
    uint32_t row = 0;            ///< of Trace::memory: the event after which that was
    int64_t bytes = 0;           ///< Total Allocated then
    std::vector<uint32_t> alive; ///< TraceMemory::lives that began by then and ended later or never
    int64_t before = 0; ///< of `bytes` what was allocated before the recording and not released in it; negative where
                        ///< sizes do not agree
};

/// By device, in the order of their numbers; the peaks of a scope are those of its events.
std::vector<MemoryPeak> memoryPeaks(const Scope &scope);

/// Of each life.
std::vector<MemoryUse> memoryUses(const Scope &scope);

} // namespace riffle
