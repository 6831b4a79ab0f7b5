// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/columns.h"
#include "riffle/wire.h"

#include <array>
#include <cstdint>

namespace riffle::collector {

/// A range that has ended. Texts are the log's ids; 0 is no text.
struct RangeRow {
    uint32_t thread = 0;
    int64_t start = 0, end = 0;
    uint32_t name = 0, category = 0, domain = 0;
    uint8_t payloadKind = 0;
    uint64_t payload = 0;
    uint32_t color = 0;
    int64_t sequence = wire::kAbsent, operatorId = wire::kAbsent;
    uint32_t shapes = 0, stack = 0;
    int64_t forwardThread = wire::kAbsent;
    uint32_t types = 0, strides = 0, values = 0, collective = 0;
    int64_t collectiveSequence = wire::kAbsent;
};

/// The tables of a log whose rows come from sources; wire.h describes their columns. The values of a row must follow
/// the order of the columns in log_tables.cpp.
struct LogTables {
    LogTables();

    void range(const RangeRow &row)
    {
        ranges.row(row.start, row.end, row.thread, row.start, row.end - row.start, row.name, row.category, row.domain,
                   row.payloadKind, row.payload, row.color, row.sequence, row.operatorId, row.shapes, row.stack,
                   row.forwardThread, row.types, row.strides, row.values, row.collective, row.collectiveSequence);
    }

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
