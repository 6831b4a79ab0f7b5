// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/sunburst.h"
#include "model/layout/sunburst_svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <re2/re2.h>

namespace riffle {
namespace {

//      0: 60            4: 40
//   1: 30   3: 20       (10 of node 0 are its own)
//   2: 15
const IcicleTree kRingTree({60, 30, 15, 20, 40}, {0, 1, 2, 1, 0});

const SunburstArc *find(const std::vector<SunburstArc> &arcs, uint32_t node)
{
    for (const SunburstArc &arc : arcs)
        if (arc.node == node)
            return &arc;
    return nullptr;
}

void expectArc(const std::vector<SunburstArc> &arcs, uint32_t node, uint32_t ring, double from, double to)
{
    const SunburstArc *arc = find(arcs, node);
    ASSERT_TRUE(arc) << node;
    EXPECT_EQ(arc->ring, ring);
    EXPECT_DOUBLE_EQ(arc->from, from);
    EXPECT_DOUBLE_EQ(arc->to, to);
}

TEST(Sunburst, RingsShareTheTurnAsBoxesTheWidth)
{
    const SunburstShape shape = sunburstShape(kRingTree, IcicleTree::kNone, 300);
    EXPECT_EQ(shape.rings, 3u);
    EXPECT_LE(shape.outer(), 300.0001);
    const auto arcs = sunburstArcs(kRingTree, IcicleTree::kNone, shape);
    EXPECT_EQ(arcs.size(), 5u);
    expectArc(arcs, 0, 0, 0, 0.6);
    expectArc(arcs, 4, 0, 0.6, 1);
    expectArc(arcs, 1, 1, 0, 0.3);
    expectArc(arcs, 3, 1, 0.3, 0.5);
    expectArc(arcs, 2, 2, 0, 0.15);
}

TEST(Sunburst, ARootIsTheMiddleAndWhatIsInItTheRings)
{
    const SunburstShape shape = sunburstShape(kRingTree, 0, 300);
    EXPECT_EQ(shape.rings, 2u);
    const auto arcs = sunburstArcs(kRingTree, 0, shape);
    EXPECT_EQ(arcs.size(), 3u);
    expectArc(arcs, 1, 0, 0, 0.5);
    expectArc(arcs, 3, 0, 0.5, 50.0 / 60);
    expectArc(arcs, 2, 1, 0, 0.25);
    EXPECT_TRUE(sunburstArcs(kRingTree, 4, sunburstShape(kRingTree, 4, 300)).empty()) << "a leaf has no rings";
}

TEST(Sunburst, HitsAgreeWithALookAtEveryPiece)
{
    std::mt19937 random(7);
    std::vector<int64_t> values;
    std::vector<uint32_t> depth;
    for (int node = 0; node < 400; ++node) {
        values.push_back(static_cast<int64_t>(random() % 1000));
        depth.push_back(depth.empty() ? 0 : random() % std::min<uint32_t>(6, depth.back() + 2));
    }
    const IcicleTree tree(values, depth);
    const SunburstShape shape = sunburstShape(tree, IcicleTree::kNone, 250);
    const auto arcs = sunburstArcs(tree, IcicleTree::kNone, shape);
    int found = 0;
    for (int probe = 0; probe < 5000; ++probe) {
        const double x = static_cast<double>(random() % 5200) / 10 - 260,
                     y = static_cast<double>(random() % 5200) / 10 - 260;
        const double away = std::sqrt(x * x + y * y);
        double turn =
            std::atan2(y, x) / (2 * std::numbers::pi) + 0.25; // the angle counts from the top, not from the right
        turn = turn < 0 ? turn + 1 : turn;
        const SunburstArc *expected = nullptr;
        for (const SunburstArc &arc : arcs)
            if (away >= shape.inner(arc.ring) && away < shape.inner(arc.ring + 1) && turn >= arc.from && turn < arc.to)
                expected = &arc;
        const SunburstHit hit = sunburstHit(arcs, shape, x, y);
        EXPECT_EQ(hit.isMiddle, away < shape.hole);
        EXPECT_EQ(hit.arc, expected) << x << ", " << y;
        found += expected != nullptr;
    }
    EXPECT_GT(found, 500);
}

TEST(Sunburst, NarrowNeighboursAreOnePiece)
{
    std::vector<int64_t> values{1'000'000};
    std::vector<uint32_t> depth{0};
    for (int child = 0; child < 5000; ++child) {
        values.push_back(100);
        depth.push_back(1);
    }
    const IcicleTree tree(values, depth);
    const auto arcs = sunburstArcs(tree, IcicleTree::kNone, sunburstShape(tree, IcicleTree::kNone, 300));
    ASSERT_EQ(arcs.size(), 2u);
    EXPECT_EQ(arcs[1].crowd, 5000u);
    EXPECT_NEAR(arcs[1].to, 0.5, 1e-9);
}

TEST(Sunburst, OddTreesAreDrawnAsFarAsTheyGo)
{
    EXPECT_TRUE(sunburstArcs({}, IcicleTree::kNone, sunburstShape({}, IcicleTree::kNone, 100)).empty());
    const IcicleTree zeros({0, -4}, {0, 1});
    EXPECT_TRUE(sunburstArcs(zeros, IcicleTree::kNone, sunburstShape(zeros, IcicleTree::kNone, 100)).empty());
    const IcicleTree more({100, 150, 50}, {0, 1, 1}); // children that are larger than their parent share its angle
    const auto arcs = sunburstArcs(more, IcicleTree::kNone, sunburstShape(more, IcicleTree::kNone, 100));
    expectArc(arcs, 1, 1, 0, 0.75);
    EXPECT_EQ(sunburstShape(kRingTree, IcicleTree::kNone, -5).rings, 0u);
    EXPECT_FALSE(sunburstHit({}, {}, 0, 0).arc);
}

TEST(Sunburst, APathGoesAroundItsPiece)
{
    const SunburstShape shape{100, 50, 1};
    EXPECT_EQ(sunburstPath({0, 0, 0, 0.25, 1}, shape, 200, 200),
              "M200.00 50.00A150.00 150.00 0 0 1 306.07 93.93A150.00 150.00 0 0 1 350.00 200.00L300.00 200.00A100.00 "
              "100.00 0 0 0 270.71 129.29A100.00 100.00 0 0 0 200.00 100.00Z");
}

/// Names in the picture are straight. At 6 pixels per character, their corners are in the ring of their middle.
TEST(Sunburst, NamesOfThePictureStayInTheirRings)
{
    std::mt19937 random(11);
    size_t named = 0;
    for (int round = 0; round < 40; ++round) {
        std::vector<int64_t> values;
        std::vector<uint32_t> depth;
        const int nodes = round % 2 ? 100 : 7;
        for (int node = 0; node < nodes; ++node) {
            depth.push_back(depth.empty() ? 0 : random() % std::min<uint32_t>(7, depth.back() + 2));
            values.push_back(static_cast<int64_t>(1 + random() % 1000) << (10 - depth.back()));
        }
        const IcicleTree tree(values, depth);
        SunburstInk ink;
        ink.name = [](uint32_t node) { return std::string(1 + node * 7 % 60, 'n'); };
        ink.value = [](uint32_t) { return std::string(); };
        ink.colour = [](const SunburstArc &) { return 0u; };
        constexpr double kRadius = 360, kMiddleX = kRadius + 8, kMiddleY = kRadius + 28;
        const std::string svg = sunburstSvg(tree, IcicleTree::kNone, kRadius, ink);
        const SunburstShape shape = sunburstShape(tree, IcicleTree::kNone, kRadius);
        const RE2 label(
            "<text transform=\"translate\\(([-.0-9]+) ([-.0-9]+)\\) rotate\\(([-.0-9]+)\\)\"[^>]*>(n+)(…?)</text>");
        re2::StringPiece rest(svg);
        double left = 0, top = 0, degrees = 0;
        std::string name, ellipsis;
        for (; RE2::FindAndConsume(&rest, label, &left, &top, &degrees, &name, &ellipsis); ++named) {
            const double x = left - kMiddleX, y = top - kMiddleY, turned = degrees / 180 * std::numbers::pi;
            const double half = 6.0 * static_cast<double>(name.size() + !ellipsis.empty()) / 2;
            const double ring = std::floor((std::hypot(x, y) - shape.hole) / shape.ring);
            for (const auto &[across, down] :
                 {std::pair(-half, -6.0), std::pair(half, -6.0), std::pair(-half, 6.0), std::pair(half, 6.0)}) {
                const double away = std::hypot(x + across * std::cos(turned) - down * std::sin(turned),
                                               y + across * std::sin(turned) + down * std::cos(turned));
                EXPECT_GE(away, shape.hole + ring * shape.ring - 0.1) << name;
                EXPECT_LE(away, shape.hole + (ring + 1) * shape.ring + 0.1) << name;
            }
        }
    }
    EXPECT_GT(named, 200u);
}

} // namespace
} // namespace riffle
