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
    std::vector<DeviceFlops> flops; ///< parallel to `devices`; empty if no FLOPs are known
    LaunchStatistics launches;
    uint32_t steps = 0;        ///< chosen steps that ended and are entirely inside the range
    uint32_t cutSteps = 0;     ///< chosen steps that ended and extend beyond the range
    uint32_t openSteps = 0;    ///< chosen steps that never ended
    bool marked = false;       ///< false if the only step is "all"
    Ns meanStep = 0;           ///< mean host span of the whole steps; if all are cut, of their parts in the range
    Breakdown meanBreakdown{}; ///< mean of these steps' breakdowns; each part is rounded separately
    std::array<double, kRoles> shares{}; ///< shares of the steps' time, computed before rounding
};

Overview overviewOf(const Scope &scope);

} // namespace riffle
