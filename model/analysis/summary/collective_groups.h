// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// The calls of one row of the table of collectives: those with the same operation, group, peers, type and size that
/// are known from the same source (R10). It refers to the facts of a trace.
struct CallGroup {
    const CollectiveCall *call = nullptr; ///< the first one
    const CollectiveGroup *group = nullptr;
    int64_t calls = 0, withKernels = 0, onHost = 0;
    BigVector<Ns> times; ///< per call with kernels, its kernels' time
    Ns device = 0, overlapped = 0, host = 0;
    int64_t bytes = kNoInt; ///< of all calls
    int64_t movedBytes = 0;
    Ns moving = 0;                        ///< of the whole calls with kernels and a size
    uint32_t example = DeviceWork::kNone; ///< the slice of the longest call
    Ns longest = -1;

    /// In GB/s: bytes per ns.
    double algorithmBandwidth() const
    {
        return movedBytes > 0 ? ratio(movedBytes, moving) : std::numeric_limits<double>::quiet_NaN();
    }
    /// The time of all calls: that of their kernels, otherwise the host's; kNoInt if neither is known.
    Ns time() const { return withKernels ? device : onHost ? host : kNoInt; }
    /// Adds the calls of another trace in the same row.
    void add(const CallGroup &other);
};

/// The rows in no particular order, and the row of each of their slices.
struct CallGroups {
    std::vector<CallGroup> rows;
    BigVector<std::pair<uint32_t, uint32_t>> links;
};

CallGroups callGroupsOf(const Scope &scope);
/// The order in which the table shows the rows: by descending time on the device, then on the host, then by calls.
std::vector<uint32_t> orderOf(const std::vector<CallGroup> &rows);

std::string operationName(const CollectiveCall &call);
/// The description of a process group, otherwise its name.
std::string groupName(const CollectiveGroup &group);
/// "0 → 1" of a point-to-point call; empty for others.
std::string peersText(const CollectiveCall &call);

void addGroupColumns(TableBuilder<CallGroup> &build);
void addCallColumns(TableBuilder<CallGroup> &build);
void addSizeColumns(TableBuilder<CallGroup> &build);
/// Sentences about what the rows do not know.
std::vector<std::string> notesOf(std::span<const CallGroup> rows);
/// Says that a scope has no collectives.
EmptyState noCollectives(const Scope &scope);

} // namespace riffle
