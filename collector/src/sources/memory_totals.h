// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace riffle::collector {

/// The memory in use per device, counting only allocations that were seen since the recording started.
class MemoryTotals {
public:
    struct Bytes {
        int64_t allocated = 0, reserved = 0; ///< reserved also includes what pools keep for later
    };

    void allocated(int64_t device, uint64_t address, int64_t bytes);
    /// Removes an allocation and returns its size; 0 for memory that was allocated before the recording started.
    int64_t freed(int64_t device, uint64_t address);
    /// Sets the current size and use of a pool; both are 0 when the pool has been destroyed.
    void pool(int64_t device, uint64_t address, int64_t size, int64_t used);
    Bytes of(int64_t device) const;
    void clear();

private:
    static constexpr size_t kMost = 1 << 20; ///< the most live allocations that are tracked

    struct Device {
        Bytes pools;
        int64_t direct = 0;
    };
    std::map<int64_t, Device> m_devices;
    std::unordered_map<uint64_t, int64_t> m_live; ///< bytes by address, without those from pools
    std::unordered_map<uint64_t, Bytes> m_pools;
};

} // namespace riffle::collector
