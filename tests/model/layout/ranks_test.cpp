// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/draw_list.h"

#include "tests/model/layout/random_trace.h"
#include "tests/model/layout/slow_grid.h"
#include "tests/model/layout/slow_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <random>

namespace riffle::test {
namespace {

/// Ranks with slices of their own whose clocks are that of the set, shifted and drifting.
TraceSet ranks(size_t count)
{
    TraceSet set;
    for (size_t rank = 0; rank < count; ++rank) {
        auto trace = randomTrace(20 + static_cast<uint32_t>(rank), 40);
        const Ns length = trace->span.duration();
        const Ns begin = trace->span.begin;
        const Ns shift = 100 * static_cast<Ns>(rank);
        const std::vector<std::vector<TimeMap::Knot>> clocks{
            {},
            {{0, shift}},
            {{begin, begin + shift},
             {begin + length / 3, begin + shift + length / 3 + length / 900},
             {begin + length, begin + shift + length - length / 700}}};
        set.add(std::move(trace), TimeMap(clocks[rank % clocks.size()]));
    }
    return set;
}

LaneState folded(const TraceSet &set, LaneItem::Kind kind)
{
    LaneState state;
    const LaneLayout open(set, {}, {});
    for (const LaneItem &item : open.items())
        if (item.kind == kind)
            state.folded.insert(item.key);
    return state;
}

DrawList::Request requestOf(const TraceSet &set, const LaneLayout &layout, TimeSpan range, int width)
{
    DrawList::Request request;
    request.set = &set;
    request.section = &layout.items();
    request.scale = TimeScale(range, width);
    request.yEnd = layout.height();
    return request;
}

/// The contents of a column of a row: the slice of the box there, and how wide the box is.
struct Shown {
    uint32_t slice = SliceId::kNone;
    int width = INT_MAX;
};

std::vector<Shown> columnsOfBoxes(std::span<const Box> boxes, int width)
{
    std::vector<Shown> columns(static_cast<size_t>(width));
    for (const Box &box : boxes)
        for (int x = box.x0; x < box.x1; ++x)
            columns[static_cast<size_t>(x)] = {box.slice, box.x1 - box.x0};
    return columns;
}

TEST(Ranks, EveryColumnShowsTheLongestSliceWhateverTheClock)
{
    const TraceSet set = ranks(6);
    const LaneLayout layout(set, {}, {});
    std::mt19937_64 random(71);
    DrawList list;
    size_t painted = 0;
    for (int view = 0; view < 12; ++view) {
        const int width = 50 + static_cast<int>(random() % 400);
        const TimeSpan range = randomRange(random, set.span());
        const DrawList::Request request = requestOf(set, layout, range, width);
        list.build(request);
        for (const DrawnItem &drawn : list.items()) {
            if (drawn.item->kind != LaneItem::Kind::Slices)
                continue;
            const Trace &trace = *set.trace(drawn.item->trace);
            const SlowGrid grid(request.scale, set.time(drawn.item->trace));
            for (uint32_t row = 0; row < drawn.rows.size(); ++row) {
                const std::vector<Ns> longest = longestInColumns(trace, trace.lanes[drawn.item->lane.value], row, grid);
                const std::vector<Shown> columns = columnsOfBoxes(drawn.rows[row], width);
                for (size_t x = 0; x < columns.size(); ++x) {
                    const auto slice = trace.slice(SliceId(columns[x].slice));
                    ASSERT_EQ(slice ? slice->data.duration : -1, longest[x])
                        << "view " << view << " rank " << drawn.item->trace.value << " lane " << drawn.item->title
                        << " row " << row << " column " << x;
                    painted += slice.has_value();
                }
            }
        }
    }
    EXPECT_GT(painted, 1000u);
}

/// The number of slices of a row that are in a span of the trace's time, found one by one.
size_t countInView(const Trace &trace, LaneId lane, uint32_t row, TimeSpan span)
{
    size_t count = 0;
    for (const uint32_t number : trace.lanes[lane.value].segments) {
        const Segment &segment = *trace.segments[number];
        for (uint32_t at = 0; at < segment.size(); ++at) {
            const bool hasBegun = segment.slices.start[at] < span.end;
            const bool isOver =
                segment.slices.duration[at] > 0 ? segment.end(at) <= span.begin : segment.slices.start[at] < span.begin;
            count += segment.rowOf(at) == row && hasBegun && !isOver;
        }
    }
    return count;
}

/// The stripe of some lanes by its definition, from the rows of the unfolded lanes. Counts the rows that are left out
/// because earlier ones have filled it, and those that are added nevertheless.
std::vector<uint32_t> slowStripe(const DrawList &unfolded, const LaneLayout &layout, const Trace &trace,
                                 const LaneItem &heading, size_t stripe, TimeSpan span, size_t width,
                                 std::array<size_t, 2> &full)
{
    const std::vector<LaneId> &lanes = heading.stripes[stripe];
    std::vector<Shown> columns(width);
    size_t boxes = 0, rows = 0;
    for (const LaneId lane : lanes) {
        const DrawnItem *drawn = unfolded.find(layout.find({heading.trace, lane}));
        const size_t depth = std::min<size_t>(drawn->rows.size(), lanes.size() < 4 ? 8 / lanes.size() : 2);
        for (uint32_t row = 0; row < depth && rows < 8; ++row, ++rows) {
            if (boxes > width / 4) {
                const bool isSparse = countInView(trace, lane, row, span) <= width / 8;
                ++full[isSparse];
                if (!isSparse)
                    continue;
            }
            boxes += drawn->rows[row].size();
            const std::vector<Shown> own = columnsOfBoxes(drawn->rows[row], static_cast<int>(width));
            for (size_t x = 0; x < width; ++x)
                if (own[x].slice != SliceId::kNone && own[x].width <= columns[x].width)
                    columns[x] = own[x];
        }
    }
    std::vector<uint32_t> slices;
    for (const Shown &shown : columns)
        slices.push_back(shown.slice);
    return slices;
}

TEST(Ranks, AFoldedRankShowsItsDevicesAboveItsHost)
{
    const TraceSet set = ranks(3);
    const LaneLayout open(set, {}, {});
    const LaneLayout closed(set, {}, folded(set, LaneItem::Kind::TraceHeading));
    ASSERT_EQ(closed.items().size(), 3u);
    std::mt19937_64 random(72);
    DrawList unfolded, list;
    std::array<size_t, 2> full{};
    for (int view = 0; view < 60; ++view) {
        const int width = 1 + static_cast<int>(random() % (view % 3 ? 600 : 20));
        const TimeSpan range = randomRange(random, set.span());
        unfolded.build(requestOf(set, open, range, width));
        const DrawList::Request request = requestOf(set, closed, range, width);
        list.build(request);
        ASSERT_EQ(list.items().size(), 3u);
        for (const DrawnItem &drawn : list.items()) {
            ASSERT_EQ(drawn.rows.size(), 2u);
            for (size_t stripe = 0; stripe < 2; ++stripe) {
                const std::vector<LaneId> &lanes = drawn.item->stripes[stripe];
                ASSERT_EQ(lanes.size(), stripe == 0 ? 2u : 3u);
                const Trace &trace = *set.trace(drawn.item->trace);
                for (const LaneId lane : lanes)
                    ASSERT_EQ(trace.lanes[lane.value].kind, stripe == 0 ? LaneKind::Stream : LaneKind::Thread);
                std::vector<uint32_t> slices;
                for (const Shown &shown : columnsOfBoxes(drawn.rows[stripe], width))
                    slices.push_back(shown.slice);
                const SlowGrid grid(request.scale, set.time(drawn.item->trace));
                const TimeSpan span{grid.floor.front(), grid.begin.back()};
                ASSERT_EQ(slices, slowStripe(unfolded, open, trace, *drawn.item, stripe, span,
                                             static_cast<size_t>(width), full))
                    << "view " << view;
            }
        }
    }
    EXPECT_GT(full[0], 10u) << "too few rows were left out";
    EXPECT_GT(full[1], 10u) << "too few rows were added to a full stripe";
}

TEST(Ranks, RanksThatAreFoldedByDefaultAreOpenedOneByOne)
{
    const TraceSet set = ranks(3);
    LaneState state;
    state.ranksFolded = true;
    const LaneLayout closed(set, {}, state);
    ASSERT_EQ(closed.items().size(), 3u);
    for (const LaneItem &item : closed.items())
        EXPECT_TRUE(item.folded && item.quiet && item.stripes.size() == 2);
    state.unfolded.insert(laneKeyPrefix(set, TraceId(1)) + "trace");
    const LaneLayout layout(set, {}, state), open(set, {}, {});
    const auto lanesOf = [](const LaneLayout &of, TraceId rank) {
        return std::ranges::count(of.items(), rank, &LaneItem::trace);
    };
    EXPECT_EQ(lanesOf(layout, TraceId(0)), 1);
    EXPECT_EQ(lanesOf(layout, TraceId(1)), lanesOf(open, TraceId(1)));
    state.filter = "stream"; // what is searched for is not hidden
    EXPECT_GT(lanesOf(LaneLayout(set, {}, state), TraceId(0)), 1);
}

TEST(Ranks, LanesKeepTheirKeysInAPartOfTheSet)
{
    TraceSet set = ranks(2);
    set.add(set.loaded().front().trace); // a second file of rank 0
    const std::vector<TraceId> last{TraceId(2)};
    EXPECT_EQ(laneKeyPrefix(set, TraceId(2)), laneKeyPrefix(set.part(last), TraceId(2)));
}

TEST(Ranks, OnlyStripsInViewAreDrawn)
{
    const TraceSet set = ranks(5);
    const LaneLayout layout(set, {}, folded(set, LaneItem::Kind::GroupHeading));
    for (int top = -30; top < layout.height() + 30; top += 7)
        for (const int height : {0, 1, 23, 24, 25, 90}) {
            std::vector<const LaneItem *> expected, found;
            for (const LaneItem &item : layout.items())
                if (item.y < top + height && item.y + item.height > top)
                    expected.push_back(&item);
            for (const LaneItem &item : LaneLayout::between(layout.items(), top, top + height))
                found.push_back(&item);
            ASSERT_EQ(found, expected) << top << "+" << height;
        }
}

TEST(Ranks, EveryLaneIsFoundWhereItIs)
{
    const TraceSet set = ranks(4);
    LaneState state = folded(set, LaneItem::Kind::TraceHeading);
    state.folded.erase(laneKeyPrefix(set, TraceId(1)) + "trace");
    state.folded.erase(laneKeyPrefix(set, TraceId(2)) + "trace");
    const LaneLayout open(set, {}, {});
    state.pinned = {open.items()[2].key, open.items()[open.items().size() - 1].key};
    state.hidden = {laneKeys(set, {TraceId(1), LaneId(1)}).back()};
    const LaneLayout layout(set, {}, state);
    size_t shown = 0;
    for (const LoadedTrace &member : set.loaded())
        for (uint32_t lane = 0; lane < member.trace->lanes.size() + 2; ++lane) {
            const LaneItem *expected = nullptr;
            for (const auto *section : {&layout.pinned(), &layout.items()})
                for (const LaneItem &item : *section)
                    if (item.kind == LaneItem::Kind::Slices && item.trace == member.id && item.lane == LaneId(lane))
                        expected = &item;
            EXPECT_EQ(layout.find({member.id, LaneId(lane)}), expected) << member.id.value << " " << lane;
            shown += expected != nullptr;
        }
    EXPECT_EQ(shown, 2u + 4u + 5u) << "two pinned, and the lanes of two ranks but for one that is hidden";
    EXPECT_EQ(layout.find({TraceId(9), LaneId(0)}), nullptr);
}

} // namespace
} // namespace riffle::test
