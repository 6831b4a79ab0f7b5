// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/result_table.h"
#include "model/base/big_vector.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace riffle {

/// The times of some calls, in ns. If there are no calls, at most the total is known.
struct CallTimes {
    uint64_t calls = 0;
    Ns total = kNoInt, longest = kNoInt, shortest = kNoInt;

    /// Adds the time that a call has inside the scope. A call that starts outside the scope (`begins` is false) adds to
    /// the total, but is not counted.
    void add(Ns time, bool begins = true)
    {
        total = totalOrZero() + time;
        if (!begins)
            return;
        longest = calls ? std::max(longest, time) : time;
        shortest = calls ? std::min(shortest, time) : time;
        ++calls;
    }
    Ns totalOrZero() const { return total == kNoInt ? 0 : total; }
};

/// A row of the tables that show the time of calls on the host, and of the device work that was launched inside them.
struct TimedRow {
    std::string name;
    std::string thread; ///< only set if there are rows for each thread
    uint32_t depth = 0;
    int64_t calls = kNoInt;
    CallTimes host, device; ///< device: one time per call on the host, or per slice on the device
    double hostShare = std::numeric_limits<double>::quiet_NaN();
    double deviceShare = std::numeric_limits<double>::quiet_NaN();
    SliceRef longest; ///< the row's longest slice; invalid if there is none
};

struct TimedTexts {
    const char *name;        ///< meaning of the names
    const char *device;      ///< meaning of the device time
    const char *hostShare;   ///< meaning of the host's shares, as a sentence
    const char *deviceShare; ///< meaning of the device's shares, as a sentence
};

/// The rows as a table: name, calls, and the total, average, maximum, minimum and share of both host and device time.
ResultTable timedTable(const std::vector<TimedRow> &rows, const TimedTexts &texts, bool byThread = false);

/// For each node of scope.facts().nodes(), the summed time of the device work in the scope that was launched inside it.
BigVector<Ns> nodeDeviceTimes(const Scope &scope);

/// Visits the nodes on chosen lanes that may touch the scope's times, in ascending order.
template <typename Visit>
void forEachNode(const Scope &scope, Visit visit)
{
    const HostNodes &nodes = scope.facts().nodes();
    for (const SliceRun &run : scope.hostRuns()) {
        const uint32_t end = nodes.firstNodeFrom(*run.segment, run.end);
        for (uint32_t node = nodes.firstNodeFrom(*run.segment, run.begin); node < end; ++node)
            visit(node);
    }
}

} // namespace riffle
