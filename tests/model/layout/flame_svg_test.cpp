// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/flame_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace riffle {
namespace {

using testing::HasSubstr;
using testing::Not;

FlameGraph graphOf(std::vector<int64_t> values, std::vector<uint32_t> depth, std::vector<std::string> names)
{
    FlameGraph graph;
    graph.tree = IcicleTree(std::move(values), std::move(depth));
    graph.title = "All of it";
    graph.name = [names](uint32_t node) { return names[node]; };
    graph.tip = [names](uint32_t node, uint32_t count) { return fmt::format("tip of {} × {}", names[node], count); };
    return graph;
}

size_t countOf(const std::string &text, const std::string &part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST(FlameSvg, BoxesAreAsWideAsTheirValues)
{
    const std::string svg =
        flameSvg(graphOf({60, 30, 40}, {0, 1, 0}, {"the first frame", "its child", "the second"}), 1000);
    EXPECT_EQ(countOf(svg, "<rect"), 3u);
    EXPECT_THAT(svg, HasSubstr("<rect x=\"0.00\" y=\"17\" width=\"599.00\""));
    EXPECT_THAT(svg, HasSubstr("<rect x=\"0.00\" y=\"34\" width=\"299.00\""));
    EXPECT_THAT(svg, HasSubstr("<rect x=\"600.00\" y=\"17\" width=\"399.00\""));
    EXPECT_THAT(svg, HasSubstr("<title>tip of its child × 1</title>"));
    EXPECT_THAT(svg, HasSubstr(">the first frame</text>"));
    EXPECT_THAT(svg, HasSubstr(">All of it</text>"));
    EXPECT_THAT(svg, Not(HasSubstr("left out")));
}

TEST(FlameSvg, TextsCannotBreakTheFile)
{
    const std::string evil = "</title><script>\"&'\x1b[31m\x80\xEF\xBF\xBF";
    FlameGraph graph = graphOf({1}, {0}, {evil});
    graph.title = evil;
    const std::string file = flameFile(std::span(&graph, 1), 1000);
    EXPECT_THAT(file, Not(HasSubstr("<script>")));
    EXPECT_THAT(file, HasSubstr("tip of &lt;/title&gt;&lt;script&gt;&quot;&amp;'\\x1b[31m\\x80\\uffff × 1</title>"));
    EXPECT_EQ(countOf(file, "\\x80\\uffff"), 3u); // the title, the tool tip and the name
}

TEST(FlameSvg, NarrowFramesShareABoxAndAreCounted)
{
    // 1000 pixels for 10,000: the frames of 1 are a tenth of a pixel wide.
    std::vector<int64_t> values{10'000, 9'990};
    std::vector<uint32_t> depth{0, 1};
    for (int at = 0; at < 10; ++at) {
        values.push_back(1);
        depth.push_back(1);
    }
    const std::string svg = flameSvg(graphOf(values, depth, std::vector<std::string>(values.size(), "f")), 1000);
    EXPECT_EQ(countOf(svg, "<rect"), 3u);
    EXPECT_THAT(svg, HasSubstr("tip of f × 10"));
    EXPECT_THAT(svg, HasSubstr("10 of 12 frames are narrower than half a pixel"));
}

TEST(FlameSvg, FramesThatAreTooDeepAreCounted)
{
    std::vector<uint32_t> depth;
    for (uint32_t level = 0; level < 253; ++level)
        depth.push_back(level);
    const FlameGraph graph =
        graphOf(std::vector<int64_t>(depth.size(), 8), depth, std::vector<std::string>(depth.size(), "f"));
    const std::string svg = flameSvg(graph, 1000);
    EXPECT_EQ(countOf(svg, "<rect"), 250u);
    EXPECT_THAT(svg, HasSubstr("3 of 253 frames are below level 250 and are left out."));
    EXPECT_THAT(svg, Not(HasSubstr("narrower")));
}

TEST(FlameSvg, AFileHoldsSeveralGraphsOneBelowTheOther)
{
    const std::vector<FlameGraph> graphs{graphOf({1, 1}, {0, 1}, {"a", "b"}), graphOf({}, {}, {})};
    const std::string file = flameFile(graphs, 1000);
    EXPECT_EQ(countOf(file, ">All of it</text>"), 2u);
    EXPECT_THAT(file, HasSubstr("There are no frames."));
    EXPECT_THAT(file, HasSubstr("@media (prefers-color-scheme: dark)"));
    EXPECT_EQ(file.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
}

} // namespace
} // namespace riffle
