// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/details.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>

namespace riffle::test {
namespace {

/// Operators with different Sequence numbers, frames and plain slices on two threads, launches of up to three kernels
/// each, and kernels without a launch. A segment has 20 slices.
std::shared_ptr<const Trace> mixedTrace()
{
    SmallTrace small;
    const uint32_t threads[]{small.thread(1, "main"), small.thread(2, "backward")};
    const uint32_t streams[]{small.stream(7), small.stream(13)};
    std::mt19937 random(5);
    for (int i = 0; i < 600; ++i) {
        const Ns time = i * 100;
        const uint32_t thread = threads[random() % 2];
        switch (random() % 4) {
        case 0: small.numbered(thread, "aten::mm", time, 90, i); break;
        case 1: small.frame(thread, "train.py(1): step", time, 90, i); break;
        case 2: small.plain(thread, "work", "", time, 90); break;
        default:
            small.launch(thread, time, 5, i);
            for (uint32_t work = 0; work < random() % 4; ++work)
                small.kernel(streams[random() % 2], "kernel", time + 10 + work * 20, 15, i);
            small.kernel(streams[0], "lost", time + 80, 10, 100'000 + i);
        }
    }
    return small.seal(20);
}

class DetailsTest : public testing::Test {
protected:
    /// Calls visit(segment, index) for every slice.
    void forEach(const std::function<void(const Segment &, uint32_t)> &visit) const
    {
        for (const auto &segment : m_trace->segments)
            for (uint32_t at = 0; at < segment->size(); ++at)
                visit(*segment, at);
    }
    template <typename Table>
    void expectRowsOf(Table SideTables::*table, SliceDetail kind)
    {
        size_t wanted = 0;
        forEach([&](const Segment &segment, uint32_t at) { wanted += segment.slices.detail[at] == kind; });
        ASSERT_GT(wanted, 50u);
        EXPECT_EQ(detailCount(*m_trace, table), wanted);
        uint32_t last = 0;
        size_t visited = 0;
        forEachDetail(*m_trace, table, [&](const Segment &segment, uint32_t at, uint32_t row) {
            EXPECT_EQ(segment.slices.detail[at], kind);
            EXPECT_EQ((segment.*table).slice[row], segment.firstSlice + at);
            EXPECT_TRUE(visited++ == 0 || segment.firstSlice + at > last);
            last = segment.firstSlice + at;
        });
        EXPECT_EQ(visited, wanted);
        DetailWalk walk(table);
        forEach([&](const Segment &segment, uint32_t at) {
            const SliceId slice(segment.firstSlice + at);
            const DetailRow<Table> row = m_trace->detailOf(table, slice), walked = walk.at(segment, slice);
            ASSERT_EQ(bool(row), segment.slices.detail[at] == kind);
            EXPECT_EQ(row.table, walked.table);
            EXPECT_EQ(row.row, walked.row);
            EXPECT_TRUE(!row || row[&Table::slice] == slice.value);
        });
    }

    std::shared_ptr<const Trace> m_trace = mixedTrace();
};

TEST_F(DetailsTest, SegmentsHaveTheRowsOfTheirSlices)
{
    ASSERT_GT(m_trace->segments.size(), 30u);
    expectRowsOf(&Segment::operators, SliceDetail::Operator);
    expectRowsOf(&Segment::python, SliceDetail::Python);
    expectRowsOf(&Segment::device, SliceDetail::Device);
    EXPECT_FALSE(hasDetails(*m_trace, &Segment::syncs));
    EXPECT_EQ(detailCount(*m_trace, &Segment::collectives), 0u);
}

TEST_F(DetailsTest, RowsKeepTheirValues)
{
    size_t numbered = 0;
    forEach([&](const Segment &segment, uint32_t at) {
        const auto row = m_trace->detailOf(&Segment::operators, SliceId(segment.firstSlice + at));
        if (!row)
            return;
        ++numbered;
        EXPECT_EQ(row[&OperatorTable::sequence], segment.slices.start[at] / 100);
    });
    EXPECT_EQ(numbered, detailCount(*m_trace, &Segment::operators));
}

TEST_F(DetailsTest, SegmentsShareTheMemoryOfOneTable)
{
    const int64_t *next = nullptr;
    for (const auto &segment : m_trace->segments) {
        const Column<int64_t> &sequence = segment->operators.sequence;
        if (sequence.empty())
            continue;
        EXPECT_TRUE(!next || sequence.data() == next);
        next = sequence.end();
    }
    EXPECT_TRUE(next);
}

TEST_F(DetailsTest, AWalkFindsRowsInAnyOrder)
{
    std::mt19937 random(7);
    DetailWalk walk(&Segment::operators);
    for (int ask = 0; ask < 5'000; ++ask) {
        const SliceId slice(static_cast<uint32_t>(random() % m_trace->sliceCount()));
        const Segment &segment = *m_trace->segmentOf(slice);
        EXPECT_EQ(walk.at(segment, slice).row, segment.detailOf(&Segment::operators, slice).row);
        EXPECT_EQ(walk.at(segment, slice).table, segment.detailOf(&Segment::operators, slice).table);
    }
}

TEST_F(DetailsTest, UnknownSlicesHaveNoRows)
{
    EXPECT_FALSE(m_trace->detailOf(&Segment::device, SliceId()));
    EXPECT_FALSE(m_trace->detailOf(&Segment::device, SliceId(static_cast<uint32_t>(m_trace->sliceCount()))));
    EXPECT_FALSE(m_trace->launchOf(SliceId()).valid());
    EXPECT_TRUE(m_trace->launchedBy(SliceId()).empty());
}

TEST_F(DetailsTest, LinksAreOrderedByLaunchAndLeadBothWays)
{
    // A launch and its work have the same correlation.
    std::map<int64_t, SliceId> calls;
    forEach([&](const Segment &segment, uint32_t at) {
        if (segment.slices.correlation[at] != kNoInt && !(segment.slices.flags[at] & slice_flag::OnStream))
            calls[segment.slices.correlation[at]] = SliceId(segment.firstSlice + at);
    });
    std::map<SliceId, std::vector<SliceId>> wanted;
    forEachDetail(*m_trace, &Segment::device, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const SliceId work(segment.firstSlice + at);
        const auto call = calls.find(segment.slices.correlation[at]);
        const SliceId launch = call == calls.end() ? SliceId() : call->second;
        EXPECT_EQ(m_trace->launchOf(segment, row), launch);
        EXPECT_EQ(m_trace->launchOf(work), launch);
        if (launch.valid())
            wanted[launch].push_back(work);
    });
    ASSERT_GT(wanted.size(), 50u);
    size_t link = 0;
    const LaunchLinks &links = m_trace->launches;
    for (const auto &[launch, work] : wanted) {
        EXPECT_EQ(m_trace->launchedBy(launch), work);
        EXPECT_EQ(links.runs().front()->firstFrom(launch), link);
        for (const SliceId one : work) {
            ASSERT_LT(link, links.size());
            EXPECT_EQ(links.launch(link), launch);
            EXPECT_EQ(links.work(link++), one);
        }
    }
    EXPECT_EQ(link, links.size());
}

TEST_F(DetailsTest, RowsOfDamagedStoresThatBelongToNoSliceAreLeftOut)
{
    const Segment &sound = *m_trace->segments.front();
    const auto slices = std::make_shared<std::vector<uint32_t>>(
        std::vector<uint32_t>{sound.firstSlice + 3, sound.firstSlice + sound.size(), UINT32_MAX});
    auto segment = std::make_shared<Segment>(sound);
    segment->syncs.slice = Column<uint32_t>(slices, slices->data(), slices->size());
    Trace damaged = *m_trace;
    damaged.segments.front() = segment;
    std::vector<uint32_t> visited;
    forEachDetail(damaged, &Segment::syncs, [&](const Segment &, uint32_t at, uint32_t) { visited.push_back(at); });
    EXPECT_EQ(visited, std::vector<uint32_t>{3});
    const LaunchLinks links({segment->syncs.slice, segment->syncs.slice, segment->syncs.slice});
    EXPECT_FALSE(links.launch(1).valid());
    EXPECT_FALSE(links.work(1).valid());
}

} // namespace
} // namespace riffle::test
