// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/memory/memory_snapshot.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <optional>

namespace riffle {

/// Where the entries of a snapshot's history stand in the time of a trace of the same process.
struct SnapshotAlignment {
    int64_t offset = 0;   ///< Unix ns − trace ns
    bool byMarks = false; ///< by ranges that both name; else both know the real time

    /// Ends at the ends of time instead of overflowing.
    Ns toTrace(int64_t unixNs) const { return saturatedSum(unixNs, offset == INT64_MIN ? INT64_MAX : -offset); }
    int64_t toUnix(Ns time) const { return saturatedSum(time, offset); }
};

/// By real time where the trace knows it, or counts in it, and was recorded while the history was; else by annotations
/// of the snapshot (step marks, the optimizer's) that the trace has as slices of the same names, equally often: the
/// median of their distances, when half of them are within 10 ms of it. Nothing where neither tells.
std::optional<SnapshotAlignment> alignSnapshot(const MemorySnapshot &snapshot, const Trace &trace);

} // namespace riffle
