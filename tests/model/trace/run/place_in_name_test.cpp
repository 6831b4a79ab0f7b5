// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/place_in_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace riffle {
namespace {

/// Everything that a path tells, as one line.
std::string told(std::string_view path)
{
    const PlaceInName place = placeInName(path);
    std::string text;
    const auto add = [&](const std::string &one) { text += (text.empty() ? "" : "; ") + one; };
    constexpr const char *kFrom[] = {"nothing", "file", "worker", "folder"};
    if (place.rank)
        add("rank " + std::to_string(*place.rank) + " of " + kFrom[static_cast<size_t>(place.rankFrom)]);
    if (place.rankOfFile)
        add("file: rank " + std::to_string(*place.rankOfFile));
    if (!place.coordinates.empty())
        add(coordinatesText(place.coordinates));
    if (!place.indicesOrSizes.empty())
        add("perhaps " + coordinatesText(place.indicesOrSizes));
    if (!place.worker.empty())
        add("worker " + place.worker);
    if (!place.host.empty())
        add("host " + place.host);
    if (place.pid)
        add("pid " + std::to_string(*place.pid));
    if (place.span)
        add((place.isSpanOfFolder ? "folder's span " : "span ") + std::to_string(*place.span));
    if (!place.startTime.empty())
        add("started " + place.startTime);
    return text;
}

struct Case {
    const char *path, *told;
};

TEST(PlaceInName, TellsWhatRealNamesMean)
{
    const std::vector<Case> cases = {
        // TensorBoard's workers, with the default name and with names of users.
        {"log/ip-172-31-16-248.us-east-2.compute.internal_45921.1698957822181083644.pt.trace.json",
         "worker ip-172-31-16-248.us-east-2.compute.internal_45921; host ip-172-31-16-248.us-east-2.compute.internal; "
         "pid 45921; span 1698957822181083644"},
        {"192-222-51-72_4336.1774353536539013415.pt.trace.json.gz",
         "worker 192-222-51-72_4336; host 192-222-51-72; pid 4336; span 1774353536539013415"},
        {"gpt-125m-worker-0_301.1698957822181.pt.trace.json",
         "worker gpt-125m-worker-0_301; host gpt-125m-worker-0; pid 301; span 1698957822181"},
        {"logs/node_7_rank3_4711.rifflelog", "rank 3 of file; worker node_7_rank3_4711; host node_7; pid 4711"},
        {"job-worker-1_4711.rifflelog", "worker job-worker-1_4711; host job-worker-1; pid 4711"},
        {"node_a_77.5.pt.trace.json", "worker node_a_77; host node_a; pid 77; span 5"},
        {"worker0.1623143566756.pt.trace.json.gz", "rank 0 of worker; worker worker0; span 1623143566756"},
        {"worker0.pt.trace.json.gz", "rank 0 of worker; worker worker0"},
        {"worker3_step_12.1694128201557.pt.trace.json", "rank 3 of worker; worker worker3_step_12; span 1694128201557"},
        {"rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", "rank 0 of worker; worker rank-0.Apr_03_18_51_38; span 1102"},
        {"rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
         "rank 34 of worker; worker rank-34.Jul_15_10_52_41; span 1074"},
        {"a.b.pt.trace.json", "worker a.b"},
        {".pt.trace.json", ""},
        // InternLM: a folder per job, per start time, per rank.
        {"7b_train/Sep08_11-00-51/traces/rank0_dp0_tp0_pp0/SH-IDC1-10-140-1-78_238619.1694142354680.pt.trace.json",
         "rank 0 of folder; dp 0, tp 0, pp 0; worker SH-IDC1-10-140-1-78_238619; host SH-IDC1-10-140-1-78; pid 238619; "
         "span 1694142354680; started Sep08_11-00-51"},
        {"memory_trace/rank7_dp7_tp0/memory.log", "rank 7 of folder; dp 7, tp 0"},
        {"memory_trace/rank12_dp3_wp1_tp0/memory.log.gz", "rank 12 of folder; dp 3, wp 1, tp 0"},
        {"memory_trace/rank5_dp5_tp0", "rank 5 of file; dp 5, tp 0"},
        // Ascend.
        {"result/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json", "rank 0 of folder; worker rank0"},
        {"localhost.localdomain_139247_20230628101435_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json",
         "worker localhost.localdomain_139247; host localhost.localdomain; pid 139247; span 20230628101435"},
        {"out/rank-3_20240531032538_ascend_ms/trace_view.json", "rank 3 of folder; worker rank-3; span 20240531032538"},
        // Megatron, NeMo, torchtitan, verl, vLLM, Hugging Face: a rank in the name of the file.
        {"torch_profile/rank-12.json.gz", "rank 12 of file"},
        {"profile_trace/iteration_10/rank3_trace.json", "rank 3 of file; folder's span 10"},
        {"step_200/rank_0.json", "rank 0 of file; folder's span 200"},
        {"nsys/trace_rank0_of_8.json", "rank 0 of file"},
        {"trace-rank0of8.json", "rank 0 of file"},
        {"dp0_pp1_tp1_dcp0_ep1_rank3.1762250000000.pt.trace.json.gz",
         "rank 3 of worker; dp 0, pp 1, tp 1, dcp 0, ep 1; worker dp0_pp1_tp1_dcp0_ep1_rank3; span 1762250000000"},
        {"vllm-instance-rank-3.1762.pt.trace.json.gz", "rank 3 of worker; worker vllm-instance-rank-3; span 1762"},
        {"prof_start_10_end_12_rank_6.json.gz", "rank 6 of file"},
        {"AMD-AGI__profile_trace_rank_0.json.gz", "rank 0 of file"},
        {"facebookresearch__mtia_rank_0.json.gz", "rank 0 of file"},
        {"rank_2_chromium_events.json", "rank 2 of file"},
        {"benchmark-data-0-pipeline-2-tensor-1.json", "dp 0, pp 2, tp 1"},
        {"train-data-1.json", ""},
        // DeepSpeed and others give the ranks of groups.
        {"global_rank_9_local_rank_1.json", "rank 9 of file"},
        {"GlobalRank9.json", "rank 9 of file"},
        {"node_rank_1.json", ""},
        {"local_rank_3.json", ""},
        {"runs/lora_rank_64/rank3.json", "rank 3 of file"},
        {"low-rank-16/rank_2/trace.json", "rank 2 of folder"},
        {"exp01_02-03-04/rank0.json", "rank 0 of file"},
        {"tp_rank_1_pp_rank_0.json", "tp 1, pp 0"},
        {"dp_rank_3_rank_7.json", "rank 7 of file; dp 3"},
        // SGLang: axes without a rank, behind the number of the recording.
        {"1762250000.1234-TP-0.trace.json.gz", "tp 0; started 1762250000.1234"},
        {"1762250000.1234-TP-1-DP-0-PP-3-EP-7.trace.json.gz", "tp 1, dp 0, pp 3, ep 7; started 1762250000.1234"},
        {"1762250000-TP-1-DECODE.trace.json.gz", "tp 1; started 1762250000"},
        {"merged-1762250000.trace.json.gz", ""},
        // Paddle.
        {"prof/host_gpu-7.localpid_4711_time_2022_05_27_10_20_30_123.paddle_trace.json",
         "worker gpu-7.local_4711; host gpu-7.local; pid 4711"},
        // Snapshots, dumps, and names with coordinates.
        {"rank3_memory_snapshot.pickle", "rank 3 of file"},
        {"runs/rank7/snapshot-rank-03.pkl", "rank 7 of folder; file: rank 3"},
        {"/runs/rank7/snapshot.pickle", "rank 7 of folder"},
        {"Rank_12.pickle.gz", "rank 12 of file"},
        {"rank.4.pickle", "rank 4 of file"},
        {"ranks_of_rank=5.pickle", "rank 5 of file"},
        {"rank5_low_rank.pickle", "rank 5 of file"},
        {"/tmp/nccl_trace_rank_3", "rank 3 of file"},
        {"comm_lib_trace_rank_11.json", "rank 11 of file"},
        {"run/rank0_dp0_tp1_pp2.json", "rank 0 of file; dp 0, tp 1, pp 2"},
        {"worker_dp_0_tp_12.json", "dp 0, tp 12"},
        {"worker-DP-0-TP-1.json", "dp 0, tp 1"},
        {"cp=3.etp-007,edp_0 dcp-1.json", "cp 3, etp 7, edp 0, dcp 1"},
        {"run/rank3_dp1_tp1/logs/trace.json", "rank 3 of folder; dp 1, tp 1"},
        {"run/rank3_dp1/trace_tp-5_dp-2.json", "rank 3 of folder; dp 1, tp 5"},
        // The same form may be a number of ranks.
        {"llama_tp8_pp2/trace.json", ""},
        {"llama_tp8.json", ""},
        {"tp1_pp0/trace.json", "perhaps tp 1, pp 0"},
        {"tp8_pp2.json", "perhaps tp 8, pp 2"},
        // Hosts and start times.
        {"job/node3/rank25.json", "rank 25 of file; host node3"},
        {"exp/2023-09-08_11-00-51/rank1.json", "rank 1 of file; started 2023-09-08_11-00-51"},
        {"exp/20230908-110051/rank1.json", "rank 1 of file; started 20230908-110051"},
        {"outputs/2023-09-08/11-00-51/rank1.json", "rank 1 of file; started 2023-09-08_11-00-51"},
        {"runs/May04_22-14-54_gpu-1/rank1.json", "rank 1 of file; host gpu-1; started May04_22-14-54"},
        {"rank1/20230908_110051/trace.json", "rank 1 of folder"},
        {"exp/20239908_110051/rank1.json", "rank 1 of file"},
        {"C:\\runs\\rank2_dp1\\trace.json", "rank 2 of folder; dp 1"},
    };
    for (const Case &one : cases)
        EXPECT_EQ(told(one.path), one.told) << one.path;
}

TEST(PlaceInName, IsEmptyForNamesThatTellNothing)
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
                             "dp0tp1.json",
                             "dp99999999999999999999.json",
                             "2tp0.json",
                             "dp-.json",
                             "rank/0_dp/1",
                             "http2.json",
                             "t\xc3\xa4p3.json",
                             "\xff\xfe",
                             "rank--1.pickle",
                             "rank__2.pickle",
                             "frank5.pickle",
                             "rank99999999999999999999.pickle",
                             "rank16777216.json",
                             "rank",
                             "rank.json",
                             "rank0x.json",
                             "dataloader_worker_3.json"})
        EXPECT_EQ(told(path), "") << path;
    EXPECT_EQ(told("dp16777216_tp-1.json"), "tp 1");
    EXPECT_EQ(told("\xe8\xae\xad\xe7\xbb\x83rank3/\xe6\x97\xa5\xe5\xbf\x97.json"), "rank 3 of folder");
    EXPECT_EQ(told("\xe4\xb8\xbb\xe6\x9c\xba_12.3.pt.trace.json"),
              "worker \xe4\xb8\xbb\xe6\x9c\xba_12; host \xe4\xb8\xbb\xe6\x9c\xba; pid 12; span 3");
    EXPECT_EQ(told("h_99999999999999999999.99999999999999999999.pt.trace.json"), "worker h_99999999999999999999");
    EXPECT_EQ(told("host_apid_99999999999999999999_time_1.json"), "");
    EXPECT_EQ(told("host_pid_.json"), "");
}

TEST(PlaceInName, LeavesOutAnAxisThatContradictsItself)
{
    EXPECT_EQ(told("rank0_dp0_tp1_dp1.json"), "rank 0 of file; tp 1");
    EXPECT_EQ(told("rank0_dp1_tp1_dp1.json"), "rank 0 of file; dp 1, tp 1");
    EXPECT_EQ(told("dp-0_dp-1_dp-0.json"), "");
    EXPECT_EQ(told("dp-99999999999_dp-3.json"), "dp 3");
}

TEST(PlaceInName, TakesLinearTimeForLongNames)
{
    constexpr size_t kLong = 1 << 20;
    EXPECT_EQ(told(std::string(kLong, 'd') + "_dp-1"), "dp 1");
    EXPECT_EQ(told(std::string(kLong, '9') + ".pt.trace.json"), "worker " + std::string(kLong, '9'));
    for (const char *part : {"rank1_", "dp-1_", "a/", "rank1/", "2023-", "20230908-11005", "data-1-", "/\\"}) {
        std::string name;
        while (name.size() < kLong)
            name += part;
        EXPECT_LE(placeInName(name).coordinates.size(), 2u) << part;
    }
}

} // namespace
} // namespace riffle
