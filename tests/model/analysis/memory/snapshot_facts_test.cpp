// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_facts.h"

#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace riffle {
namespace {

/// A history of blocks that live for a while.
std::shared_ptr<const MemorySnapshot> longHistory()
{
    constexpr uint32_t kBlocks = 20'000, kAlive = 50;
    test::SmallSnapshot small;
    for (uint32_t at = 0; at < kBlocks; ++at) {
        small.add(MemoryAction::Alloc, uint64_t{at} * 512, 512);
        if (at >= kAlive)
            small.add(MemoryAction::Free, uint64_t{at - kAlive} * 512, 512);
    }
    return std::make_shared<const MemorySnapshot>(small.take());
}

size_t allocationsOf(const SnapshotFacts &facts)
{
    facts.alive(0);
    facts.stacks();
    return facts.replay().devices.at(0).allocations.count();
}

TEST(SnapshotFacts, AStoppedQuestionLeavesNoPartOfAFact)
{
    const auto snapshot = longHistory();
    const size_t expected = allocationsOf(SnapshotFacts(snapshot));
    for (int microseconds = 0; microseconds < 2'000; microseconds += 100) {
        const SnapshotFacts facts(snapshot);
        std::stop_source source;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
            source.request_stop();
        });
        const auto stopped = untilStopped(source.get_token(), [&] { return allocationsOf(facts); });
        EXPECT_EQ(stopped.value_or(expected), expected);
        EXPECT_EQ(allocationsOf(facts), expected);
    }
}

} // namespace
} // namespace riffle
