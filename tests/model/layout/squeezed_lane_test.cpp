// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Lanes whose plumbing is hidden: their strips, what is drawn and hit, and the steps from slice to slice.
#include "model/analysis/facts/lane_squeezing.h"
#include "model/layout/draw_list.h"
#include "model/layout/highlight_hits.h"
#include "model/layout/hit_test.h"
#include "model/layout/slice_steps.h"
#include "tests/model/analysis/facts/python_trace.h"
#include "tests/model/layout/slow_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace riffle::test {
namespace {

struct Squeezed {
    explicit Squeezed(std::shared_ptr<const Trace> made)
        : trace(std::move(made))
        , set(setOf(trace))
        , lanes{squeezedLanes(*trace)}
    {
    }
    LaneLayout layout(const LaneState &state) const { return LaneLayout(set, {}, state, {}, lanes); }
    /// The layout with all rows that remain.
    LaneLayout whole() const
    {
        LaneState state;
        const LaneLayout first = layout({});
        for (const LaneItem &item : first.items())
            state.whole.insert(item.key);
        return layout(state);
    }

    std::shared_ptr<const Trace> trace;
    TraceSet set;
    SetSqueezedLanes lanes;
};

/// The shown slices of a strip, by row.
std::vector<std::vector<Slice>> slicesByRow(const Trace &trace, const LaneItem &item)
{
    std::vector<std::vector<Slice>> rows(item.rows);
    for (uint32_t id = 0; id < trace.sliceCount(); ++id)
        if (const auto slice = trace.slice(SliceId(id)); slice->lane == item.lane)
            if (const auto row = rowInStrip(item, *trace.segmentOf(slice->id), slice->id))
                rows[*row].push_back(*slice);
    return rows;
}

void compareWithDefinition(const Squeezed &squeezed, uint32_t seed, bool withHits)
{
    std::mt19937_64 random(seed);
    const Trace &trace = *squeezed.trace;
    PerTrace<BigVector<uint32_t>> hits, numbers;
    for (uint32_t id = 0; withHits && id < trace.sliceCount(); ++id)
        if (random() % 9 == 0)
            hits[TraceId(0)].push_back(id);
    if (withHits)
        numbers[TraceId(0)] = numbersOf(trace, *squeezed.lanes[TraceId(0)], hits[TraceId(0)], {});
    const LaneLayout layout = squeezed.whole();
    DrawList list;
    for (int view = 0; view < 30; ++view) {
        const TimeSpan range = randomRange(random, squeezed.set.span());
        const int width = 50 + static_cast<int>(random() % 300);
        DrawList::Request request;
        request.set = &squeezed.set;
        request.section = &layout.items();
        request.scale = TimeScale(range, width);
        request.yEnd = layout.height();
        request.hits = &hits;
        request.squeezedHits = &numbers;
        list.build(request);
        for (const LaneItem &item : layout.items()) {
            if (item.heading())
                continue;
            const auto rows = slicesByRow(trace, item);
            for (uint32_t row = 0; row < item.rows; ++row) {
                std::vector<int> slices(static_cast<size_t>(width)), isHit(slices.size());
                for (const Slice &slice : rows[row]) {
                    if (slice.data.start >= range.end || slice.end() < range.begin ||
                        (slice.data.duration > 0 && slice.end() == range.begin))
                        continue;
                    const auto [first, last] = columnsOf(slice.data.start, slice.data.duration, range, width);
                    for (int64_t x = std::max<int64_t>(first, 0); x <= std::min<int64_t>(last, width - 1); ++x) {
                        ++slices[static_cast<size_t>(x)];
                        isHit[static_cast<size_t>(x)] |= std::ranges::binary_search(hits[TraceId(0)], slice.id.value);
                    }
                }
                const int y = item.y + LaneLayout::kPadding + static_cast<int>(row) * item.rowHeight + 2;
                for (int x = 0; x < width; ++x) {
                    const Hit hit = hitTest(list, layout.items(), x, y, 0);
                    const auto column = static_cast<size_t>(x);
                    ASSERT_EQ(hit.slice.valid(), slices[column] > 0) << "view " << view << " row " << row;
                    if (!hit.slice.valid())
                        continue;
                    const Slice slice = *trace.slice(hit.slice.slice);
                    ASSERT_EQ(rowInStrip(item, *trace.segmentOf(slice.id), slice.id), row);
                    const auto [first, last] = columnsOf(slice.data.start, slice.data.duration, range, width);
                    ASSERT_TRUE(first <= x && x <= last) << "the slice hit does not cover the column";
                    ASSERT_EQ(hit.box.name, slice.data.name);
                    if (withHits && squeezed.trace->lanes[item.lane.value].segments.size() == 1) {
                        ASSERT_EQ(std::ranges::binary_search(hits[TraceId(0)], slice.id.value), isHit[column] != 0);
                    }
                }
            }
        }
    }
}

TEST(SqueezedLane, DrawsWhatIsShownAndAClickHitsIt)
{
    for (uint32_t seed = 1; seed < 5; ++seed)
        compareWithDefinition(Squeezed(PythonTraceMaker(seed).make(4)), seed, false);
    compareWithDefinition(Squeezed(PythonTraceMaker(6).make(4, 8)), 6, false);
}

TEST(SqueezedLane, ShowsAHighlightedSliceInEachColumnThatHasOne)
{
    for (uint32_t seed = 11; seed < 14; ++seed)
        compareWithDefinition(Squeezed(PythonTraceMaker(seed).make(4)), seed, true);
    compareWithDefinition(Squeezed(PythonTraceMaker(16).make(4, 8)), 16, true);
}

TEST(SqueezedLane, StepsGoAlongTheRowsThatAreDrawn)
{
    const Squeezed squeezed(PythonTraceMaker(21).make(4, 16));
    const LaneLayout layout = squeezed.whole();
    size_t steps = 0;
    for (const LaneItem &item : layout.items()) {
        if (!item.squeezed)
            continue;
        for (std::vector<Slice> row : slicesByRow(*squeezed.trace, item)) {
            std::ranges::stable_sort(row, {}, [](const Slice &slice) { return slice.data.start; });
            ASSERT_FALSE(row.empty());
            SliceId at = row.front().id;
            std::vector<Ns> starts{row.front().data.start};
            for (SliceId next = nextOnRow(*squeezed.trace, at, 1, item.squeezed.get()); next.valid();
                 next = nextOnRow(*squeezed.trace, at, 1, item.squeezed.get())) {
                ASSERT_EQ(nextOnRow(*squeezed.trace, next, -1, item.squeezed.get()), at);
                at = next;
                starts.push_back(squeezed.trace->slice(at)->data.start);
                ++steps;
            }
            ASSERT_EQ(starts.size(), row.size());
            EXPECT_TRUE(std::ranges::equal(starts, row, {}, {}, [](const Slice &slice) { return slice.data.start; }));
        }
    }
    EXPECT_GT(steps, 20u);
}

TEST(SqueezedLane, IsSwitchedAloneOrWithAllOthers)
{
    const Squeezed squeezed(PythonTraceMaker(31).make(6));
    const auto rowsOf = [&](const LaneState &state) {
        std::vector<std::pair<uint32_t, uint32_t>> rows; // with the hidden ones, and in all
        const LaneLayout layout = squeezed.layout(state);
        for (const LaneItem &item : layout.items())
            if (!item.heading())
                rows.emplace_back(item.rows + item.hiddenRows, item.allRows);
        return rows;
    };
    LaneState state;
    const std::string first = squeezed.layout(state).items()[1].key;
    ASSERT_EQ(rowsOf(state).size(), 2u);
    for (const auto &[rows, all] : rowsOf(state))
        EXPECT_LT(rows, all);
    state.otherwiseFramed.insert(first);
    EXPECT_EQ(rowsOf(state)[0].first, rowsOf(state)[0].second);
    EXPECT_LT(rowsOf(state)[1].first, rowsOf(state)[1].second);
    state.allFrames = true;
    EXPECT_LT(rowsOf(state)[0].first, rowsOf(state)[0].second);
    EXPECT_EQ(rowsOf(state)[1].first, rowsOf(state)[1].second);
    const LaneLayout layout = squeezed.layout(state);
    for (const LaneItem &item : layout.items())
        EXPECT_EQ(item.squeezedRows > 0, !item.heading()) << "a lane that shows all says what could be hidden";
}

} // namespace
} // namespace riffle::test
