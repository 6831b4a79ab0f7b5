// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/part_tables.h"
#include "model/trace/trace.h"

namespace riffle {

/// Up to when a log is complete, by source, as its Settled chunks say. Times are in ns of CLOCK_MONOTONIC and never go
/// back.
///
/// A mark is what the recorder knew, so rows that end before it may still come: a record of a thread that was
/// interrupted while it wrote; a kernel that ran for more than ten seconds; and what is in buffers that CUPTI holds
/// back, calls and device work alike, if no call of theirs is known. Lanes with samples of a thread are behind by their
/// interval.
class SettledMarks {
public:
    /// Where the chunks of rows come from.
    enum class Source : uint8_t {
        Threads, ///< ranges, marks and counters
        Cuda     ///< device work, CUDA calls and allocations
    };
    static constexpr Ns kNothing = INT64_MIN, kEverything = INT64_MAX;

    /// Adds a Settled or End chunk; does nothing for other types.
    void add(wire::ChunkType type, const ChunkColumns &columns, const PartTables &tables);
    /// Everything of the source that happened before is in the log. While CUDA is not recorded, that is so up to the
    /// mark of the threads.
    Ns of(Source source) const { return source == Source::Threads ? m_threads : m_cuda; }
    /// The same for a lane. The lane of a thread has ranges and calls, so it needs both sources.
    Ns of(LaneKind kind) const;
    /// True if the last Settled chunk has a mark of CUDA's own.
    bool isCudaRecorded() const { return m_isCudaRecorded; }

private:
    Ns m_threads = kNothing, m_cuda = kNothing;
    bool m_isCudaRecorded = false;
};

} // namespace riffle
