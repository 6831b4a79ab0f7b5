// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"

#include <vector>

namespace riffle {

/// The sums over all slices of a trace that have the same name, and possibly the same lane. Times are in ns.
struct NameSums {
    uint32_t name = 0;             ///< StringId
    uint32_t lane = LaneId::kNone; ///< if they are grouped by lane, too
    uint64_t calls = 0;
    Ns duration = 0;
    Ns self = 0;
    Ns shortest = 0;
    Ns longest = 0;
};

/// Rows are in the order of lanes and of the first slice with a name.
std::vector<NameSums> sumSlicesByName(const Trace &trace);
std::vector<NameSums> sumSlicesByLaneAndName(const Trace &trace);
/// The kernels that ran on a device, as in the table of kernels.
std::vector<NameSums> sumKernelsByName(const TraceFacts &facts);

} // namespace riffle
