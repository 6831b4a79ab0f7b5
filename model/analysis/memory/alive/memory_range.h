// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/table/result_table.h"
#include "model/base/task.h"

namespace riffle {

/// The changes between two events of a device, both included. One row per place of allocation: the memory that was
/// allocated there in the range, the memory that was freed, and the memory that is alive after the range. The largest
/// sums come first.
ResultTable memoryOfRange(const SnapshotFacts &facts, uint32_t device, uint32_t first, uint32_t last,
                          const Task &task = {});

} // namespace riffle
