// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/big_vector.h"
#include "model/base/task.h"

#include <cstdint>

namespace riffle {

/// The memory of a device over time, for graphs.
struct MemoryCurve {
    BigVector<int64_t> times;              ///< Unix ns, ascending
    BigVector<double> allocated, reserved; ///< bytes from that time on; one value per time
};

/// The curve of a device (a row of MemoryReplay::devices), with at most 4 × `most` points. A history of more than
/// `most` events is split into at most `most` stretches with equal numbers of events. Each stretch keeps its first and
/// last point and those with the lowest and highest allocated. The curve is empty if events have no time or times go
/// backwards.
MemoryCurve memoryCurve(const SnapshotFacts &facts, size_t device, size_t most, const Task &task = {});

} // namespace riffle
