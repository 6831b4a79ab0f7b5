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

/// A count with thousands separators, as findings print it.
inline std::string countText(uint64_t number) { return formatCount(static_cast<int64_t>(number)); }

/// The input that all rules share, built once.
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
    /// The properties of the device that the profiler numbers `device`; null if the trace does not record them.
    const DeviceProperties *properties(int32_t device) const;
    SliceRef ref(uint32_t slice) const { return {scope.trace(), SliceId(slice)}; }
    /// The innermost slice of a lane at a time that satisfies `wanted`; invalid if there is none.
    SliceRef sliceAt(LaneId lane, Ns time, const std::function<bool(SliceClass)> &wanted) const;
    /// The longest wait for data inside the scope, and the lane of its thread.
    std::pair<LaneId, TimeSpan> longestLoading() const;
    /// The first slice of the host with exactly this name; invalid if there is none.
    SliceRef hostSliceNamed(std::string_view name) const;
    TimeSpan spanOf(SliceRef slice) const;
    /// The time that assigns a finding to a step (R1): that of its first evidence, or of the launch if the evidence is
    /// device work.
    Ns stepTimeOf(const Finding &finding) const;
};

/// The functions of the rules, grouped by topic. The row of the table that names a function is passed to it as its
/// rule.
using FindRule = const char *(const FindingInput &, const FindingRule &, std::vector<Finding> &);

FindRule findDataloaderShare, findInputNotOverlapped, findCommunicationShare, findLowUtilization, findLongFirstStep,
    findLongSteps, findAsynchronousSteps;                                // steps.cpp
FindRule findLongCollectives, findSlowCollectives;                       // communication.cpp
FindRule findLaunchBound, findIdleAfterSynchronisation, findTinyKernels; // launches.cpp
FindRule findLostRecords, findMissingKernels, findMissingLaunches, findProfilerOverhead,
    findClocksApart;                                                          // recording.cpp
FindRule findTensorCoresUnused, findDataParallel, findDistributedWithoutNccl; // devices.cpp
FindRule findMemoryPeak, findMemoryHeld, findOutOfMemory;                     // memory.cpp

} // namespace riffle
