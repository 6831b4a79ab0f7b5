// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_replay.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>

using namespace riffle;
using namespace riffle::test;
using enum MemoryAction;

namespace {

constexpr uint32_t kNone = MemoryAllocations::kNone;

struct Row {
    uint32_t begin, freed, end, block;
    bool operator==(const Row &) const = default;
};
void PrintTo(const Row &row, std::ostream *out)
{
    *out << int(row.begin) << " " << int(row.freed) << " " << int(row.end) << " " << int(row.block);
}

std::vector<Row> rows(const DeviceReplay &device)
{
    std::vector<Row> all;
    for (uint32_t at = 0; at < device.allocations.count(); ++at)
        all.push_back({device.allocations.begin[at], device.allocations.freed[at], device.allocations.end[at],
                       device.allocations.block[at]});
    return all;
}

std::vector<MemoryLevel> levels(const MemorySnapshot &snapshot, const DeviceReplay &device)
{
    std::vector<MemoryLevel> all{device.atBegin};
    for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event)
        all.push_back(device.levelAfter(snapshot, event));
    return all;
}

bool isQuiet(const DeviceReplay &device)
{
    return device.doubleAllocations.count + device.vanished.count + device.unknownFrees.count +
               device.impossibleSizes.count + device.otherSizes.count + device.overlappingBlocks ==
           0;
}

} // namespace

TEST(MemoryReplay, FollowsAHistoryBackFromItsFinalState)
{
    SmallSnapshot small;
    small.add(FreeRequested, 100, 10); // 0: from before the history
    small.add(FreeCompleted, 100, 10); // 1
    small.add(SegmentAlloc, 0, 4096);  // 2
    small.add(Alloc, 200, 20);         // 3
    small.add(Alloc, 100, 40);         // 4: the same address again
    small.add(FreeRequested, 100, 40); // 5
    small.add(Snapshot, 0, 999);       // 6
    small.add(FreeCompleted, 100, 40); // 7: later, because other streams used it
    small.add(Alloc, 300, 5);          // 8
    small.add(FreeRequested, 300, 5);  // 9: pending at the end
    small.segment(0, 8192,
                  {SmallSnapshot::block(50, 7), SmallSnapshot::block(200, 20),
                   SmallSnapshot::block(300, 5, BlockState::PendingFree),
                   SmallSnapshot::block(400, 0, BlockState::Inactive)});
    const MemorySnapshot snapshot = small.take();
    const MemoryReplay replay = replayMemory(snapshot, {});
    ASSERT_EQ(replay.devices.size(), 1u);
    const DeviceReplay &device = replay.devices[0];
    EXPECT_EQ(
        rows(device),
        (std::vector<Row>{
            {kNone, kNone, kNone, 0}, {kNone, 0, 1, kNone}, {3, kNone, kNone, 1}, {4, 5, 7, kNone}, {8, 9, kNone, 2}}));
    EXPECT_EQ(device.allocations.address(snapshot, 0), 50u);
    EXPECT_EQ(device.allocations.size(snapshot, 0), 7);
    EXPECT_EQ(device.allocations.address(snapshot, 1), 100u);
    EXPECT_EQ(device.allocations.size(snapshot, 3), 40);
    EXPECT_FALSE(device.allocations.stream(snapshot, 0));
    EXPECT_EQ(device.freedFromBefore, 1u);
    EXPECT_EQ(device.aliveFromBefore, 1u);
    EXPECT_TRUE(isQuiet(device));
    const std::vector<MemoryLevel> expected = {{17, 17, 4096}, {7, 17, 4096},  {7, 7, 4096},   {7, 7, 8192},
                                               {27, 27, 8192}, {67, 67, 8192}, {27, 67, 8192}, {27, 67, 8192},
                                               {27, 27, 8192}, {32, 32, 8192}, {27, 32, 8192}};
    EXPECT_EQ(levels(snapshot, device), expected);
    EXPECT_EQ(device.atEnd, expected.back());
    EXPECT_EQ(device.peak, (MemoryLevel{67, 67, 8192}));
    EXPECT_EQ(device.peakAllocatedEvent, 4u);
    EXPECT_EQ(device.peakReservedEvent, 2u);
    EXPECT_EQ(device.blocks.allocated, 1024) << "7 and 20 bytes in blocks of 512";
}

