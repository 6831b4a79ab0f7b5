// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace riffle::collector {

/// The memory that CUPTI writes records into. CUPTI's callbacks use the object whose begin() was called last.
class CuptiBuffers {
public:
    /// Makes this object the current one, with at most `bytes` in total. `mayRefuse` is true if CUPTI tolerates getting
    /// no buffer.
    void begin(size_t bytes, bool mayRefuse);

    static void requested(uint8_t **buffer, size_t *size, size_t *maxRecords);
    static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

    struct Buffer {
        uint8_t *memory;
        size_t valid;
    };
    /// The buffers that CUPTI has returned since the last call.
    std::vector<Buffer> takeCompleted();
    void giveBack(const Buffer &buffer);

    /// The number of buffers that CUPTI has now.
    size_t atCupti();
    /// True if CUPTI has a buffer with records that takeLate() has not counted.
    bool owesRecords();
    /// The number of buffers that CUPTI has although it has written records into them, without those of earlier calls.
    /// To be called when CUPTI records nothing any more.
    size_t takeLate();
    uint64_t refused() const { return m_refused.load(std::memory_order_relaxed); } ///< number of refused requests

private:
    struct Given {
        uint8_t *memory;
        bool isLate; ///< takeLate() has counted it
    };
    std::mutex m_mutex; ///< held for moments only, never across a call to CUPTI
    std::vector<Buffer> m_completed;
    std::vector<uint8_t *> m_free;
    std::vector<Given> m_given; ///< what CUPTI has
    size_t m_limit = 0, m_made = 0;
    bool m_mayRefuse = false;
    std::atomic<uint64_t> m_refused{0};
};

} // namespace riffle::collector
