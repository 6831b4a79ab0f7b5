// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/operators/operator_times.h"

#include <optional>
#include <string>
#include <vector>

/// FLOPs in a scope (R11): of the counted calls that begin in it.
namespace riffle {

/// Of some calls, and the time that they took for it.
struct FlopsSum {
    int64_t flops = 0;
    uint64_t calls = 0;
    Ns deviceTime = 0; ///< summed over their device work, wherever it runs
    Ns hostTime = 0;   ///< summed

    void add(const OperatorFlops::Call &call);
    /// In 10^12 a second: by the device's time where anything ran there, else by the host's. NaN without any time or
    /// calls.
    double teraPerSecond() const;
};

/// What a device computed, and could have.
struct DeviceFlops {
    int64_t flops = 0;                       ///< of calls whose device work began on it
    ComputeType type = ComputeType::Unknown; ///< in which more than half of them were computed
    std::optional<double> peak;              ///< FLOP/s of the device in that type
    Ns work = 0;                             ///< summed time of its work
    Ns uncounted = 0;                        ///< the part of it that belongs to no counted call

    double perSecond(Ns time) const;
    double peakShare(Ns time) const; ///< NaN where the peak is not known
};

/// By row of the groups.
std::vector<FlopsSum> flopsOfGroups(const Scope &scope, const OperatorGroups &groups);
/// Beside TraceFacts::work().devices.
std::vector<DeviceFlops> flopsOfDevices(const Scope &scope);

/// By step: the calls that begin in it, whatever the scope.
struct StepFlops {
    int64_t flops = 0;
    int64_t onDevices = 0; ///< those of calls with device work
};
std::vector<StepFlops> flopsOfSteps(const Scope &scope);

/// What is not in these figures, in sentences.
std::vector<std::string> flopsNotes(const Scope &scope);

} // namespace riffle
