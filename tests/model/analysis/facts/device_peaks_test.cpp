// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/device_peaks.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(PeakFlops, DataSheets)
{
    const struct {
        const char *device;
        ComputeType type;
        double tera;
    } cases[]{
        {"NVIDIA A100-SXM4-80GB", ComputeType::Bf16, 312},
        {"NVIDIA A100-PCIE-40GB", ComputeType::Tf32, 156},
        {"NVIDIA A100-PG509-200", ComputeType::Fp16, 312},
        {"NVIDIA PG509-210", ComputeType::Int8, 624},
        {"NVIDIA H100 80GB HBM3", ComputeType::Bf16, 989.4},
        {"NVIDIA H100 80GB HBM3", ComputeType::Fp8, 1978.9},
        {"NVIDIA H100 PCIe", ComputeType::Bf16, 756},
        {"NVIDIA H100 NVL", ComputeType::Bf16, 835.5},
        {"NVIDIA H200", ComputeType::Fp16, 989.4},
        {"NVIDIA H800", ComputeType::Fp8, 1978.9},
        {"NVIDIA GH200 480GB", ComputeType::Tf32, 494.7},
        {"NVIDIA H20", ComputeType::Bf16, 148},
        {"NVIDIA B200", ComputeType::Bf16, 2250},
        {"NVIDIA GB200", ComputeType::Bf16, 2500},
        {"Tesla V100-SXM2-32GB", ComputeType::Fp16, 125},
        {"Tesla V100-DGXS-32GB", ComputeType::Fp32, 15.7},
        {"Tesla V100-PCIE-16GB", ComputeType::Fp16, 112},
        {"Tesla T4", ComputeType::Fp16, 65},
        {"NVIDIA L4", ComputeType::Bf16, 121},
        {"NVIDIA L40S", ComputeType::Bf16, 362.05},
        {"NVIDIA A10", ComputeType::Bf16, 125},
        {"NVIDIA GeForce RTX 4090", ComputeType::Bf16, 165.2},
        {"AMD Instinct MI300X VF", ComputeType::Bf16, 1307.4},
        {"AMD Instinct MI300X", ComputeType::Fp32, 163.4},
        {"AMD Instinct MI250X", ComputeType::Bf16, 191.5},
        {"nvidia a100-sxm4-40gb", ComputeType::Fp64, 19.5},
    };
    for (const auto &each : cases) {
        const auto peak = peakFlops(each.device, each.type);
        ASSERT_TRUE(peak) << each.device;
        EXPECT_DOUBLE_EQ(*peak, each.tera * 1e12) << each.device << " " << computeTypeName(each.type);
    }
}

TEST(PeakFlops, NoneWhereItIsNotKnown)
{
    for (const char *device :
         {"", "NVIDIA GeForce RTX 3060", "NVIDIA A10G", "NVIDIA A1000", "NVIDIA H100 80GB HBM3 MIG 1g.10gb",
          "NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 4090 D", "NVIDIA GeForce RTX 3080 Ti",
          "NVIDIA A100-SXM-64GB", "Tesla V100-FHHL-16GB", "AMD Radeon RX 7900 XTX", "100", "H1000"})
        EXPECT_FALSE(peakFlops(device, ComputeType::Fp16)) << device;
    EXPECT_FALSE(peakFlops("Tesla V100-SXM2-32GB", ComputeType::Bf16));
    EXPECT_FALSE(peakFlops("NVIDIA A100-SXM4-80GB", ComputeType::Fp8));
    EXPECT_FALSE(peakFlops("NVIDIA A100-SXM4-80GB", ComputeType::Unknown));
}

TEST(PeakFlops, ShorterTypesAreNotSlower)
{
    for (const char *device :
         {"A100",   "H100",   "H100 PCIE", "H200",     "B200",     "GB200",    "L4",  "L40S", "A10", "A30",      "A40",
          "MI300X", "MI250X", "MI355X",    "RTX 4090", "RTX 3090", "RTX 5090", "H20", "L20",  "T4",  "V100 SXM2"}) {
        double last = 0;
        for (const ComputeType type :
             {ComputeType::Fp32, ComputeType::Tf32, ComputeType::Fp16, ComputeType::Fp8, ComputeType::Fp4}) {
            const auto peak = peakFlops(device, type);
            EXPECT_GE(peak.value_or(last), last) << device << " " << computeTypeName(type);
            last = peak.value_or(last);
        }
    }
}

} // namespace
} // namespace riffle
