// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/icicle.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

/// The box of a node; null if there is none.
const IcicleBox *find(const std::vector<IcicleBox> &boxes, uint32_t node)
{
    for (const IcicleBox &box : boxes)
        if (box.node == node)
            return &box;
    return nullptr;
}

void expectBox(const std::vector<IcicleBox> &boxes, uint32_t node, uint32_t level, double left, double right)
{
    const IcicleBox *box = find(boxes, node);
    ASSERT_TRUE(box) << node;
    EXPECT_EQ(box->level, level);
    EXPECT_DOUBLE_EQ(box->left, left);
    EXPECT_DOUBLE_EQ(box->right, right);
}

//      0: 60            4: 40
//   1: 30   3: 20       (20 of node 0 are its own)
//   2: 15
const IcicleTree kTree({60, 30, 15, 20, 40}, {0, 1, 2, 1, 0});

TEST(Icicle, TopsShareTheWidthAndChildrenTheirParents)
{
    const auto boxes = icicleBoxes(kTree, IcicleTree::kNone, 1000, 10);
    EXPECT_EQ(boxes.size(), 5u);
    expectBox(boxes, 0, 0, 0, 600);
    expectBox(boxes, 4, 0, 600, 1000);
    expectBox(boxes, 1, 1, 0, 300);
    expectBox(boxes, 3, 1, 300, 500);
    expectBox(boxes, 2, 2, 0, 150);
}

TEST(Icicle, ARootFillsTheWidth)
{
    const auto boxes = icicleBoxes(kTree, 1, 1000, 10);
    EXPECT_EQ(boxes.size(), 2u);
    expectBox(boxes, 1, 0, 0, 1000);
    expectBox(boxes, 2, 1, 0, 500);
    EXPECT_EQ(icicleBoxes(kTree, 1, 1000, 1).size(), 1u);
}

TEST(Icicle, ChildrenThatAreMoreThanTheirParentShareItsWidth)
{
    const auto boxes = icicleBoxes(IcicleTree({100, 150, 50}, {0, 1, 1}), IcicleTree::kNone, 400, 10);
    expectBox(boxes, 0, 0, 0, 400);
    expectBox(boxes, 1, 1, 0, 300);
    expectBox(boxes, 2, 1, 300, 400);
}

TEST(Icicle, NarrowNeighboursAreOneBox)
{
    // 1000 pixels for 10,000: nodes of size 10 are one pixel wide.
    const auto boxes =
        icicleBoxes(IcicleTree({10'000, 10, 10, 10, 5'000, 10, 0}, {0, 1, 1, 1, 1, 1, 1}), IcicleTree::kNone, 1000, 10);
    EXPECT_EQ(boxes.size(), 4u);
    expectBox(boxes, 1, 1, 0, 3);
    EXPECT_EQ(find(boxes, 1)->crowd, 3u);
    expectBox(boxes, 4, 1, 3, 503);
    expectBox(boxes, 5, 1, 503, 504);
    EXPECT_EQ(find(boxes, 5)->crowd, 2u);
}

TEST(Icicle, DamagedTreesAreDrawnAsFarAsTheyGo)
{
    const IcicleTree odd({10, -5, 7}, {3, 9, 1}); // starts deep and leaves out levels
    EXPECT_EQ(odd.depth, (std::vector<uint32_t>{0, 1, 1}));
    EXPECT_EQ(odd.total(), 10);
    EXPECT_EQ(icicleBoxes(odd, IcicleTree::kNone, 100, 5).size(), 2u);
    EXPECT_TRUE(icicleBoxes({}, IcicleTree::kNone, 100, 5).empty());
    EXPECT_TRUE(icicleBoxes(IcicleTree({0, 0}, {0, 1}), IcicleTree::kNone, 100, 5).empty());
}

} // namespace
} // namespace riffle
