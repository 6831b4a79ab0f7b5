// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The figures after an event; kNone: before the history.
struct AllocatorSample {
    uint32_t event = MemoryAllocations::kNone;
    AllocatorFigures figures;
};

/// The largest of each of a stream's or pool's levels, and the event after which it was reached first; kNone: before
/// the history.
struct AllocatorPeak {
    bool isPool = false;
    int64_t stream = 0; ///< raw pointer
    uint32_t pool = 0;  ///< row of MemorySnapshot::pools
    uint64_t allocated = 0, active = 0, reserved = 0;
    uint32_t allocatedEvent = MemoryAllocations::kNone, activeEvent = MemoryAllocations::kNone,
             reservedEvent = MemoryAllocations::kNone;
};

/// A device's figures over its whole history, and the peaks of its streams and pools.
struct AllocatorSeries {
    std::vector<AllocatorSample> samples; ///< by event, the first before the history
    uint32_t stretch = 1; ///< events that a few samples stand for: of each the first, and those with the extremes
    bool complete = true; ///< false: the history is so odd that the rest would take too long, or the task was stopped
    std::vector<AllocatorPeak> peaks; ///< streams, then pools
};

/// Follows a device's history forward, event by event. At most some `most` samples are kept: all there are, or of each
/// stretch of events the first and those where allocated, reserved, the largest hole and both kinds of fragmentation
/// are least and most, so no extreme is missed. Between samples, and for certain in damaged files, ask the map.
AllocatorSeries allocatorSeries(const AllocatorMap &map, uint32_t most, const Task &task);

/// A row a sample.
ResultTable allocatorSeriesTable(const AllocatorMap &map, const AllocatorSeries &series);
/// A row a stream and a pool.
ResultTable allocatorPeaksTable(const AllocatorMap &map, const AllocatorSeries &series);

} // namespace riffle
