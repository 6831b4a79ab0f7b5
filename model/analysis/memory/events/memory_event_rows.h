// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <span>

namespace riffle {

/// Events of a device as a table, in their order: number, time, action, address, size, stream, pool, place and
/// what else was recorded. `device` is a row of replay().devices, `events` are rows of MemorySnapshot::events that
/// belong to it.
ResultTable memoryEventRows(const SnapshotFacts &facts, size_t device, std::span<const uint32_t> events);

} // namespace riffle
