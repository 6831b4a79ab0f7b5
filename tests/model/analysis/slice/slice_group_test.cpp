// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_group.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle::test {
namespace {

class SliceGroupTest : public testing::Test {
protected:
    SliceRef named(std::string_view name) const { return {TraceId(0), sliceNamed(*m_trace, name)}; }
    SliceGroup of(std::vector<SliceRef> slices) const { return groupOf(m_set, slices); }

    std::shared_ptr<const Trace> m_trace = [] {
        SmallTrace trace;
        const uint32_t thread = trace.thread(1, "python"), other = trace.thread(2, "python");
        trace.plain(thread, "a", "cpu_op", 100, 50);  // 100 to 150
        trace.plain(other, "b", "cpu_op", 120, 60);   // 120 to 180
        trace.plain(thread, "c", "cpu_op", 300, 100); // 300 to 400
        return trace.seal();
    }();
    TraceSet m_set = setOf(m_trace);
};

TEST_F(SliceGroupTest, TimeThatSeveralCoverCountsOnceInTheUnion)
{
    const SliceGroup group = of({named("c"), named("a"), named("b")});
    EXPECT_EQ(group.count, 3u);
    EXPECT_EQ(group.sum, 210);
    EXPECT_EQ(group.covered, 180); // 100 to 180 and 300 to 400
    EXPECT_EQ(group.span, (TimeSpan{100, 400}));
    EXPECT_EQ(group.gaps(), 120);
}

TEST_F(SliceGroupTest, ASliceCountsOnceAndWhatDoesNotExistNotAtAll)
{
    const SliceGroup group = of({named("a"), named("a"), {}, {TraceId(7), SliceId(0)}, {TraceId(0), SliceId(99)}});
    EXPECT_EQ(group.count, 1u);
    EXPECT_EQ(group.sum, 50);
    EXPECT_EQ(group.gaps(), 0);
    EXPECT_EQ(of({}).count, 0u);
    EXPECT_EQ(of({}).gaps(), 0);
}

} // namespace
} // namespace riffle::test
