// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/result_table.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace riffle {

/// Times of calls, in ns. Without calls nothing is known but perhaps the total.
struct CallTimes {
    uint64_t calls = 0;
    Ns total = kNoInt, longest = kNoInt, shortest = kNoInt;

    /// What `begins` outside of what was asked about is no call there; the time that it has inside is part of the
    /// total.
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

/// A row of the tables that say what calls took on the host, and what was launched inside on the device.
struct TimedRow {
    std::string name;
    std::string thread; ///< only where rows are kept apart by thread
    uint32_t depth = 0;
    int64_t calls = kNoInt;
    CallTimes host, device; ///< device: a time for each call of the host, or for each slice of the device
    double hostShare = std::numeric_limits<double>::quiet_NaN();
    double deviceShare = std::numeric_limits<double>::quiet_NaN();
    SliceRef longest; ///< the longest of the row; invalid for none
};

struct TimedTexts {
    const char *name;      ///< what the names are
    const char *device;    ///< what the device's time is
    const char *hostShare; ///< of what the shares are
    const char *deviceShare;
};

/// The columns of such rows: name, calls, host_… and device_… total, average, max, min and share.
ResultTable timedTable(const std::vector<TimedRow> &rows, const TimedTexts &texts, bool byThread = false);

/// By node of scope.facts().nodes(): summed time of the device work launched inside, as far as the scope chooses it.
std::vector<Ns> nodeDeviceTimes(const Scope &scope);

/// Visits the nodes on chosen lanes that may touch the scope's times, in ascending order.
template <typename Visit>
void forEachNode(const Scope &scope, Visit visit)
{
    const HostNodes &nodes = scope.facts().nodes();
    for (const SliceRun &run : scope.hostRuns()) {
        const uint32_t end = nodes.firstFrom(run.lastSlice());
        for (uint32_t node = nodes.firstFrom(run.firstSlice()); node < end; ++node)
            visit(node);
    }
}

} // namespace riffle
