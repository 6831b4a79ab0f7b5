// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_properties.h"
#include "model/trace/trace.h"

#include <optional>
#include <vector>

namespace riffle {

/// What a device's allocator said of itself over time, and how much memory the device has.
struct DeviceMemory {
    int32_t device = 0;         ///< as PyTorch numbers them
    int64_t total = kNoInt;     ///< bytes; kNoInt where the trace does not say
    std::vector<uint32_t> rows; ///< of Trace::memory, in order of time; those that say totals only

    /// The last row before or at a time.
    std::optional<uint32_t> rowAt(const MemoryTable &memory, Ns time) const;
};

/// By ascending device; the CPU is none.
std::vector<DeviceMemory> deviceMemoryOf(const Trace &trace, const std::vector<DeviceProperties> &devices);

/// Bytes that the allocator holds: reserved, or allocated where that is all that was recorded.
int64_t heldBytes(const MemoryTable &memory, uint32_t row);

/// The memory of the device that the profiler calls `device`; null where there is none.
const DeviceMemory *memoryOf(const std::vector<DeviceMemory> &memories, int32_t device, size_t devices);

} // namespace riffle
