// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_builder.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace riffle {
namespace {

struct Interval {
    Ns start, duration;
    int64_t correlation = kNoInt;
};
struct Point {
    Ns time;
    bool enclosing;
    int64_t id = 0;
};

/// A lane of slices and flow points. The offset of a slice is its index in `slices`, that of a point its index in
/// `points`.
std::shared_ptr<const Trace> laneWith(LaneKind kind, const std::vector<Interval> &slices,
                                      const std::vector<Point> &points, std::string_view category = "ac2g")
{
    TraceBuilder builder;
    TraceWriter &writer = builder.newWriter();
    const uint32_t categoryId = writer.intern(category, 0);
    const uint32_t lane = writer.lane({{1, RawId::Kind::Signed}, {2, RawId::Kind::Signed}, kind, 0}, 0);
    for (size_t at = 0; at < slices.size(); ++at)
        writer.slice({slices[at].start, slices[at].duration, at, slices[at].correlation, kNoInt, 1, 0, 0, 0, 'X',
                      SliceDetail::None},
                     lane);
    for (size_t at = 0; at < points.size(); ++at)
        writer.flow(
            {points[at].time, points[at].id, at, 1, categoryId, lane, SliceId::kNone, 's', points[at].enclosing});
    auto trace = builder.seal({}, nullptr, {}, {});
    return trace ? *trace : nullptr;
}

/// The offset of the slice to which a point is bound, by definition: the innermost slice around it that has its id as
/// correlation id. Otherwise the innermost slice around it, where one that starts exactly there comes before all
/// others, and among those one with a duration; without `bp: e` the next one unless a slice starts exactly there. If
/// there is none, the slice that started last of those that end exactly there, which is the first choice for the starts
/// of TensorFlow's flows.
size_t boundByDefinition(const std::vector<Interval> &slices, Point point, std::string_view category)
{
    constexpr size_t kNone = SIZE_MAX;
    std::vector<size_t> order(slices.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return std::pair(slices[a].start, -slices[a].duration) < std::pair(slices[b].start, -slices[b].duration);
    });
    size_t named = kNone, around = kNone, startsHere = kNone, next = kNone, ended = kNone;
    for (const size_t at : order) {
        const Ns end = slices[at].start + slices[at].duration;
        if (slices[at].start == point.time || (slices[at].start < point.time && point.time < end)) {
            around = at;
            if (category != "fwdbwd" && slices[at].correlation == point.id)
                named = at;
        }
        if (slices[at].start == point.time && slices[at].duration > 0)
            startsHere = at;
        if (slices[at].start < point.time && end == point.time)
            ended = at;
        if (slices[at].start > point.time && next == kNone)
            next = at;
    }
    if (named != kNone)
        return named;
    if (category == "DataFlow" && ended != kNone)
        return ended;
    const bool here = around != kNone && slices[around].start == point.time;
    const size_t innermost = startsHere != kNone ? startsHere : around;
    const size_t bound = point.enclosing || here || next == kNone ? innermost : next;
    return bound != kNone ? bound : ended;
}

TEST(Flows, BindAsDefined)
{
    std::mt19937 random(17);
    const auto below = [&](unsigned limit) { return static_cast<Ns>(random() % limit); };
    for (int round = 0; round < 1500 && !testing::Test::HasFailure(); ++round) {
        std::vector<Interval> slices(static_cast<size_t>(below(12)));
        std::vector<Point> points(1 + static_cast<size_t>(below(12)));
        for (Interval &slice : slices)
            slice = {below(30), below(3) ? below(20) : 0, below(2) ? below(8) : kNoInt};
        for (Point &point : points)
            point = {below(40) - 5, below(2) != 0, below(8)};
        const char *category = std::array{"ac2g", "fwdbwd", "DataFlow"}[random() % 3];
        const LaneKind kind = std::array{LaneKind::Thread, LaneKind::Stream, LaneKind::Async}[random() % 3];
        const auto trace = laneWith(kind, slices, points, category);
        ASSERT_TRUE(trace);
        ASSERT_EQ(trace->flows.slice.size(), points.size());
        uint64_t unbound = 0;
        for (uint32_t row = 0; row < trace->flows.slice.size(); ++row) {
            const size_t expected = boundByDefinition(slices, points[trace->flows.sourceOffset[row]], category);
            const auto slice = trace->slice(SliceId(trace->flows.slice[row]));
            EXPECT_EQ(slice ? slice->data.sourceOffset : SIZE_MAX, expected) << round;
            unbound += expected == SIZE_MAX;
        }
        EXPECT_EQ(trace->report.of(Trouble::UnboundFlow).count, unbound);
        for (size_t at = 1; at < trace->flowsBySlice.size(); ++at)
            EXPECT_LE(trace->flows.slice[trace->flowsBySlice[at - 1]], trace->flows.slice[trace->flowsBySlice[at]]);
        EXPECT_EQ(trace->flowsBySlice.size(), points.size() - unbound);
    }
}

/// Where a lane is the text "stream 7", the points belong to stream 7 unless the lane has slices of its own.
TEST(Flows, BindToTheStreamThatTheTextNames)
{
    const RawId gpu{0, RawId::Kind::Signed};
    const auto sliceOfEnd = [&](bool hasThread, char phase) {
        TraceBuilder builder;
        TraceWriter &writer = builder.newWriter();
        const RawId text{static_cast<int64_t>(writer.intern("stream 7 ", 0)), RawId::Kind::Text};
        const uint32_t stream = writer.lane({gpu, {7, RawId::Kind::Signed}, LaneKind::Stream, 0}, 0);
        const uint32_t thread = writer.lane({gpu, text, LaneKind::Thread, 0}, 1);
        writer.slice({10, 5, 100, kNoInt, kNoInt, 1, 0, 0, 0, 'X', SliceDetail::None}, stream);
        if (hasThread)
            writer.slice({10, 5, 200, kNoInt, kNoInt, 1, 0, 0, 0, 'X', SliceDetail::None}, thread);
        writer.flow({10, 1, 300, 1, 0, thread, SliceId::kNone, phase, 1});
        const auto trace = builder.seal({}, nullptr, {}, {});
        const auto slice = (*trace)->slice(SliceId((*trace)->flows.slice[0]));
        return slice ? slice->data.sourceOffset : 0;
    };
    EXPECT_EQ(sliceOfEnd(false, 'f'), 100u);
    EXPECT_EQ(sliceOfEnd(false, 's'), 100u);
    EXPECT_EQ(sliceOfEnd(true, 'f'), 100u);
    EXPECT_EQ(sliceOfEnd(true, 's'), 200u);
}

/// Work quadratic in the depth would take minutes.
TEST(HostileLanes, FlowPointsAfterADeepStackEnded)
{
    constexpr uint32_t kMany = 200'000;
    std::vector<Interval> slices{{0, 10 * kMany}};
    std::vector<Point> points;
    for (uint32_t i = 1; i < kMany; ++i)
        slices.push_back({i, 2 * kMany - 2 * Ns{i}});
    for (uint32_t i = 0; i < kMany; ++i)
        points.push_back({2 * Ns{kMany} + i, true});
    const auto trace = laneWith(LaneKind::Thread, slices, points);
    ASSERT_TRUE(trace);
    for (const uint32_t slice : trace->flows.slice)
        ASSERT_EQ(slice, 0u);
}

} // namespace
} // namespace riffle
