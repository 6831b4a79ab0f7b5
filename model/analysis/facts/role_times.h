// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_work.h"
#include "model/base/interval_set.h"

#include <array>
#include <vector>

namespace riffle {

/// The times of a device, separately for each role.
struct DeviceTimes {
    IntervalSet compute, communication, memcpy, memset;
    IntervalSet kernels; ///< compute and communication
    IntervalSet busy;    ///< the union of all roles

    DeviceTimes(const DeviceWork &work, const DeviceWork::Device &device);
};

/// The times of each role on any lane or device. Built once per trace; every question about a range is then answered by
/// binary search.
struct RoleTimes {
    /// Per Role, its times without those of roles with higher priority, so that the sets are disjoint (R4). If there
    /// are no devices, the host's collectives are the communication.
    std::array<IntervalSet, kRecordedRoles> exclusive;

    /// The times of one thread, disjoint and in order of priority; the sub-causes of idle gaps (R6) are derived from
    /// it.
    struct Lane {
        IntervalSet dataloader, waiting, runtime, code;
        IntervalSet collectives; ///< those that the host carries out; part of `code`
    };
    std::vector<Lane> lanes; ///< per LaneId; empty for lanes that are not threads

    RoleTimes(std::vector<Lane> lanes, const std::vector<DeviceTimes> &devices);
};

/// The times of each thread, with roles overlapping as recorded; does not need the device work.
std::vector<RoleTimes::Lane> laneTimes(const Trace &trace, const SliceClasses &classes);

} // namespace riffle
