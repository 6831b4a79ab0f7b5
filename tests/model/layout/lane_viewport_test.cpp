// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/lane_viewport.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle::test {
namespace {

using Part = LaneWindow::Part;

/// A trace with as many streams and threads as wanted; each has one lane of one row.
std::shared_ptr<const Trace> traceOf(int streams, int threads)
{
    SmallTrace trace;
    for (int i = 0; i < streams; ++i)
        trace.kernel(trace.stream(7 + i), "gemm", 0, 10, 0);
    for (int i = 0; i < threads; ++i)
        trace.plain(trace.thread(100 + i, "python"), "work", "cpu_op", 10, 10);
    return trace.seal();
}

LaneLayout layoutOf(int streams, int threads, const LaneState &state = {})
{
    return LaneLayout(setOf(traceOf(streams, threads)), {}, state);
}

LaneViewport viewportOf(const LaneLayout &layout, int height)
{
    LaneViewport viewport(layout);
    viewport.setHeight(height);
    return viewport;
}

/// Every height of the view belongs to one window, or to the divider; a strip's window shows it at its offset.
void expectWhole(const LaneLayout &layout, const LaneViewport &viewport)
{
    int y = 0;
    for (const LaneWindow &window : viewport.windows()) {
        EXPECT_EQ(window.top, y == viewport.divider() ? y + LaneViewport::kDivider : y);
        y = window.bottom;
    }
    EXPECT_EQ(y, viewport.height());
    for (int at = 0; at < viewport.height(); ++at) {
        const LaneItem *item = viewport.itemAt(at);
        if (!item)
            continue;
        const int top = item->y + viewport.of(*item).offset();
        EXPECT_LE(top, at);
        EXPECT_GT(top + item->height, at);
        EXPECT_TRUE(viewport.of(*item).contains(at));
    }
    for (const LaneWindow &window : viewport.windows())
        for (const LaneItem &item : window.seen())
            EXPECT_EQ(viewport.of(item).part, window.part) << item.title;
    EXPECT_LE(layout.deviceHeight(), layout.height());
}

TEST(LaneViewport, DeviceLanesEndWhereTheFirstOtherHeadingIs)
{
    const LaneLayout layout = layoutOf(3, 2);
    const LaneItem *first = LaneLayout::at(layout.items(), layout.deviceHeight());
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->y, layout.deviceHeight());
    EXPECT_TRUE(first->heading());
    EXPECT_FALSE(first->gpu);
    EXPECT_TRUE((first - 1)->gpu);
}

TEST(LaneViewport, LanesOfOneKindAndThoseOfSeveralTracesScrollTogether)
{
    for (const LaneLayout &layout : {layoutOf(0, 8), layoutOf(8, 0)}) {
        const LaneViewport viewport = viewportOf(layout, 150);
        EXPECT_EQ(viewport.divider(), -1);
        ASSERT_EQ(viewport.windows().size(), 1u);
        EXPECT_EQ(viewport.windows()[0].part, Part::Main);
        expectWhole(layout, viewport);
    }
    const LaneLayout two(TraceSet::of({traceOf(2, 2), traceOf(2, 2)}), {}, {});
    EXPECT_EQ(viewportOf(two, 400).windows().size(), 1u);
}

TEST(LaneViewport, FewDeviceLanesTakeOnlyTheirHeight)
{
    const LaneLayout layout = layoutOf(2, 30);
    const LaneViewport viewport = viewportOf(layout, 500);
    EXPECT_EQ(viewport.divider(), layout.deviceHeight());
    EXPECT_EQ(viewport.maximumScroll(Part::Device), 0);
    EXPECT_GT(viewport.maximumScroll(Part::Main), 0);
    expectWhole(layout, viewport);
}

