// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/fragmentation.h"
#include "tests/model/analysis/memory/simulated_allocator.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

void expectTheMapsFigures(const AllocatorMap &map, const AllocatorSeries &series)
{
    EXPECT_TRUE(series.complete);
    for (const AllocatorSample &sample : series.samples)
        EXPECT_EQ(sample.figures, map.after(sample.event).figures) << int(sample.event);
}

/// Returns the number of segments of each sample.
std::vector<uint32_t> segmentsOf(const AllocatorSeries &series)
{
    std::vector<uint32_t> counts;
    for (const AllocatorSample &sample : series.samples)
        counts.push_back(sample.figures.segments);
    return counts;
}

/// A snapshot whose final state has one expandable segment of a private pool; its events do not name their pools, like
/// those of old versions of PyTorch.
MemorySnapshot withPool(SmallSnapshot &small, int64_t total)
{
    small.segment(0, total, {});
    MemorySnapshot snapshot = small.take();
    snapshot.pools.push_back({0, 1});
    snapshot.segments.front().pool = 1;
    snapshot.segments.front().expandable = true;
    return snapshot;
}

} // namespace

TEST(Fragmentation, EverySampleIsTheMapsFigures)
{
    for (uint64_t seed = 11; seed < 14; ++seed) {
        SimulatedAllocator allocator(seed);
        allocator.run(3000);
        const SnapshotFacts facts(sharedSnapshot(allocator.recordedFrom(700)));
        const AllocatorMap map(facts, 0, {});
        const AllocatorSeries series = allocatorSeries(map, 10'000, {});
        ASSERT_TRUE(series.complete);
        ASSERT_EQ(series.samples.size(), 2301u);
        for (const AllocatorSample &sample : series.samples)
            ASSERT_EQ(sample.figures, map.after(sample.event).figures) << seed << " " << int(sample.event);
    }
}

TEST(Fragmentation, FewSamplesHoldAllExtremes)
{
    SimulatedAllocator allocator(21);
    allocator.run(6000);
    const SnapshotFacts facts(sharedSnapshot(allocator.recordedFrom(0)));
    const AllocatorMap map(facts, 0, {});
    const AllocatorSeries all = allocatorSeries(map, 10'000, {}), few = allocatorSeries(map, 300, {});
    EXPECT_LE(few.samples.size(), 312u);
    EXPECT_GT(few.samples.size(), 30u);
    const auto extremes = [](const AllocatorSeries &series, auto of) {
        const auto [least, most] = std::minmax_element(
            series.samples.begin(), series.samples.end(),
            [&](const AllocatorSample &a, const AllocatorSample &b) { return of(a.figures) < of(b.figures); });
        return std::pair(of(least->figures), of(most->figures));
    };
    const auto same = [&](auto of) { EXPECT_EQ(extremes(few, of), extremes(all, of)); };
    same([](const AllocatorFigures &figures) { return figures.allocated; });
    same([](const AllocatorFigures &figures) { return figures.reserved; });
    same([](const AllocatorFigures &figures) { return figures.largestFree; });
    same([](const AllocatorFigures &figures) { return figures.fragmentation(); });
    same([](const AllocatorFigures &figures) { return figures.squaredFragmentation(); });
    for (size_t at = 2; at < few.samples.size(); ++at)
        ASSERT_LT(few.samples[at - 1].event, few.samples[at].event);
}

TEST(Fragmentation, PeaksOfStreamsAndPoolsAreThoseOfTheSimulation)
{
    SimulatedAllocator allocator(31);
    allocator.run(3000);
    const SnapshotFacts facts(sharedSnapshot(allocator.recordedFrom(500)));
    const AllocatorMap map(facts, 0, {});
    struct Peak {
        uint64_t allocated = 0, active = 0, reserved = 0;
        uint32_t allocatedEvent = kNoRow;
    };
    std::map<std::pair<bool, int64_t>, Peak> expected;
    for (size_t at = 500; at <= 3000; ++at) {
        const SimulatedAllocator::State &state = allocator.states[at];
        std::map<std::pair<bool, int64_t>, Peak> now;
        for (const auto &[address, segment] : state.segments) {
            for (Peak *peak : {&now[{false, segment.stream}], &now[{true, segment.pool}]}) {
                peak->reserved += segment.size;
                for (auto block = state.blocks.lower_bound(address);
                     block != state.blocks.end() && block->first < address + segment.size; ++block) {
                    peak->active += block->second.requested;
                    peak->allocated += block->second.pending ? 0 : block->second.requested;
                }
            }
        }
        for (const auto &[key, level] : now) {
            Peak &peak = expected[key];
            if (level.allocated > peak.allocated) {
                peak.allocated = level.allocated;
                peak.allocatedEvent = at == 500 ? kNoRow : static_cast<uint32_t>(at - 501);
            }
            peak.active = std::max(peak.active, level.active);
            peak.reserved = std::max(peak.reserved, level.reserved);
        }
    }
    const AllocatorSeries series = allocatorSeries(map, 100, {});
    ASSERT_EQ(series.peaks.size(), expected.size());
    for (const AllocatorPeak &peak : series.peaks) {
        const Peak &truth = expected.at({peak.isPool, peak.isPool ? peak.pool : peak.stream});
        EXPECT_EQ(peak.allocated, truth.allocated);
        EXPECT_EQ(peak.allocatedEvent, truth.allocatedEvent);
        EXPECT_EQ(peak.active, truth.active);
        EXPECT_EQ(peak.reserved, truth.reserved);
    }
}

TEST(Fragmentation, OddSegmentsAreFollowedAsTheMapDoes)
{
    using enum MemoryAction;
    SmallSnapshot small;
    small.add(SegmentAlloc, 90'000, 4096); // neither freed nor there at the end
    small.add(Alloc, 90'000, 700);         // so this is in no segment
    small.add(Alloc, 0, 1000);
    small.add(SegmentFree, 0, 4096);                 // but there at the end
    small.add(MemoryAction::SegmentMap, 8192, 8192); // only half of it is there at the end
    small.add(FreeRequested, 0, 1000);
    small.add(FreeCompleted, 0, 1000);
    small.segment(0, 4096, {});
    small.segment(0, 4096, {});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 8192;
    snapshot.segments[1].expandable = true;
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const AllocatorMap map(facts, 0, {});
    const AllocatorSeries series = allocatorSeries(map, 100, {});
    ASSERT_EQ(series.samples.size(), 8u);
    for (const AllocatorSample &sample : series.samples)
        EXPECT_EQ(sample.figures, map.after(sample.event).figures) << int(sample.event);
}

TEST(Fragmentation, EventsWithoutPoolsExtendTheSegmentOfTheFinalState)
{
    using enum MemoryAction;
    SmallSnapshot small; // [0, 4096) was mapped before the history
    small.add(SegmentMap, 4096, 4096);
    small.add(Alloc, 4096, 512);
    small.add(SegmentMap, 8192, 4096);
    small.add(FreeRequested, 4096, 512);
    small.add(FreeCompleted, 4096, 512);
    const SnapshotFacts facts(sharedSnapshot(withPool(small, 12'288)));
    const AllocatorMap map(facts, 0, {});
    const AllocatorSeries series = allocatorSeries(map, 100, {});
    expectTheMapsFigures(map, series);
    EXPECT_EQ(segmentsOf(series), (std::vector<uint32_t>{1, 1, 1, 1, 1, 1}));
    ASSERT_EQ(series.peaks.size(), 2u); // of the stream, and of the only pool
    for (const AllocatorPeak &peak : series.peaks) {
        EXPECT_EQ(peak.pool, peak.isPool ? 1u : 0u);
        EXPECT_EQ(peak.reserved, 12'288u);
        EXPECT_EQ(peak.reservedEvent, 2u);
        EXPECT_EQ(peak.allocated, 512u);
        EXPECT_EQ(peak.allocatedEvent, 1u);
    }
}

TEST(Fragmentation, SegmentsOfAnotherKindThanTheirEventsAreFollowedAsTheMapDoes)
{
    using enum MemoryAction;
    SmallSnapshot small;
    small.add(SegmentAlloc, 0, 114); // a part of an expandable segment
    small.add(SegmentAlloc, 500, 100);
    const SnapshotFacts facts(sharedSnapshot(withPool(small, 1368)));
    const AllocatorMap map(facts, 0, {});
    const AllocatorSeries series = allocatorSeries(map, 100, {});
    expectTheMapsFigures(map, series);
    EXPECT_EQ(segmentsOf(series), (std::vector<uint32_t>{2, 2, 1}));
}

TEST(Fragmentation, AMapAcrossSegmentsLeavesThemApart)
{
    using enum MemoryAction;
    SmallSnapshot small;
    small.add(SegmentMap, 1000, 2000); // the ends of two segments of one stream and pool, and all of a third
    small.add(Alloc, 1500, 300);
    small.add(SegmentMap, 0, 500);
    small.segment(0, 1500, {});
    small.segment(0, 500, {});
    small.segment(0, 2000, {});
    MemorySnapshot snapshot = small.take();
    for (MemorySegment &segment : snapshot.segments)
        segment.expandable = true;
    snapshot.segments[1].address = 1500;
    snapshot.segments[2].address = 2000;
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const AllocatorMap map(facts, 0, {});
    const AllocatorSeries series = allocatorSeries(map, 100, {});
    expectTheMapsFigures(map, series);
    EXPECT_EQ(segmentsOf(series), (std::vector<uint32_t>{2, 3, 3, 3}));
}

TEST(Fragmentation, SegmentsWithoutBytesDoNotHideOthers)
{
    using enum MemoryAction;
    SmallSnapshot small; // no final state: all segments come from the events
    small.add(SegmentAlloc, 4096, 0);
    small.add(SegmentAlloc, 4096, 8192);
    MemorySnapshot snapshot = small.take();
    snapshot.whole = false;
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const AllocatorMap map(facts, 0, {});
    const AllocatorSeries series = allocatorSeries(map, 100, {});
    expectTheMapsFigures(map, series);
    EXPECT_EQ(segmentsOf(series), (std::vector<uint32_t>{0, 0, 1}));
    EXPECT_EQ(series.samples.back().figures.reserved, 8192u);
}
