// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/pixel_grid.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <span>

namespace riffle {

/// The slices of a drawing row that start in one pixel column; never empty.
struct RowCell {
    uint32_t first = 0;  ///< index inside the segment
    uint32_t behind = 0; ///< one past the last
    int x = 0;
};

/// Splits a row's slices by the pixel column in which they start, several columns at a time: in a trace with a hundred
/// million slices, every access is a cache miss, and several independent misses take no longer than one.
class RowCells {
public:
    static constexpr size_t kBatch = 16;

    /// Takes slices [first, last) of a row, whose starts in `start` (those of the segment) are ascending. `start` and
    /// `grid` must outlive this object.
    RowCells(const Ns *start, uint32_t first, uint32_t last, const PixelGrid &grid)
        : m_start(start)
        , m_at(first)
        , m_last(last)
        , m_grid(grid)
    {
        assert(first <= last);
    }
    /// Returns the next cells in ascending order; empty at the end. They are valid until the next call.
    std::span<const RowCell> next();

private:
    void add(uint32_t behind, int x);
    void addCrowded(int x);

    const Ns *m_start;
    uint32_t m_at;
    uint32_t m_last;
    const PixelGrid &m_grid;
    uint32_t m_perColumn = 1; ///< number of slices in the last cell
    std::array<RowCell, kBatch> m_cells;
    size_t m_count = 0;
};

} // namespace riffle
