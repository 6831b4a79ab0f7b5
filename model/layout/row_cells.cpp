// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/row_cells.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr uint32_t kCrowd = 64;

uint32_t gallop(const Ns *start, uint32_t from, uint32_t last, Ns bound, uint32_t guess, uint32_t step)
{
    assert(from <= last);
    if (from == last)
        return last;
    uint32_t low = from;
    uint32_t high = last;
    uint32_t at = std::clamp(guess, from, last - 1);
    if (start[at] < bound) {
        low = at + 1;
        while (step < last - at) {
            at += step;
            if (start[at] >= bound) {
                high = at;
                break;
            }
            low = at + 1;
            step *= 2;
        }
    } else {
        high = at;
        while (step <= at - from) {
            at -= step;
            if (start[at] < bound) {
                low = at + 1;
                break;
            }
            high = at;
            step *= 2;
        }
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (start[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

} // namespace

std::span<const RowCell> RowCells::next()
{
    m_count = 0;
    while (m_at < m_last && m_count < kBatch) {
        const int x = m_grid.first(m_start[m_at]);
        if (x >= m_grid.width()) {
            m_at = m_last;
            break;
        }
        if (m_perColumn >= kCrowd && m_perColumn < m_last - m_at) {
            addCrowded(x);
            continue;
        }
        const uint32_t guess = m_perColumn < m_last - m_at ? m_at + m_perColumn : m_last - 1;
        add(std::max(m_at + 1, gallop(m_start, m_at + 1, m_last, m_grid.next(x), guess, m_perColumn / 8 + 1)), x);
    }
    return {m_cells.data(), m_count};
}

void RowCells::add(uint32_t behind, int x)
{
    assert(m_count < kBatch && m_at < behind && behind <= m_last);
    m_cells[m_count++] = {m_at, behind, x};
    m_perColumn = behind - m_at;
    m_at = behind;
}

void RowCells::addCrowded(int x)
{
    const auto columns = std::min<size_t>(kBatch - m_count, static_cast<size_t>(m_grid.width() - x));
    std::array<uint32_t, kBatch> guess;
    uint64_t far = m_at;
    for (size_t i = 0; i < columns; ++i) {
        far = std::min<uint64_t>(far + m_perColumn, m_last - 1);
        guess[i] = static_cast<uint32_t>(far);
        __builtin_prefetch(m_start + far);
    }
    // The start of the slice at each guess shows how far off the guess is. One correction, as if slices were evenly
    // spread, brings it close.
    const Ns columnNs = std::max<Ns>(1, m_grid.next(x) - m_grid.next(x - 1));
    const double perNs = static_cast<double>(m_perColumn) / static_cast<double>(columnNs);
    for (size_t i = 0; i < columns; ++i) {
        const Ns off = m_grid.next(x + static_cast<int>(i)) - m_start[guess[i]];
        const double to = static_cast<double>(guess[i]) + static_cast<double>(off) * perNs;
        guess[i] = static_cast<uint32_t>(std::clamp(to, static_cast<double>(m_at), static_cast<double>(m_last - 1)));
        __builtin_prefetch(m_start + guess[i]);
    }
    for (size_t i = 0; i < columns && m_at < m_last; ++i) {
        const int column = x + static_cast<int>(i);
        const uint32_t behind = gallop(m_start, m_at, m_last, m_grid.next(column), guess[i], 8);
        if (behind > m_at)
            add(behind, column);
        // The last column was not crowded, so let next() decide again.
        if (m_perColumn < kCrowd)
            return;
    }
}

} // namespace riffle
