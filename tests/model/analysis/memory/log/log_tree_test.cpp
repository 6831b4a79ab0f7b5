// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_tree.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

MemoryLogRank rankOf(PrintedSize weight)
{
    MemoryLogRank rank;
    rank.paths = {"param_mem", "param_mem.a", "param_mem.a.w", "act.0", "act.1"};
    rank.layouts.push_back(
        {MemoryLogPart::Params, {0, 1, 2}, {0, 1, 2}, {0, 5, weight}, {weight + 6, weight + 5, weight}});
    rank.layouts.push_back({MemoryLogPart::Activation, {3, 4}, {0, 0}, {7, 8}, {7, 8}});
    MemoryLogPoint &point = rank.points.emplace_back();
    point.parts = {weight + 6, 50, kNotPrinted, 0, 15};
    point.layouts[0] = 0;
    point.layouts[4] = 1;
    return rank;
}

TEST(LogTrees, LayersStandInTheirParts)
{
    const LogTree tree = logTreeAt(rankOf(100), 0);
    EXPECT_EQ(tree.names,
              (std::vector<std::string>{"params", "a", "w", "grads", "os_state", "activation", "act.0", "act.1"}));
    EXPECT_EQ(tree.depth, (std::vector<uint32_t>{0, 1, 2, 0, 0, 0, 1, 1}));
    EXPECT_EQ(tree.values, (std::vector<int64_t>{106, 105, 100, 50, 0, 15, 7, 8}));
    EXPECT_EQ(tree.own[1], 5);
    EXPECT_EQ(logTreeAt(rankOf(1), 7).size(), 0u);
}

TEST(LogTrees, DifferencesAreThoseOfTheSamePath)
{
    MemoryLogRank second = rankOf(50);
    second.paths[4] = "act.2";
    const LogTree a = logTreeAt(rankOf(100), 0), b = logTreeAt(second, 0);
    const auto same = sameNodes(a, b);
    EXPECT_EQ(same[2], 2u);
    EXPECT_EQ(same[7], LogTree::kNone);
    const auto differences = treeDifferences(a, b, same);
    EXPECT_DOUBLE_EQ(differences[2], 0.5);
    EXPECT_DOUBLE_EQ(differences[3], 0);
    EXPECT_DOUBLE_EQ(differences[7], 1) << "the other tree has no such node";
    EXPECT_DOUBLE_EQ(treeDifferences(b, a, sameNodes(b, a))[2], -0.5);
}

TEST(LogTrees, PagesAreInHundredthsToo)
{
    MemoryLogPage page;
    page.names = {"os_params", "w", "os_state"};
    page.depth = {0, 1, 0};
    page.megabytes = {7, 7, 20};
    const LogTree tree = logTreeOf(page);
    EXPECT_EQ(tree.values, (std::vector<int64_t>{700, 700, 2000}));
    EXPECT_EQ(tree.paths[1], "os_params/w");
}

} // namespace
} // namespace riffle
