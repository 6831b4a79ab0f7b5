// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

class MemoryCategories;

/// Every allocation that is alive at an instant, a row each, the largest first. `categories` may be null: no column
/// says them then.
ResultTable aliveAllocations(const SnapshotFacts &facts, const MemoryInstant &instant,
                             const MemoryCategories *categories = nullptr);

} // namespace riffle
