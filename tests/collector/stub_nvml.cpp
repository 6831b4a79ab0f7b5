// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for libnvidia-ml.so.1. With STUB_NVML=refuse it cannot be used, with =slow each call takes 20 ms, and with
// =hang its calls never return.
#include "collector/src/sources/nvml_abi.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define STUB extern "C" __attribute__((visibility("default")))

using namespace riffle::collector::nvml;

namespace {

bool is(const char *value)
{
    const char *text = std::getenv("STUB_NVML");
    return text && std::strcmp(text, value) == 0;
}

int answer()
{
    if (is("slow"))
        usleep(20'000);
    while (is("hang"))
        sleep(1);
    return 0;
}

} // namespace

STUB int nvmlInit_v2() { return is("refuse") ? 9 : 0; }
STUB int nvmlShutdown() { return 0; }
STUB const char *nvmlErrorString(int result) { return result == 9 ? "Driver Not Loaded" : "Not Found"; }
STUB int nvmlDeviceGetHandleByUUID(const char *uuid, Device *device)
{
    if (std::strcmp(uuid, "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1") != 0)
        return 6;
    *device = reinterpret_cast<Device>(1);
    return 0;
}
STUB int nvmlDeviceGetMemoryInfo(Device, Memory *memory)
{
    *memory = {80ull << 30, 79ull << 30, 1ull << 30};
    return answer();
}
STUB int nvmlDeviceGetUtilizationRates(Device, Utilization *utilization)
{
    *utilization = {75, 20};
    return answer();
}
STUB int nvmlDeviceGetPowerUsage(Device, unsigned *milliwatts)
{
    *milliwatts = 300'500;
    return answer();
}
