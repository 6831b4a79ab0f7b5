// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/task.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// How much memory a device had over time, for graphs.
struct MemoryCurve {
    std::vector<int64_t> times;              ///< Unix ns, ascending
    std::vector<double> allocated, reserved; ///< bytes from then on, one a time
};

/// Of a device (row of SnapshotFacts::replay()), at most 4 × `most` points: longer histories are cut into `most`
/// stretches of equally many events, of each of which the first, the last, and the lowest and highest allocated remain.
/// Empty where events have no time or times go back.
MemoryCurve memoryCurve(const SnapshotFacts &facts, size_t device, size_t most, const Task &task = {});

} // namespace riffle
