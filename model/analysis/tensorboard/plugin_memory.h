// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/tensorboard/plugin_tree.h"

#include <span>
#include <string>
#include <vector>

namespace riffle::tensorboard {

/// The memory of the operators with one name on one device, in bytes.
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

/// The sums per device and operator name, without (self) and with (total) the operators inside. Rows with only zeros
/// are left out.
std::vector<PluginMemoryRow> pluginMemory(const Trace &trace, std::span<const PluginEvent> events,
                                          const PluginTree &tree);

} // namespace riffle::tensorboard
