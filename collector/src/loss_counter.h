// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace riffle::collector {

/// The number of dropped events, and the times of the first and the last one.
struct Loss {
    uint64_t count = 0;
    int64_t first = 0, last = 0;
};

/// Counts dropped events on any thread; another thread takes the count.
class LossCounter {
public:
    void add(int64_t time)
    {
        // take() may run in between. At worst, one drop is reported in the next loss, or a loss starts too early.
        if (m_count.fetch_add(1, std::memory_order_relaxed) == 0)
            m_first.store(time, std::memory_order_relaxed);
        m_last.store(time, std::memory_order_relaxed);
    }
    /// The events that were dropped since the last call.
    Loss take()
    {
        if (m_count.load(std::memory_order_relaxed) == 0)
            return {};
        Loss loss;
        loss.count = m_count.exchange(0, std::memory_order_relaxed);
        loss.first = m_first.load(std::memory_order_relaxed);
        loss.last = m_last.load(std::memory_order_relaxed);
        return loss;
    }

private:
    std::atomic<uint64_t> m_count{0};
    std::atomic<int64_t> m_first{0}, m_last{0};
};

} // namespace riffle::collector
