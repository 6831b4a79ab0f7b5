// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/lazy.h"

#include "model/base/parallel.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <thread>

namespace riffle {
namespace {

TEST(Lazy, IsMadeOnce)
{
    const Lazy<int> lazy;
    int calls = 0;
    for (int round = 0; round < 3; ++round)
        EXPECT_EQ(lazy.get([&] { return std::make_unique<const int>(++calls); }), 1);
}

TEST(Lazy, IsMadeAnewAfterAnException)
{
    const Lazy<int> lazy;
    EXPECT_THROW(lazy.get([]() -> std::unique_ptr<const int> { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_EQ(lazy.get([] { return std::make_unique<const int>(7); }), 7);
}

TEST(Lazy, AStopBeforeMakesNothing)
{
    const Lazy<int> lazy;
    std::stop_source source;
    source.request_stop();
    int calls = 0;
    const auto get = [&] { return lazy.get([&] { return std::make_unique<const int>(++calls); }); };
    EXPECT_FALSE(untilStopped(source.get_token(), get));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(untilStopped({}, get), 1);
}

TEST(Lazy, AStopInTheMiddlePublishesNothing)
{
    const Lazy<int> lazy;
    std::stop_source source;
    int calls = 0;
    const auto looks = [&] {
        ++calls;
        source.request_stop();
        throwIfStopped();
        return std::make_unique<const int>(calls);
    };
    EXPECT_FALSE(untilStopped(source.get_token(), [&] { return lazy.get(looks); }));
    EXPECT_EQ(calls, 1);

    std::stop_source other;
    const auto looksNever = [&] { // it returns what it has when it is stopped
        ++calls;
        other.request_stop();
        return std::make_unique<const int>(-1);
    };
    EXPECT_FALSE(untilStopped(other.get_token(), [&] { return lazy.get(looksNever); }));
    EXPECT_EQ(lazy.get([&] { return std::make_unique<const int>(++calls); }), 3);
}

TEST(Lazy, WhoeverIsStoppedLeavesAndTheOthersGetTheValue)
{
    const Lazy<int> lazy;
    std::stop_source source;
    std::atomic<bool> isMaking = false, hasLeft = false;
    int calls = 0;
    std::thread waiting([&] {
        while (!isMaking)
            std::this_thread::yield();
        const auto get = [&] { return lazy.get([&] { return std::make_unique<const int>(++calls); }); };
        EXPECT_FALSE(untilStopped(source.get_token(), get));
        hasLeft = true;
    });
    const int value = lazy.get([&] {
        isMaking = true;
        source.request_stop();
        while (!hasLeft)
            std::this_thread::yield();
        return std::make_unique<const int>(++calls);
    });
    waiting.join();
    EXPECT_EQ(value, 1);
}

TEST(Lazy, WorkGoesOnWhileAnotherThreadWaits)
{
    // No thread can see that another one waits. If the maker is stopped before the other thread waits, that thread
    // makes the value itself, and a round with a longer pause follows.
    constexpr int kByMaker = 1, kByOther = 2;
    std::optional<int> got;
    for (int round = 0; round < 1000 && got != kByMaker; ++round) {
        const Lazy<int> lazy;
        std::stop_source source;
        std::atomic<bool> isMaking = false, comes = false;
        std::thread other([&] {
            while (!isMaking)
                std::this_thread::yield();
            comes = true;
            got = lazy.get([&] { return std::make_unique<const int>(kByOther); });
        });
        const auto answer = untilStopped(source.get_token(), [&] {
            lazy.get([&] {
                isMaking = true;
                while (!comes)
                    std::this_thread::yield();
                for (int pause = 0; pause < 10 * round; ++pause)
                    std::this_thread::yield();
                source.request_stop();
                throwIfStopped();
                return std::make_unique<const int>(kByMaker);
            });
            throwIfStopped();
            return true;
        });
        other.join();
        EXPECT_FALSE(answer) << "the maker's own question is stopped, whoever makes the value";
        ASSERT_TRUE(got);
    }
    EXPECT_EQ(got, kByMaker);
}

TEST(Lazy, AThreadThatWaitsLeavesItsCoreToTheWork)
{
    setWorkerCount(2);
    const Lazy<int> lazy;
    std::atomic<int> inside = 0;
    const auto make = [&] {
        // The other thread of the pool waits for this value, so these two need a third one to run at the same time.
        parallelFor(2, [&](size_t) {
            ++inside;
            const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
            while (inside < 2 && std::chrono::steady_clock::now() < until)
                std::this_thread::yield();
        });
        return std::make_unique<const int>(inside);
    };
    std::atomic<bool> isBegun = false;
    parallelFor(2, [&](size_t job) {
        while (job == 1 && !isBegun) // the first one makes it
            std::this_thread::yield();
        lazy.get([&] {
            isBegun = true;
            return make();
        });
    });
    setWorkerCount(0);
    EXPECT_EQ(lazy.get([] { return std::make_unique<const int>(-1); }), 2);
}

} // namespace
} // namespace riffle
