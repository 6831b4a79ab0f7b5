// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/slice_steps.h"

#include "model/layout/busy_share.h"
#include "model/layout/counter_graph.h"
#include "model/layout/flow_links.h"
#include "tests/model/layout/random_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

namespace riffle::test {
namespace {

TEST(SliceSteps, GoAlongARowAndBack)
{
    const auto trace = randomTrace(7, 50, 20);
    for (const Lane &lane : trace->lanes) {
        SliceId at = trace->sliceAt(trace->segments[lane.segments[0]]->lane, 0, lane.span.begin);
        ASSERT_TRUE(at.valid());
        while (nextOnRow(*trace, at, -1).valid())
            at = nextOnRow(*trace, at, -1);
        uint32_t steps = 1;
        for (SliceId next = nextOnRow(*trace, at, 1); next.valid(); next = nextOnRow(*trace, at, 1)) {
            EXPECT_EQ(nextOnRow(*trace, next, -1), at);
            EXPECT_EQ(trace->slice(next)->row, trace->slice(at)->row);
            at = next;
            ++steps;
        }
        uint32_t expected = 0;
        for (const uint32_t number : lane.segments)
            expected += trace->segments[number]->rowBegin[1] - trace->segments[number]->rowBegin[0];
        EXPECT_EQ(steps, expected);
    }
}

TEST(SliceSteps, OfANameVisitAllOfThatNameOnAllLanesInOrder)
{
    const auto trace = randomTrace(8, 40, 25);
    const Slice first = *trace->slice(sliceNamed(*trace, "inner3"));
    using Place = std::tuple<Ns, uint32_t, uint32_t>;
    std::vector<Place> expected;
    std::set<uint32_t> lanes;
    for (uint32_t id = 0; id < trace->sliceCount(); ++id) {
        const auto slice = trace->slice(SliceId(id));
        if (slice->data.name != first.data.name)
            continue;
        expected.emplace_back(slice->data.start, slice->lane.value, id);
        lanes.insert(slice->lane.value);
    }
    std::sort(expected.begin(), expected.end());
    ASSERT_GT(lanes.size(), 1u);
    for (size_t i = 0; i < expected.size(); ++i) {
        const SliceId here(std::get<2>(expected[i]));
        const SliceId next = nextOfName(*trace, here, 1);
        const SliceId previous = nextOfName(*trace, here, -1);
        EXPECT_EQ(next, i + 1 < expected.size() ? SliceId(std::get<2>(expected[i + 1])) : SliceId());
        EXPECT_EQ(previous, i > 0 ? SliceId(std::get<2>(expected[i - 1])) : SliceId());
    }
}

TEST(SliceSteps, OfANameThatStartTogetherFollowByLane)
{
    SmallTrace small;
    for (int64_t thread = 1; thread <= 3; ++thread)
        small.operation(small.thread(thread), "same", 100, 50);
    const auto trace = small.seal();
    SliceId at = sliceNamed(*trace, "same");
    while (nextOfName(*trace, at, -1).valid())
        at = nextOfName(*trace, at, -1);
    std::vector<uint32_t> lanes;
    for (; at.valid(); at = nextOfName(*trace, at, 1))
        lanes.push_back(trace->slice(at)->lane.value);
    EXPECT_EQ(lanes.size(), 3u);
    EXPECT_TRUE(std::is_sorted(lanes.begin(), lanes.end()));
    EXPECT_FALSE(nextOfName(*trace, SliceId(), 1).valid());
}

TEST(FlowLinks, LeadFromLaunchToKernelAndFromForwardToBackward)
{
    const auto trace = trainingTrace();
    const SliceId launch = sliceNamed(*trace, "cudaLaunchKernel");
    const SliceId kernel = trace->launchedBy(launch).at(0);
    EXPECT_EQ(alongFlow(*trace, launch, 1), kernel);
    EXPECT_EQ(alongFlow(*trace, kernel, -1), launch);
    EXPECT_FALSE(alongFlow(*trace, kernel, 1).valid());
    const SliceId forward = sliceNamed(*trace, "aten::linear");
    const SliceId backward = alongFlow(*trace, forward, 1);
    ASSERT_TRUE(backward.valid());
    EXPECT_EQ(trace->string(trace->slice(backward)->data.name), "MmBackward0");
    EXPECT_EQ(alongFlow(*trace, backward, -1), forward);
}

TEST(BusyShare, CountsOverlappingStreamsOnce)
{
    SmallTrace small;
    small.kernel(small.stream(7), "a", 0, 500, 0);
    const uint32_t other = small.stream(20);
    small.kernel(other, "b", 250, 500, 0);
    small.kernel(other, "c", 990, 10, 0);
    const auto lines = busyLines(setOf(small.seal()), {0, 1000}, 4, {});
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].title, "GPU 0");
    EXPECT_FLOAT_EQ(lines[0].share[0], 1);
    EXPECT_FLOAT_EQ(lines[0].share[1], 1);
    EXPECT_FLOAT_EQ(lines[0].share[2], 1);
    EXPECT_NEAR(lines[0].share[3], 0.04, 1e-6);
}

TEST(CounterGraph, ShowsTheExtremesOfEveryPixelAndHoldsValues)
{
    std::vector<Ns> times;
    std::vector<double> values;
    for (int i = 0; i < 20'000; ++i) {
        times.push_back(1000 + i * 7);
        values.push_back(std::sin(i * 0.01) * 100 + (i == 7777 ? 900 : 0));
    }
    const CounterGraph graph(BigVector<Ns>(times.begin(), times.end()),
                             BigVector<double>(values.begin(), values.end()));
    for (const TimeSpan range : {TimeSpan{0, 150'000}, TimeSpan{50'000, 60'000}, TimeSpan{1000, 1030}}) {
        const PixelGrid grid(TimeScale(range, 97), TimeMap());
        std::vector<CounterGraph::Column> columns;
        graph.columns(grid, columns);
        for (int x = 0; x < 97; ++x) {
            CounterGraph::Column expected;
            double before = NAN;
            for (size_t i = 0; i < times.size(); ++i) {
                if (times[i] >= grid.next(x))
                    break;
                const bool inside = x == 0 ? times[i] >= range.begin : times[i] >= grid.next(x - 1);
                if (inside) {
                    expected.low = expected.any ? std::min(expected.low, values[i]) : values[i];
                    expected.high = expected.any ? std::max(expected.high, values[i]) : values[i];
                    expected.any = true;
                } else {
                    before = values[i];
                }
            }
            if (!std::isnan(before)) {
                expected.low = expected.any ? std::min(expected.low, before) : before;
                expected.high = expected.any ? std::max(expected.high, before) : before;
                expected.any = true;
            }
            const auto &column = columns[static_cast<size_t>(x)];
            ASSERT_EQ(column.any, expected.any) << x;
            EXPECT_EQ(column.low, expected.low) << x;
            EXPECT_EQ(column.high, expected.high) << x;
        }
    }
    EXPECT_TRUE(std::isnan(graph.valueAt(999)));
    EXPECT_EQ(graph.valueAt(1006), values[0]);
    EXPECT_EQ(graph.valueAt(1007), values[1]);
}

} // namespace
} // namespace riffle::test
