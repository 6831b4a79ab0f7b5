// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/draw_list.h"
#include "model/trace/growth/trace_growth.h"
#include "tests/model/layout/slow_row.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace riffle::test {
namespace {

/// A thread with nested slices, tick by tick: its outermost one is open all the time.
std::shared_ptr<const Trace> grownTrace(std::mt19937_64 &random, int ticks)
{
    TraceGrowth growth;
    std::shared_ptr<const Trace> trace;
    std::vector<Ns> open;
    Ns now = 1'000;
    uint64_t address = 0;
    const auto memory = std::make_shared<ColumnMemory>();
    for (int tick = 0; tick < ticks; ++tick) {
        TraceWriter rows(memory), still(memory);
        rows.beginBatch(0);
        still.beginBatch(0);
        LaneKey key;
        key.pid = key.tid = {1, RawId::Kind::Signed};
        const uint32_t lane = rows.lane(key, 0), name = rows.intern("call", 1);
        for (uint64_t count = random() % 30; count > 0; --count) {
            now += 1 + static_cast<Ns>(random() % 50);
            if (open.empty() || (open.size() < 6 && random() % 2)) {
                open.push_back(now);
            } else if (open.size() > 1) {
                SliceRow row{};
                row.start = open.back();
                row.duration = now - row.start;
                row.name = name;
                row.sourceOffset = ++address;
                row.correlation = row.externalId = kNoInt;
                rows.slice(row, lane);
                rows.noteTime(now);
                open.pop_back();
            }
        }
        for (const Ns start : open) {
            HalfRow half{};
            half.time = start;
            half.sourceOffset = ++address;
            half.correlation = half.externalId = kNoInt;
            half.lane = still.lane(key, 0);
            half.phase = 'B';
            still.half(half);
        }
        growth.add(rows);
        growth.setOpen(still);
        growth.settle([&](LaneKind) { return now; });
        const auto next = growth.generation({}, nullptr, {}, [](const ImportReport &report) { return report; });
        EXPECT_TRUE(next);
        trace = *next;
    }
    return trace;
}

TEST(GrownLane, EveryColumnShowsASliceThatTouchesItWhereOneDoes)
{
    std::mt19937_64 random(4);
    size_t segments = 0;
    for (int run = 0; run < 8; ++run) {
        const auto trace = grownTrace(random, 60 + run * 40);
        segments = std::max(segments, trace->lanes[0].segments.size());
        const TraceSet set = TraceSet::of({trace});
        const LaneLayout layout(set, {}, {});
        for (int view = 0; view < 40; ++view) {
            const int width = 1 + static_cast<int>(random() % 300);
            const TimeSpan range = view < 3 ? trace->span : randomRange(random, trace->span);
            DrawList::Request request;
            request.set = &set;
            request.section = &layout.items();
            request.scale = TimeScale(range, width);
            request.yEnd = layout.height();
            DrawList list;
            list.build(request);
            for (const DrawnItem &item : list.items())
                for (size_t at = 0; item.item->kind == LaneItem::Kind::Slices && at < item.rows.size(); ++at) {
                    const uint32_t row = item.firstRow + static_cast<uint32_t>(at);
                    const SlowRow slow(*trace, trace->lanes[item.item->lane.value], row, range, width);
                    std::vector<bool> shown(static_cast<size_t>(width), false);
                    int end = 0;
                    for (const Box &box : item.rows[at]) {
                        ASSERT_GE(box.x0, end);
                        end = box.x1;
                        const std::optional<Slice> slice = trace->slice(SliceId(box.slice));
                        ASSERT_TRUE(slice);
                        ASSERT_EQ(slice->row, row);
                        const auto [first, last] = columnsOf(slice->data.start, slice->data.duration, range, width);
                        ASSERT_LE(first, box.x0);
                        ASSERT_GE(last, box.x1 - 1);
                        for (int x = box.x0; x < box.x1; ++x)
                            shown[static_cast<size_t>(x)] = true;
                    }
                    for (size_t x = 0; x < shown.size(); ++x)
                        ASSERT_EQ(shown[x], slow.longest[x] >= 0) << "row " << row << " column " << x;
                }
        }
    }
    EXPECT_GT(segments, 30u);
}

} // namespace
} // namespace riffle::test
