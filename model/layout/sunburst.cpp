// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/sunburst.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riffle {

namespace {

constexpr uint32_t kMostRings = 12;
constexpr double kLeastRing = 14; ///< pixels, so that a name fits into a ring

} // namespace

SunburstShape sunburstShape(const IcicleTree &tree, uint32_t root, double radius)
{
    SunburstShape shape;
    if (!(radius > 0) || tree.size() == 0)
        return shape;
    const bool isWhole = root >= tree.size();
    const uint32_t first = isWhole ? 0 : root + 1, last = isWhole ? static_cast<uint32_t>(tree.size()) : tree.end(root);
    const uint32_t above = isWhole ? 0 : tree.depth[root] + 1;
    uint32_t levels = 0;
    for (uint32_t node = first; node < last; ++node)
        levels = std::max(levels, tree.depth[node] - above + 1);
    constexpr double kHoleShare = 0.3;
    shape.hole = radius * kHoleShare;
    const auto room =
        static_cast<uint32_t>(std::clamp((radius - shape.hole) / kLeastRing, 1.0, static_cast<double>(kMostRings)));
    shape.rings = std::min(levels, room);
    // If there are few rings, each is at most a third of the radius wide.
    shape.ring = shape.rings ? std::min((radius - shape.hole) / shape.rings, radius / 3) : 0;
    return shape;
}

std::vector<SunburstArc> sunburstArcs(const IcicleTree &tree, uint32_t root, const SunburstShape &shape, double least)
{
    // Lengths are measured in the middle of the ring, where a name would be.
    const auto shortest = [&](uint32_t ring) { return least / (kWholeTurn * (shape.inner(ring) + shape.ring / 2)); };
    std::vector<SunburstArc> arcs;
    for (const IcicleBox &piece : treePieces(tree, root, 1, shape.rings, shortest))
        arcs.push_back({piece.node, piece.level, piece.left, piece.right, piece.crowd});
    constexpr double kInvisible = 0.25; // pixels
    std::erase_if(arcs, [&](const SunburstArc &arc) {
        return (arc.to - arc.from) * kWholeTurn * shape.inner(arc.ring + 1) < kInvisible;
    });
    return arcs;
}

SunburstHit sunburstHit(const std::vector<SunburstArc> &arcs, const SunburstShape &shape, double x, double y)
{
    const double away = std::hypot(x, y);
    if (away < shape.hole)
        return {true, nullptr};
    if (!(shape.ring > 0) || away >= shape.outer())
        return {};
    const auto ring = static_cast<uint32_t>((away - shape.hole) / shape.ring);
    double turn = std::atan2(x, -y) / kWholeTurn;
    turn -= std::floor(turn);
    // Pieces are ordered by ring, and clockwise within a ring.
    const auto behind =
        std::upper_bound(arcs.begin(), arcs.end(), std::pair(ring, turn),
                         [](const std::pair<uint32_t, double> &place, const SunburstArc &arc) {
                             return place.first != arc.ring ? place.first < arc.ring : place.second < arc.from;
                         });
    if (behind == arcs.begin())
        return {};
    const SunburstArc &arc = *std::prev(behind);
    return {false, arc.ring == ring && turn >= arc.from && turn < arc.to ? &arc : nullptr};
}

std::string sunburstPath(const SunburstArc &arc, const SunburstShape &shape, double middleX, double middleY)
{
    const double inner = shape.inner(arc.ring), outer = inner + shape.ring;
    const auto x = [&](double turn, double radius) { return middleX + std::sin(turn * kWholeTurn) * radius; };
    const auto y = [&](double turn, double radius) { return middleY - std::cos(turn * kWholeTurn) * radius; };
    // SVG cannot draw an arc from a point to itself, so every arc is drawn as two halves, in case it is a whole ring.
    const double middle = (arc.from + arc.to) / 2;
    const auto round = [&](double radius, double first, double second, int sweep) {
        return fmt::format("A{0:.2f} {0:.2f} 0 0 {1} {2:.2f} {3:.2f}A{0:.2f} {0:.2f} 0 0 {1} {4:.2f} {5:.2f}", radius,
                           sweep, x(first, radius), y(first, radius), x(second, radius), y(second, radius));
    };
    return fmt::format("M{:.2f} {:.2f}{}L{:.2f} {:.2f}{}Z", x(arc.from, outer), y(arc.from, outer),
                       round(outer, middle, arc.to, 1), x(arc.to, inner), y(arc.to, inner),
                       round(inner, middle, arc.from, 0));
}

} // namespace riffle
