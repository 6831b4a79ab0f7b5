// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The few functions of NVML and of the CUDA driver that are needed to measure the GPUs of a process, declared here so
/// that the build needs neither.
namespace riffle::collector {

namespace nvml {

using Device = struct nvmlDevice_st *;

struct Memory {
    unsigned long long total, free, used; ///< bytes
};
struct Utilization {
    unsigned gpu, memory; ///< percent of the time since the driver's last measurement
};

/// NVML's functions, which return 0 on success; optional ones are null if this version lacks them.
struct Functions {
    int (*init)();
    int (*shutdown)();
    const char *(*errorString)(int result);
    int (*deviceByUuid)(const char *uuid, Device *device);
    int (*memory)(Device device, Memory *memory);
    int (*utilization)(Device device, Utilization *utilization);
    int (*power)(Device device, unsigned *milliwatts);
};

} // namespace nvml

namespace cuda {

struct Uuid {
    uint8_t bytes[16];
};

struct Functions {
    int (*deviceCount)(int *count);
    int (*primaryContextState)(int device, unsigned *flags, int *active);
    int (*deviceUuid)(Uuid *uuid, int device);
};

} // namespace cuda

} // namespace riffle::collector
