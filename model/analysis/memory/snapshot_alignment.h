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
    bool byMarks = false; ///< true if aligned by ranges of the same names; false if by wall-clock time

    /// The trace time; clamped so that it cannot overflow.
    Ns toTrace(int64_t unixNs) const { return saturatedSum(unixNs, offset == INT64_MIN ? INT64_MAX : -offset); }
    int64_t toUnix(Ns time) const { return saturatedSum(time, offset); }
};

/// Aligns by wall-clock time if the trace records it, as its base time or in its timestamps, and its span overlaps that
/// of the history. Otherwise aligns by the snapshot's annotations (marks of steps and of the optimizer) for which the
/// trace has equally many host slices of the same name: the offset is the median of their time differences, provided
/// that at least half of these are within 10 ms of it. Empty if neither works.
std::optional<SnapshotAlignment> alignSnapshot(const MemorySnapshot &snapshot, const Trace &trace);

} // namespace riffle
