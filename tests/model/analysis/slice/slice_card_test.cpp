// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_card.h"

#include "model/analysis/facts/trace_facts.h"
#include "tests/model/analysis/findings/kineto_text.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace riffle::test {
namespace {

std::string plain(std::string text)
{
    for (size_t at; (at = text.find("\u00a0")) != text.npos;)
        text.replace(at, std::string_view("\u00a0").size(), " ");
    return text;
}

/// "label: text" of every row.
std::vector<std::string> rowsOf(const SliceCard &card)
{
    std::vector<std::string> rows;
    for (const CardRow &row : card.rows)
        rows.push_back(row.label + ": " + plain(row.text));
    return rows;
}

SliceCard fullCard(const std::shared_ptr<const Trace> &trace, std::string_view name)
{
    return fullSliceCard(TraceFacts(trace), sliceNamed(*trace, name), trace->steps);
}

using Rows = std::vector<std::string>;

TEST(SliceCard, AKernelHasItsLaunchDelayOperatorModuleAndShareOfTheStep)
{
    // The launch is from 6 to 8 µs of the step, the kernel from 9 to 21 µs; the step takes 90 µs.
    const auto trace = trainingTrace();
    EXPECT_EQ(rowsOf(fullCard(trace, "sgemm")), (Rows{"Duration: 12.00 µs, 13.3 % of step 0", "Launch delay: 1.000 µs",
                                                      "Operator: aten::mm", "Module: Linear_0", "Lane: stream 7"}));
    EXPECT_EQ(rowsOf(sliceCard(*trace, sliceNamed(*trace, "sgemm"), trace->steps)),
              (Rows{"Duration: 12.00 µs, 13.3 % of step 0", "Lane: stream 7"}));
}

TEST(SliceCard, AnOperatorHasItsSelfTimeDeviceWorkAndModule)
{
    const auto trace = trainingTrace();
    const Rows rows = rowsOf(fullCard(trace, "aten::linear"));
    ASSERT_EQ(rows.size(), SliceCard::kMostRows);
    EXPECT_EQ(rows[0], "Duration: 20.00 µs, 22.2 % of step 0");
    EXPECT_EQ(rows[1], "Self time: 10.00 µs");
    EXPECT_EQ(rows[2], "Device work: 12.00 µs in 1 slice");
    EXPECT_EQ(rows[3], "Module: Linear_0");
    EXPECT_EQ(rows[4], "Shapes: [32, 64] [64, 8]");
}

TEST(SliceCard, TheStepItselfHasNoShareOfItself)
{
    const auto trace = trainingTrace();
    EXPECT_EQ(plain(fullCard(trace, "ProfilerStep#0").rows.at(0).text), "90.00 µs");
}

TEST(SliceCard, NoSliceHasAnEmptyCard)
{
    const auto trace = trainingTrace();
    EXPECT_TRUE(sliceCard(*trace, SliceId(), trace->steps).name.empty());
    EXPECT_TRUE(fullSliceCard(TraceFacts(trace), SliceId(UINT32_MAX - 1), {}).rows.empty());
}

TEST(SliceCard, ShapesGridAndCollectivesAreRead)
{
    const auto imported = importText(R"json({"traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 20,
         "args": {"External id": 1, "Input Dims": [[32, 64], [64, 8], []]}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 4,
         "args": {"External id": 1, "correlation": 11}},
        {"ph": "X", "cat": "kernel", "name": "void gemm<float>(float*)", "pid": 0, "tid": 7, "ts": 8, "dur": 10,
         "args": {"External id": 1, "correlation": 11, "device": 0, "stream": 7, "grid": [4, 2, 1],
                  "block": [128, 1, 1]}},
        {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": 30, "dur": 20,
         "args": {"External id": 2, "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 1000,
                  "Out msg nelems": 1000, "Group size": 4, "Process Group Name": "0",
                  "Process Group Description": "data parallel"}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 32, "dur": 4,
         "args": {"External id": 2, "correlation": 12}},
        {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", "pid": 0,
         "tid": 20, "ts": 40, "dur": 8, "args": {"External id": 2, "correlation": 12, "device": 0, "stream": 20}},
        {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 60, "dur": 2,
         "args": {"device": 0, "stream": 7, "bytes": 4000}}]})json");
    ASSERT_TRUE(imported) << imported.error().text();
    const std::shared_ptr<const Trace> &trace = *imported;
    // The kernel starts 1 µs before its launch ends: clocks differ, and nothing is hidden.
    EXPECT_EQ(rowsOf(fullCard(trace, "void gemm<float>(float*)")),
              (Rows{"Duration: 10.00 µs", "Launch delay: −1.000 µs", "Operator: aten::mm", "Shapes: [32, 64] [64, 8]",
                    "Grid, block: 4×2×1, 128×1×1", "Lane: stream 7"}));
    EXPECT_EQ(fullCard(trace, "void gemm<float>(float*)").name, "gemm<float>");
    // 4,000 bytes in 8 µs.
    const Rows nccl = rowsOf(fullCard(trace, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"));
    ASSERT_EQ(nccl.size(), SliceCard::kMostRows);
    EXPECT_EQ(nccl[1], "Size: 3.91 KiB");
    EXPECT_EQ(nccl[2], "Group: data parallel, 4 ranks");
    EXPECT_EQ(nccl[3], "Rate: 0.500 GB/s");
    EXPECT_EQ(nccl[4], "Launch delay: 4.000 µs");
    EXPECT_EQ(rowsOf(fullCard(trace, "Memcpy HtoD")),
              (Rows{"Duration: 2.000 µs", "Size: 3.91 KiB", "Rate: 2 GB/s", "Lane: stream 7"}));
}

TEST(SliceCard, DifferencesAreOfRowsWithNumbers)
{
    const auto trace = trainingTrace();
    const SliceCard one = fullCard(trace, "sgemm"), other = fullCard(trace, "sgemm_bwd");
    EXPECT_EQ(plain(differenceText(other.rows[0], one)), "+12.00 µs (+100 %)");
    EXPECT_EQ(plain(differenceText(one.rows[0], other)), "−12.00 µs (−50.0 %)");
    EXPECT_EQ(differenceText(one.rows[0], one), "same");
    EXPECT_EQ(differenceText(one.rows.back(), other), "");
    EXPECT_EQ(differenceText({"Size", "1 B", CardRow::Unit::Bytes, 1}, one), "");
}

} // namespace
} // namespace riffle::test
