// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/operators/operator_times.h"

#include <optional>
#include <string>
#include <vector>

/// FLOPs in a scope (R11): those of the counted calls that start in it.
namespace riffle {

/// The FLOPs of some calls, and the time that they took.
struct FlopsSum {
    int64_t flops = 0;
    uint64_t calls = 0;
    Ns deviceTime = 0; ///< summed over their device work, on any device
    Ns hostTime = 0;   ///< summed duration of the calls

    void add(const OperatorFlops::Call &call);
    /// The rate in 10^12 per second, over the device time if anything ran on a device, otherwise over the host time.
    /// NaN if there are no calls or there is no time.
    double teraPerSecond() const;
};

/// The FLOPs that a device computed, and its peak rate.
struct DeviceFlops {
    int64_t flops = 0;                       ///< FLOPs of the calls whose first device work ran on it
    ComputeType type = ComputeType::Unknown; ///< the type of more than half of them
    std::optional<double> peak;              ///< the device's peak for that type, in FLOP/s
    Ns work = 0;                             ///< summed time of its device work
    Ns uncounted = 0;                        ///< the part of `work` that belongs to no counted call

    double perSecond(Ns time) const;
    double peakShare(Ns time) const; ///< NaN if the peak is unknown
};

/// The sums of each row of the groups.
std::vector<FlopsSum> flopsOfGroups(const Scope &scope, const OperatorGroups &groups);
/// One entry per device, in the order of TraceFacts::work().devices.
std::vector<DeviceFlops> flopsOfDevices(const Scope &scope);

/// FLOPs of the calls that start in one step and inside the times of the scope, on any lane and with any name.
struct StepFlops {
    int64_t flops = 0;
    int64_t onDevices = 0; ///< the FLOPs of the calls with device work
};
std::vector<StepFlops> flopsOfSteps(const Scope &scope);

/// Sentences about what these figures leave out.
std::vector<std::string> flopsNotes(const Scope &scope);

} // namespace riffle
