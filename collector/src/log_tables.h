// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/columns.h"

#include <array>

namespace riffle::collector {

/// The tables of a log whose rows come from sources; wire.h describes their columns. The values of a row must follow
/// the order of the columns in log_tables.cpp.
struct LogTables {
    LogTables();

    ChunkBuilder clocks, ranges, marks, counters, kernels, copies, calls, syncs, overheads, externals, allocations,
        devices, loss, stats, openRanges, gaps, openGaps, settled, pythonFrames;

    /// In the order in which they are written: frames before the ranges that name them.
    std::array<ChunkBuilder *, 19> tables()
    {
        return {&pythonFrames, &clocks,     &ranges,    &marks,     &counters,    &kernels, &copies,
                &calls,        &syncs,      &overheads, &externals, &allocations, &devices, &loss,
                &stats,        &openRanges, &gaps,      &openGaps,  &settled};
    }
};

} // namespace riffle::collector
