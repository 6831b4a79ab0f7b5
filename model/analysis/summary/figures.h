// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/idle/idle_gaps.h"

#include <array>
#include <limits>
#include <vector>

namespace riffle {

/// Where the time of a span went, by Role; the parts sum to the span exactly (R4).
using Breakdown = std::array<Ns, kRoles>;
Breakdown breakdownOf(const TraceFacts &facts, TimeSpan span);

/// What one device did inside a scope's window (R5, R6, R8). Times in ns; unions unless they are called sums.
struct DeviceFigures {
    int32_t device = 0;
    Ns window = 0;
    uint64_t kernels = 0; ///< that have time in the window
    Ns kernelTime = 0;    ///< with any kernel, communication included: utilisation is its share of the window
    Ns busyTime = 0;      ///< with anything at all
    Ns compute = 0, communication = 0, memcpy = 0, memset = 0;
    Ns exposedCommunication = 0;                           ///< communication while nothing computes
    Ns exposedMemcpy = 0;                                  ///< copying while no kernel runs
    Ns overlap = 0;                                        ///< communication while something computes
    Ns kernelSum = 0, tensorSum = 0, tensorUnknownSum = 0; ///< sums over kernels: all, on tensor cores, perhaps on them
    /// Mean over the window of min(1, blocks per SM of all running kernels); NaN where not recorded.
    double smEfficiency = std::numeric_limits<double>::quiet_NaN();
    /// Mean of the kernels' estimated achieved occupancy by time, 0..1; NaN where not recorded.
    double occupancy = std::numeric_limits<double>::quiet_NaN();
    DeviceIdle idle;

    double share(Ns time) const { return window > 0 ? static_cast<double>(time) / static_cast<double>(window) : 0.0; }
};

std::vector<DeviceFigures> deviceFigures(const Scope &scope);

/// How the host fed the device (R9). Launches of one piece of work each; graph launches are counted apart.
struct LaunchStatistics {
    uint64_t launches = 0;      ///< with exactly one piece of device work
    uint64_t graphLaunches = 0; ///< with several
    uint64_t withoutWork = 0;   ///< launch calls to which no device work was recorded
    uint64_t workWithout = 0;   ///< device work to which no launch was recorded
    uint64_t shortKernels = 0;  ///< kernels that took less than their launch call
    uint64_t slowLaunches = 0;  ///< calls over 50 µs
    uint64_t delayed = 0;       ///< work that began more than 100 µs after its call ended
    uint64_t negative = 0;      ///< work that began before its call ended: asynchronous, or clocks apart
    uint64_t beforeLaunch = 0;  ///< work that began before its call began: clocks apart
    Ns meanDelay = kNoInt, medianDelay = kNoInt, minimumDelay = kNoInt,
       maximumDelay = kNoInt;  ///< start − end of the call
    uint64_t longestQueue = 0; ///< work launched but not begun, of one stream
    Ns blocked = 0;            ///< summed over streams: time with 1,024 and more of them
};
inline constexpr Ns kSlowLaunch = 50'000;
inline constexpr Ns kLongDelay = 100'000;
inline constexpr uint64_t kFullQueue = 1024;

LaunchStatistics launchStatistics(const Scope &scope);
/// Launch calls (slices) inside the scope that no device work names as its launch.
std::vector<uint32_t> launchesWithoutWork(const Scope &scope);

} // namespace riffle
