// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

class MemoryCategories;

/// The allocations that are alive at an instant, one row per allocation, the largest first. `categories` may be null;
/// then the table has no category columns.
ResultTable aliveAllocations(const SnapshotFacts &facts, const MemoryInstant &instant,
                             const MemoryCategories *categories = nullptr);

} // namespace riffle
