// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/nvml_abi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle::collector {

/// One value of a counter.
struct Sample {
    int64_t time; ///< ns of CLOCK_MONOTONIC
    std::string name, series;
    double value;
};

/// Measures memory, utilization and power of the GPUs that the process uses, through NVML, whose calls may take
/// milliseconds.
class GpuMeter {
public:
    GpuMeter() = default;
    ~GpuMeter();
    GpuMeter(const GpuMeter &) = delete;
    GpuMeter &operator=(const GpuMeter &) = delete;

    /// Appends the current values. `said` becomes the text for the user when there is news.
    void read(std::vector<Sample> &samples, std::string &said);

private:
    struct Gpu {
        int device; ///< CUDA's device number in this process
        nvml::Device handle;
    };
    bool open(std::string &said);
    void findGpus(std::string &said);

    enum class State : uint8_t { New, Open, Broken } m_state = State::New;
    nvml::Functions m_nvml{};
    cuda::Functions m_cuda{};
    std::vector<Gpu> m_gpus;
    int64_t m_searched = 0;
};

} // namespace riffle::collector
