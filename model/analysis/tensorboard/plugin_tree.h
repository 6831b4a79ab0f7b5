// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/tensorboard/plugin_events.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <span>
#include <vector>

namespace riffle::tensorboard {

/// A runtime call, and what it launched according to its correlation.
struct PluginRuntime {
    uint32_t event = 0;
    Ns device = 0, tensor = 0;      ///< summed time of what it launched, and of the kernels on tensor cores among it
    std::vector<uint32_t> launched; ///< indices of events
};

/// An operator, a module, a step or one of a few annotations in the plugin's tree.
struct PluginNode {
    static constexpr uint32_t kNone = UINT32_MAX;

    uint32_t event = 0;
    uint32_t parent = kNone; ///< kNone if only the root of its thread is around it
    bool dropped = false;    ///< it crosses the node in which it starts, and is left out with all that it launched
    bool merged = false;     ///< the only child of an operator of the same name, which takes over its runtime calls and
                             ///< loses its own
    bool isRow = false;      ///< counts as an operator
    bool eligible = false;   ///< could use tensor cores, by its name or that of a node inside, or because it did
    Ns hostSelf = 0, deviceSelf = 0, deviceTotal = 0, tensorSelf = 0, tensorTotal = 0;
    std::vector<uint32_t> runtimes; ///< runtime calls with its External id, wherever they are
};

/// The plugin's tree of operators: by thread (regardless of the process), then by start, longer ones first. A node is
/// inside the last node that started before it and has not ended. Times are sums, even of work that ran at the same
/// time.
struct PluginTree {
    BigVector<PluginNode> nodes; ///< parents before children
    BigVector<PluginRuntime> runtimes;
    BigVector<uint32_t> runtimeOf; ///< per event: the runtime call that launched it, or kNone
    BigVector<uint32_t> nodeOf;    ///< per runtime call: the node that it counts for, or kNone

    PluginTree(const Trace &trace, std::span<const PluginEvent> events);
};

} // namespace riffle::tensorboard
