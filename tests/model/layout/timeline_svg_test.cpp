// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/timeline_svg.h"

#include "model/analysis/facts/trace_facts.h"
#include "model/layout/colours.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(TimelineSvg, ShowsLanesWithTheirNames)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const std::string svg = timelineSvg(set, set.span(), {});
    EXPECT_TRUE(svg.starts_with("<svg "));
    for (const char *text : {"GPU 0", "stream 7", "<title>sgemm</title>", "aten::linear"})
        EXPECT_NE(svg.find(text), svg.npos) << text;
}

TEST(TimelineSvg, NamesHaveTheColoursOfTheWindow)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const std::string svg = timelineSvg(set, set.span(), {});
    const std::string colour = std::to_string(nameColour("sgemm"));
    EXPECT_NE(svg.find("class=\"c" + colour + "\"><title>sgemm</title>"), svg.npos);
    EXPECT_NE(svg.find("class=\"label onc" + colour + "\">sgemm</text>"), svg.npos);
}

TEST(TimelineSvg, SlicesHaveTheColoursOfTheirClasses)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const TraceFacts facts(set.loaded().front().trace);
    const std::string svg = timelineSvg(set, set.span(), {}, {facts.workClasses()});
    const std::string row = std::to_string(classFillRow(WorkClass::MatrixProducts, nameColour("sgemm")));
    EXPECT_NE(svg.find("class=\"k" + row + "\"><title>sgemm</title>"), svg.npos);
    EXPECT_NE(svg.find("class=\"label onk" + row + "\">sgemm</text>"), svg.npos);
}

TEST(TimelineSvg, IdleTimesAreHatched)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    BandTrack track;
    track.key = "idle";
    track.hatched = true;
    track.names = {"Host"};
    SetBands bands;
    bands[set.loaded().front().id].push_back(bandTrack(std::move(track), {{{1'010'000, 1'100'000}, 0, {}}}));
    const std::string svg = timelineSvg(set, set.span(), bands);
    EXPECT_NE(svg.find("class=\"idle\"><title>Host</title>"), svg.npos);
    EXPECT_NE(svg.find("<pattern id=\"idle\""), svg.npos);
}

TEST(TimelineSvg, WhatIsNotInTheRangeIsNotInThePicture)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const std::string svg = timelineSvg(set, {1'009'000, 1'020'000}, {});
    EXPECT_NE(svg.find("<title>sgemm</title>"), svg.npos);
    EXPECT_EQ(svg.find("<title>sgemm_bwd</title>"), svg.npos);
}

TEST(TimelineSvg, HostileNamesStayText)
{
    test::SmallTrace trace;
    trace.plain(trace.thread(1), "<script>\"&'\x01\xff", "cpu_op", 0, 100);
    const TraceSet set = test::setOf(trace.seal());
    const std::string svg = timelineSvg(set, set.span(), {});
    EXPECT_EQ(svg.find("<script>"), svg.npos);
    EXPECT_EQ(svg.find('\x01'), svg.npos);
    EXPECT_NE(svg.find("&lt;script&gt;&quot;&amp;"), svg.npos);
}

TEST(TimelineSvg, ACrowdCostsPixelsNotSlices)
{
    test::SmallTrace trace;
    const uint32_t main = trace.thread(1);
    for (Ns at = 0; at < 200'000; ++at)
        trace.plain(main, "op", "cpu_op", at * 10, 5);
    const TraceSet set = test::setOf(trace.seal());
    EXPECT_LT(timelineSvg(set, set.span(), {}).size(), 400'000u);
}

} // namespace
} // namespace riffle
