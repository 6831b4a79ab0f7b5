// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/oom_report.h"
#include "tests/model/analysis/memory/small_snapshot.h"

#include <gtest/gtest.h>

using namespace riffle;
using namespace riffle::test;

namespace {

/// A failed allocation on a device with two segments of 10,240 bytes, with holes of 1,024 and 4,096 bytes on the
/// default stream and of 2,048 bytes on another one.
OutOfMemory failing(int64_t asked, uint64_t deviceFree, uint32_t pool = 1)
{
    SmallSnapshot small;
    small.add(MemoryAction::Snapshot, 0, 0);
    small.add(MemoryAction::OutOfMemory, deviceFree, asked);
    small.segment(0, 10'240, {SmallSnapshot::block(0, 4096), SmallSnapshot::block(5120, 1000)});
    small.segment(0, 10'240, {SmallSnapshot::block(100'000, 8192, BlockState::PendingFree)});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 100'000;
    snapshot.segments[1].stream = 7;
    snapshot.pools = {{0, 0}, {1, 0}};
    snapshot.segments[0].pool = pool;
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    const std::vector<OutOfMemory> all = explainOutOfMemory(facts, {});
    EXPECT_EQ(all.size(), 1u);
    EXPECT_EQ(outOfMemoryTable(facts, all).rows(), 1u);
    EXPECT_NE(oomVerdictText(all.at(0)), "");
    return all.at(0);
}

} // namespace

