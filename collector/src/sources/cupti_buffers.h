// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace riffle::collector {

/// The memory that CUPTI writes records into. CUPTI's callbacks mean the one that is current.
class CuptiBuffers {
public:
    /// At most `bytes` in all; `mayRefuse`: CUPTI bears to be given none.
    void begin(size_t bytes, bool mayRefuse);

    static void requested(uint8_t **buffer, size_t *size, size_t *maxRecords);
    static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

    struct Buffer {
        uint8_t *memory;
        size_t valid;
    };
    /// Those that CUPTI has filled since the last call.
    std::vector<Buffer> takeCompleted();
    void giveBack(const Buffer &buffer);

    size_t atCupti();                                                              ///< handed out, and not come back
    uint64_t refused() const { return m_refused.load(std::memory_order_relaxed); } ///< requests

private:
    std::mutex m_mutex; ///< held for moments only, never across a call of CUPTI
    std::vector<Buffer> m_completed;
    std::vector<uint8_t *> m_free;
    size_t m_limit = 0, m_made = 0;
    bool m_mayRefuse = false;
    std::atomic<uint64_t> m_refused{0};
};

} // namespace riffle::collector
