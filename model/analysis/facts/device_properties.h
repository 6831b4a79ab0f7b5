// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <optional>
#include <string>
#include <vector>

/// The environment and the options of a recording, from the top-level keys of Kineto's JSON and of the collector's
/// logs. Values that are missing or of the wrong type are empty; numbers may also be strings of digits.
namespace riffle {

/// An entry of "deviceProperties" (before 2021 "computeProperties", with other keys).
struct DeviceProperties {
    std::optional<int64_t> id;
    std::string name;
    std::optional<int64_t> memoryBytes;
    std::optional<int64_t> computeMajor; ///< the compute capability; for AMD devices, the gfx version
    std::optional<int64_t> computeMinor;
    std::optional<int64_t> multiprocessors; ///< SMs, compute units
    std::optional<int64_t> threadsPerMultiprocessor;
    std::optional<int64_t> threadsPerBlock;
    std::optional<int64_t> registersPerMultiprocessor;
    std::optional<int64_t> sharedMemoryPerMultiprocessor; ///< bytes
    std::optional<int64_t> warpSize;
};

/// The devices, in the order of the file.
std::vector<DeviceProperties> devicesOf(const TraceInfo &info);

struct ProcessGroup {
    std::string name;
    std::string description;
    std::optional<int64_t> size;
    std::string ranks; ///< raw text of the list
};

struct DistributedInfo {
    std::string backend;
    std::optional<int64_t> rank;
    std::optional<int64_t> worldSize;
    std::string ncclVersion;
    std::vector<ProcessGroup> groups;
};

/// The distributed settings; empty if the trace does not record them.
std::optional<DistributedInfo> distributedOf(const TraceInfo &info);

/// The options of the recording. Kineto writes an option only if it is on, and early versions write none; therefore, if
/// no option is written, all are unknown. The collector does not record Python stacks, and its preset decides whether
/// allocations are recorded.
struct RecordedOptions {
    std::optional<bool> recordShapes;
    std::optional<bool> withStack;
    std::optional<bool> profileMemory;
    std::optional<bool> withFlops;
    std::optional<bool> withModules;
};

RecordedOptions recordedOptionsOf(const TraceInfo &info);

} // namespace riffle