TEST(OutOfMemory, SaysWhatThereWas)
{
    const OutOfMemory oom = failing(50'000, 300);
    EXPECT_EQ(oom.event, 1u);
    EXPECT_EQ(oom.asked, 50'000u);
    EXPECT_EQ(oom.deviceFree, 300u);
    EXPECT_EQ(oom.figures.reserved, 20'480u);
    EXPECT_EQ(oom.figures.allocated, 5096u);
    EXPECT_EQ(oom.figures.pending, 8192u);
    EXPECT_EQ(oom.figures.rounding(), 24u);
    EXPECT_EQ(oom.figures.free, 7168u);
    EXPECT_EQ(oom.figures.largestFree, 4096u);
    EXPECT_EQ(oom.largestOfStream, 4096u);
    EXPECT_EQ(oom.pending.bytes, 8192u);
    EXPECT_EQ(oom.pending.suitable, 0u) << "it is on another stream";
    EXPECT_EQ(oom.segment, 2u << 20);
    EXPECT_EQ(oom.lacking(), 50'000u - 7168 - 8192 - 300);
    EXPECT_EQ(oom.verdict, OomVerdict::Demand);
}

TEST(OutOfMemory, VerdictsTurnAtTheirFigures)
{
    constexpr uint64_t kSegment = 2 << 20; // for a request of up to 1 MiB
    EXPECT_EQ(failing(15'661, 300).verdict, OomVerdict::Demand);
    EXPECT_EQ(failing(15'660, 300).verdict, OomVerdict::Divided);
    EXPECT_EQ(failing(7169, 300).verdict, OomVerdict::Divided);
    EXPECT_EQ(failing(7168, 300).verdict, OomVerdict::Fragmentation);
    EXPECT_EQ(failing(4097, 300).verdict, OomVerdict::Fragmentation);
    EXPECT_EQ(failing(4096, 300).verdict, OomVerdict::OtherPool);
    EXPECT_EQ(failing(7169, 7169).verdict, OomVerdict::SegmentSize);
    EXPECT_EQ(failing(4097, kSegment - 1).verdict, OomVerdict::SegmentSize);
    EXPECT_EQ(failing(4097, kSegment).verdict, OomVerdict::Refused);
    EXPECT_EQ(failing(3 << 20, 3 << 20).verdict, OomVerdict::SegmentSize) << "such a request takes 20 MiB";
    EXPECT_EQ(failing(3 << 20, 20 << 20).verdict, OomVerdict::Refused);
    EXPECT_EQ(failing(11 << 20, (12 << 20) - 1).verdict, OomVerdict::SegmentSize) << "it takes 12 MiB";
    EXPECT_EQ(failing(-5, UINT64_MAX - 1).verdict, OomVerdict::Refused);
    EXPECT_EQ(failing(INT64_MAX, UINT64_MAX / 2 - 12'000).verdict, OomVerdict::Divided);
    EXPECT_EQ(failing(INT64_MAX, UINT64_MAX / 2 - 1).verdict, OomVerdict::Pending) << "the other segment would be free";
}

TEST(OutOfMemory, AHoleThatShouldHaveBeenTakenIsNotExplainedAway)
{
    EXPECT_EQ(failing(4096, 300, 0).verdict, OomVerdict::Unexplained);
    EXPECT_EQ(failing(4097, 300, 0).verdict, OomVerdict::Fragmentation);
    EXPECT_NE(oomVerdictText(failing(4096, 300, 0)).find("Not explained"), std::string::npos);
}

TEST(OutOfMemory, WhatIsNotRecordedIsNotZero)
{
    const OutOfMemory oom = failing(50'000, MemoryEventTable::kNotRecorded);
    EXPECT_FALSE(oom.deviceFree);
    EXPECT_EQ(oom.verdict, OomVerdict::Demand);
    EXPECT_NE(oomVerdictText(oom).find("was not recorded"), std::string::npos);
    EXPECT_EQ(failing(4097, MemoryEventTable::kNotRecorded).verdict, OomVerdict::Fragmentation);
}

TEST(OutOfMemory, AHoleOfAnotherStreamIsOfNoUse)
{
    SmallSnapshot small;
    small.add(MemoryAction::OutOfMemory, 0, 4096);
    small.segment(0, 8192, {SmallSnapshot::block(0, 8192)});
    small.segment(0, 8192, {SmallSnapshot::block(100'000, 1024)});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 100'000;
    snapshot.segments[1].stream = 7;
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    EXPECT_EQ(explainOutOfMemory(facts, {}).at(0).verdict, OomVerdict::OtherStream);
}

TEST(OutOfMemory, WithoutOneTheTableSaysSo)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 0, 4096);
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(small.take()));
    const std::vector<OutOfMemory> none = explainOutOfMemory(facts, {});
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(outOfMemoryTable(facts, none).absence.empty());
}

namespace {

/// A failed allocation of `asked` bytes from a pool, with a segment of 3 MiB in the default pool and one in a private
/// pool. Each starts with a block of 1 MiB and one that may be pending, before a hole of 1.25 MiB in the default pool
/// and of 0.5 MiB in the private one.
OutOfMemory failingIn(uint32_t pool, int64_t asked, bool pending, uint64_t deviceFree = 0)
{
    constexpr int64_t kMib = 1 << 20;
    const BlockState state = pending ? BlockState::PendingFree : BlockState::Allocated;
    SmallSnapshot small;
    small.add(MemoryAction::OutOfMemory, deviceFree, asked);
    small.segment(0, 3 * kMib, {SmallSnapshot::block(0, kMib), SmallSnapshot::block(kMib, kMib * 3 / 4, state)});
    small.segment(0, 3 * kMib,
                  {SmallSnapshot::block(16 * kMib, kMib), SmallSnapshot::block(17 * kMib, kMib * 3 / 2, state)});
    MemorySnapshot snapshot = small.take();
    snapshot.segments[1].address = 16 * kMib;
    snapshot.segments[1].pool = 1;
    snapshot.pools = {{0, 0}, {0, 1}};
    const auto pools = std::make_shared<std::vector<uint32_t>>(1, pool);
    snapshot.events.pool = Column<uint32_t>(pools, pools->data(), 1);
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    return explainOutOfMemory(facts, {}).at(0);
}

} // namespace

TEST(OutOfMemory, APoolHasOnlyItsOwnHoles)
{
    constexpr int64_t kLarge = (1 << 20) + 1; // a request for large segments
    EXPECT_EQ(failingIn(0, kLarge, false).largestFitting, 1280u << 10);
    EXPECT_EQ(failingIn(0, kLarge, false).verdict, OomVerdict::Unexplained);
    EXPECT_EQ(failingIn(1, kLarge, false).largestFitting, 512u << 10);
    EXPECT_EQ(failingIn(1, kLarge, false).verdict, OomVerdict::OtherPool);
    EXPECT_EQ(failingIn(1, kLarge, false).pool, 1u);
    EXPECT_EQ(failingIn(1, 400 << 10, false).verdict, OomVerdict::OtherPool) << "small requests need small segments";
}

TEST(OutOfMemory, PendingBlocksCountWithTheHolesBesideThem)
{
    constexpr int64_t kMib = 1 << 20;
    const OutOfMemory oom = failingIn(1, 2 * kMib, true);
    EXPECT_EQ(oom.verdict, OomVerdict::Pending);
    EXPECT_EQ(oom.pending.bytes, 9u * kMib / 4) << "of both pools";
    EXPECT_EQ(oom.pending.suitable, 3u * kMib / 2);
    EXPECT_EQ(oom.pending.largestFitting, 2u * kMib);
    EXPECT_EQ(oom.pending.segments, 0u) << "each segment still has a block";
    EXPECT_NE(oomVerdictText(oom).find("2.25\u00a0MiB in 2 blocks were freed, but still waited for other streams"),
              std::string::npos)
        << oomVerdictText(oom);
    EXPECT_EQ(failingIn(1, 2 * kMib + 1, true).verdict, OomVerdict::Divided);
    EXPECT_EQ(failingIn(1, 4 * kMib, true).verdict, OomVerdict::Divided);
    EXPECT_EQ(failingIn(1, 4 * kMib + 1, true).verdict, OomVerdict::Demand);
    EXPECT_EQ(failingIn(1, 4 * kMib + 1, true).lacking(), 1u);
}
