// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/draw_list.h"

#include "model/base/format.h"
#include "model/layout/highlight_hits.h"
#include "model/layout/hit_test.h"
#include "tests/model/layout/random_trace.h"
#include "tests/model/layout/slow_row.h"
#include "tests/support/import_text.h"

#include <array>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace riffle::test {
namespace {

void compareWithSlowPainter(const std::shared_ptr<const Trace> &trace, int views, bool longestWins, uint32_t seed)
{
    const TraceSet set = setOf(trace);
    const LaneLayout layout(set, {}, {});
    std::mt19937_64 random(seed);
    DrawList list;
    for (int view = 0; view < views; ++view) {
        const TimeSpan range = randomRange(random, set.span());
        const int width = 50 + static_cast<int>(random() % 1900);
        DrawList::Request request;
        request.set = &set;
        request.section = &layout.items();
        request.scale = TimeScale(range, width);
        request.yEnd = layout.height();
        list.build(request);
        for (const LaneItem &item : layout.items()) {
            if (item.heading())
                continue;
            for (uint32_t row = 0; row < item.rows; ++row) {
                const SlowRow slow(*trace, trace->lanes[item.lane.value], row, range, width);
                const int y = item.y + LaneLayout::kPadding + static_cast<int>(row) * item.rowHeight + 2;
                for (int x = 0; x < width; ++x) {
                    const Hit hit = hitTest(list, layout.items(), x, y, 0);
                    const Ns expected = slow.longest[static_cast<size_t>(x)];
                    ASSERT_EQ(hit.slice.valid(), expected >= 0)
                        << "view " << view << " range " << range.begin << "+" << range.duration() << " width " << width
                        << " lane " << item.title << " row " << row << " column " << x;
                    if (!hit.slice.valid())
                        continue;
                    const auto slice = trace->slice(hit.slice.slice);
                    const auto [first, last] = columnsOf(slice->data.start, slice->data.duration, range, width);
                    ASSERT_TRUE(first <= x && x <= last) << "the slice hit does not cover the column";
                    if (longestWins) {
                        ASSERT_EQ(slice->data.duration, expected) << "a longer slice shares the column";
                    }
                }
            }
        }
    }
}

TEST(DrawListSlow, EveryColumnThatHoldsASliceIsPaintedAndAClickThereHitsOneThatCoversIt)
{
    compareWithSlowPainter(randomTrace(1, 900), 100, true, 11);
}

TEST(DrawList, AgreesWithTheSlowPainterOnASmallTrace) { compareWithSlowPainter(randomTrace(2, 40), 60, true, 12); }

TEST(DrawList, PaintsLanesOfManySegmentsWithoutAGap) { compareWithSlowPainter(randomTrace(3, 60, 16), 40, false, 13); }

/// Rows that stay in view while the lanes are scrolled are kept; the list is the same as one built anew.
TEST(DrawList, ScrollingGivesTheSameRows)
{
    const auto trace = randomTrace(4, 60, 16);
    const TraceSet set = setOf(trace);
    const LaneLayout layout(set, {}, {});
    std::mt19937_64 random(14);
    DrawList list;
    for (int view = 0; view < 300; ++view) {
        DrawList::Request request;
        request.set = &set;
        request.section = &layout.items();
        request.scrolled = view % 30 != 0;
        const TimeSpan range = view % 60 < 30 ? set.span() : padded(set.span(), -0.3);
        request.scale = TimeScale(range, 700);
        request.yBegin = static_cast<int>(random() % static_cast<uint64_t>(layout.height()));
        request.yEnd = request.yBegin + static_cast<int>(random() % 120);
        list.build(request);
        request.scrolled = false;
        DrawList fresh;
        fresh.build(request);
        ASSERT_EQ(list.items().size(), fresh.items().size()) << view;
        for (size_t at = 0; at < fresh.items().size(); ++at) {
            EXPECT_EQ(list.items()[at].item, fresh.items()[at].item) << view;
            EXPECT_EQ(list.items()[at].firstRow, fresh.items()[at].firstRow) << view;
            EXPECT_EQ(list.items()[at].rows, fresh.items()[at].rows) << view;
        }
    }
}

TEST(DrawList, ListsThatAreBuiltTogetherAreThoseThatAreBuiltAlone)
{
    const TraceSet set = setOf(randomTrace(15, 2000));
    const LaneLayout layout(set, {}, {});
    const int middle = layout.height() / 2;
    std::array<DrawList, 3> together, alone;
    std::vector<DrawList::Part> parts;
    for (size_t at = 0; at < together.size(); ++at) { // the last part is empty
        DrawList::Request request;
        request.set = &set;
        request.section = &layout.items();
        request.scale = TimeScale(set.span(), 1900);
        request.yBegin = at == 0 ? 0 : at == 1 ? middle : layout.height();
        request.yEnd = at == 0 ? middle : layout.height();
        alone[at].build(request);
        parts.push_back({&together[at], request});
    }
    DrawList::buildTogether(parts);
    ASSERT_GT(alone[0].items().size(), size_t(0));
    ASSERT_GT(alone[1].items().size(), size_t(0));
    for (size_t list = 0; list < together.size(); ++list) {
        ASSERT_EQ(together[list].items().size(), alone[list].items().size());
        for (size_t at = 0; at < alone[list].items().size(); ++at)
            EXPECT_EQ(together[list].items()[at].rows, alone[list].items()[at].rows);
    }
}

TEST(DrawList, AShortKernelInALongViewIsATick)
{
    SmallTrace small;
    const uint32_t lane = small.stream(7);
    small.kernel(lane, "first", 0, 10, 0);
    small.kernel(lane, "lonely", 5'000'000'000, 200, 0);
    small.kernel(lane, "last", 9'999'999'000, 1000, 0);
    const TraceSet set = setOf(small.seal());
    std::vector<Box> boxes;
    const PixelGrid grid(TimeScale({0, 10'000'000'000}, 1000), TimeMap());
    appendRowBoxes(*set.loaded()[0].trace->segments[0], 0, grid, {}, boxes);
    ASSERT_EQ(boxes.size(), 3u);
    EXPECT_EQ(boxes[1].x0, 500);
    EXPECT_EQ(boxes[1].x1, 501);
}

TEST(DrawList, TheLongestWinsAPixelAndTheCountTellsTheCrowd)
{
    SmallTrace small;
    const uint32_t lane = small.stream(7);
    for (int i = 0; i < 100; ++i)
        small.kernel(lane, i == 42 ? "long" : "short", i * 10, i == 42 ? 9 : 2, 0);
    const auto trace = small.seal();
    std::vector<Box> boxes;
    appendRowBoxes(*trace->segments[0], 0, PixelGrid(TimeScale({0, 100'000}, 100), TimeMap()), {}, boxes);
    ASSERT_EQ(boxes.size(), 1u);
    EXPECT_EQ(boxes[0].count, 100u);
    EXPECT_EQ(trace->string(boxes[0].name), "long");
}

TEST(DrawList, AHighlightedSliceIsNotLostInACrowd)
{
    SmallTrace small;
    const uint32_t lane = small.stream(7);
    for (int i = 0; i < 100; ++i)
        small.kernel(lane, i == 42 ? "wanted" : "other", i * 10, i == 42 ? 1 : 9, 0);
    const auto trace = small.seal();
    const uint32_t name = trace->slice(sliceNamed(*trace, "wanted"))->data.name;
    const auto hits = slicesOfNames(setOf(trace), PerTrace<std::vector<uint32_t>>{{name}}, {});
    ASSERT_EQ(hits[TraceId(0)].size(), 1u);
    std::vector<Box> boxes;
    appendRowBoxes(*trace->segments[0], 0, PixelGrid(TimeScale({0, 100'000}, 100), TimeMap()), hits[TraceId(0)], boxes);
    ASSERT_EQ(boxes.size(), 1u);
    EXPECT_EQ(trace->string(boxes[0].name), "wanted");
}

TEST(DrawList, AFoldedHeadingShowsWhatItsLanesDo)
{
    SmallTrace small;
    const uint32_t one = small.thread(1);
    const uint32_t two = small.thread(2);
    small.operation(one, "outer", 0, 500);
    small.operation(one, "inner", 100, 200);
    small.operation(two, "other", 600, 400);
    const TraceSet set = setOf(small.seal());
    LaneState state;
    const LaneLayout open(set, {}, {});
    for (const LaneItem &item : open.items())
        if (item.heading())
            state.folded.insert(item.key);
    const LaneLayout layout(set, {}, state);
    ASSERT_EQ(layout.items().size(), 1u);
    EXPECT_EQ(layout.items()[0].stripes.size(), 2u);
    DrawList list;
    DrawList::Request request;
    request.set = &set;
    request.section = &layout.items();
    request.scale = TimeScale({0, 1000}, 100);
    request.yEnd = layout.height();
    list.build(request);
    ASSERT_EQ(list.items().size(), 1u);
    const auto &stripes = list.items()[0].rows;
    ASSERT_EQ(stripes.size(), 2u);
    ASSERT_EQ(stripes[0].size(), 3u);
    EXPECT_EQ(set.loaded()[0].trace->string(stripes[0][1].name), "inner");
    EXPECT_EQ(stripes[0][1].x0, 10);
    EXPECT_EQ(stripes[0][1].x1, 30);
    EXPECT_EQ(stripes[0][2].x1, 50);
    ASSERT_EQ(stripes[1].size(), 1u);
    EXPECT_EQ(stripes[1][0].x0, 60);
}

TEST(DrawList, ACounterEndsWithItsTrace)
{
    const auto trace = importText(R"([{"ph":"C","name":"c","pid":1,"ts":2,"args":{"v":3}},
        {"ph":"X","name":"work","pid":1,"tid":1,"ts":1,"dur":4}])");
    ASSERT_TRUE(trace);
    const TraceSet set = setOf(*trace);
    const SetGraphs graphs{std::make_shared<const std::vector<TraceGraph>>(graphsOf(**trace))};
    const LaneLayout layout(set, graphs, {});
    DrawList list;
    DrawList::Request request;
    request.set = &set;
    request.graphs = &graphs;
    request.section = &layout.items();
    request.scale = TimeScale({0, 10'000}, 10);
    request.yEnd = layout.height();
    list.build(request);
    std::string drawn;
    for (const auto &item : list.items())
        for (const CounterGraph::Column &column : item.columns)
            drawn += column.any ? '#' : '.';
    EXPECT_EQ(drawn, "..####....");
}

TEST(DrawList, ACounterIsDrawnWhenItsTraceIsGone)
{
    auto trace = importText(R"([{"ph":"C","name":"c","pid":1,"ts":2,"args":{"v":3}}])");
    ASSERT_TRUE(trace);
    const std::vector<TraceGraph> graphs = graphsOf(**trace);
    trace->reset(); // as when it has grown
    ASSERT_EQ(graphs.size(), 1u);
    EXPECT_EQ(graphs[0].graph.valueAt(2'000), 3);
}

TEST(DrawList, AllocationsThatFailedAreMarkedOnTheirDevicesGraphsAndTheirThread)
{
    const auto instant = [](const char *name, int time, int device, int64_t bytes) {
        return R"({"ph":"i","s":"t","name":")" + std::string(name) + R"(","pid":1,"tid":1,"ts":)" +
               std::to_string(time) + R"(,"args":{"Device Type":1,"Device Id":)" + std::to_string(device) +
               R"(,"Addr":1,"Bytes":)" + std::to_string(bytes) + R"(,"Total Allocated":5,"Total Reserved":9}},)";
    };
    std::string events;
    for (int time = 1; time < 9; ++time)
        events += instant("[memory]", time, time % 2, 1);
    events += instant("[OutOfMemory]", 6, 1, 1 << 30) + instant("[OutOfMemory]", 3, 1, 1 << 20);
    const auto trace = importText("[" + events + R"({"ph":"X","name":"work","pid":1,"tid":1,"ts":0,"dur":10},
        {"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":0,"dur":10,"args":{"device":1,"stream":7}}])");
    ASSERT_TRUE(trace);
    const TraceSet set = setOf(*trace);
    const SetGraphs graphs{std::make_shared<const std::vector<TraceGraph>>(graphsOf(**trace))};
    std::string told;
    for (const TraceGraph &graph : *graphs[TraceId(0)])
        for (const TraceGraph::Mark &mark : graph.marks)
            told += std::to_string(graph.device) + ": " + std::to_string(mark.time) + " " + mark.text + "\n";
    const std::string both = "1: 3000 Out of memory: requested " + formatBytes(1 << 20) +
                             "\n1: 6000 Out of memory: requested " + formatBytes(1 << 30) + "\n";
    EXPECT_EQ(told, both + both) << "device 1 has allocated and reserved memory";
    const LaneLayout layout(set, graphs, {});
    DrawList list;
    DrawList::Request request;
    request.set = &set;
    request.graphs = &graphs;
    request.section = &layout.items();
    request.yEnd = layout.height();
    const auto seen = [&](TimeSpan range) {
        request.scale = TimeScale(range, 10);
        list.build(request);
        std::string all;
        for (const DrawnItem &drawn : list.items()) {
            for (const int32_t x : drawn.marks)
                all += "g" + std::to_string(x);
            for (const InstantTick &tick : drawn.instants)
                all += (tick.failed ? "!" : "") + std::to_string(tick.x) + (tick.count > 1 ? "*" : "");
            all += all.empty() || all.back() == ' ' ? "" : " ";
        }
        return all;
    };
    const auto parts = [&](TimeSpan range) {
        std::string all = seen(range);
        std::vector<std::string> words;
        for (size_t at = 0; at < all.size(); at = all.find(' ', at) + 1)
            words.push_back(all.substr(at, all.find(' ', at) - at));
        std::sort(words.begin(), words.end());
        return words;
    };
    EXPECT_EQ(parts({0, 10'000}), (std::vector<std::string>{"12!3*45!6*78", "g3g6", "g3g6"}));
    EXPECT_EQ(parts({5'500, 6'500}), (std::vector<std::string>{"!5*", "g5", "g5"}));
    EXPECT_EQ(parts({7'500, 8'500}), (std::vector<std::string>{"5"}));
    EXPECT_EQ(parts({0, 100'000}), (std::vector<std::string>{"!0*", "g0", "g0"})) << "each column occurs once";
}

TEST(DrawList, OnlyVisibleRowsAreMade)
{
    const TraceSet set = setOf(randomTrace(4, 30));
    const LaneLayout layout(set, {}, {});
    const LaneItem *deep = nullptr;
    for (const LaneItem &item : layout.items())
        if (!item.heading() && item.rows >= 3)
            deep = &item;
    ASSERT_TRUE(deep);
    DrawList list;
    DrawList::Request request;
    request.set = &set;
    request.section = &layout.items();
    request.scale = TimeScale(set.span(), 100);
    request.yBegin = deep->y + LaneLayout::kPadding + deep->rowHeight + 1;
    request.yEnd = request.yBegin + 2;
    list.build(request);
    ASSERT_EQ(list.items().size(), 1u);
    EXPECT_EQ(list.items()[0].firstRow, 1u);
    EXPECT_EQ(list.items()[0].rows.size(), 1u);
}

TEST(FlatRow, ShowsTheNarrowestBoxes)
{
    FlatRow flat;
    flat.add(std::vector<Box>{{0, 100, 1, 1, 1}, {120, 121, 2, 1, 1}});
    flat.add(std::vector<Box>{{10, 12, 7, 1, 1}, {90, 110, 8, 1, 1}, {115, 130, 9, 1, 1}});
    std::vector<Box> shown;
    flat.appendTo(shown);
    const std::vector<Box> expected{{0, 10, 1, 1, 1},    {10, 12, 7, 1, 1},   {12, 90, 1, 1, 1},  {90, 110, 8, 1, 1},
                                    {115, 120, 9, 1, 1}, {120, 121, 2, 1, 1}, {121, 130, 9, 1, 1}};
    EXPECT_EQ(shown, expected);
    // The box of slice 1 is 100 columns wide, although only ten of them show at its left end.
    flat.add(std::vector<Box>{{5, 30, 10, 1, 1}});
    shown.clear();
    flat.appendTo(shown);
    ASSERT_EQ(shown.size(), 9u);
    EXPECT_EQ(shown[1], (Box{5, 10, 10, 1, 1}));
    EXPECT_EQ(shown[2], (Box{10, 12, 7, 1, 1}));
    EXPECT_EQ(shown[3], (Box{12, 30, 10, 1, 1}));
}

} // namespace
} // namespace riffle::test
