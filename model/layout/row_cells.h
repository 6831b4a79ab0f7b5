// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/pixel_grid.h"

#include <array>
#include <cstdint>
#include <span>

namespace riffle {

/// The slices of a drawing row that start in one pixel column; never empty.
struct RowCell {
    uint32_t first = 0;  ///< index inside the segment
    uint32_t behind = 0; ///< one past the last
    int x = 0;
};

/// Splits a row's slices by the column that they start in, some columns at a time: in a trace of a hundred million
/// slices every look is a cache miss, and looks that do not wait for each other take as long as one.
class RowCells {
public:
    static constexpr size_t kBatch = 16;

    /// Slices [first, last) of a row; `start` are the ascending starts of its segment. Both must outlive this.
    RowCells(const Ns *start, uint32_t first, uint32_t last, const PixelGrid &grid)
        : m_start(start)
        , m_at(first)
        , m_last(last)
        , m_grid(grid)
    {
    }
    /// The next cells in ascending order; none at the end. Valid until the next call.
    std::span<const RowCell> next();

private:
    void add(uint32_t behind, int x);
    void addCrowded(int x);

    const Ns *m_start;
    uint32_t m_at;
    uint32_t m_last;
    const PixelGrid &m_grid;
    uint32_t m_perColumn = 1; ///< slices of the last cell
    std::array<RowCell, kBatch> m_cells;
    size_t m_count = 0;
};

} // namespace riffle
