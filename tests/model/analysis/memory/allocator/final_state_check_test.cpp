// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/final_state_check.h"
#include "model/analysis/memory/memory_info.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

FinalStateTroubles troublesOf(const MemorySnapshot &snapshot)
{
    return checkFinalState(snapshot, replayMemory(snapshot, {}).devices.at(0));
}

} // namespace

TEST(FinalState, OfAnAllocatorHasNoTroubles)
{
    SmallSnapshot small;
    small.segment(0, 10'240, {SmallSnapshot::block(0, 4096), SmallSnapshot::block(4096, 1000)});
    const MemorySnapshot snapshot = small.take();
    const FinalStateTroubles troubles = troublesOf(snapshot);
    EXPECT_EQ(troubles.overlappingSegments + troubles.overlappingBlocks + troubles.outsideBlocks, 0u);
    EXPECT_TRUE(memoryRemarks(snapshot, replayMemory(snapshot, {})).empty());
}

TEST(FinalState, OverlapsAndStraysAreCountedAndSaid)
{
    SmallSnapshot small;
    small.segment(0, 10'240,
                  {SmallSnapshot::block(0, 4096), SmallSnapshot::block(512, 1000),
                   SmallSnapshot::block(512, 100, BlockState::Inactive)});
    small.segment(0, 4096, {SmallSnapshot::block(8192, 1024), SmallSnapshot::block(UINT64_MAX - 100, 1024)});
    small.segment(1, 4096, {SmallSnapshot::block(0, 1024)});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 8192;
    const FinalStateTroubles troubles = troublesOf(snapshot);
    EXPECT_EQ(troubles.overlappingSegments, 1u);
    EXPECT_EQ(troubles.overlappingBlocks, 1u);
    EXPECT_EQ(troubles.outsideBlocks, 1u);
    EXPECT_EQ(memoryRemarks(snapshot, replayMemory(snapshot, {})).size(), 3u);
}

TEST(FinalState, OfADeviceWithoutAnEntryIsTakenFromAFileThatWasCut)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 512);
    small.nextDevice();
    small.segment(0, 4096, {SmallSnapshot::block(0, 512), SmallSnapshot::block(1024, 512)});
    small.segment(1, 8192, {SmallSnapshot::block(0, 1024)});
    MemorySnapshot snapshot = small.take();
    snapshot.damage = Error{"cut", {}, 5};
    snapshot.whole = false;
    const MemoryReplay replay = replayMemory(snapshot, {});
    ASSERT_EQ(replay.devices.size(), 2u);
    EXPECT_EQ(replay.devices[0].atEnd.allocated, 512) << "more entries may have followed";
    EXPECT_EQ(replay.devices[1].atEnd.allocated, 1024);
    EXPECT_EQ(replay.devices[1].atEnd.reserved, 8192);
}
