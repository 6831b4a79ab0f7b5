// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/base/interval_set.h"

#include <array>
#include <vector>

namespace riffle {

/// When a device did what; all roles apart.
struct DeviceTimes {
    IntervalSet compute, communication, memcpy, memset;
    IntervalSet kernels; ///< compute and communication
    IntervalSet busy;    ///< all of it

    DeviceTimes(const DeviceWork &work, const DeviceWork::Device &device);
};

/// When anything of a role happened, on any lane or device. Made once a trace; every question about a range is then
/// answered by binary search.
struct RoleTimes {
    /// By Role: without what roles of higher priority cover, so that these are disjoint (R4).
    std::array<IntervalSet, kRecordedRoles> exclusive;

    /// What one thread did, in order of priority and disjoint: the sub-causes of idle gaps (R6) are read from it.
    struct Lane {
        IntervalSet dataloader, waiting, runtime, code;
    };
    std::vector<Lane> lanes; ///< by LaneId; empty for lanes that are no threads

    RoleTimes(std::vector<Lane> lanes, const std::vector<DeviceTimes> &devices);
};

/// What each thread did, with roles overlapping as recorded; needs no device work.
std::vector<RoleTimes::Lane> laneTimes(const Trace &trace, const SliceClasses &classes);

} // namespace riffle
