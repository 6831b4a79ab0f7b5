// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/table/result_table.h"

namespace riffle {

/// The marks that the program left (record_function, optimizer steps), one row per name and device: the number of
/// ranges and the time that they took.
ResultTable memoryMarks(const MemorySnapshot &snapshot);

/// One row per `oom` event: the requested size, the free memory of the device, and the levels at that instant.
ResultTable memoryOutOfMemory(const MemorySnapshot &snapshot, const MemoryReplay &replay);

} // namespace riffle
