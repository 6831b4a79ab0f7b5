// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/table/result_table.h"

#include <span>

namespace riffle {

/// Entries of a device's history as a table: what happened, when, to how many bytes, and where in the program. `events`
/// are rows of MemorySnapshot::events.
ResultTable memoryEventTable(const SnapshotFacts &facts, uint32_t device, std::span<const uint32_t> events);

} // namespace riffle
