// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/gpu_meter.h"

#include "collector/src/clock.h"
#include "collector/src/loaded_library.h"

#include <algorithm>
#include <cstdio>

namespace riffle::collector {

namespace {

constexpr int64_t kSearchEvery = 1'000'000'000;

std::string uuidText(const char *prefix, const cuda::Uuid &uuid)
{
    std::string text = prefix;
    for (size_t at = 0; at < sizeof(uuid.bytes); ++at) {
        char hex[4];
        std::snprintf(hex, sizeof(hex), "%02x", uuid.bytes[at]);
        text += (at == 4 || at == 6 || at == 8 || at == 10 ? "-" : "") + std::string(hex);
    }
    return text;
}

} // namespace

GpuMeter::~GpuMeter()
{
    if (m_state == State::Open)
        m_nvml.shutdown();
}

bool GpuMeter::open(std::string &said)
{
    void *cuda = loadedHandle("libcuda.so");
    if (!cuda)
        return false; // it may be loaded later
    m_state = State::Broken;
    findFunction(cuda, "cuDeviceGetCount", m_cuda.deviceCount);
    findFunction(cuda, "cuDevicePrimaryCtxGetState", m_cuda.primaryContextState);
    if (!findFunction(cuda, "cuDeviceGetUuid_v2", m_cuda.deviceUuid))
        findFunction(cuda, "cuDeviceGetUuid", m_cuda.deviceUuid);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const bool complete = findFunction(library, "nvmlInit_v2", m_nvml.init) &
                          findFunction(library, "nvmlShutdown", m_nvml.shutdown) &
                          findFunction(library, "nvmlErrorString", m_nvml.errorString) &
                          findFunction(library, "nvmlDeviceGetHandleByUUID", m_nvml.deviceByUuid);
    findFunction(library, "nvmlDeviceGetMemoryInfo", m_nvml.memory);
    findFunction(library, "nvmlDeviceGetUtilizationRates", m_nvml.utilization);
    findFunction(library, "nvmlDeviceGetPowerUsage", m_nvml.power);
    if (!library || !complete) {
        said = library ? "libnvidia-ml.so.1 lacks required functions" : "libnvidia-ml.so.1 was not found";
    } else if (!m_cuda.deviceCount || !m_cuda.primaryContextState || !m_cuda.deviceUuid) {
        said = "the CUDA driver lacks required functions";
    } else if (const int result = m_nvml.init()) {
        said = std::string("NVML cannot be used (") + m_nvml.errorString(result) + ")";
    } else {
        m_state = State::Open;
        return true;
    }
    said += ": GPUs are not measured";
    return false;
}

/// Finds the GPUs to measure. CUDA knows which devices have a context in this process; their UUIDs identify them in
/// NVML.
void GpuMeter::findGpus(std::string &said)
{
    int count = 0;
    if (m_cuda.deviceCount(&count) != 0) // the program has not called cuInit() yet
        return;
    for (int device = 0; device < count; ++device) {
        unsigned flags = 0;
        int active = 0;
        cuda::Uuid uuid{};
        const bool known =
            std::any_of(m_gpus.begin(), m_gpus.end(), [&](const Gpu &gpu) { return gpu.device == device; });
        if (known || m_cuda.primaryContextState(device, &flags, &active) != 0 || !active ||
            m_cuda.deviceUuid(&uuid, device) != 0)
            continue;
        nvml::Device handle = nullptr;
        int result = m_nvml.deviceByUuid(uuidText("GPU-", uuid).c_str(), &handle);
        if (result != 0) // it may be a part of a GPU (MIG)
            result = m_nvml.deviceByUuid(uuidText("MIG-", uuid).c_str(), &handle);
        m_gpus.push_back({device, result == 0 ? handle : nullptr});
        said = result == 0 ? "NVML measures the GPUs"
                           : "NVML does not know GPU " + std::to_string(device) + ": " + m_nvml.errorString(result);
    }
}

void GpuMeter::read(std::vector<Sample> &samples, std::string &said)
{
    if (m_state == State::Broken)
        return;
    if (now() - m_searched >= kSearchEvery) {
        m_searched = now();
        if (m_state == State::New && !open(said))
            return;
        findGpus(said);
    }
    for (const Gpu &gpu : m_gpus) {
        if (!gpu.handle)
            continue;
        const auto add = [&](const char *what, const char *series, double value) {
            samples.push_back({now(), "GPU " + std::to_string(gpu.device) + " " + what, series, value});
        };
        nvml::Memory memory{};
        nvml::Utilization utilization{};
        unsigned milliwatts = 0;
        if (m_nvml.memory && m_nvml.memory(gpu.handle, &memory) == 0)
            add("memory (bytes)", "used", static_cast<double>(memory.used));
        if (m_nvml.utilization && m_nvml.utilization(gpu.handle, &utilization) == 0)
            add("utilisation (%)", "kernels", utilization.gpu);
        if (m_nvml.power && m_nvml.power(gpu.handle, &milliwatts) == 0)
            add("power (W)", "drawn", milliwatts / 1000.0);
    }
}

} // namespace riffle::collector
