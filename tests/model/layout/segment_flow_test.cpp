// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/segment_flow.h"

#include <gtest/gtest.h>

#include <random>

using namespace riffle;

TEST(SegmentFlow, GoesOnOnTheNextLine)
{
    const std::vector<SegmentFlow::Item> items = {{100, 0}, {250, 0}, {40, 1}};
    const SegmentFlow flow(items, 200, 1);
    ASSERT_EQ(flow.headings().size(), 2u);
    EXPECT_EQ(flow.headings()[0].line, 0u);
    EXPECT_EQ(flow.headings()[1].line, 3u);
    ASSERT_EQ(flow.strips().size(), 4u);
    const auto &strips = flow.strips();
    EXPECT_EQ(strips[0].bytes, 100u);
    EXPECT_EQ(strips[1].left, 103);
    EXPECT_EQ(strips[1].bytes, 97u);
    EXPECT_EQ(strips[2].line, 2u);
    EXPECT_EQ(strips[2].offset, 97u);
    EXPECT_EQ(strips[2].width, 153);
    EXPECT_EQ(strips[3].line, 4u);
    EXPECT_EQ(flow.lines(), 5u);
    uint64_t offset = 0;
    ASSERT_EQ(flow.at(2, 10.5, offset), &strips[2]);
    EXPECT_EQ(offset, 107u);
    EXPECT_EQ(flow.at(1, 101, offset), nullptr) << "between two";
    EXPECT_EQ(flow.stripOf(1, 97), &strips[2]);
    EXPECT_EQ(flow.stripOf(1, 96), &strips[1]);
    EXPECT_EQ(flow.stripOf(9, 0), nullptr);
}

TEST(SegmentFlow, HoldsEveryByteOnceAndFits)
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 50; ++round) {
        std::vector<SegmentFlow::Item> items;
        uint32_t group = 0;
        for (size_t at = 0; at < 1 + random() % 300; ++at)
            items.push_back({(1 + random() % 1000) << random() % 25, group += random() % 40 == 0});
        const uint32_t lines = 20 + static_cast<uint32_t>(random() % 50);
        const double width = 50 + static_cast<double>(random() % 1000);
        const SegmentFlow flow(items, width, SegmentFlow::fitting(items, width, lines));
        if (width > 5 * static_cast<double>(items.size()) / 4) {
            EXPECT_LE(flow.lines(), lines + 2 * group);
        }
        std::vector<uint64_t> held(items.size());
        uint32_t line = 0;
        double right = 0;
        for (const SegmentFlow::Strip &strip : flow.strips()) {
            ASSERT_EQ(strip.offset, held[strip.item]);
            held[strip.item] += strip.bytes;
            ASSERT_GE(strip.line, line);
            if (strip.line == line) {
                ASSERT_GE(strip.left, right);
            }
            line = strip.line;
            right = strip.left + strip.width;
            ASSERT_LE(right, width + SegmentFlow::kNarrowest);
        }
        for (size_t at = 0; at < items.size(); ++at)
            ASSERT_EQ(held[at], items[at].size);
    }
}

TEST(SegmentFlow, HugeSegmentsMakeNoEndlessLines)
{
    const std::vector<SegmentFlow::Item> items = {{UINT64_MAX, 0}, {1, 0}, {0, 1}};
    const SegmentFlow flow(items, 100, 1);
    EXPECT_LE(flow.lines(), SegmentFlow::kMostLines);
    EXPECT_NE(flow.stripOf(0, UINT64_MAX - 1), nullptr);
    EXPECT_EQ(SegmentFlow({}, 100, 1).lines(), 0u);
}
