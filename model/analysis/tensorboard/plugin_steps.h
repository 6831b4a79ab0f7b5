// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/role.h"
#include "model/analysis/tensorboard/plugin_tree.h"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace riffle::tensorboard {

struct PluginStep {
    std::string name;
    TimeSpan span;
    std::array<Ns, kRoles> parts{}; ///< by Role; they need not sum to the span
    Ns computing = 0, communicating = 0,
       both = 0; ///< of the distributed view; computing is the operators' time if there are no kernels
};

struct PluginDevice {
    int32_t device = 0;
    double utilization = 0;
    double smEfficiency = std::numeric_limits<double>::quiet_NaN(),
           occupancy = std::numeric_limits<double>::quiet_NaN();
    double tensorCores = std::numeric_limits<double>::quiet_NaN(); ///< time share, of kernels that operators launched
};

struct PluginOverview {
    std::vector<PluginStep> steps;
    std::vector<PluginDevice> devices;
    uint32_t removed = 0; ///< steps at the end that are left out, because they have no device work, or too little
};

/// Steps extend to the end of what they launched, and do not start before the previous step ends. In the breakdown, the
/// first role with any time counts in full, inside steps or not; when no time of the steps is left, the breakdown
/// starts over.
PluginOverview pluginOverview(const Trace &trace, std::span<const PluginEvent> events, const PluginTree &tree);

} // namespace riffle::tensorboard
