// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/operators/flops_figures.h"
#include "model/analysis/summary/figures.h"
#include "model/analysis/summary/recording.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// All figures of the overview for one trace.
struct Overview {
    Recording recording;
    std::vector<DeviceFigures> devices;
    std::vector<DeviceFlops> flops; ///< beside `devices`; empty where no FLOPs are known
    LaunchStatistics launches;
    uint32_t steps = 0;        ///< chosen ones that lie whole in the range
    uint32_t cutSteps = 0;     ///< chosen ones that reach over its edges
    bool marked = false;       ///< false: the one step "all"
    Ns meanStep = 0;           ///< of the host's spans of whole steps; where all are cut, of what is left of them
    Breakdown meanBreakdown{}; ///< mean of these steps' breakdowns; rounded one by one
    std::array<double, kRoles> shares{}; ///< of the steps' time, taken before rounding
};

Overview overviewOf(const Scope &scope);

} // namespace riffle
