// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/memory/allocator/oom_report.h"
#include "model/analysis/memory/categories/memory_categories.h"

#include <cstddef>
#include <string>
#include <vector>

namespace riffle::cli {

/// The verdict on a snapshot: which allocations failed, where, why, and what would have helped; for devices without a
/// failure, their peak. Says what the memory was used for at these instants. Tables have at most `limit` rows.
std::string verdictHtml(const SnapshotFacts &facts, const std::vector<OutOfMemory> &failures,
                        const MemoryCategories &categories, size_t limit);

} // namespace riffle::cli
