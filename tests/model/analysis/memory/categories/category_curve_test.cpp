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

TEST(CategoryCurve, KnowsTheMostBetweenPoints)
{
    const SnapshotFacts facts(sharedSnapshot(TrainingSnapshot(TrainingOptions{}).take()));
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const CategoryCurve whole = categoryCurve(facts, 0, categories, 1'000'000, {});
    ASSERT_EQ(whole.stretch, 1u);
    std::map<std::string, int64_t> most;
    for (const CategoryCurve::Series &series : whole.series) {
        most[series.category] = *std::ranges::max_element(series.bytes);
        EXPECT_EQ(series.most, most[series.category]) << series.category;
    }
    bool between = false;
    for (const CategoryCurve::Series &series : categoryCurve(facts, 0, categories, 40, {}).series) {
        EXPECT_EQ(series.most, most.at(series.category)) << series.category;
        between |= series.most > *std::ranges::max_element(series.bytes);
    }
    EXPECT_TRUE(between);
}

TEST(CategoryCurve, AddsUpTheSmallestOfManyCategories)
{
    constexpr uint32_t kCategories = 100;
    SmallSnapshot small;
    std::vector<std::string> names{""};
    std::vector<uint32_t> recorded;
    for (uint32_t at = 1; at <= kCategories; ++at) { // all of them are alive from the last event on
        recorded.push_back(at);
        names.push_back("category " + std::to_string(at));
        small.add(MemoryAction::Alloc, 0x1000 * at, at);
    }
    small.strings(names);
    std::vector<MemoryBlock> blocks;
    for (uint32_t at = 1; at <= kCategories; ++at)
        blocks.push_back(SmallSnapshot::block(0x1000 * at, at));
    small.segment(0, 1 << 20, blocks);
    MemorySnapshot snapshot = small.take();
    snapshot.events.category = SmallSnapshot::column(std::move(recorded));
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const CategoryCurve curve = categoryCurve(facts, 0, categories, 1, {}); // one point, after the last event
    ASSERT_EQ(curve.series.size(), CategoryCurve::kMostSeries);
    for (uint32_t at = 0; at < 19; ++at) {
        EXPECT_EQ(curve.series[at].category, names[kCategories - at]);
        EXPECT_EQ(curve.series[at].bytes, (std::vector<int64_t>{0, kCategories - at}));
    }
    EXPECT_EQ(curve.series[19].category, "other categories");
    EXPECT_EQ(curve.series[19].bytes, (std::vector<int64_t>{0, 81 * 82 / 2})); // 1 + 2 + … + 81
    EXPECT_EQ(curve.series[19].most, 81 * 82 / 2);
    EXPECT_EQ(curve.active[1], 100 * 101 / 2);
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
