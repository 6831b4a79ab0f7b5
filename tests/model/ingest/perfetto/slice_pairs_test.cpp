// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/slice_pairs.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(SlicePairs, AStreamInOrderOfTimeEndsTheInnermostSlice)
{
    SlicePairs pairs;
    pairs.begin(0, 10);
    pairs.begin(0, 20);
    pairs.end(0, 30);
    pairs.end(0, 40);
    pairs.pair();
    EXPECT_EQ(pairs.duration(0), 30);
    EXPECT_EQ(pairs.duration(1), 10);
}

TEST(SlicePairs, RunsOutOfOrderArePairedByPosition)
{
    SlicePairs pairs; // the first slice touches the second, which has no length; the third is inside the fourth
    for (const Ns begin : {0, 5, 20, 10})
        pairs.begin(3, begin);
    for (const Ns end : {5, 5, 25, 30})
        pairs.end(3, end);
    pairs.pair();
    EXPECT_EQ(pairs.duration(0), 5);
    EXPECT_EQ(pairs.duration(1), 0);
    EXPECT_EQ(pairs.duration(2), 5);
    EXPECT_EQ(pairs.duration(3), 20);
}

TEST(SlicePairs, RunsThatDoNotMatchArePairedByTime)
{
    SlicePairs pairs;
    pairs.begin(1, 50);
    pairs.begin(2, 10);
    pairs.end(2, 20);
    pairs.end(1, 60);
    pairs.pair();
    EXPECT_EQ(pairs.duration(0), 10);
    EXPECT_EQ(pairs.duration(1), 10);
}

TEST(SlicePairs, EndsAndBeginsCanBeAlone)
{
    SlicePairs pairs;
    pairs.end(1, 5);
    pairs.begin(1, 10);
    pairs.end(2, 20);
    pairs.begin(2, 30);
    pairs.end(2, 35);
    pairs.pair();
    EXPECT_TRUE(pairs.unmatched(0));
    EXPECT_TRUE(pairs.unmatched(1));
    EXPECT_FALSE(pairs.unmatched(2));
    EXPECT_EQ(pairs.duration(0), std::nullopt);
    EXPECT_EQ(pairs.duration(1), 5);
    EXPECT_EQ(pairs.duration(7), std::nullopt);
}

} // namespace
} // namespace riffle
