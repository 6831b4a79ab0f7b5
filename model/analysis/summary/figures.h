// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/idle/idle_gaps.h"
#include "model/base/big_vector.h"

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace riffle {

/// Where the time of a span went, by Role; the parts sum to the span exactly (R4).
using Breakdown = std::array<Ns, kRoles>;
Breakdown breakdownOf(const TraceFacts &facts, TimeSpan span);

/// A note about this number of steps that never ended (R14), of which there is at least one.
std::string unfinishedStepsNote(uint64_t steps);

/// The activity of one device inside a scope's window (R5, R6, R8). Times are in ns; simultaneous work counts once,
/// except in sums.
struct DeviceFigures {
    int32_t device = 0;
    Ns window = 0;
    uint64_t kernels = 0; ///< number of kernels with time in the window
    Ns kernelTime = 0;    ///< time with any kernel, communication included; utilization is its share of the window
    Ns busyTime = 0;      ///< time with any kernel, copy or memset
    Ns compute = 0, communication = 0, memcpy = 0, memset = 0;
    Ns exposedCommunication = 0; ///< communication without a compute kernel
    Ns exposedMemcpy = 0;        ///< copies without a kernel
    Ns overlap = 0;              ///< communication with a compute kernel
    Ns kernelSum = 0, tensorSum = 0,
       tensorUnknownSum = 0; ///< sums over all kernels, over those on tensor cores, and over those possibly on them
    /// Mean over the window of min(1, blocks per SM of all running kernels); NaN if not recorded.
    double smEfficiency = std::numeric_limits<double>::quiet_NaN();
    /// The kernels' estimated achieved occupancy, averaged by time, 0..1; NaN if not recorded.
    double occupancy = std::numeric_limits<double>::quiet_NaN();
    DeviceIdle idle;

    double share(Ns time) const { return window > 0 ? static_cast<double>(time) / static_cast<double>(window) : 0.0; }
};

std::vector<DeviceFigures> deviceFigures(const Scope &scope);

/// How the host fed the device (R9). The figures are about calls that launch one piece of device work; graph launches
/// are only counted.
struct LaunchStatistics {
    uint64_t launches = 0;      ///< calls with exactly one piece of device work
    uint64_t graphLaunches = 0; ///< calls with several pieces of device work (graphs)
    uint64_t withoutWork = 0;   ///< launch calls without recorded device work
    uint64_t workWithout = 0;   ///< device work without a recorded launch
    uint64_t shortKernels = 0;  ///< kernels that took less time than their launch call
    uint64_t slowLaunches = 0;  ///< launch calls of more than 50 µs
    uint64_t delayed = 0;       ///< work that started more than 100 µs after its call ended
    uint64_t negative = 0;      ///< work that started before its call ended: asynchronous, or the clocks differ
    uint64_t beforeLaunch = 0;  ///< work that started before its call did: the clocks differ
    Ns meanDelay = kNoInt, medianDelay = kNoInt, minimumDelay = kNoInt,
       maximumDelay = kNoInt;  ///< start of the work − end of its call
    uint64_t longestQueue = 0; ///< the most pieces of work on one stream that were launched but had not started
    Ns blocked = 0;            ///< time with kFullQueue or more pieces of work in a queue, summed over streams
};
inline constexpr Ns kSlowLaunch = 50'000;
inline constexpr Ns kLongDelay = 100'000;
inline constexpr uint64_t kFullQueue = 1024;

LaunchStatistics launchStatistics(const Scope &scope);
/// The launch calls (slices) inside the scope that no device work names as its launch.
BigVector<uint32_t> launchesWithoutWork(const Scope &scope);

} // namespace riffle
