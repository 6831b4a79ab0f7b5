// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_rank.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(SnapshotRank, IsTheNumberAfterTheLastRankOfTheName)
{
    EXPECT_EQ(rankInName("rank3_memory_snapshot.pickle"), 3);
    EXPECT_EQ(rankInName("/runs/rank7/snapshot-rank-03.pkl"), 3);
    EXPECT_EQ(rankInName("Rank_12.pickle.gz"), 12);
    EXPECT_EQ(rankInName("ranks_of_rank=5.pickle"), 5);
    EXPECT_EQ(rankInName("rank5_low_rank.pickle"), 5) << "the last word has no number";
    EXPECT_EQ(rankInName("rank0"), 0);
}

TEST(SnapshotRank, OtherNamesTellNone)
{
    for (const char *name : {"", "rank", "snapshot.pickle", "rank--1.pickle", "rank__2.pickle", "frank.pickle",
                             "/runs/rank7/snapshot.pickle", "rank99999999999999999999.pickle"})
        EXPECT_EQ(rankInName(name), std::nullopt) << name;
}

} // namespace
} // namespace riffle
