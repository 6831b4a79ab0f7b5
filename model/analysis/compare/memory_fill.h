// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// How full the devices' memories were: the memory that PyTorch's allocator had reserved / the memory of the device. A
/// library such as NCCL allocates beside the allocator, so little is left for its buffers if the fill is near 1.
class MemoryFill {
public:
    /// `facts` must outlive it.
    explicit MemoryFill(const TraceFacts &facts);

    /// True if the fill of any device is known at any time.
    bool isKnown() const;
    /// The largest fill in a span; `device` is an index of DeviceWork::devices. NaN unless the trace has both the
    /// reserved memory then and the size of the device's memory.
    double largest(size_t device, TimeSpan span) const;

private:
    /// The reserved memory of one device over time: level[i] holds from time[i] on.
    struct Levels {
        int64_t memoryBytes = 0;
        BigVector<Ns> time;
        BigVector<int64_t> largest; ///< a tree of maxima over the levels, which are its second half
    };
    std::vector<Levels> m_devices; ///< parallel to DeviceWork::devices
};

} // namespace riffle
