// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/device_peaks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace riffle {

namespace {

/// The peaks of a device in 10^12 operations per second; 0 if there is no such figure.
struct Peaks {
    const char *words; ///< words that must all be in the device's name, in upper case
    double fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8;
};

// The first match counts, so a variant must precede its base model. fp64 and fp32 are the figures of the matrix cores
// or of the ordinary cores, whichever are faster.
constexpr Peaks kDevices[]{
    // Blackwell
    {"GB200", 40, 80, 1250, 2500, 2500, 5000, 10000, 5000},
    {"B200", 37, 75, 1125, 2250, 2250, 4500, 9000, 4500},
    {"RTX 5090", 0, 104.8, 104.8, 209.5, 209.5, 419, 1676, 838},
    {"RTX 5080", 0, 56.3, 56.3, 112.6, 112.6, 225.1, 900.4, 450.2},
    // Hopper
    {"H100 PCIE", 51, 51, 378, 756, 756, 1513, 0, 1513},
    {"H100 NVL", 60, 60, 417.5, 835.5, 835.5, 1670.5, 0, 1670.5},
    {"H200 NVL", 60, 60, 417.5, 835.5, 835.5, 1670.5, 0, 1670.5},
    {"H100", 67, 67, 494.7, 989.4, 989.4, 1978.9, 0, 1978.9},
    {"H200", 67, 67, 494.7, 989.4, 989.4, 1978.9, 0, 1978.9},
    {"GH200", 67, 67, 494.7, 989.4, 989.4, 1978.9, 0, 1978.9},
    {"H800 PCIE", 0, 51, 378, 756, 756, 1513, 0, 1513},
    {"H800", 0, 67, 494.7, 989.4, 989.4, 1978.9, 0, 1978.9},
    {"H20", 0, 44, 74, 148, 148, 296, 0, 296},
    // Ada
    {"L40S", 0, 91.6, 183, 362.05, 362.05, 733, 0, 733},
    {"L40", 0, 90.5, 90.5, 181.05, 181.05, 362, 0, 362},
    {"L20", 0, 59.8, 59.8, 119.5, 119.5, 239, 0, 239},
    {"L4", 0, 30.3, 60, 121, 121, 242.5, 0, 242.5},
    {"RTX 6000 ADA", 0, 91.1, 182.1, 364.2, 364.2, 728.5, 0, 728.5},
    {"RTX 4090", 0, 82.6, 82.6, 165.2, 165.2, 330.3, 0, 660.6},
    {"RTX 4080", 0, 48.7, 48.7, 97.5, 97.5, 194.9, 0, 389.9},
    // Ampere; PG509 is the A100's name before its release
    {"A100 64GB", 0, 0, 0, 0, 0, 0, 0, 0},
    {"A100", 19.5, 19.5, 156, 312, 312, 0, 0, 624},
    {"PG509", 19.5, 19.5, 156, 312, 312, 0, 0, 624},
    {"A800", 19.5, 19.5, 156, 312, 312, 0, 0, 624},
    {"A30", 10.3, 10.3, 82, 165, 165, 0, 0, 330},
    {"A40", 0, 37.4, 74.8, 149.7, 149.7, 0, 0, 299.3},
    {"A10", 0, 31.2, 62.5, 125, 125, 0, 0, 250},
    {"RTX A6000", 0, 38.7, 77.4, 154.8, 154.8, 0, 0, 309.7},
    {"RTX 3090", 0, 35.6, 35.6, 71, 71, 0, 0, 284},
    {"RTX 3080", 0, 29.8, 29.8, 59.5, 59.5, 0, 0, 238},
    // Turing and Volta
    {"T4", 0, 8.1, 0, 65, 0, 0, 0, 130},
    {"V100S PCIE", 8.2, 16.4, 0, 130, 0, 0, 0, 0},
    {"V100 PCIE", 7, 14, 0, 112, 0, 0, 0, 0},
    {"V100 SXM2", 7.8, 15.7, 0, 125, 0, 0, 0, 0},
    {"V100 SXM3", 7.8, 15.7, 0, 125, 0, 0, 0, 0},
    {"V100 DGXS", 7.8, 15.7, 0, 125, 0, 0, 0, 0},
    // AMD; for cards of the MI200 series with two dies, half of the card's figures
    {"MI355X", 78.6, 157.3, 0, 2516.6, 2516.6, 5033.2, 10066.3, 5033.2},
    {"MI350X", 72.1, 144.2, 0, 2306.9, 2306.9, 4613.7, 9227.5, 4613.7},
    {"MI325X", 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 0, 2614.9},
    {"MI300X", 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 0, 2614.9},
    {"MI300A", 122.6, 122.6, 490.3, 980.6, 980.6, 1961.2, 0, 1961.2},
    {"MI250X", 47.85, 47.85, 0, 191.5, 191.5, 0, 0, 191.5},
    {"MI250", 45.25, 45.25, 0, 181.05, 181.05, 0, 0, 181.05},
    {"MI210", 45.3, 45.3, 0, 181, 181, 0, 0, 181},
    {"MI100", 11.5, 46.1, 0, 184.6, 92.3, 0, 0, 184.6},
};

/// A name that contains one of these words belongs to a part of a device, or to a variant with different figures.
constexpr std::string_view kVariants[]{"MIG", "LAPTOP", "TI", "SUPER", "MAX", "D", "MOBILE", "GRID"};

std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == ' ' || c == '-' || c == '_' || c == '/')
            words.emplace_back();
        else
            words.back() += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return words;
}

const Peaks *deviceOf(std::string_view name)
{
    const std::vector<std::string> words = wordsOf(name);
    const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (std::any_of(std::begin(kVariants), std::end(kVariants), has))
        return nullptr;
    for (const Peaks &device : kDevices) {
        const std::vector<std::string> needed = wordsOf(device.words);
        if (std::all_of(needed.begin(), needed.end(), has))
            return &device;
    }
    return nullptr;
}

} // namespace

std::optional<double> peakFlops(std::string_view deviceName, ComputeType type)
{
    const Peaks *device = deviceOf(deviceName);
    if (!device)
        return std::nullopt;
    double tera = 0;
    switch (type) {
    case ComputeType::Fp64: tera = device->fp64; break;
    case ComputeType::Fp32: tera = device->fp32; break;
    case ComputeType::Tf32: tera = device->tf32; break;
    case ComputeType::Fp16: tera = device->fp16; break;
    case ComputeType::Bf16: tera = device->bf16; break;
    case ComputeType::Fp8: tera = device->fp8; break;
    case ComputeType::Fp4: tera = device->fp4; break;
    case ComputeType::Int8: tera = device->int8; break;
    case ComputeType::Unknown: break;
    }
    return tera > 0 ? std::optional(tera * 1e12) : std::nullopt;
}

} // namespace riffle
