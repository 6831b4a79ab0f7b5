// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/tensorboard/plugin_tree.h"

#include <string>
#include <vector>

namespace riffle::tensorboard {

/// Memory by device and operator's name; bytes.
struct PluginMemoryRow {
    struct Sums {
        int64_t increase = 0, allocated = 0, allocations = 0;
        void add(const Sums &more);
        bool any() const { return increase || allocated || allocations; }
    };
    std::string device; ///< "CPU", "GPU0"
    uint32_t name = 0;  ///< StringId
    uint64_t calls = 0;
    Sums self, total;
};

/// What happened in an operator itself, and with what is inside; rows in which anything happened.
std::vector<PluginMemoryRow> pluginMemory(const Trace &trace, const std::vector<PluginEvent> &events,
                                          const PluginTree &tree);

} // namespace riffle::tensorboard
