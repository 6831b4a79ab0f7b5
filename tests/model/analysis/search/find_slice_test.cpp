// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/find_slice.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(FindSlice, TheFirstThePreferredOrTheOneAtATime)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const auto startOf = [&](SliceRef ref) { return set.trace(TraceId(0))->slice(ref.slice)->data.start; };
    EXPECT_EQ(startOf(findSlice(set, "sgemm", {}, {})), 1'009'000);
    EXPECT_EQ(startOf(findSlice(set, "sgemm", {}, {1'100'000, 1'200'000})), 1'109'000);
    EXPECT_EQ(startOf(findSlice(set, "sgemm", 1'109'000, {})), 1'109'000);
    EXPECT_EQ(startOf(findSlice(set, "sgemm", 5, {1'100'000, 1'200'000})), 1'109'000);
    EXPECT_FALSE(findSlice(set, "sgem", {}, {}).valid());
    EXPECT_FALSE(findSlice({}, "sgemm", {}, {}).valid());
}

} // namespace
} // namespace riffle
