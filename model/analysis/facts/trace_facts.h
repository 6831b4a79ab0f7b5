// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/call_tree.h"
#include "model/analysis/facts/collective_calls.h"
#include "model/analysis/facts/device_work.h"
#include "model/analysis/facts/frame_chains.h"
#include "model/analysis/facts/host_nodes.h"
#include "model/analysis/facts/operator_flops.h"
#include "model/analysis/facts/recording_gaps.h"
#include "model/analysis/facts/role_times.h"
#include "model/analysis/facts/slice_classes.h"
#include "model/analysis/facts/stage_pieces.h"
#include "model/analysis/facts/step_set.h"
#include "model/analysis/facts/stream_waits.h"
#include "model/analysis/facts/trace_memory.h"
#include "model/base/lazy.h"
#include "model/trace/squeezed_lanes.h"
#include "model/trace/work_class.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// The facts that all analyses of a trace use. Each is computed once, then shared and never changed. Any thread may
/// read them. If the StopScope of all threads that wait for a fact is stopped, they get Stopped, and the fact is
/// computed when it is next needed.
class TraceFacts {
public:
    /// `settled` is the time up to which the trace is complete; nothing if all of it is. If a trace that grows has more
    /// slices than `mostSlices`, the facts are about its newest part (newestPart()).
    explicit TraceFacts(std::shared_ptr<const Trace> trace, std::optional<Ns> settled = {},
                        uint64_t mostSlices = UINT64_MAX);

    const Trace &trace() const { return *m_trace; }                       ///< what the facts are about
    const std::shared_ptr<const Trace> &whole() const { return m_whole; } ///< the trace that was given
    bool isPart() const { return m_trace != m_whole; }
    /// True if they would be the same with this limit.
    bool hasMost(uint64_t slices) const { return slices == m_mostSlices || (!isPart() && slices == UINT64_MAX); }
    std::optional<Ns> settled() const { return m_settled; }
    /// The time for which the facts know everything; nothing if that is all of the trace.
    std::optional<TimeSpan> settledSpan() const;
    const SliceClasses &classes() const;
    const CallTree &calls() const;
    const DeviceWork &work() const;
    const StreamWaits &waits() const;
    const CollectiveCalls &collectives() const;
    const OperatorFlops &flops() const;
    const RoleTimes &roles() const;
    const FrameChains &chains() const;
    const HostNodes &nodes() const;
    const StagePieces &stages() const;
    const TraceMemory &memory() const;
    const RecordingGaps &gaps() const;
    /// The kind of work of each slice; see slice_work_classes.h. Never null.
    const std::shared_ptr<const WorkClasses> &workClasses() const;
    /// The lanes without their plumbing; see lane_squeezing.h. Never null.
    const std::shared_ptr<const SqueezedLanes> &squeezedLanes() const;
    const std::vector<DeviceTimes> &devices() const; ///< parallel to work().devices
    /// The steps for a mark that the user chose; if `mark` is empty, for the profiler's own marks.
    const StepSet &steps(const std::string &mark = {}) const;

private:
    std::shared_ptr<const Trace> m_whole, m_trace;
    std::optional<Ns> m_settled;
    uint64_t m_mostSlices;
    Lazy<SliceClasses> m_classes;
    Lazy<CallTree> m_calls;
    Lazy<DeviceWork> m_work;
    Lazy<StreamWaits> m_waits;
    Lazy<OperatorFlops> m_flops;
    Lazy<RoleTimes> m_roles;
    Lazy<FrameChains> m_chains;
    Lazy<HostNodes> m_nodes;
    Lazy<StagePieces> m_stages;
    Lazy<TraceMemory> m_memory;
    Lazy<RecordingGaps> m_gaps;
    Lazy<std::vector<DeviceTimes>> m_devices;
    mutable std::mutex m_stepsMutex;
    mutable std::map<std::string, Lazy<StepSet>> m_steps; ///< by mark; entries are never removed
    Lazy<CollectiveCalls> m_collectives;
    Lazy<std::shared_ptr<const WorkClasses>> m_workClasses;
    Lazy<std::shared_ptr<const SqueezedLanes>> m_squeezedLanes;
};

} // namespace riffle
