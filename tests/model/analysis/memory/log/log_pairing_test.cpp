// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/log/log_pairing.h"

#include "model/ingest/memory_log/log_parser.h"

#include <gtest/gtest.h>

#include <vector>

namespace riffle {
namespace {

MemoryLogRank rankOf(const std::vector<std::string> &times, bool layouts = false)
{
    std::string text;
    for (const std::string &time : times)
        text += "Memory State:\ntime: " + time +
                "\n---summary---\ntotal_memory: 1.00 MB\nparams_memory: 1.00 MB, grads_memory: 0.00 MB, "
                "os_params_memory: 0.00 MB, os_state_memory: 0.00 MB, activation_memory: 0.00 MB\n" +
                (layouts ? "---Layout---\nparams_layout:\nlayer: a, layer_mem: 1.00 MB, total_mem: 1.00 MB\n\n" : "\n");
    MemoryLogRank rank;
    parseMemoryLog(text, rank, {});
    return rank;
}

TEST(LogPairs, RanksWithTheSamePointsPairByNumberWhateverTheirClocksSay)
{
    const MemoryLogRank first = rankOf({"0.0", "1.5", "3.0"}), later = rankOf({"0.3", "1.8", "3.3"}),
                        far = rankOf({"9.0", "9.1", "9.2"});
    for (uint32_t point = 0; point < 3; ++point) {
        EXPECT_EQ(pairedPoint(first, point, later), point);
        EXPECT_EQ(pairedPoint(later, point, first), point);
        EXPECT_EQ(pairedPoint(first, point, far), point);
    }
}

TEST(LogPairs, OthersPairWithTheNearestInTime)
{
    const MemoryLogRank rank = rankOf({"0.0", "1.5", "3.0", "4.5"}), cut = rankOf({"1.6", "3.1"});
    EXPECT_EQ(pairedPoint(rank, 0, cut), 0u);
    EXPECT_EQ(pairedPoint(rank, 1, cut), 0u);
    EXPECT_EQ(pairedPoint(rank, 2, cut), 1u);
    EXPECT_EQ(pairedPoint(rank, 3, cut), 1u);
    EXPECT_EQ(pairedPoint(cut, 1, rank), 2u);
    EXPECT_EQ(pairedPoint(rankOf({"2"}), 0, rankOf({"1", "3"})), 0u) << "of two equally near points, the earlier one";
    EXPECT_EQ(pairedPoint(rank, 1, rankOf({})), MemoryLogPoint::kNone);
}

TEST(LogPairs, AsManyPointsOfOtherStatesAreNotTheSame)
{
    const MemoryLogRank plain = rankOf({"1", "2"}), listed = rankOf({"2", "3"}, true);
    EXPECT_FALSE(havePointsInCommon(plain, listed));
    EXPECT_EQ(pairedPoint(plain, 1, listed), 0u);
}

TEST(LogPairs, AnExtremeTimeIsNoTrouble)
{
    MemoryLogRank rank = rankOf({"1"}), other = rankOf({"1", "2"});
    rank.points[0].time = INT64_MAX;
    other.points[0].time = INT64_MIN + 1;
    other.points[1].time = -2;
    EXPECT_EQ(pairedPoint(rank, 0, other), 1u);
}

TEST(LogPairs, APointIsToldByItsNumberAndTheLogsSeconds)
{
    const MemoryLogRank rank = rankOf({"37.56313228607178", "38.4"});
    EXPECT_EQ(pointText(rank, 0), "point 0, 37.56\u00a0s");
    EXPECT_EQ(pointText(rank, 1), "point 1, 38.40\u00a0s");
    EXPECT_EQ(pointText(rank, MemoryLogPoint::kNone), "no point");
}

} // namespace
} // namespace riffle
