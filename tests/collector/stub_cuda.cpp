// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for the CUDA driver (libcuda.so.1) with two devices, of which the process uses the second. If STUB_CUDA is
// set, cuDeviceGetCount() returns that error instead: 3 before cuInit(), 100 without a device.
#include "collector/src/sources/nvml_abi.h"

#include <cstdlib>

#define STUB extern "C" __attribute__((visibility("default")))

STUB int cuInit(unsigned) { return 0; }
STUB int cuDeviceGetCount(int *count)
{
    *count = 2;
    const char *answer = std::getenv("STUB_CUDA");
    return answer ? std::atoi(answer) : 0;
}
STUB int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    *flags = 0;
    *active = device == 1;
    return 0;
}
STUB int cuDeviceGetUuid_v2(riffle::collector::cuda::Uuid *uuid, int device)
{
    for (int at = 0; at < 16; ++at)
        uuid->bytes[at] = static_cast<uint8_t>(16 * at + device);
    return 0;
}
