// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/growing_slice.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace riffle {

/// The nesting of the slices of a segment among each other, in the order in which they nest.
struct PieceNesting {
    std::vector<uint32_t> parent; ///< index in the piece, or kNoRow
    std::vector<uint32_t> depth;  ///< number of ancestors in the piece
    std::vector<Ns> self;         ///< without the time that their children in the piece cover

    /// Adds a slice without a parent in the piece.
    void add(Ns selfTime)
    {
        parent.push_back(kNoRow);
        depth.push_back(0);
        self.push_back(selfTime);
    }
};

/// Makes a segment of a lane that grows. `slices` are in the order in which they nest, as are `nesting` and the drawing
/// rows. No two slices of a row may overlap.
std::shared_ptr<const Segment> makeSegment(LaneId lane, std::span<const GrowingSlice *const> slices,
                                           const PieceNesting &nesting, std::span<const uint32_t> rows);

/// Returns the segment with another value in a column; it shares all other columns.
std::shared_ptr<const Segment> withSelf(const Segment &segment, uint32_t index, Ns self);
/// Does nothing if the slice has an external id.
std::shared_ptr<const Segment> withExternalId(const Segment &segment, uint32_t index, int64_t externalId);

/// Returns the slices of a segment, with their rows in side tables, in the order in which they nest, and their drawing
/// rows.
struct SegmentSlices {
    std::vector<GrowingSlice> slices;
    std::vector<uint32_t> rows;
};
SegmentSlices slicesOf(const Segment &segment);

} // namespace riffle