TEST(MemoryReplay, OddHistoriesAreCountedWithTheirEvents)
{
    SmallSnapshot small;
    small.add(Alloc, 100, 10);         // 0: never freed, but the address is given out again
    small.add(Alloc, 100, 20);         // 1
    small.add(FreeRequested, 100, 20); // 2
    small.add(FreeCompleted, 100, 20); // 3
    small.add(FreeRequested, 100, 20); // 4: a second time
    small.add(FreeCompleted, 100, 20); // 5
    small.add(Alloc, 200, 7);          // 6: neither freed nor there at the end
    small.add(Alloc, 300, -5);         // 7
    small.add(SegmentAlloc, 0, -1);    // 8
    small.add(Alloc, 400, 30);         // 9: there at the end, with another size
    small.segment(0, 4096, {SmallSnapshot::block(400, 31), SmallSnapshot::block(400, 1)});
    const MemorySnapshot snapshot = small.take();
    const MemoryReplay replay = replayMemory(snapshot, {});
    const DeviceReplay &device = replay.devices[0];
    EXPECT_EQ(device.doubleAllocations.count, 1u);
    EXPECT_EQ(device.doubleAllocations.firstEvent, 0u);
    EXPECT_EQ(device.vanished.count, 1u);
    EXPECT_EQ(device.vanished.firstEvent, 6u);
    EXPECT_EQ(device.unknownFrees.count, 1u);
    EXPECT_EQ(device.unknownFrees.firstEvent, 3u)
        << "after it, the memory must have been given out again without a recorded alloc";
    EXPECT_EQ(device.impossibleSizes.count, 2u);
    EXPECT_EQ(device.impossibleSizes.firstEvent, 7u);
    EXPECT_EQ(device.otherSizes.count, 1u);
    EXPECT_EQ(device.otherSizes.firstEvent, 9u);
    EXPECT_EQ(device.overlappingBlocks, 1u);
    EXPECT_EQ(
        rows(device),
        (std::vector<Row>{
            {0, kNone, 0, kNone}, {1, 2, 3, kNone}, {3, 4, 5, kNone}, {6, kNone, 6, kNone}, {9, kNone, kNone, 0}}));
    const std::vector<MemoryLevel> expected = {{0, 0, 4096},   {0, 0, 4096},  {20, 20, 4096}, {0, 20, 4096},
                                               {20, 20, 4096}, {0, 20, 4096}, {0, 0, 4096},   {0, 0, 4096},
                                               {0, 0, 4096},   {0, 0, 4096},  {31, 31, 4096}};
    EXPECT_EQ(levels(snapshot, device), expected);
}

TEST(MemoryReplay, DevicesWithoutHistoryAndOldFrees)
{
    SmallSnapshot small;
    small.add(Alloc, 1, 10);
    small.add(Free, 1, 10);
    small.nextDevice();
    small.add(Alloc, 1, 3);
    small.segment(2, 512, {SmallSnapshot::block(9, 400)});
    small.segment(1, 512, {SmallSnapshot::block(1, 3)});
    const MemorySnapshot snapshot = small.take();
    const MemoryReplay replay = replayMemory(snapshot, {});
    ASSERT_EQ(replay.devices.size(), 3u);
    EXPECT_EQ(rows(replay.devices[0]), (std::vector<Row>{{0, 1, 1, kNone}}));
    EXPECT_EQ(replay.devices[0].peak, (MemoryLevel{10, 10, 0}));
    EXPECT_EQ(rows(replay.devices[1]), (std::vector<Row>{{2, kNone, kNone, 1}}));
    EXPECT_EQ(replay.devices[1].atBegin, (MemoryLevel{0, 0, 512}));
    EXPECT_EQ(rows(replay.devices[2]), (std::vector<Row>{{kNone, kNone, kNone, 0}}));
    EXPECT_EQ(replay.devices[2].peak, (MemoryLevel{400, 400, 512}));
    for (const DeviceReplay &device : replay.devices)
        EXPECT_TRUE(isQuiet(device));
}

