// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <optional>
#include <string>
#include <vector>

/// What a trace says about where and how it was recorded: the top-level keys of Kineto's JSON and of the collector's
/// logs. What is not there, or is not of the type that it should be, is none; numbers may be texts of digits.
namespace riffle {

/// A device, as in "deviceProperties" (before 2021 "computeProperties", with other keys).
struct DeviceProperties {
    std::optional<int64_t> id;
    std::string name;
    std::optional<int64_t> memoryBytes;
    std::optional<int64_t> computeMajor; ///< compute capability; of AMD's the gfx version
    std::optional<int64_t> computeMinor;
    std::optional<int64_t> multiprocessors; ///< SMs, compute units
    std::optional<int64_t> threadsPerMultiprocessor;
    std::optional<int64_t> threadsPerBlock;
    std::optional<int64_t> registersPerMultiprocessor;
    std::optional<int64_t> sharedMemoryPerMultiprocessor; ///< bytes
    std::optional<int64_t> warpSize;
};

/// In the file's order.
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

/// None when the trace says nothing of the kind.
std::optional<DistributedInfo> distributedOf(const TraceInfo &info);

/// What the recording was asked for. Kineto writes an option only when it is on, and earlier versions write none, so
/// without any of them none is known; the collector has no Python stacks, and its preset says whether allocations were
/// recorded.
struct RecordedOptions {
    std::optional<bool> recordShapes;
    std::optional<bool> withStack;
    std::optional<bool> profileMemory;
    std::optional<bool> withFlops;
    std::optional<bool> withModules;
};

RecordedOptions recordedOptionsOf(const TraceInfo &info);

} // namespace riffle
