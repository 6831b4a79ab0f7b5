// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/device_properties.h"
#include "model/analysis/findings/device_memory.h"
#include "model/analysis/findings/finding.h"
#include "model/analysis/summary/overview.h"
#include "model/base/format.h"

#include <functional>
#include <string_view>

namespace riffle {

/// A number of things with thousands separators, as findings write it.
inline std::string countText(uint64_t number) { return formatCount(static_cast<int64_t>(number)); }

/// What all rules look at, made once.
struct FindingInput {
    explicit FindingInput(const Scope &scope);

    const Scope &scope;
    const TraceFacts &facts;
    const Trace &trace;
    Overview overview;
    std::vector<DeviceProperties> devices;
    std::vector<DeviceMemory> memories;

    Ns step() const { return overview.meanStep; }
    Ns meanOf(Role role) const { return overview.meanBreakdown[static_cast<size_t>(role)]; }
    /// Of the device that the profiler numbers so; null when the trace does not say.
    const DeviceProperties *properties(int32_t device) const;
    SliceRef ref(uint32_t slice) const { return {scope.trace(), SliceId(slice)}; }
    /// The innermost slice of a lane at a time for which `wanted` holds; invalid when there is none.
    SliceRef sliceAt(LaneId lane, Ns time, const std::function<bool(SliceClass)> &wanted) const;
    /// The longest time inside the scope in which a thread waits for data.
    std::pair<LaneId, TimeSpan> longestLoading() const;
    /// The first slice of the host with exactly that name; invalid when there is none.
    SliceRef hostSliceNamed(std::string_view name) const;
    TimeSpan spanOf(SliceRef slice) const;
    /// The time by which a finding belongs to a step (R1): the launch of its first evidence, where that is device work.
    Ns stepTimeOf(const Finding &finding) const;
};

/// The rules' functions, by what they are about. Each answers for its row of the table.
using FindRule = const char *(const FindingInput &, const FindingRule &, std::vector<Finding> &);

FindRule findDataloaderShare, findInputNotOverlapped, findCommunicationShare, findLowUtilization,
    findLongFirstStep;                                                   // steps.cpp
FindRule findLongCollectives, findSlowCollectives;                       // communication.cpp
FindRule findLaunchBound, findIdleAfterSynchronisation, findTinyKernels; // launches.cpp
FindRule findLostRecords, findMissingKernels, findMissingLaunches, findProfilerOverhead,
    findClocksApart;                                                          // recording.cpp
FindRule findTensorCoresUnused, findDataParallel, findDistributedWithoutNccl; // devices.cpp
FindRule findMemoryPeak, findMemoryHeld, findOutOfMemory;                     // memory.cpp

} // namespace riffle
