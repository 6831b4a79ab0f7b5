// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/slice_steps.h"
#include "model/trace/trace_builder.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace riffle::test {
namespace {

constexpr uint32_t kPerSegment = 20;

/// A thread whose slices nest, cross, touch and are empty, and a stream whose kernels overlap. Every slice starts at
/// the time of its own source offset, which identifies it in both traces.
std::shared_ptr<const Trace> laneOf(int slices, uint32_t segmentSlices)
{
    SmallTrace trace;
    const uint32_t thread = trace.thread(1, "main");
    const uint32_t stream = trace.stream(7);
    std::mt19937 random(11);
    Ns time = 1000;
    for (int i = 0; i < slices; ++i) {
        time += static_cast<Ns>(random() % 12);
        const Ns length = random() % 50 == 0 ? 4000 : static_cast<Ns>(random() % 60);
        trace.plain(thread, "work" + std::to_string(i % 7), "", time, length);
        trace.kernel(stream, "kernel", time + 5, static_cast<Ns>(random() % 40), kNoInt);
    }
    return trace.seal(segmentSlices);
}

class SegmentsTest : public testing::Test {
protected:
    using Found = std::vector<uint64_t>; ///< source offsets
    using Visit = std::function<void(const Segment &, uint32_t first, uint32_t last)>;