TEST(MemoryReplay, OfACutFileWhatWasNotFreedIsThere)
{
    SmallSnapshot small;
    small.add(FreeRequested, 5, 8);
    small.add(FreeCompleted, 5, 8);
    small.add(Alloc, 5, 10);
    small.add(Alloc, 6, 20);
    small.add(FreeRequested, 6, 20);
    small.add(SegmentFree, 0, 100);
    small.add(SegmentAlloc, 0, 30);
    MemorySnapshot snapshot = small.take();
    snapshot.damage = Error{"cut", "", 7};
    snapshot.whole = false;
    const MemoryReplay replay = replayMemory(snapshot, {});
    const DeviceReplay &device = replay.devices.at(0);
    EXPECT_EQ(rows(device), (std::vector<Row>{{kNone, 0, 1, kNone}, {2, kNone, kNone, kNone}, {3, 4, kNone, kNone}}));
    EXPECT_EQ(device.atEnd, (MemoryLevel{10, 30, 30}));
    EXPECT_EQ(device.atBegin, (MemoryLevel{8, 8, 100}));
    EXPECT_TRUE(isQuiet(device));
}

/// A simulated allocator whose history lacks its start: the replay finds what the simulation did.
TEST(MemoryReplay, AgreesWithASimulatedAllocator)
{
    std::mt19937_64 random(7);
    for (int round = 0; round < 20; ++round) {
        struct Live {
            uint64_t address;
            int64_t size;
            uint32_t begin; ///< number among all events of the simulation
            bool pending;
            uint32_t freed;
        };
        struct Done {
            uint64_t address;
            uint32_t begin, freed, end;
        };
        std::vector<Live> live;
        std::vector<std::tuple<MemoryAction, uint64_t, int64_t>> history;
        std::vector<MemoryLevel> truth{{0, 0, 0}};
        std::vector<Done> done;
        std::vector<uint64_t> freeAddresses;
        uint64_t next = 1;
        while (history.size() < 5000) {
            MemoryLevel level = truth.back();
            const auto now = static_cast<uint32_t>(history.size());
            const size_t at = live.empty() ? 0 : random() % live.size();
            if (live.size() < 50 || random() % 2) {
                uint64_t address = next++;
                if (!freeAddresses.empty() && random() % 4) {
                    std::swap(freeAddresses[random() % freeAddresses.size()], freeAddresses.back());
                    address = freeAddresses.back();
                    freeAddresses.pop_back();
                }
                const auto size = static_cast<int64_t>(random() % 10000);
                live.push_back({address, size, now, false, kNone});
                history.emplace_back(Alloc, address, size);
                level.allocated += size;
                level.active += size;
            } else if (!live[at].pending) {
                live[at].pending = true;
                live[at].freed = now;
                history.emplace_back(FreeRequested, live[at].address, live[at].size);
                level.allocated -= live[at].size;
            } else {
                history.emplace_back(FreeCompleted, live[at].address, live[at].size);
                level.active -= live[at].size;
                done.push_back({live[at].address, live[at].begin, live[at].freed, now});
                freeAddresses.push_back(live[at].address);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
            }
            truth.push_back(level);
        }
        const auto cut = static_cast<uint32_t>(random() % 4000);
        SmallSnapshot small;
        for (size_t at = cut; at < history.size(); ++at)
            small.add(std::get<0>(history[at]), std::get<1>(history[at]), std::get<2>(history[at]));
        std::vector<MemoryBlock> blocks;
        for (const Live &one : live)
            blocks.push_back(SmallSnapshot::block(one.address, one.size,
                                                  one.pending ? BlockState::PendingFree : BlockState::Allocated));
        small.segment(0, 1 << 30, blocks);
        const MemorySnapshot snapshot = small.take();
        const MemoryReplay replay = replayMemory(snapshot, {});
        const DeviceReplay &device = replay.devices.at(0);
        ASSERT_TRUE(isQuiet(device));

        const auto number = [&](uint32_t event) { return event == kNone || event < cut ? kNone : event - cut; };
        std::map<std::tuple<uint64_t, uint32_t, uint32_t, uint32_t>, int> expected, found;
        for (const Done &one : done)
            if (one.end >= cut)
                ++expected[{one.address, number(one.begin), number(one.freed), number(one.end)}];
        for (const Live &one : live)
            ++expected[{one.address, number(one.begin), number(one.freed), kNone}];
        for (uint32_t at = 0; at < device.allocations.count(); ++at)
            ++found[{device.allocations.address(snapshot, at), device.allocations.begin[at],
                     device.allocations.freed[at], device.allocations.end[at]}];
        ASSERT_EQ(found, expected);

        MemoryLevel peak;
        for (size_t at = cut; at <= history.size(); ++at) {
            peak.allocated = std::max(peak.allocated, truth[at].allocated);
            peak.active = std::max(peak.active, truth[at].active);
            const MemoryLevel level =
                at == cut ? device.atBegin : device.levelAfter(snapshot, static_cast<uint32_t>(at - cut - 1));
            ASSERT_EQ(level.allocated, truth[at].allocated) << at;
            ASSERT_EQ(level.active, truth[at].active) << at;
        }
        EXPECT_EQ(device.peak.allocated, peak.allocated);
        EXPECT_EQ(device.peak.active, peak.active);
    }
}

