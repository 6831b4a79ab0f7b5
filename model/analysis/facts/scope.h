// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"
#include "model/base/big_vector.h"

#include <cassert>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// The slices [begin, end) of one row of a segment: disjoint and sorted by start.
struct SliceRun {
    const Segment *segment = nullptr;
    uint32_t begin = 0, end = 0;
};

/// The requested part of a trace. Empty members do not limit it.
struct ScopeRequest {
    std::optional<TimeSpan> range;    ///< trace time
    std::optional<TimeSpan> steps;    ///< step numbers [n, m]
    std::vector<int64_t> stepNumbers; ///< individual step numbers, as an alternative
    std::string stepMark;             ///< what marks the steps (stepsMarkedBy()); the profiler's marks if empty
    bool withoutFirstStep = false;    ///< leave out a first step that is far longer (StepSet::firstIsOutlier)
    bool endedStepsOnly = false;      ///< leave out steps that never ended, unless no other is chosen
    std::vector<uint8_t> lanes;       ///< per LaneId; threads limit the host's work, streams the device's work
    std::vector<uint8_t> names;       ///< per StringId
    WorkClassSet classes = 0;         ///< the kinds of work of slices
    /// Judge an idle gap that the range or the chosen steps cut as a whole, as far as it extends in the trace's own
    /// window, so that it has the cause that the timeline shows. If false, a part has the same figures as when it is
    /// read alone.
    bool wholeGaps = false;
    uint32_t ranksInView = 1; ///< the number of traces that are shown together, including this one

    bool operator==(const ScopeRequest &) const = default;
};

/// A request applied to one trace (R2). Times of the host are clipped to the range or the chosen steps, and calls count
/// if they start inside. Device work belongs to the chosen steps if its launch does, and then counts as a whole; a
/// range clips it by the time at which it runs. The device work of an operator is the work launched inside it, as a
/// whole, no matter when it runs. Of a trace that grows, only what has settled counts (TraceFacts::settledSpan()).
class Scope {
public:
    /// `trace` is the trace's index in its set, for links to its slices.
    Scope(const TraceFacts &facts, const ScopeRequest &request, TraceId trace = TraceId(0));

    const TraceFacts &facts() const { return m_facts; }
    TraceId trace() const { return m_trace; }
    const ScopeRequest &request() const { return m_request; }
    const std::optional<TimeSpan> &range() const { return m_request.range; }
    bool choosesSteps() const { return m_request.steps || !m_request.stepNumbers.empty(); }
    uint32_t ranksInView() const { return m_request.ranksInView; }
    const StepSet &steps() const { return m_steps; }
    /// True if the step is chosen and, if there is a range, overlaps it.
    bool hasStep(uint32_t step) const
    {
        assert(step < m_stepChosen.size());
        return m_stepChosen[step];
    }
    uint32_t chosenSteps() const;
    /// The step's time on the host, clipped to the range.
    TimeSpan stepSpan(uint32_t step) const;
    /// True if the range contains only a part of the step, so that its length is meaningless. The step "all" is never
    /// cut.
    bool cutsStep(uint32_t step) const { return m_steps.marked && stepSpan(step) != m_steps.steps[step].host; }
    bool everything() const { return m_everything; } ///< true if nothing limits the times
    /// The times of the host that count; meaningless if everything() is true.
    const IntervalSet &times() const { return m_times; }
    /// The time that figures about devices are relative to (R5): each run of chosen steps as one span, or the range.
    /// Steps that never ended do not count unless no other step is chosen, and times in which devices were not recorded
    /// do not count.
    const IntervalSet &window() const { return m_window; }
    /// The same with the times in which devices were not recorded.
    const IntervalSet &wholeWindow() const { return m_wholeWindow; }

    Ns clipped(TimeSpan span) const
    {
        if (m_everything)
            return span.duration();
        return m_isOnePiece ? span.clipped(m_hull).duration() : m_times.lengthWithin(span);
    }
    bool holds(Ns time) const
    {
        return m_everything || (m_hull.contains(time) && (m_isOnePiece || m_times.contains(time)));
    }
    /// True if some of a slice's time counts, or if the slice starts at a time that counts.
    bool touches(TimeSpan span) const { return clipped(span) > 0 || holds(span.begin); }
    /// All slices of chosen lanes of the host that may touch times(), ordered by position, in runs of at most `most`
    /// slices.
    std::vector<SliceRun> hostRuns(uint32_t most = UINT32_MAX) const;
    bool hasHostLane(LaneId lane) const
    {
        return !m_hostLanes || lane.value >= m_request.lanes.size() || m_request.lanes[lane.value];
    }
    bool hasStream(LaneId lane) const
    {
        return !m_streams || lane.value >= m_request.lanes.size() || m_request.lanes[lane.value];
    }
    bool hasName(uint32_t name) const
    {
        return m_request.names.empty() || name >= m_request.names.size() || m_request.names[name];
    }
    /// True if the slice is of a requested class; with a request for classes, never for SliceId::kNone.
    bool hasClass(const Segment &segment, uint32_t at) const
    {
        return !m_classes || m_classes->isOf(m_request.classes, segment, at);
    }
    bool hasClass(uint32_t slice) const { return !m_classes || m_classes->isOf(m_request.classes, slice); }
    /// True if a slice with this name is not left out by its name or class.
    bool hasSlice(uint32_t slice, uint32_t name) const { return hasName(name) && hasClass(slice); }

    /// True if the device work was launched inside, or starts inside if it has no launch or the device's annotations
    /// mark the steps.
    bool launches(size_t work) const
    {
        assert(m_launched.empty() || work < m_launched.size());
        return m_launched.empty() || m_launched[work];
    }
    /// The time of a piece of device work that counts in figures about devices: all of it for steps, clipped for a
    /// range.
    Ns deviceTime(size_t work) const;
    /// True if the work counts as a call in figures about devices.
    bool begins(size_t work) const;
    /// The span whose length is deviceTime(); empty if the work does not count.
    TimeSpan deviceSpan(size_t work) const;

private:
    void chooseSteps();
    void leaveOutStepsBesideRange();
    bool hasEndedStep() const;
    void chooseTimes();

    const TraceFacts &m_facts;
    TraceId m_trace;
    const StepSet &m_steps;
    ScopeRequest m_request;
    const WorkClasses *m_classes; ///< null if the request is for all classes
    std::vector<uint8_t> m_stepChosen;
    bool m_byStep = false;
    bool m_everything = true;
    bool m_hostLanes = false, m_streams = false;
    IntervalSet m_times, m_window, m_wholeWindow;
    TimeSpan m_hull; ///< from the start to the end of m_times
    bool m_isOnePiece = false;
    BigVector<uint8_t> m_launched; ///< per device work; empty if all of it counts
};

} // namespace riffle
