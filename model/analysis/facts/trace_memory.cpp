// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/trace_memory.h"

#include "model/analysis/facts/allocating_calls.h"
#include "model/analysis/slice/slice_sweep.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <optional>

namespace riffle {

namespace {

constexpr size_t kRange = 1 << 17; ///< the number of rows that a thread processes at a time
constexpr Ns kMicrosecond = 1'000;
constexpr int32_t kCpu = 0, kCuda = 1, kHip = 6;

} // namespace

TraceMemory::TraceMemory(const Trace &trace) : MemoryLives(trace), slice(filledVector(trace.memory.time.size(), kNone))
{
    parallelRanges(slice.size(), kRange, [&](size_t first, size_t last) {
        std::vector<std::optional<SliceSweep>> sweeps(trace.lanes.size());
        for (size_t row = first; row < last; ++row) {
            const uint32_t lane = trace.memory.lane[row];
            if (lane >= sweeps.size())
                continue;
            const Ns time = timeOf(trace, static_cast<uint32_t>(row));
            if (!sweeps[lane])
                sweeps[lane].emplace(trace, LaneId(lane), time);
            throwIfStopped(); // there may be many slices between two rows
            slice[row] = sweeps[lane]->innermostAt(time).value;
        }
    });
    correctEnds(trace);
}

/// Moves allocations at the very end of a call of aten::empty to this call.
void TraceMemory::correctEnds(const Trace &trace)
{
    if (slice.empty())
        return;
    AllocatingCalls calls(trace);
    for (uint32_t row = 0; row < slice.size() && !calls.empty(); ++row) {
        throwIfStoppedAt(row);
        if (trace.memory.bytes[row] <= 0)
            continue;
        const Ns time = trace.memory.time[row];
        const bool isWhole = time % kMicrosecond == 0;
        const uint32_t ending = isWhole ? calls.takeEnding(trace.memory.lane[row], time) : AllocatingCalls::kNone;
        if (ending != AllocatingCalls::kNone)
            slice[row] = ending;
        else
            calls.take(slice[row]);
    }
}

Ns TraceMemory::timeOf(const Trace &trace, uint32_t row)
{
    return trace.memory.time[row] + (trace.info.format == "Paddle JSON" ? 500 : 0);
}

std::string memoryPlaceName(int32_t type, int32_t id)
{
    if (type == kCpu)
        return "CPU";
    return (type == kCuda || type == kHip ? "GPU" : "device type " + std::to_string(type) + ", ") + std::to_string(id);
}

} // namespace riffle
