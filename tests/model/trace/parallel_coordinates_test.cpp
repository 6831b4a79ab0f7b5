// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/parallel_coordinates.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

std::string coordinatesOf(std::string_view path) { return coordinatesText(coordinatesInName(path)); }

TEST(ParallelCoordinates, AreReadFromTheNamesOfFilesAndFolders)
{
    EXPECT_EQ(coordinatesOf("run/rank0_dp0_tp1_pp2.json"), "dp 0, tp 1, pp 2");
    EXPECT_EQ(coordinatesOf("/a/1762.5-TP-1-DP-0-PP-3-EP-7.trace.json.gz"), "tp 1, dp 0, pp 3, ep 7");
    EXPECT_EQ(coordinatesOf("worker_dp_0_tp_12.json"), "dp 0, tp 12");
    EXPECT_EQ(coordinatesOf("cp=3.etp-007,edp_0 dcp-1.json"), "cp 3, etp 7, edp 0, dcp 1");
    EXPECT_EQ(coordinatesOf("run/rank3_dp1_tp1/trace.json"), "dp 1, tp 1");
    EXPECT_EQ(coordinatesOf("run/rank3_dp1_tp1/logs/trace.json"), "dp 1, tp 1");
    EXPECT_EQ(coordinatesOf("run/rank3_dp1/trace_tp-5.json"), "tp 5") << "the file's name alone counts";
    EXPECT_EQ(coordinatesOf("dp0tp1.json"), "") << "words need a separator";
}

TEST(ParallelCoordinates, AreNotReadFromNamesThatTellNone)
{
    for (const char *path : {"",
                             "/",
                             "///",
                             "dp",
                             "dp_",
                             "dp--1.json",
                             "dp__1.json",
                             "http2_dp",
                             "http2_dp.json",
                             "udp5.json",
                             "dp1x.json",
                             "dp99999999999999999999.json",
                             "dp16777216.json",
                             "2tp0.json",
                             "dp-.json",
                             "rank0.json",
                             "rank/0_dp/1",
                             "llama_tp8_pp2/trace.json",
                             "llama_tp8.json",
                             "llama_tp8_pp-2.json",
                             "http2.json",
                             "t\xc3\xa4p3.json",
                             "\xff\xfe"})
        EXPECT_EQ(coordinatesOf(path), "") << path;
}

TEST(ParallelCoordinates, AreLeftOutIfANameContradictsItself)
{
    EXPECT_EQ(coordinatesOf("rank0_dp0_tp1_dp1.json"), "tp 1");
    EXPECT_EQ(coordinatesOf("rank0_dp1_tp1_dp1.json"), "dp 1, tp 1");
    EXPECT_EQ(coordinatesOf("dp-0_dp-1_dp-0.json"), "");
    EXPECT_EQ(coordinatesOf("dp-99999999999_dp-3.json"), "dp 3");
    EXPECT_EQ(coordinatesOf(std::string(1 << 20, 'd') + "_dp-1"), "dp 1");
}

} // namespace
} // namespace riffle
