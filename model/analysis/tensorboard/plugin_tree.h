// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/tensorboard/plugin_events.h"

#include <cstdint>
#include <vector>

namespace riffle::tensorboard {

/// A call of the runtime, and what it launched by its correlation.
struct PluginRuntime {
    uint32_t event = 0;
    Ns device = 0, tensor = 0;      ///< summed time of what it launched, and of kernels on tensor cores
    std::vector<uint32_t> launched; ///< events
};

/// An operator, module, step or one of few annotations in the plugin's tree.
struct PluginNode {
    static constexpr uint32_t kNone = UINT32_MAX;

    uint32_t event = 0;
    uint32_t parent = kNone; ///< none: the root of its thread
    bool dropped = false;    ///< it crosses what it begins in, and is left out with all that it launched
    bool merged = false;   ///< the only child of an operator of the same name, which takes its calls of the runtime and
                           ///< loses its own
    bool isRow = false;    ///< counts as an operator
    bool eligible = false; ///< could use tensor cores by its name, that of one inside, or because it did
    Ns hostSelf = 0, deviceSelf = 0, deviceTotal = 0, tensorSelf = 0, tensorTotal = 0;
    std::vector<uint32_t> runtimes; ///< with its External id, wherever they are
};

/// The plugin's tree of operators: by thread (whatever the process), by start, longer ones first; a node is inside the
/// last one that began before it and has not ended. Times are sums, also of what ran at the same time.
struct PluginTree {
    std::vector<PluginNode> nodes; ///< parents before children
    std::vector<PluginRuntime> runtimes;
    std::vector<uint32_t> runtimeOf; ///< by event: of device events the call that launched it, or kNone
    std::vector<uint32_t> nodeOf;    ///< by runtime: the node that it counts for, or kNone

    PluginTree(const Trace &trace, const std::vector<PluginEvent> &events);
};

} // namespace riffle::tensorboard
