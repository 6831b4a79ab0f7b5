// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/launch_tracker.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace riffle::collector {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct Tracked {
    LaunchTracker tracker;
    Loss lost;

    void launch(uint32_t correlation, int64_t start, uint32_t thread = 1, int64_t length = 10)
    {
        tracker.launched({correlation, thread, start, start + length});
    }
    int64_t settle(int64_t time) { return tracker.settle(time, lost); }
};

TEST(LaunchTracker, TheOldestLaunchWithoutAKernelIsTheMark)
{
    Tracked tracked;
    tracked.launch(1, 100);
    tracked.launch(2, 200);
    tracked.launch(3, 300);
    tracked.tracker.ran(1);
    EXPECT_EQ(tracked.settle(1'000), 200);
    tracked.tracker.ran(3);
    EXPECT_EQ(tracked.settle(1'100), 200);
    tracked.tracker.ran(2);
    EXPECT_EQ(tracked.settle(1'200), 1'200);
    EXPECT_EQ(tracked.lost.count, 0u);
}

TEST(LaunchTracker, KernelsMayComeBeforeTheirLaunches)
{
    Tracked tracked;
    tracked.tracker.ran(7);
    tracked.tracker.ran(7); // as of a graph
    EXPECT_EQ(tracked.settle(1'000), 1'000);
    tracked.launch(7, 900);
    EXPECT_EQ(tracked.settle(1'100), 1'100);
}

TEST(LaunchTracker, ALaunchIsLostAfterSomeSeconds)
{
    Tracked tracked;
    tracked.launch(1, kSecond);
    tracked.launch(2, 2 * kSecond);
    EXPECT_EQ(tracked.settle(11 * kSecond), kSecond);
    EXPECT_EQ(tracked.lost.count, 0u);
    EXPECT_EQ(tracked.settle(11 * kSecond + 1), 2 * kSecond);
    EXPECT_EQ(tracked.lost.count, 1u);
    EXPECT_EQ(tracked.lost.first, kSecond);
    EXPECT_EQ(tracked.settle(20 * kSecond), 20 * kSecond);
    EXPECT_EQ(tracked.lost.count, 2u);
    EXPECT_EQ(tracked.lost.last, 2 * kSecond);
}

TEST(LaunchTracker, ADriversCallInsideARuntimeCallIsTheSameLaunch)
{
    for (const uint32_t ofKernel : {1u, 2u}) {
        Tracked tracked;
        tracked.launch(2, 110, 1, 50); // inside, and reported first
        tracked.launch(3, 100, 9);     // another thread in between
        tracked.launch(1, 100, 1, 100);
        tracked.tracker.ran(3);
        tracked.tracker.ran(ofKernel);
        EXPECT_EQ(tracked.settle(1'000), 1'000);
    }
}

TEST(LaunchTracker, WhatIsCapturedDoesNotRun)
{
    Tracked tracked;
    tracked.launch(1, 150); // reported before the capture that it belongs to
    tracked.tracker.captureBegins({10, 1, 100, 110});
    tracked.launch(2, 200);
    tracked.launch(3, 210, 5); // PyTorch's backward thread
    tracked.launch(4, 50);     // before the capture
    tracked.tracker.captureEnds({11, 1, 300, 310});
    tracked.launch(5, 400);
    EXPECT_EQ(tracked.settle(1'000), 50);
    tracked.tracker.ran(4);
    EXPECT_EQ(tracked.settle(1'000), 400);
}

TEST(LaunchTracker, TheCallsOfALaunchMayBeInDifferentBuffers)
{
    for (const bool outerFirst : {false, true})
        for (const bool settles : {false, true})
            for (const uint32_t ofKernel : {1u, 2u}) {
                Tracked tracked;
                const auto report = [&](bool outer) {
                    tracked.tracker.bufferBegins();
                    if (!outer)
                        tracked.launch(5, 20); // earlier in its buffer
                    outer ? tracked.launch(1, 100, 1, 100) : tracked.launch(2, 110, 1, 50);
                    if (outer)
                        tracked.launch(6, 300); // later in its buffer
                };
                for (const uint32_t other : {5u, 6u, ofKernel})
                    tracked.tracker.ran(other);
                report(outerFirst);
                if (settles)
                    tracked.settle(1'000);
                report(!outerFirst);
                EXPECT_EQ(tracked.settle(1'000), 1'000) << outerFirst << settles << ofKernel;
                tracked.settle(INT64_MAX);
                EXPECT_EQ(tracked.lost.count, 0u) << outerFirst << settles << ofKernel;
            }
}

TEST(LaunchTracker, ALaunchThroughTwoCallsIsLostOnce)
{
    Tracked tracked;
    tracked.tracker.bufferBegins();
    tracked.launch(2, 110, 1, 50);
    tracked.launch(1, 100, 1, 100);
    EXPECT_EQ(tracked.settle(1'000), 100);
    tracked.settle(INT64_MAX);
    EXPECT_EQ(tracked.lost.count, 1u);
}

TEST(LaunchTracker, NothingIsMissedDuringAPause)
{
    Tracked tracked;
    tracked.tracker.launched({1, 1, 100, 110, false});
    EXPECT_EQ(tracked.settle(1'000), 1'000);
    tracked.settle(INT64_MAX);
    EXPECT_EQ(tracked.lost.count, 0u);
}

TEST(LaunchTracker, CapturesAreReportedInAnyOrder)
{
    // Two captures of one thread; what is launched between them runs.
    using Report = std::function<void(LaunchTracker &)>;
    std::vector<Report> reports{[](LaunchTracker &to) {
                                    to.captureBegins({10, 1, 100, 110});
                                },
                                [](LaunchTracker &to) {
                                    to.captureEnds({11, 1, 200, 210});
                                },
                                [](LaunchTracker &to) {
                                    to.captureBegins({12, 1, 300, 310});
                                },
                                [](LaunchTracker &to) {
                                    to.captureEnds({13, 1, 400, 410});
                                }};
    std::vector<size_t> order{0, 1, 2, 3};
    do {
        Tracked tracked;
        for (const int64_t start : {150, 250, 350, 450})
            tracked.launch(static_cast<uint32_t>(start), start, 2);
        for (const size_t at : order)
            reports[at](tracked.tracker);
        EXPECT_EQ(tracked.settle(1'000), 250);
        tracked.settle(INT64_MAX);
        EXPECT_EQ(tracked.lost.count, 2u);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(LaunchTracker, ACaptureThatBeganBeforeTheRecordingHidesItsLaunches)
{
    Tracked tracked;
    tracked.launch(1, 150);
    tracked.tracker.captureEnds({11, 1, 200, 210});
    tracked.launch(2, 300);
    EXPECT_EQ(tracked.settle(1'000), 300);
    tracked.settle(INT64_MAX);
    EXPECT_EQ(tracked.lost.count, 1u);
}

TEST(LaunchTracker, CallsThatLaunchOneKernel)
{
    for (const char *name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel", "cuLaunchKernel",
                             "cuLaunchKernelEx", "cuLaunchCooperativeKernel"})
        EXPECT_TRUE(LaunchTracker::isLaunch(name)) << name;
    for (const char *name : {"cudaGraphLaunch", "cudaLaunchHostFunc", "cudaMemcpyAsync", "cuGraphLaunch",
                             "cudaLaunchCooperativeKernelMultiDevice", "cudaGetDevice"})
        EXPECT_FALSE(LaunchTracker::isLaunch(name)) << name;
}

} // namespace
} // namespace riffle::collector
