// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/fragmentation.h"
#include "tests/model/analysis/memory/simulated_allocator.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

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
