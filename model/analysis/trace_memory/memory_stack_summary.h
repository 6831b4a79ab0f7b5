// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

/// The allocations that profile_memory recorded, by the stack of slices in which they happened and by device; most
/// bytes first.
ResultTable memoryStackTable(const Scope &scope);

} // namespace riffle
