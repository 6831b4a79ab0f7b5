// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

/// The memory that is alive at an instant, grouped by the whole stack that allocated it: one row per stack, the most
/// bytes first.
ResultTable aliveStacks(const SnapshotFacts &facts, const MemoryInstant &instant);

} // namespace riffle
