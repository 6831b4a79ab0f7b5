// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/table/result_table.h"
#include "model/base/task.h"

namespace riffle {

/// What happened between two events of a device, both within: a row for each place of allocation, of what was allocated
/// there in the range, of what was given back, and of what is alive behind its end. The largest sums come first.
ResultTable memoryOfRange(const SnapshotFacts &facts, uint32_t device, uint32_t first, uint32_t last,
                          const Task &task = {});

} // namespace riffle
