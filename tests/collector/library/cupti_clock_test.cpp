// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_clock.h"

#include <gtest/gtest.h>

namespace riffle::collector {

namespace {

constexpr int64_t kSecond = 1'000'000'000, kEpoch = 1'700'000'000 * kSecond;

TEST(CuptiClock, SameUntilItIsRead)
{
    CuptiClock clock;
    EXPECT_EQ(clock.time(123), 123);
    clock.add(kEpoch, 5);
    EXPECT_EQ(clock.time(kEpoch + 7), 12);
    clock.same();
    EXPECT_EQ(clock.time(123), 123);
}

TEST(CuptiClock, FollowsAClockThatRunsFaster)
{
    CuptiClock clock;
    for (int64_t tenth = 0; tenth <= 100; ++tenth) // 1 % faster, read ten times per second
        clock.add(kEpoch + tenth * kSecond / 10 * 101 / 100, tenth * kSecond / 10);
    for (int64_t tenth = 0; tenth <= 100; ++tenth)
        EXPECT_NEAR(double(clock.time(static_cast<uint64_t>(kEpoch + tenth * kSecond / 10 * 101 / 100))),
                    double(tenth * kSecond / 10), 2);
}

TEST(CuptiClock, KeepsOldTimesWhenTheClockIsSet)
{
    CuptiClock clock;
    clock.add(kEpoch, 0);
    clock.add(kEpoch + 2 * kSecond, 2 * kSecond);
    clock.add(kEpoch + 3602 * kSecond, 2 * kSecond + 1000); // an hour forward
    EXPECT_EQ(clock.time(kEpoch + kSecond), kSecond);
    EXPECT_EQ(clock.time(kEpoch + 2 * kSecond + 400), 2 * kSecond + 400); // just before it was set
    EXPECT_EQ(clock.time(kEpoch + 3602 * kSecond - 300), 2 * kSecond + 700);
    clock.add(kEpoch + 10 * kSecond, 3 * kSecond); // and back
    EXPECT_EQ(clock.time(kEpoch + kSecond), kSecond);
    EXPECT_EQ(clock.time(kEpoch + 11 * kSecond), 4 * kSecond);
}

} // namespace

} // namespace riffle::collector