    static void SetUpTestSuite()
    {
        s_cut = laneOf(20'000, kPerSegment);
        s_whole = laneOf(20'000, Segment::kMaxSlices);
    }
    static void TearDownTestSuite()
    {
        s_cut.reset();
        s_whole.reset();
    }
    static void forEachOverlapping(const Trace &trace, uint32_t lane, uint32_t row, TimeSpan span, const Visit &visit)
    {
        for (const uint32_t index : trace.lanes[lane].segments) {
            const Segment &segment = *trace.segments[index];
            const auto [first, last] = segment.overlapping(row, span);
            if (first < last)
                visit(segment, first, last);
        }
    }
    static Found overlapping(const Trace &trace, uint32_t lane, uint32_t row, TimeSpan span)
    {
        Found found;
        forEachOverlapping(trace, lane, row, span, [&](const Segment &segment, uint32_t first, uint32_t last) {
            for (uint32_t at = first; at < last; ++at)
                found.push_back(segment.slices.sourceOffset[at]);
        });
        return found;
    }
    static Ns longest(const Trace &trace, uint32_t lane, uint32_t row, TimeSpan span)
    {
        Ns longest = -1;
        forEachOverlapping(trace, lane, row, span, [&](const Segment &segment, uint32_t first, uint32_t last) {
            const uint32_t at = segment.lod.longest(segment.slices.duration.span(), first, last);
            longest = std::max(longest, segment.slices.duration[at]);
        });
        return longest;
    }
    static uint64_t offsetOf(const Trace &trace, SliceId id)
    {
        const auto slice = trace.slice(id);
        return slice ? slice->data.sourceOffset : UINT64_MAX;
    }
    static Found offsetsOf(const Trace &trace, const std::vector<SliceId> &ids)
    {
        Found found;
        for (const SliceId id : ids)
            found.push_back(offsetOf(trace, id));
        return found;
    }
    static std::map<uint64_t, SliceId> byOffset(const Trace &trace)
    {
        std::map<uint64_t, SliceId> ids;
        for (uint32_t id = 0; id < trace.sliceCount(); ++id)
            ids.emplace(offsetOf(trace, SliceId(id)), SliceId(id));
        return ids;
    }
    /// A span that starts anywhere, or exactly where a slice of the row starts or ends.
    TimeSpan randomSpan(uint32_t lane, uint32_t row)
    {
        const TimeSpan all = s_whole->span;
        Ns begin = all.begin - 100 + static_cast<Ns>(m_random() % static_cast<uint64_t>(all.duration() + 200));
        const Segment &segment = *s_whole->segments[s_whole->lanes[lane].segments[0]];
        if (row < segment.rows() && m_random() % 4) {
            const uint32_t first = segment.rowBegin[row];
            const auto at = static_cast<uint32_t>(first + m_random() % (segment.rowBegin[row + 1] - first));
            begin = m_random() % 2 ? segment.slices.start[at] : segment.end(at);
        }
        return {begin, begin + static_cast<Ns>(m_random() % (m_random() % 3 ? 300 : 60'000))};
    }

    static inline std::shared_ptr<const Trace> s_cut, s_whole;
    std::mt19937_64 m_random{3};
};

TEST_F(SegmentsTest, AreCutInTimeOrderAndWithinTheirSize)
{
    ASSERT_EQ(s_cut->lanes[0].segments.size(), 1000u);
    ASSERT_EQ(s_whole->lanes[0].segments.size(), 1u);
    for (const Lane &lane : s_cut->lanes) {
        Ns before = INT64_MIN;
        for (const uint32_t index : lane.segments) {
            const Segment &segment = *s_cut->segments[index];
            EXPECT_LE(segment.size(), kPerSegment);
            EXPECT_GE(segment.span.begin, before);
            for (const Ns start : segment.slices.start) {
                EXPECT_GE(start, segment.span.begin);
                before = std::max(before, start);
            }
        }
    }
    EXPECT_EQ(s_cut->span, s_whole->span);
    EXPECT_EQ(s_cut->report.of(Trouble::CrossingSlices).count, s_whole->report.of(Trouble::CrossingSlices).count);
    EXPECT_GT(s_cut->report.of(Trouble::CrossingSlices).count, 100u);
}

TEST_F(SegmentsTest, HoldTheSameSlices)
{
    const auto cut = byOffset(*s_cut), whole = byOffset(*s_whole);
    ASSERT_EQ(cut.size(), 40'000u);
    ASSERT_EQ(whole.size(), 40'000u);
    for (const auto &[offset, id] : cut) {
        const Slice a = *s_cut->slice(id), b = *s_whole->slice(whole.at(offset));
        ASSERT_EQ(a.data.members(), b.data.members());
        ASSERT_EQ(std::tuple(a.lane, a.row, a.self, a.depth), std::tuple(b.lane, b.row, b.self, b.depth));
        ASSERT_EQ(offsetOf(*s_cut, a.parent), offsetOf(*s_whole, b.parent));
        if (offset % 16 == 0) {
            ASSERT_EQ(offsetsOf(*s_cut, s_cut->children(a.id)), offsetsOf(*s_whole, s_whole->children(b.id)));
        }
    }
}

TEST_F(SegmentsTest, AnswerAsOne)
{
    for (uint32_t lane = 0; lane < 2; ++lane) {
        ASSERT_EQ(s_cut->lanes[lane].rows, s_whole->lanes[lane].rows);
        for (int round = 0; round < 300; ++round) {
            const auto row = static_cast<uint32_t>(m_random() % (s_whole->lanes[lane].rows + 1));
            const TimeSpan span = randomSpan(lane, row);
            ASSERT_EQ(overlapping(*s_cut, lane, row, span), overlapping(*s_whole, lane, row, span));
            ASSERT_EQ(longest(*s_cut, lane, row, span), longest(*s_whole, lane, row, span));
            ASSERT_EQ(offsetOf(*s_cut, s_cut->sliceAt(LaneId(lane), row, span.begin)),
                      offsetOf(*s_whole, s_whole->sliceAt(LaneId(lane), row, span.begin)));
        }
    }
}

TEST_F(SegmentsTest, AnswerWhatAWalkOverAllSlicesFinds)
{
    const Segment &all = *s_whole->segments[s_whole->lanes[0].segments[0]];
    for (int round = 0; round < 100; ++round) {
        const auto row = static_cast<uint32_t>(m_random() % s_whole->lanes[0].rows);
        const TimeSpan span = randomSpan(0, row);
        Found expected;
        for (uint32_t at = 0; at < all.size(); ++at) {
            const bool inside =
                all.slices.start[at] < span.end &&
                (all.end(at) > span.begin || (all.slices.duration[at] == 0 && all.slices.start[at] == span.begin));
            if (all.rowOf(at) == row && inside)
                expected.push_back(all.slices.sourceOffset[at]);
        }
        ASSERT_EQ(overlapping(*s_cut, 0, row, span), expected);
    }
}

TEST_F(SegmentsTest, HaveTheSameNeighbours)
{
    const auto cut = byOffset(*s_cut), whole = byOffset(*s_whole);
    for (const auto &[offset, id] : cut) {
        if (offset % 8)
            continue;
        for (const int direction : {-1, 1})
            ASSERT_EQ(offsetOf(*s_cut, nextOnRow(*s_cut, id, direction)),
                      offsetOf(*s_whole, nextOnRow(*s_whole, whole.at(offset), direction)));
    }
}

} // namespace
} // namespace riffle::test
