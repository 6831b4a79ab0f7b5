// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_properties.h"
#include "model/trace/trace.h"

#include <optional>
#include <vector>

namespace riffle {

/// The recorded levels of a device's allocator over time, and the size of the device's memory.
struct DeviceMemory {
    int32_t device = 0;         ///< PyTorch's number of the device
    int64_t total = kNoInt;     ///< bytes; kNoInt if the trace does not record it
    std::vector<uint32_t> rows; ///< the rows of Trace::memory that record totals, in order of time

    /// The last row before or at a time.
    std::optional<uint32_t> rowAt(const MemoryTable &memory, Ns time) const;
};

/// The memory of all devices in ascending order; the CPU does not count as a device.
std::vector<DeviceMemory> deviceMemoryOf(const Trace &trace, const std::vector<DeviceProperties> &devices);

/// The bytes that the allocator holds: reserved, or allocated if only that was recorded.
int64_t heldBytes(const MemoryTable &memory, uint32_t row);

/// The memory of the device that the profiler numbers `device`; null if there is none.
const DeviceMemory *memoryOf(const std::vector<DeviceMemory> &memories, int32_t device, size_t devices);

} // namespace riffle