TEST(LaneViewport, ManyDeviceLanesLeaveRoomForTheOthers)
{
    const LaneLayout layout = layoutOf(40, 30);
    const LaneViewport viewport = viewportOf(layout, 500);
    EXPECT_GT(viewport.divider(), 200);
    EXPECT_LT(viewport.divider(), 300);
    expectWhole(layout, viewport);
    // With few others, the rest of the view belongs to the device.
    const LaneLayout one = layoutOf(40, 1);
    const LaneViewport wide = viewportOf(one, 500);
    EXPECT_GT(wide.divider(), 400);
    EXPECT_EQ(wide.maximumScroll(Part::Main), 0);
    expectWhole(one, wide);
}

TEST(LaneViewport, ALowViewHasNoDivider)
{
    const LaneLayout layout = layoutOf(40, 30);
    EXPECT_EQ(viewportOf(layout, 2 * LaneViewport::kLeast + LaneViewport::kDivider - 1).divider(), -1);
    EXPECT_GE(viewportOf(layout, 2 * LaneViewport::kLeast + LaneViewport::kDivider).divider(), LaneViewport::kLeast);
    expectWhole(layout, viewportOf(layout, 0));
}

TEST(LaneViewport, TheDividerFollowsTheUserAndLeavesBothPartsInView)
{
    const LaneLayout layout = layoutOf(40, 30);
    LaneViewport viewport = viewportOf(layout, 500);
    const int automatic = viewport.divider();
    viewport.setDeviceWish(123);
    EXPECT_EQ(viewport.divider(), 123);
    viewport.setDeviceWish(10'000);
    EXPECT_EQ(viewport.divider(), 500 - LaneViewport::kDivider - LaneViewport::kLeast);
    viewport.setDeviceWish(1);
    EXPECT_EQ(viewport.divider(), LaneViewport::kLeast);
    viewport.setDeviceWish(0);
    EXPECT_EQ(viewport.divider(), automatic);
}

TEST(LaneViewport, PartsScrollApart)
{
    const LaneLayout layout = layoutOf(40, 30);
    LaneViewport viewport = viewportOf(layout, 500);
    EXPECT_TRUE(viewport.setScroll(Part::Device, 100));
    EXPECT_EQ(viewport.scroll(Part::Device), 100);
    EXPECT_EQ(viewport.scroll(Part::Main), 0);
    expectWhole(layout, viewport);
    EXPECT_TRUE(viewport.setScroll(Part::Main, 1'000'000));
    EXPECT_EQ(viewport.scroll(Part::Main), viewport.maximumScroll(Part::Main));
    EXPECT_EQ(viewport.scroll(Part::Device), 100);
    EXPECT_FALSE(viewport.setScroll(Part::Main, 2'000'000));
    expectWhole(layout, viewport);
    EXPECT_EQ(viewport.windows().back().seen().back().title, layout.items().back().title);
}

TEST(LaneViewport, AStripIsScrolledIntoItsOwnWindow)
{
    const LaneLayout layout = layoutOf(40, 30);
    LaneViewport viewport = viewportOf(layout, 500);
    const LaneItem &stream = layout.items()[40];
    ASSERT_TRUE(stream.gpu);
    EXPECT_TRUE(viewport.show(stream, 0, stream.height));
    const int top = stream.y + viewport.of(stream).offset();
    EXPECT_GE(top, 0);
    EXPECT_LE(top + stream.height, viewport.divider());
    EXPECT_EQ(viewport.scroll(Part::Main), 0);
    EXPECT_FALSE(viewport.show(stream, 0, stream.height));
}

TEST(LaneViewport, PinnedLanesTakeAtMostHalfOfTheView)
{
    LaneState state;
    const LaneLayout before = layoutOf(40, 30);
    for (const LaneItem &item : before.items())
        if (!item.heading() && state.pinned.size() < 20)
            state.pinned.push_back(item.key);
    const LaneLayout layout = layoutOf(40, 30, state);
    const LaneViewport viewport = viewportOf(layout, 500);
    ASSERT_EQ(viewport.windows().size(), 3u);
    EXPECT_EQ(viewport.windows()[0].part, Part::Pinned);
    EXPECT_EQ(viewport.windows()[0].bottom, 250);
    EXPECT_EQ(viewport.maximumScroll(Part::Pinned), 0);
    expectWhole(layout, viewport);
}

} // namespace
} // namespace riffle::test
