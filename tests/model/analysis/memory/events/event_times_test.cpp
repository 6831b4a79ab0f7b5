// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/event_times.h"

#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <random>

using namespace riffle;

namespace {

constexpr int64_t kNoTime = MemoryEventTable::kNoTime;

std::shared_ptr<const SnapshotFacts> snapshotOf(const std::vector<std::vector<int64_t>> &timesOfDevices)
{
    test::SmallSnapshot small;
    std::vector<int64_t> all;
    for (size_t device = 0; device < timesOfDevices.size(); ++device) {
        if (device > 0)
            small.nextDevice();
        for (const int64_t time : timesOfDevices[device]) {
            small.add(MemoryAction::Alloc, 512 * (all.size() + 1), 100);
            all.push_back(time);
        }
    }
    small.times(std::move(all));
    return std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(small.take()));
}

/// The rule by a linear search.
uint32_t searched(const std::vector<int64_t> &times, uint32_t first, int64_t at)
{
    uint32_t found = EventTimes::kNone;
    for (uint32_t event = 0; event < times.size(); ++event)
        if (times[event] != kNoTime && times[event] <= at &&
            (found == EventTimes::kNone || times[event] >= times[found]))
            found = event;
    return found == EventTimes::kNone ? found : first + found;
}

} // namespace

TEST(EventTimes, AscendingOnesAreFound)
{
    const EventTimes times(snapshotOf({{10, 20, 20, 30}}), 0);
    EXPECT_TRUE(times.any());
    EXPECT_EQ(times.lastAt(9), EventTimes::kNone);
    EXPECT_EQ(times.lastAt(10), 0u);
    EXPECT_EQ(times.lastAt(20), 2u);
    EXPECT_EQ(times.lastAt(INT64_MAX), 3u);
    EXPECT_EQ(times.lastAt(INT64_MIN), EventTimes::kNone);
}

TEST(EventTimes, WithoutTimesThereIsNone)
{
    EXPECT_FALSE(EventTimes().any());
    EXPECT_FALSE(EventTimes(snapshotOf({{kNoTime, kNoTime}}), 0).any());
    EXPECT_EQ(EventTimes(snapshotOf({{kNoTime, kNoTime}}), 0).lastAt(INT64_MAX), EventTimes::kNone);
    EXPECT_FALSE(EventTimes(snapshotOf({{1, 2}}), 7).any());
    EXPECT_EQ(EventTimes().lastAt(0), EventTimes::kNone);
}

TEST(EventTimes, UnsortedOnesOfSeveralDevicesEqualASearchOfAll)
{
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::vector<int64_t>> devices(1 + random() % 3);
        for (auto &times : devices) {
            times.resize(1 + random() % 40);
            for (int64_t &time : times)
                time = random() % 9 == 0 ? kNoTime : static_cast<int64_t>(random() % 50) - 10;
            if (random() % 3 == 0)
                std::sort(times.begin(), times.end());
        }
        const auto facts = snapshotOf(devices);
        uint32_t first = 0;
        for (uint32_t device = 0; device < devices.size(); ++device) {
            const EventTimes times(facts, device);
            EXPECT_TRUE(times.of(facts, device));
            EXPECT_FALSE(times.of(facts, device + 1));
            for (int64_t at = -12; at < 42; ++at)
                ASSERT_EQ(times.lastAt(at), searched(devices[device], first, at))
                    << round << " device " << device << " at " << at;
            first += static_cast<uint32_t>(devices[device].size());
        }
    }
}
