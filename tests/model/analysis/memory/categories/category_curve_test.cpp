// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/category_curve.h"

#include "model/analysis/memory/alive/memory_grouping.h"
#include "tests/model/analysis/memory/training_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace riffle {
namespace {

using namespace test;

/// Compares each point with the allocations that are alive after its event.
void expectTrue(const SnapshotFacts &facts, const MemoryCategories &categories, const CategoryCurve &curve)
{
    ASSERT_EQ(curve.events.size(), curve.active.size());
    ASSERT_EQ(curve.events.size(), curve.reserved.size());
    for (size_t point = 0; point < curve.events.size(); ++point) {
        const MemoryInstant instant = memoryInstant(facts, 0, curve.events[point]);
        const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), MemoryGrouping::Category, &categories);
        std::map<std::string, int64_t> expected, found;
        for (uint32_t node = 0; node < tree.size(); node = tree.end(node))
            expected[tree.names[node]] = tree.bytes[node];
        for (const CategoryCurve::Series &series : curve.series)
            if (series.bytes[point] != 0)
                found[series.category] = series.bytes[point];
        EXPECT_EQ(found, expected) << point;
        EXPECT_EQ(curve.active[point], tree.totalBytes()) << point;
        EXPECT_EQ(curve.reserved[point], facts.alive(0).level(curve.events[point]).reserved) << point;
    }
}

TEST(CategoryCurve, OfAShortHistoryHasEveryEvent)
{
    const SnapshotFacts facts(sharedSnapshot(TrainingSnapshot({.lateHistory = true, .layers = 2, .steps = 2}).take()));
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const CategoryCurve curve = categoryCurve(facts, 0, categories, 1'000'000, {});
    EXPECT_EQ(curve.stretch, 1u);
    EXPECT_EQ(curve.events.size(), facts.replay().devices[0].events + 1u);
    EXPECT_EQ(curve.events[0], MemoryAllocations::kNone);
    EXPECT_GT(curve.active[0], 0); // from before the history
    EXPECT_GT(curve.series.size(), 2u);
    expectTrue(facts, categories, curve);
}

TEST(CategoryCurve, OfALongHistoryKeepsThePeaks)
{
    const SnapshotFacts facts(sharedSnapshot(TrainingSnapshot(TrainingOptions{}).take()));
    const DeviceReplay &device = facts.replay().devices[0];
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const CategoryCurve curve = categoryCurve(facts, 0, categories, 40, {});
    EXPECT_LE(curve.events.size(), 41u);
    EXPECT_EQ(curve.stretch, (device.events + 39) / 40);
    for (size_t point = 1; point < curve.events.size(); ++point) {
        const uint32_t first = device.firstEvent + static_cast<uint32_t>(point - 1) * curve.stretch,
                       end = std::min(first + curve.stretch, device.firstEvent + device.events);
        int64_t most = 0;
        for (uint32_t event = first; event < end; ++event)
            most = std::max(most, device.levelAfter(facts.snapshot(), event).active);
        EXPECT_EQ(curve.active[point], most) << point;
        EXPECT_GE(curve.events[point], first);
        EXPECT_LT(curve.events[point], end);
    }
    EXPECT_EQ(*std::ranges::max_element(curve.active), device.peak.active);
    expectTrue(facts, categories, curve);
}

TEST(CategoryCurve, WithoutAHistoryHasOnePoint)
{
    SmallSnapshot small;
    small.segment(0, 4096, {{0x1000, 512, 500, 0, BlockState::Allocated}});
    const SnapshotFacts facts(sharedSnapshot(small.take()));
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const CategoryCurve curve = categoryCurve(facts, 0, categories, 10, {});
    ASSERT_EQ(curve.events.size(), 1u);
    EXPECT_EQ(curve.active[0], 500);
    expectTrue(facts, categories, curve);
}

} // namespace
} // namespace riffle
