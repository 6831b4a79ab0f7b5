// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace riffle::collector {

/// A single-producer, single-consumer ring of variable-length records. The producer never blocks and makes no system
/// calls. The size of a record is a multiple of 8 bytes; a record is never split and starts with its size in 32 bits.
class Ring {
public:
    /// Creates a ring; null if there is no memory. `capacity` must be a power of two. The system provides the memory
    /// page by page when it is first used.
    static Ring *create(size_t capacity);
    void destroy(); ///< frees the memory and the ring itself

    size_t capacity() const { return m_capacity; }

    /// Returns room for `bytes` that leaves another `reserve` bytes free; null if there is not enough. Call commit()
    /// when the record is filled.
    std::byte *claim(size_t bytes, size_t reserve)
    {
        assert(bytes >= sizeof(uint32_t) && bytes % 8 == 0); // so that padding always has room for its size field
        const uint64_t head = m_head.load(std::memory_order_relaxed);
        assert(head - m_tailSeen <= m_capacity);
        const size_t at = static_cast<size_t>(head) & (m_capacity - 1);
        const size_t pad = at + bytes > m_capacity ? m_capacity - at : 0;
        if (head + pad + bytes + reserve - m_tailSeen > m_capacity) {
            m_tailSeen = m_tail.load(std::memory_order_acquire);
            if (head + pad + bytes + reserve - m_tailSeen > m_capacity)
                return nullptr;
        }
        if (pad) {
            const uint32_t skip = static_cast<uint32_t>(pad) | kSkip;
            std::memcpy(m_memory + at, &skip, sizeof(skip));
        }
        m_claimed = head + pad + bytes;
        assert(m_claimed - m_tailSeen <= m_capacity);
        return m_memory + (pad ? 0 : at);
    }
    void commit()
    {
        assert(m_claimed > m_head.load(std::memory_order_relaxed)); // once per claim()
        m_head.store(m_claimed, std::memory_order_release);
    }

    /// Calls take(record) for every record that is there now; returns the number of bytes consumed.
    template <typename F>
    size_t drain(F take)
    {
        const uint64_t head = m_head.load(std::memory_order_acquire);
        uint64_t tail = m_tail.load(std::memory_order_relaxed);
        const uint64_t begin = tail;
        while (tail != head) {
            const std::byte *record = m_memory + (static_cast<size_t>(tail) & (m_capacity - 1));
            uint32_t bytes = 0;
            std::memcpy(&bytes, record, sizeof(bytes));
            assert((bytes & ~kSkip) > 0 && (bytes & ~kSkip) <= head - tail);
            if (!(bytes & kSkip))
                take(record);
            tail += bytes & ~kSkip;
        }
        m_tail.store(tail, std::memory_order_release);
        return static_cast<size_t>(tail - begin);
    }

private:
    static constexpr uint32_t kSkip = 0x80000000u; ///< bit in the size field: padding up to the end of the ring

    std::byte *m_memory = nullptr;
    size_t m_capacity = 0;
    alignas(64) std::atomic<uint64_t> m_head{0};
    uint64_t m_claimed = 0, m_tailSeen = 0; ///< used by the producer only
    alignas(64) std::atomic<uint64_t> m_tail{0};
};

} // namespace riffle::collector
