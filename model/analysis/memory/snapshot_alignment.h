// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/memory/memory_snapshot.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <optional>

namespace riffle {

/// Maps the times of a snapshot's history to the time of a trace of the same process.
struct SnapshotAlignment {
    int64_t offset = 0;   ///< Unix ns − trace ns
    bool byMarks = false; ///< true if aligned by ranges that both name; false if both record the real time

    /// The trace time; clamped instead of overflowing.
    Ns toTrace(int64_t unixNs) const { return saturatedSum(unixNs, offset == INT64_MIN ? INT64_MAX : -offset); }
    int64_t toUnix(Ns time) const { return saturatedSum(time, offset); }
};

/// Aligns by real time if the trace records it, or counts in it, and its span overlaps that of the history. Otherwise
/// it aligns by the snapshot's annotations (step marks, those of the optimizer) that the trace has equally often as
/// slices of the same names: by the median of the distances, if half of them are within 10 ms of it. Empty if neither
/// works.
std::optional<SnapshotAlignment> alignSnapshot(const MemorySnapshot &snapshot, const Trace &trace);

} // namespace riffle
