// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

/// Allocations of profile_memory by the stack of slices that they happened in, and by device; the most bytes first.
ResultTable memoryStackTable(const Scope &scope);

} // namespace riffle
