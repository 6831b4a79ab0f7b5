// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_alignment.h"

#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;

constexpr int64_t kUnix = 1'700'000'000'000'000'000;

/// The training trace has steps at 1,000,000 and 1,100,000 ns.
std::shared_ptr<const Trace> traceFrom(std::optional<int64_t> base)
{
    const auto trace = std::make_shared<Trace>(*trainingTrace());
    trace->info.baseTimeNs = base;
    return trace;
}

MemorySnapshot snapshotWith(int64_t first, std::vector<int64_t> steps)
{
    SmallSnapshot small;
    small.add(MemoryAction::Alloc, 512, 100);
    small.add(MemoryAction::FreeCompleted, 512, 100);
    small.times({first, first + 50'000});
    small.strings({"", "START", "END", "ProfilerStep#0", "ProfilerStep#1"});
    for (size_t step = 0; step < steps.size(); ++step) {
        small.mark(static_cast<uint32_t>(3 + step), 1, steps[step]);
        small.mark(static_cast<uint32_t>(3 + step), 2, steps[step] + 1);
    }
    return small.take();
}

TEST(SnapshotAlignment, IsByTheClockThatBothKnow)
{
    const auto alignment = alignSnapshot(snapshotWith(kUnix + 1'050'000, {}), *traceFrom(kUnix));
    ASSERT_TRUE(alignment);
    EXPECT_FALSE(alignment->byMarks);
    EXPECT_EQ(alignment->toTrace(kUnix + 1'050'000), 1'050'000);
    EXPECT_EQ(alignment->toUnix(7), kUnix + 7);
}

TEST(SnapshotAlignment, IsOfOneClockWhereTheTraceCountsUnixTime)
{
    SmallTrace small;
    small.operation(small.thread(1, "python"), "aten::mm", kUnix + 40'000, 10'000);
    const auto trace = small.seal();
    const auto alignment = alignSnapshot(snapshotWith(kUnix, {}), *trace);
    ASSERT_TRUE(alignment);
    EXPECT_FALSE(alignment->byMarks);
    EXPECT_EQ(alignment->toTrace(kUnix + 40'000), kUnix + 40'000);
    EXPECT_FALSE(alignSnapshot(snapshotWith(kUnix + 1'000'000'000, {}), *trace)) << "recorded at another time";
    SmallTrace early;
    early.operation(early.thread(1, "python"), "aten::mm", 40'000, 10'000);
    EXPECT_FALSE(alignSnapshot(snapshotWith(0, {}), *early.seal())) << "neither clock has a known origin";
}

TEST(SnapshotAlignment, IsByMarksWhereTheTraceKnowsNoTime)
{
    const auto alignment = alignSnapshot(snapshotWith(kUnix, {kUnix + 30, kUnix + 100'030}), *traceFrom({}));
    ASSERT_TRUE(alignment);
    EXPECT_TRUE(alignment->byMarks);
    EXPECT_EQ(alignment->toTrace(kUnix + 30), 1'000'000);
}

TEST(SnapshotAlignment, IsByMarksWhereTheClocksTellOfOtherTimes)
{
    const auto alignment =
        alignSnapshot(snapshotWith(kUnix, {kUnix + 30, kUnix + 100'030}), *traceFrom(kUnix - 3'600'000'000'000));
    ASSERT_TRUE(alignment);
    EXPECT_TRUE(alignment->byMarks);
}

TEST(SnapshotAlignment, IsNotGuessed)
{
    EXPECT_FALSE(alignSnapshot(snapshotWith(kUnix, {}), *traceFrom({})));
    EXPECT_FALSE(alignSnapshot(snapshotWith(kUnix, {}), *traceFrom(kUnix + 3'600'000'000'000)));
    // Marks that do not occur in the trace.
    SmallTrace other;
    other.operation(other.thread(1, "python"), "aten::mm", 0, 10);
    EXPECT_FALSE(alignSnapshot(snapshotWith(kUnix, {kUnix, kUnix + 100'000}), *other.seal()));
}

} // namespace
} // namespace riffle
