// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"

#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// Slices of one row of a segment, indices [begin, end): disjoint and by start.
struct SliceRun {
    const Segment *segment = nullptr;
    uint32_t begin = 0, end = 0;

    uint32_t firstSlice() const { return segment->firstSlice + begin; }
    uint32_t lastSlice() const { return segment->firstSlice + end; } ///< one behind
};

/// The part of a trace that a question is about; what is left empty does not limit.
struct ScopeRequest {
    std::optional<TimeSpan> range;    ///< trace time
    std::optional<TimeSpan> steps;    ///< their numbers [n, m]
    std::vector<int64_t> stepNumbers; ///< or these
    std::string stepMark;             ///< name of the slices that are steps; empty: the profiler's marks
    bool withoutFirstStep = false;    ///< where the first step is far longer than the rest (StepSet::firstIsOutlier)
    std::vector<uint8_t> lanes;       ///< by LaneId; threads limit what the host did, streams what the device did
    std::vector<uint8_t> names;       ///< by StringId
    uint32_t ranksInView = 1;         ///< traces that stand beside each other, this one included

    bool operator==(const ScopeRequest &) const = default;
};

/// A request applied to one trace (R2). Times of the host are clipped to the range or the chosen steps, and calls count
/// where they start inside. Device work belongs to chosen steps by its launch, whole; a range clips it where it runs.
/// An operator's device work is what was launched inside, whole, wherever it runs.
class Scope {
public:
    /// `trace`: the trace's index in its set, for links to its slices.
    Scope(const TraceFacts &facts, const ScopeRequest &request, uint32_t trace = 0);

    const TraceFacts &facts() const { return m_facts; }
    uint32_t trace() const { return m_trace; }
    const ScopeRequest &request() const { return m_request; }
    const std::optional<TimeSpan> &range() const { return m_request.range; }
    bool choosesSteps() const { return m_request.steps || !m_request.stepNumbers.empty(); }
    uint32_t ranksInView() const { return m_request.ranksInView; }
    const StepSet &steps() const { return m_steps; }
    /// Whether a step was chosen and, where a range limits the times, has time in it.
    bool hasStep(uint32_t step) const { return m_stepChosen[step]; }
    uint32_t chosenSteps() const;
    /// The step's time on the host, clipped to the range.
    TimeSpan stepSpan(uint32_t step) const;
    /// Whether the range holds some of the step's time only: its length says nothing. The step "all" is never cut.
    bool cutsStep(uint32_t step) const { return m_steps.marked && stepSpan(step) != m_steps.steps[step].host; }
    bool everything() const { return m_everything; } ///< nothing limits the times
    /// The times of the host that count; meaningless while everything() does.
    const IntervalSet &times() const { return m_times; }
    /// What figures about devices are relative to (R5): each run of chosen steps as one, or the range.
    const IntervalSet &window() const { return m_window; }

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
    /// A slice counts when it has time inside, or is empty and stands inside.
    bool touches(TimeSpan span) const { return clipped(span) > 0 || holds(span.begin); }
    /// All slices of chosen lanes of the host that may touch times(), by ascending slice, in runs of at most `most`.
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

    /// By device work: whether it was launched inside (without a launch: starts inside).
    bool launches(size_t work) const { return m_launched.empty() || m_launched[work]; }
    /// By device work: how much of it counts where it is asked about as device work: whole by steps, clipped by a
    /// range.
    Ns deviceTime(size_t work) const;
    /// Whether it counts as a call there.
    bool begins(size_t work) const;
    /// The same as a span where that is one piece; empty when it does not count.
    TimeSpan deviceSpan(size_t work) const;

private:
    void chooseSteps();
    void leaveOutStepsBesideRange();
    void chooseTimes();

    const TraceFacts &m_facts;
    uint32_t m_trace;
    const StepSet &m_steps;
    ScopeRequest m_request;
    std::vector<uint8_t> m_stepChosen;
    bool m_byStep = false;
    bool m_everything = true;
    bool m_hostLanes = false, m_streams = false;
    IntervalSet m_times, m_window;
    TimeSpan m_hull; ///< of m_times
    bool m_isOnePiece = false;
    std::vector<uint8_t> m_launched; ///< empty: all
};

} // namespace riffle
