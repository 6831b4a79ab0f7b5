// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/allocator_map.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

using namespace riffle;
using namespace riffle::test;

namespace {

constexpr uint64_t kOneMib = 1 << 20;

/// The sizes of the blocks after an event, by address.
std::map<uint64_t, uint64_t> sizesAfter(MemorySnapshot snapshot, uint32_t event)
{
    const SnapshotFacts facts(sharedSnapshot(std::move(snapshot)));
    const AllocatorMap map(facts, 0, {});
    std::map<uint64_t, uint64_t> sizes;
    for (const AllocatorPiece &piece : map.after(event).pieces)
        if (piece.state != AllocatorPiece::State::Free)
            sizes[piece.address] = piece.size;
    return sizes;
}

void release(SmallSnapshot &small, uint64_t address, int64_t size)
{
    small.add(MemoryAction::FreeRequested, address, size);
    small.add(MemoryAction::FreeCompleted, address, size);
}

using BlockSizesByAddress = std::map<uint64_t, uint64_t>;

} // namespace

TEST(BlockSizes, ALargeSegmentLeavesNoHoleOfUpToOneMib)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 5 * kOneMib + 1);                    // 0: from a hole of 20 MiB
    small.add(MemoryAction::Alloc, 5 * kOneMib + 512, 14 * kOneMib - 600); // 1: leaves 1 MiB and the rounding
    release(small, 5 * kOneMib + 512, 14 * kOneMib - 600);
    small.add(MemoryAction::Alloc, 5 * kOneMib + 512, 13 * kOneMib); // 4: leaves more than 1 MiB
    release(small, 5 * kOneMib + 512, 13 * kOneMib);
    release(small, 0, 5 * kOneMib + 1);
    small.segment(0, 20 * kOneMib, {});
    const MemorySnapshot snapshot = small.take();
    EXPECT_EQ(sizesAfter(snapshot, 0), (BlockSizesByAddress{{0, 5 * kOneMib + 512}}));
    EXPECT_EQ(sizesAfter(snapshot, 1),
              (BlockSizesByAddress{{0, 5 * kOneMib + 512}, {5 * kOneMib + 512, 15 * kOneMib - 512}}));
    EXPECT_EQ(sizesAfter(snapshot, 4),
              (BlockSizesByAddress{{0, 5 * kOneMib + 512}, {5 * kOneMib + 512, 13 * kOneMib}}));
}

TEST(BlockSizes, WhatABlockTookItKeepsWhenItsNeighbourGoes)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 8 * kOneMib);            // 0
    small.add(MemoryAction::Alloc, 8 * kOneMib, 12 * kOneMib); // 1: the rest
    release(small, 0, 8 * kOneMib);                            // 2, 3
    small.add(MemoryAction::Alloc, 0, 7 * kOneMib + 1000);     // 4: takes the hole of 8 MiB
    release(small, 8 * kOneMib, 12 * kOneMib);                 // 5, 6: the hole starts at 8 MiB, not before
    release(small, 0, 7 * kOneMib + 1000);
    small.segment(0, 20 * kOneMib, {});
    EXPECT_EQ(sizesAfter(small.take(), 6), (BlockSizesByAddress{{0, 8 * kOneMib}}));
}

TEST(BlockSizes, SmallSegmentsExpandableOnesAndTheSettingCutEverywhere)
{
    const auto sizes = [](uint64_t segment, bool expandable, const char *setting) {
        SmallSnapshot small;
        const auto asked = static_cast<int64_t>(segment - kOneMib / 2);
        small.add(MemoryAction::Alloc, 0, asked);
        release(small, 0, asked);
        small.segment(0, static_cast<int64_t>(segment), {});
        MemorySnapshot snapshot = small.take();
        snapshot.segments[0].expandable = expandable;
        if (setting)
            snapshot.settings.emplace_back("expandable_segments", setting);
        return sizesAfter(std::move(snapshot), 0).at(0);
    };
    EXPECT_EQ(sizes(20 * kOneMib, false, nullptr), 20 * kOneMib);
    EXPECT_EQ(sizes(20 * kOneMib, false, "False"), 20 * kOneMib);
    EXPECT_EQ(sizes(20 * kOneMib, true, nullptr), 20 * kOneMib - kOneMib / 2);
    EXPECT_EQ(sizes(20 * kOneMib, false, "True"), 20 * kOneMib - kOneMib / 2);
    EXPECT_EQ(sizes(kOneMib, false, "False"), kOneMib / 2) << "a request of up to 1 MiB";
}

