// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

namespace riffle::collector {

/// How much memory is in use per device, of what the driver was seen to give since the recording began.
class MemoryTotals {
public:
    struct Bytes {
        int64_t allocated = 0, reserved = 0; ///< reserved: with what pools keep for later
    };

    void allocated(int64_t device, uint64_t address, int64_t bytes);
    /// How many bytes that were; 0 for memory that was there before.
    int64_t freed(int64_t device, uint64_t address);
    /// What a pool has now; nothing when it is gone.
    void pool(int64_t device, uint64_t address, int64_t size, int64_t used);
    Bytes of(int64_t device) const;
    void clear();

private:
    static constexpr size_t kMost = 1 << 20; ///< allocations that are followed at once

    struct Device {
        Bytes pools;
        int64_t direct = 0;
    };
    std::map<int64_t, Device> m_devices;
    std::unordered_map<uint64_t, int64_t> m_live; ///< bytes by address, without those from pools
    std::unordered_map<uint64_t, Bytes> m_pools;
};

} // namespace riffle::collector
