// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_facts.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

using namespace riffle;
using namespace riffle::test;
using enum MemoryAction;

namespace {

constexpr uint32_t kNone = MemoryAllocations::kNone;

struct Open {
    int64_t size;
    bool pending;
    bool operator==(const Open &) const = default;
};
using Addresses = std::map<uint64_t, Open>;

Addresses found(const SnapshotFacts &facts, uint32_t device, uint32_t event)
{
    Addresses open;
    const AliveIndex &alive = facts.alive(device);
    const MemoryAllocations &all = alive.device().allocations;
    for (const uint32_t row : alive.at(event))
        EXPECT_TRUE(open.try_emplace(all.address(facts.snapshot(), row),
                                     Open{all.size(facts.snapshot(), row), alive.isPending(row, event)})
                        .second);
    return open;
}

/// A history of `events` events, consistent or (`odd`) with duplicate and missing ones. `after` gets what is open after
/// each event.
std::shared_ptr<const MemorySnapshot> randomHistory(uint32_t events, uint64_t seed, bool odd,
                                                    std::vector<Addresses> &after)
{
    std::mt19937_64 random(seed);
    SmallSnapshot small;
    Addresses open;
    for (uint64_t address = 1; address < 6; ++address)
        open[address << 20] = {static_cast<int64_t>(address), false}; // from before the history
    after.push_back(open);
    for (uint32_t event = 0; event < events; ++event) {
        const uint64_t address = (1 + random() % 400) << 20;
        const auto one = open.find(address);
        const bool strange = odd && random() % 10 == 0;
        if (one == open.end()) {
            if (strange) {
                small.add(random() % 2 ? FreeRequested : FreeCompleted, address, 5);
            } else {
                const auto size = static_cast<int64_t>(1 + random() % 1000);
                small.add(Alloc, address, size);
                open[address] = {size, false};
            }
        } else if (strange) {
            small.add(Alloc, address, 7);
        } else if (!one->second.pending) {
            small.add(FreeRequested, address, one->second.size);
            one->second.pending = true;
        } else {
            small.add(FreeCompleted, address, one->second.size);
            open.erase(one);
        }
        after.push_back(open);
    }
    std::vector<MemoryBlock> blocks;
    for (const auto &[address, use] : open)
        blocks.push_back(
            SmallSnapshot::block(address, use.size, use.pending ? BlockState::PendingFree : BlockState::Allocated));
    small.segment(0, 1 << 30, blocks);
    return std::make_shared<const MemorySnapshot>(small.take());
}

} // namespace

TEST(AliveIndex, SaysWhatIsAliveAfterEveryEventAndBeforeTheFirst)
{
    for (const uint64_t seed : {1, 2, 3}) {
        std::vector<Addresses> after;
        const SnapshotFacts facts(randomHistory(3000, seed, false, after));
        const AliveIndex &alive = facts.alive(0);
        EXPECT_EQ(found(facts, 0, kNone), after[0]);
        EXPECT_EQ(alive.level(kNone), facts.replay().devices[0].atBegin);
        for (uint32_t event = 0; event < 3000; ++event) {
            ASSERT_EQ(found(facts, 0, event), after[event + 1]) << event;
            const MemoryLevel sum = alive.sum(alive.at(event), event), level = alive.level(event);
            ASSERT_EQ(sum.allocated, level.allocated) << event;
            ASSERT_EQ(sum.active, level.active) << event;
        }
    }
}

TEST(AliveIndex, SumsAreTheReplaysLevelsInOddHistoriesToo)
{
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        std::vector<Addresses> after;
        const SnapshotFacts facts(randomHistory(1500, seed, true, after));
        const AliveIndex &alive = facts.alive(0);
        for (uint32_t at = 0; at <= 1500; ++at) {
            const uint32_t event = at == 0 ? kNone : at - 1;
            const std::vector<uint32_t> rows = alive.at(event);
            const MemoryLevel sum = alive.sum(rows, event), level = alive.level(event);
            ASSERT_EQ(sum.allocated, level.allocated) << seed << " " << at;
            ASSERT_EQ(sum.active, level.active) << seed << " " << at;
            for (uint32_t row = 0, next = 0; row < alive.device().allocations.count(); ++row) {
                const bool listed = next < rows.size() && rows[next] == row;
                next += listed;
                ASSERT_EQ(alive.isAlive(row, event), listed) << seed << " " << at << " " << row;
            }
        }
    }
}

TEST(AliveIndex, DevicesHaveTheirOwnAndOneWithoutAHistoryHasItsBlocks)
{
    SmallSnapshot small;
    small.add(Alloc, 100, 10);
    small.nextDevice();
    small.add(Alloc, 100, 20);
    small.add(Free, 100, 20);
    small.segment(0, 1000, {SmallSnapshot::block(100, 10)});
    small.segment(7, 1000, {SmallSnapshot::block(5, 3), SmallSnapshot::block(6, 4, BlockState::PendingFree)});
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(small.take()));
    ASSERT_EQ(facts.replay().devices.size(), 3u);
    EXPECT_EQ(found(facts, 0, kNone), Addresses());
    EXPECT_EQ(found(facts, 0, 0), (Addresses{{100, {10, false}}}));
    EXPECT_EQ(found(facts, 1, 1), (Addresses{{100, {20, false}}}));
    EXPECT_EQ(found(facts, 1, 2), Addresses());
    for (const uint32_t event : {kNone, 0u, 2u}) {
        EXPECT_EQ(found(facts, 2, event), (Addresses{{5, {3, false}}, {6, {4, true}}}));
        EXPECT_EQ(facts.alive(2).level(event), (MemoryLevel{3, 7, 1000}));
    }
}

TEST(AliveIndex, FactsAreMadeOnceByAnyThread)
{
    std::vector<Addresses> after;
    const SnapshotFacts facts(randomHistory(2000, 4, false, after));
    std::vector<const AliveIndex *> seen(4);
    {
        std::vector<std::jthread> threads;
        for (const AliveIndex *&one : seen)
            threads.emplace_back([&facts, &one] { one = &facts.alive(0); });
    }
    for (const AliveIndex *one : seen)
        EXPECT_EQ(one, &facts.alive(0));
    EXPECT_EQ(&facts.alive(0).device(), &facts.replay().devices[0]);
}
