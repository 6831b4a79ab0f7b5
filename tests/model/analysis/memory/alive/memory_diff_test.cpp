// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_diff.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

using namespace riffle;

namespace {

/// A tree whose nodes are given by paths with one letter per node. The size of a node includes the nodes in it.
MemoryTree treeOf(const std::map<std::string, int64_t> &leaves)
{
    MemoryTreeBuilder build;
    for (const auto &[path, bytes] : leaves) {
        uint32_t node = MemoryTree::kNone;
        for (const char letter : path)
            node = build.node(node, static_cast<uint32_t>(letter));
        build.add(node, bytes, 0, 1);
    }
    std::vector<uint32_t> place;
    return build.finish(
        [](uint32_t label) {
            return MemoryTreeBuilder::Label{std::string(1, static_cast<char>(label)), {}, false};
        },
        place);
}

std::vector<std::string> lines(const MemoryDifference &difference)
{
    std::vector<std::string> all;
    for (uint32_t node = 0; node < difference.size(); ++node)
        all.push_back(std::string(difference.depth[node], ' ') + difference.names[node] + " " +
                      std::to_string(difference.before.bytes[node]) + ">" +
                      std::to_string(difference.after.bytes[node]) + " " +
                      std::string(memoryChangeWord(difference.state[node])));
    return all;
}

} // namespace

TEST(MemoryDiff, RowsOfTwoTreesAreTheSameWhoseNamesAre)
{
    const MemoryTree before = treeOf({{"ab", 10}, {"ac", 20}, {"d", 5}, {"e", 7}});
    const MemoryTree after = treeOf({{"ab", 40}, {"ax", 1}, {"e", 7}, {"f", 100}, {"b", 2}});
    EXPECT_EQ(lines(memoryDifference(before, after)),
              (std::vector<std::string>{"f 0>100 new", "a 30>41 grown", " b 10>40 grown", " c 20>0 gone", " x 0>1 new",
                                        "d 5>0 gone", "b 0>2 new", "e 7>7 unchanged"}));
    EXPECT_EQ(lines(memoryDifference(MemoryTree(), MemoryTree())), std::vector<std::string>());
    EXPECT_FALSE(
        memoryDifferenceTable(memoryDifference(MemoryTree(), MemoryTree()), MemoryGrouping::Stack).absence.empty());
}

TEST(MemoryDiff, WeightsNeverGrowDownwardsAndChangesAddUp)
{
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        std::map<std::string, int64_t> sides[2];
        for (auto &side : sides)
            for (int leaf = 0; leaf < 30; ++leaf) {
                std::string path;
                for (uint32_t depth = 0; depth <= random() % 4; ++depth)
                    path += static_cast<char>('a' + random() % 3);
                side[path] += random() % 100;
            }
        const MemoryTree before = treeOf(sides[0]), after = treeOf(sides[1]);
        const MemoryDifference difference = memoryDifference(before, after);
        int64_t change = 0;
        for (uint32_t node = 0; node < difference.size(); ++node) {
            change += difference.depth[node] == 0 ? difference.change[node] : 0;
            if (difference.parents[node] != MemoryTree::kNone) {
                EXPECT_LE(difference.weight[node], difference.weight[difference.parents[node]]);
            }
        }
        EXPECT_EQ(change, after.totalBytes() - before.totalBytes());
    }
}

TEST(MemoryDiff, PlacesMatchInAnotherFolder)
{
    const auto placesIn = [](const std::string &folder, int64_t bytes) {
        MemoryTreeBuilder build;
        build.add(build.node(MemoryTree::kNone, 0), bytes, 0, 1);
        build.add(build.node(MemoryTree::kNone, 1), bytes, 0, 1);
        build.add(build.node(build.node(MemoryTree::kNone, 2), 3), 7, 0, 1);
        const char *const files[] = {"a/model.py:61", "b/model.py:61", "a/model.py:7", "main.py:3"};
        const auto label = [&](uint32_t at) {
            const std::string file = files[at];
            return MemoryTreeBuilder::Label{"f " + folder + file, "f " + file.substr(file.find('/') + 1), false};
        };
        std::vector<uint32_t> place;
        return build.finish(label, place);
    };
    const MemoryTree before = placesIn("/home/me/", 10), after = placesIn("/opt/job/", 40);
    EXPECT_EQ(lines(memoryDifference(before, after, MemoryGrouping::Place)),
              (std::vector<std::string>{"f model.py:61 20>80 grown", "f model.py:7 7>7 unchanged",
                                        " f main.py:3 7>7 unchanged"}));
    EXPECT_EQ(memoryDifference(before, after, MemoryGrouping::Stack).size(), 8u);
}

TEST(MemoryDiff, ImpossibleSizesDoNotOverflow)
{
    const int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
    const MemoryDifference difference =
        memoryDifference(treeOf({{"a", most}, {"b", least}}), treeOf({{"a", least}, {"b", most}, {"c", least}}));
    EXPECT_EQ(difference.size(), 3u);
}
