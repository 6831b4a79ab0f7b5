// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_tints.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle::test {
namespace {

constexpr size_t kTints = 7;

class SliceTintsTest : public testing::Test {
protected:
    uint8_t of(ColourMode mode, std::string_view name) const
    {
        const SliceTints tints = sliceTints(*m_trace, mode, m_trace->steps, kTints);
        EXPECT_EQ(tints.size(), m_trace->sliceCount());
        return tints[sliceNamed(*m_trace, name).value];
    }

    std::shared_ptr<const Trace> m_trace = [] {
        SmallTrace trace;
        const uint32_t thread = trace.thread(1, "python"), gpu = trace.stream(7), other = trace.stream(20);
        trace.step(thread, 0, 0, 100'000);
        trace.step(thread, 1, 100'000, 100'000);
        trace.annotation(thread, "forward", 10'000, 50'000);
        trace.operation(thread, "aten::mm", 20'000, 20'000);
        trace.launch(thread, 30'000, 2'000, 1);
        trace.kernel(gpu, "late", 150'000, 500, 1); // launched in the first step
        trace.kernel(other, "alone", 160'000, 20'000'000, 0);
        trace.operation(thread, "between", 70'000, 9'000);
        return trace.seal();
    }();
};

TEST_F(SliceTintsTest, DurationsAreOrdersOfMagnitude)
{
    EXPECT_EQ(of(ColourMode::Duration, "late"), 0);     // 500 ns
    EXPECT_EQ(of(ColourMode::Duration, "between"), 1);  // 9 µs
    EXPECT_EQ(of(ColourMode::Duration, "aten::mm"), 2); // 20 µs
    EXPECT_EQ(of(ColourMode::Duration, "alone"), 5);    // 20 ms
    EXPECT_EQ(durationTint(999), 0u);
    EXPECT_EQ(durationTint(1'000), 1u);
    EXPECT_EQ(durationTint(INT64_MAX), kDurationTints - 1);
    EXPECT_STREQ(durationTintTitle(2), "under 100 µs");
}

TEST_F(SliceTintsTest, DeviceWorkBelongsToTheStepThatLaunchedIt)
{
    EXPECT_EQ(of(ColourMode::Step, "aten::mm"), 0);
    EXPECT_EQ(of(ColourMode::Step, "ProfilerStep#1"), 1);
    EXPECT_EQ(of(ColourMode::Step, "late"), 0);
    EXPECT_EQ(of(ColourMode::Step, "alone"), 1); // without a launch, its own start counts
}

TEST_F(SliceTintsTest, AnnotationsAreTheInnermostOnes)
{
    const uint8_t forward = of(ColourMode::Annotation, "forward");
    EXPECT_NE(forward, kNoTint);
    EXPECT_EQ(of(ColourMode::Annotation, "aten::mm"), forward);
    EXPECT_EQ(of(ColourMode::Annotation, "cudaLaunchKernel"), forward);
    EXPECT_EQ(of(ColourMode::Annotation, "late"), forward);
    EXPECT_EQ(of(ColourMode::Annotation, "between"), of(ColourMode::Annotation, "ProfilerStep#0"));
    EXPECT_EQ(of(ColourMode::Annotation, "alone"), kNoTint);
}

TEST_F(SliceTintsTest, LanesDiffer)
{
    EXPECT_NE(of(ColourMode::Lane, "late"), of(ColourMode::Lane, "alone"));
    EXPECT_EQ(of(ColourMode::Lane, "aten::mm"), of(ColourMode::Lane, "between"));
}

TEST_F(SliceTintsTest, ClassesAndNamesHaveNone)
{
    EXPECT_TRUE(sliceTints(*m_trace, ColourMode::Class, {}, kTints).empty());
    EXPECT_TRUE(sliceTints(*m_trace, ColourMode::Name, {}, kTints).empty());
}

} // namespace
} // namespace riffle::test