TEST(BlockSizes, ABlockFromBeforeTheHistoryEndsWhereTheNextOneBegins)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 6 * kOneMib + 4096, 2 * kOneMib); // 0: in the hole behind the first block
    release(small, 0, 6 * kOneMib);                                  // 1, 2: that block, from before the history
    release(small, 20 * kOneMib, 19 * kOneMib + 500); // 3, 4: leaves a gap of less than 1 MiB in its segment
    release(small, 6 * kOneMib + 4096, 2 * kOneMib);
    small.segment(0, 20 * kOneMib, {});
    small.segment(0, 20 * kOneMib, {});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 20 * kOneMib;
    EXPECT_EQ(sizesAfter(snapshot, MemoryAllocations::kNone),
              (BlockSizesByAddress{{0, 6 * kOneMib + 4096}, {20 * kOneMib, 20 * kOneMib}}));
}

TEST(BlockSizes, SettingsChangeTheRounding)
{
    MemorySnapshot snapshot;
    EXPECT_EQ(BlockRounding::of(snapshot).rounded(0), 512u);
    EXPECT_EQ(BlockRounding::of(snapshot).rounded(513), 1024u);
    EXPECT_EQ(BlockRounding::of(snapshot).rounded(UINT64_MAX), UINT64_MAX);
    snapshot.settings.emplace_back("roundup_power2_divisions", "1: 4, 2: 8, 4: 1, 8: 0, 32768: 2");
    const BlockRounding divided = BlockRounding::of(snapshot);
    EXPECT_EQ(divided.rounded(1200), 1536u) << "up to 2 KiB, divisions would be smaller than a block";
    EXPECT_EQ(divided.rounded(4097), 5120u) << "4 KiB in steps of 1 KiB";
    EXPECT_EQ(divided.rounded(8192), 8192u);
    EXPECT_EQ(divided.rounded(2 * kOneMib + 1), 2 * kOneMib + kOneMib / 4);
    EXPECT_EQ(divided.rounded(4 * kOneMib + 1), 4 * kOneMib + 512);
    EXPECT_EQ(divided.rounded(8 * kOneMib + 1), 8 * kOneMib + 512);
    EXPECT_EQ(divided.rounded((100 << 10) * kOneMib), (128 << 10) * kOneMib);
    EXPECT_EQ(divided.maxSplit, UINT64_MAX);
    snapshot.settings = {{"max_split_size", "-1"}, {"roundup_power2_divisions", "nonsense, : , 3: 9, 65536: 7"}};
    EXPECT_EQ(BlockRounding::of(snapshot).maxSplit, UINT64_MAX);
    EXPECT_EQ(BlockRounding::of(snapshot).divisions, BlockRounding().divisions);
}

TEST(BlockSizes, ARequestThatMayNotSplitTakesItsWholeHole)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 50 * kOneMib);
    release(small, 0, 50 * kOneMib);
    small.segment(0, 60 * kOneMib, {});
    MemorySnapshot snapshot = small.take();
    EXPECT_EQ(sizesAfter(snapshot, 0), (BlockSizesByAddress{{0, 50 * kOneMib}}));
    snapshot.settings.emplace_back("max_split_size", std::to_string(50 * kOneMib));
    EXPECT_EQ(sizesAfter(snapshot, 0), (BlockSizesByAddress{{0, 60 * kOneMib}}));
}

TEST(BlockSizes, RecordedSizesAreCompared)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 1000);
    small.add(MemoryAction::Alloc, 2048, 1000);
    small.segment(0, 1 << 20, {SmallSnapshot::block(0, 1000), {2048, 2048, 1000, 0, BlockState::Allocated}});
    const SnapshotFacts facts(sharedSnapshot(small.take()));
    const AllocatorMap map(facts, 0, {});
    EXPECT_EQ(map.sizes().recorded(), 2u);
    EXPECT_EQ(map.sizes().different(), 1u);
}

TEST(BlockSizes, PaddingOfRequestsShowsInTheRecordedSizes)
{
    SmallSnapshot a, b;
    a.segment(0, 1 << 20, {SmallSnapshot::block(0, 512), SmallSnapshot::block(512, 100)});
    b.segment(0, 1 << 20, {{0, 1024, 512, 0, BlockState::Allocated}, {1024, 512, 100, 0, BlockState::Allocated}});
    EXPECT_EQ(BlockRounding::of(a.take()).padding, 0u);
    const BlockRounding ascend = BlockRounding::of(b.take());
    EXPECT_EQ(ascend.padding, 32u);
    EXPECT_EQ(ascend.rounded(480), 512u);
    EXPECT_EQ(ascend.rounded(481), 1024u);
}
