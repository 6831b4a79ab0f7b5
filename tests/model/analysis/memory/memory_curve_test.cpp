// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_curve.h"

#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace riffle {
namespace {

using namespace test;

/// Allocations of 1, 2, … bytes, every third one freed immediately; one event per microsecond.
SnapshotFacts factsOf(uint32_t events, int64_t step)
{
    SmallSnapshot small;
    std::vector<int64_t> times;
    for (uint32_t at = 0; at < events; ++at) {
        at % 3 == 2 ? small.add(MemoryAction::FreeCompleted, (at - 1) * 512ull + 512, at - 1)
                    : small.add(MemoryAction::Alloc, at * 512ull + 512, at);
        times.push_back(1'000'000 + at * step);
    }
    small.times(std::move(times));
    return SnapshotFacts(std::make_shared<const MemorySnapshot>(small.take()));
}

TEST(MemoryCurve, OfAShortHistoryHasEveryEvent)
{
    const SnapshotFacts facts = factsOf(50, 1000);
    const MemoryCurve curve = memoryCurve(facts, 0, 100);
    ASSERT_EQ(curve.times.size(), 50u);
    for (uint32_t event = 0; event < 50; ++event) {
        EXPECT_EQ(curve.times[event], 1'000'000 + event * 1000);
        EXPECT_EQ(curve.allocated[event],
                  static_cast<double>(facts.replay().devices[0].levelAfter(facts.snapshot(), event).allocated))
            << event;
    }
}

TEST(MemoryCurve, OfALongHistoryKeepsTheExtremes)
{
    const SnapshotFacts facts = factsOf(5'000, 1000);
    const DeviceReplay &device = facts.replay().devices[0];
    const MemoryCurve curve = memoryCurve(facts, 0, 10);
    EXPECT_LE(curve.times.size(), 40u);
    EXPECT_EQ(*std::max_element(curve.allocated.begin(), curve.allocated.end()),
              static_cast<double>(device.peak.allocated));
    EXPECT_TRUE(std::is_sorted(curve.times.begin(), curve.times.end()));
    EXPECT_EQ(curve.times.back(), 1'000'000 + 4'999 * 1000);
    EXPECT_EQ(curve.allocated.back(), static_cast<double>(device.atEnd.allocated));
}

TEST(MemoryCurve, NeedsTimesThatAscend) { EXPECT_TRUE(memoryCurve(factsOf(50, -1000), 0, 100).times.empty()); }

} // namespace
} // namespace riffle
