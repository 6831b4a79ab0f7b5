// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// The figures after an event; the event is kNone before the history.
struct AllocatorSample {
    uint32_t event = MemoryAllocations::kNone;
    AllocatorFigures figures;
};

/// The maximum of each level of a stream or pool, and the event that first reached it; kNone if it was reached before
/// the history.
struct AllocatorPeak {
    bool isPool = false;
    int64_t stream = 0; ///< raw pointer, as in MemorySnapshot::streams
    uint32_t pool = 0;  ///< row of MemorySnapshot::pools
    uint64_t allocated = 0, active = 0, reserved = 0;
    uint32_t allocatedEvent = MemoryAllocations::kNone, activeEvent = MemoryAllocations::kNone,
             reservedEvent = MemoryAllocations::kNone;
};

/// A device's figures over its whole history, and the peaks of its streams and pools.
struct AllocatorSeries {
    std::vector<AllocatorSample> samples; ///< in order of event; the first one is before the history
    uint32_t stretch = 1; ///< events per stretch, of which only the first sample and the extremes are kept
    bool complete = true; ///< false if the history has so many problems that the rest would take too long, or if the
                          ///< task was stopped
    std::vector<AllocatorPeak> peaks; ///< streams, then pools
};

/// Follows a device's history forward, event by event, and keeps no more than about `most` samples. If there are more
/// events, each stretch of events keeps its first sample and those with the minimum and maximum of allocated, reserved,
/// the largest hole and both kinds of fragmentation, so no extreme is missed. For exact figures between samples, and in
/// damaged files, use the map.
AllocatorSeries allocatorSeries(const AllocatorMap &map, uint32_t most, const Task &task);

/// One row per sample.
ResultTable allocatorSeriesTable(const AllocatorMap &map, const AllocatorSeries &series);
/// One row per stream, then one row per pool.
ResultTable allocatorPeaksTable(const AllocatorMap &map, const AllocatorSeries &series);

} // namespace riffle