TEST(MemoryReplay, ARecorderWithoutRequestsFreesWhenItCompletes)
{
    SmallSnapshot small;
    small.add(FreeCompleted, 900, 7);  // 0: from before the history
    small.add(Alloc, 100, 10);         // 1
    small.add(Alloc, 200, 20);         // 2
    small.add(FreeCompleted, 100, 10); // 3
    small.add(Alloc, 100, 5);          // 4
    small.segment(0, 8192, {SmallSnapshot::block(100, 5), SmallSnapshot::block(200, 20)});
    const MemorySnapshot snapshot = small.take();
    const MemoryReplay replay = replayMemory(snapshot, {});
    const DeviceReplay &device = replay.devices.at(0);
    EXPECT_TRUE(isQuiet(device));
    EXPECT_EQ(rows(device),
              (std::vector<Row>{{kNone, 0, 0, kNone}, {1, 3, 3, kNone}, {2, kNone, kNone, 1}, {4, kNone, kNone, 0}}));
    std::vector<int64_t> allocated;
    for (const MemoryLevel &level : levels(snapshot, device)) {
        allocated.push_back(level.allocated);
        EXPECT_EQ(level.allocated, level.active) << "nothing is pending";
    }
    EXPECT_EQ(allocated, (std::vector<int64_t>{7, 0, 10, 30, 20, 25}));
}

TEST(MemoryReplay, ARequestBeforeTheHistoryLeavesItsMemoryPending)
{
    SmallSnapshot small;
    small.add(FreeCompleted, 900, 7); // 0: requested before the history
    small.add(Alloc, 100, 10);        // 1
    small.segment(0, 8192, {SmallSnapshot::block(100, 10)});
    const MemorySnapshot snapshot = small.take();
    const MemoryReplay replay = replayMemory(snapshot, {});
    EXPECT_EQ(replay.devices.at(0).atBegin.active, 7);
    EXPECT_EQ(replay.devices.at(0).atBegin.allocated, 0);
}

/// Addresses that a multiplication with 2^64 / phi, the usual hash, all puts into one place of the table.
TEST(MemoryReplaySlow, ChosenAddressesTakeNoLongerThanOthers)
{
    constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
    uint64_t inverse = kFactor; // modulo 2^64: each step doubles the number of correct bits
    for (int step = 0; step < 6; ++step)
        inverse *= 2 - kFactor * inverse;
    ASSERT_EQ(kFactor * inverse, 1u);
    const auto secondsFor = [](uint64_t step) {
        SmallSnapshot small;
        for (uint64_t at = 1; at <= 60'000; ++at)
            small.add(Alloc, at * step, 512);
        const MemorySnapshot snapshot = small.take();
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(replayMemory(snapshot, {}).devices.size(), 1u);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    EXPECT_LT(secondsFor((uint64_t(1) << 44) * inverse), 20 * secondsFor(512) + 0.1);
}
