// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

/// A row a name and device of the marks that a program left (record_function, optimizer steps): how many ranges, and
/// how long they took.
ResultTable memoryMarks(const MemorySnapshot &snapshot);

/// A row an `oom`: what was asked for, what the device had left, and the levels at that instant.
ResultTable memoryOutOfMemory(const MemorySnapshot &snapshot, const MemoryReplay &replay);

} // namespace riffle
