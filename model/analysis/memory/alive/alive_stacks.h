// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_instant.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

/// What is alive at an instant by the whole stack that made it, a row a stack, the most bytes first.
ResultTable aliveStacks(const SnapshotFacts &facts, const MemoryInstant &instant);

} // namespace riffle
