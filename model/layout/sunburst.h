// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"

#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace riffle {

/// A whole turn in radians.
inline constexpr double kWholeTurn = 2 * std::numbers::pi;

/// The dimensions of a sunburst in pixels. The middle does not count as a ring.
struct SunburstShape {
    double hole = 0; ///< radius of the middle
    double ring = 0; ///< width of a ring
    uint32_t rings = 0;

    double inner(uint32_t at) const { return hole + ring * at; }
    double outer() const { return hole + ring * rings; }
};

/// One piece of a ring. Angles are turns, clockwise from the top.
struct SunburstArc {
    uint32_t node = 0;
    uint32_t ring = 0; ///< 0 is the innermost
    double from = 0, to = 0;
    uint32_t crowd = 1; ///< siblings that share the piece, each too narrow for its own; the first is `node`
};

/// Returns a shape with as many rings for the descendants of `root` (for all nodes if kNone) as fit within the radius.
SunburstShape sunburstShape(const IcicleTree &tree, uint32_t root, double radius);

/// Returns the pieces of all rings, inner rings first, each ring clockwise: treePieces() of a whole turn. Pieces
/// shorter than `least` pixels are merged with their neighbours, and nothing is drawn outside them.
std::vector<SunburstArc> sunburstArcs(const IcicleTree &tree, uint32_t root, const SunburstShape &shape,
                                      double least = 2);

/// The part of a sunburst at a point.
struct SunburstHit {
    bool isMiddle = false;
    const SunburstArc *arc = nullptr; ///< null if there is none
};
/// Looks up the part at a point; x is to the right of the middle and y below it.
SunburstHit sunburstHit(const std::vector<SunburstArc> &arcs, const SunburstShape &shape, double x, double y);

/// Returns the outline of a piece as an SVG path around the given middle.
std::string sunburstPath(const SunburstArc &arc, const SunburstShape &shape, double middleX, double middleY);

} // namespace riffle
