// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/lane_nesting.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace riffle {

uint32_t RowAllocator::place(Ns start, Ns end)
{
    assert(start <= end);
    const auto later = [](const Busy &a, const Busy &b) { return a.end > b.end; };
    while (!m_busy.empty() && m_busy.front().end <= start) {
        m_free.push_back(m_busy.front().row);
        std::push_heap(m_free.begin(), m_free.end(), std::greater<>());
        std::pop_heap(m_busy.begin(), m_busy.end(), later);
        m_busy.pop_back();
    }
    uint32_t row = 0;
    if (m_free.empty()) {
        row = m_rows++;
    } else {
        std::pop_heap(m_free.begin(), m_free.end(), std::greater<>());
        row = m_free.back();
        m_free.pop_back();
    }
    m_busy.push_back({std::max(end, start + 1), row});
    std::push_heap(m_busy.begin(), m_busy.end(), later);
    return row;
}

} // namespace riffle
