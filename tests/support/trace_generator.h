// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/byte_sink.h"

#include <cstdint>
#include <string>

namespace riffle::test {

enum class TraceProfile : std::uint8_t {
    Kineto, ///< a training job with a mix of everything
    Shapes, ///< long argument lists for every operator; most bytes are shapes
};

/// The contents of a generated trace. The same options always give the same bytes.
struct TraceOptions {
    TraceProfile profile = TraceProfile::Kineto;
    std::uint64_t targetBytes = 1'000'000; ///< reached within about one step
    std::uint32_t seed = 1;
    int steps = 0;  ///< training steps; 0: as many as fill targetBytes
    int layers = 0; ///< transformer layers per step; 0: 12, fewer for small traces

    bool withPython = true;
    bool withShapes = true;
    bool withFlows = true;
    bool withNccl = true;
    bool withMemory = true;

    std::int64_t pid = 4336;
    std::int64_t mainThread = 4336;
    std::int64_t autogradThread = 4433;
    int device = 0;
    int computeStream = 7;
    int ncclStream = 20;
    int rank = 0;
    int worldSize = 8;

    std::int64_t baseTimeNanoseconds = 1767189312000000000;
    std::int64_t startNanoseconds = 7164224529635282; ///< start of the first event, relative to the base
    std::string traceName = "./log/trace.pt.trace.json";
};

/// The counts of what was written, for tests.
struct TraceCounts {
    std::uint64_t bytes = 0;
    std::uint64_t events = 0; ///< every object of traceEvents
    std::uint64_t cpuOps = 0;
    std::uint64_t pythonFrames = 0;
    std::uint64_t runtimeCalls = 0;
    std::uint64_t gpuSlices = 0; ///< kernels, copies and GPU annotations
    std::uint64_t flows = 0;
    std::uint64_t memoryEvents = 0;
    std::uint64_t annotations = 0;
    int steps = 0;
};

/// Writes a trace as torch.profiler's own writer prints it: operators, then Python frames, then GPU activity,
/// then metadata.
TraceCounts generateTrace(const TraceOptions &options, ByteSink &sink);

} // namespace riffle::test
