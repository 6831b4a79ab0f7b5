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

/// A ring of a sunburst in pixels: what is in the middle has no ring.
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
    uint32_t crowd = 1; ///< how many siblings share the piece, each too narrow for one: the first is `node`
};

/// Rings for what lies in `root` (kNone: for all tops), as many as have room within the radius.
SunburstShape sunburstShape(const IcicleTree &tree, uint32_t root, double radius);

/// The pieces of all rings, the inner rings first, each ring clockwise: treePieces() of a turn. Pieces shorter than
/// `least` pixels are put together with their neighbours, and nothing is drawn outside of them.
std::vector<SunburstArc> sunburstArcs(const IcicleTree &tree, uint32_t root, const SunburstShape &shape,
                                      double least = 2);

/// What lies at a place, x to the right and y down from the middle.
struct SunburstHit {
    bool isMiddle = false;
    const SunburstArc *arc = nullptr; ///< null: none
};
SunburstHit sunburstHit(const std::vector<SunburstArc> &arcs, const SunburstShape &shape, double x, double y);

/// The outline of a piece as the path of an SVG, around a middle.
std::string sunburstPath(const SunburstArc &arc, const SunburstShape &shape, double middleX, double middleY);

} // namespace riffle
