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
    EXPECT_EQ(oom.lacking(), 50'000u - 7168 - 300);
    EXPECT_EQ(oom.verdict, OomVerdict::Demand);
}

TEST(OutOfMemory, VerdictsTurnAtTheirFigures)
{
    EXPECT_EQ(failing(7469, 300).verdict, OomVerdict::Demand);
    EXPECT_EQ(failing(7468, 300).verdict, OomVerdict::Divided);
    EXPECT_EQ(failing(7169, 300).verdict, OomVerdict::Divided);
    EXPECT_EQ(failing(7168, 300).verdict, OomVerdict::Fragmentation);
    EXPECT_EQ(failing(4097, 300).verdict, OomVerdict::Fragmentation);
    EXPECT_EQ(failing(4096, 300).verdict, OomVerdict::OtherPool);
    EXPECT_EQ(failing(4097, 4097).verdict, OomVerdict::Refused);
    EXPECT_EQ(failing(-5, UINT64_MAX - 1).verdict, OomVerdict::Refused);
    EXPECT_EQ(failing(INT64_MAX, UINT64_MAX / 2 - 1).verdict, OomVerdict::Divided);
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
