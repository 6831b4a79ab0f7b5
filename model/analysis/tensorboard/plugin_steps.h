// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/role.h"
#include "model/analysis/tensorboard/plugin_tree.h"

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace riffle::tensorboard {

struct PluginStep {
    std::string name;
    TimeSpan span;
    std::array<Ns, kRoles> parts{}; ///< by Role; they need not sum to the span
    Ns computing = 0, communicating = 0,
       both = 0; ///< of the distributed view; computing: what operators take, where no kernels are
};

struct PluginDevice {
    int32_t device = 0;
    double utilization = 0;
    double smEfficiency = std::numeric_limits<double>::quiet_NaN(),
           occupancy = std::numeric_limits<double>::quiet_NaN();
    double tensorCores = std::numeric_limits<double>::quiet_NaN(); ///< share of the kernels that operators launched
};

struct PluginOverview {
    std::vector<PluginStep> steps;
    std::vector<PluginDevice> devices;
    uint32_t removed = 0; ///< steps at the end that are left out: nothing of theirs on a device, or too little
};

/// Steps reach to the end of what they launched and begin where the one before ends. The breakdown takes the first role
/// that has anything whole, within steps or not, and begins anew once nothing is left to give.
PluginOverview pluginOverview(const Trace &trace, const std::vector<PluginEvent> &events, const PluginTree &tree);

} // namespace riffle::tensorboard
