// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/pixel_grid.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Pixel columns [x0, x1) of a drawing row that show one slice.
struct Box {
    int32_t x0 = 0;
    int32_t x1 = 0;
    uint32_t slice = 0; ///< SliceId
    uint32_t name = 0;  ///< StringId
    uint32_t count = 1; ///< number of slices that touch its most crowded column
    bool operator==(const Box &) const = default;
};

/// Appends the boxes of one drawing row of a segment, in ascending order without overlap. Every column that a slice
/// touches is in a box whose slice touches it; where several slices meet, the longest wins. Takes O(columns) time, not
/// O(slices). `hits` holds ascending SliceIds that win over all others, so that a column with a hit always shows one;
/// it may be empty.
void appendRowBoxes(const Segment &segment, uint32_t row, const PixelGrid &grid, std::span<const uint32_t> hits,
                    std::vector<Box> &out);

/// Several rows in one: each column shows the narrowest of their boxes, so that callees are on top of their callers; of
/// two boxes that are equally wide, that of the row that was added later. Used for folded headings, and where segments
/// of a lane overlap in time.
class FlatRow {
public:
    void add(std::span<const Box> row);
    /// Appends the parts of boxes that show, in ascending order without overlap.
    void appendTo(std::vector<Box> &out) const;

private:
    /// The part of a box that shows, and the width of the whole box.
    struct Piece {
        Box box;
        int32_t width = 0;
    };
    void show(const Piece &piece, int x0, int x1);

    std::vector<Piece> m_pieces;
    std::vector<Piece> m_before; ///< what m_pieces was before the last row; keeps its memory
};

/// Returns the box that contains column x, or the nearest one within `reach` columns; null if there is none.
const Box *boxAt(std::span<const Box> boxes, int x, int reach);

} // namespace riffle
