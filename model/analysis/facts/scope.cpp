// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/scope.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

/// Limits a request to the part of the trace that was read, if it was read in part, and to what has settled, if the
/// trace grows; limits a range to the recorded time.
ScopeRequest completed(const TraceFacts &facts, ScopeRequest request)
{
    const Trace &trace = facts.trace();
    const bool byNumber = request.stepMark.empty(); // with another mark, the numbers refer to other steps
    const bool chosen = request.steps || !request.stepNumbers.empty();
    if (byNumber && !chosen && trace.info.partSteps)
        request.steps = trace.info.partSteps;
    else if (!request.range && (!chosen || !byNumber) && trace.info.part)
        request.range = trace.info.part;
    if (const std::optional<TimeSpan> settled = facts.settledSpan())
        request.range = request.range ? request.range->clipped(*settled) : *settled;
    if (request.range && !trace.info.recorded.empty())
        request.range = request.range->clipped(trace.info.recorded);
    return request;
}

} // namespace

Scope::Scope(const TraceFacts &facts, const ScopeRequest &request, TraceId trace)
    : m_facts(facts)
    , m_trace(trace)
    , m_steps(facts.steps(request.stepMark))
    , m_request(completed(facts, request))
    , m_classes(request.classes ? facts.workClasses().get() : nullptr)
{
    for (uint32_t lane = 0; lane < m_request.lanes.size() && lane < facts.trace().lanes.size(); ++lane) {
        if (!m_request.lanes[lane])
            continue;
        (facts.trace().lanes[lane].kind == LaneKind::Stream ? m_streams : m_hostLanes) = true;
    }
    chooseSteps();
    chooseTimes();
}

void Scope::chooseSteps()
{
    const auto isWanted = [&](int64_t number) {
        if (m_request.steps && (number < m_request.steps->begin || number > m_request.steps->end))
            return false;
        const auto &numbers = m_request.stepNumbers;
        return numbers.empty() || std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    };
    m_stepChosen.resize(m_steps.steps.size());
    for (size_t at = 0; at < m_stepChosen.size(); ++at)
        m_stepChosen[at] = isWanted(m_steps.steps[at].number);
    if (m_request.withoutFirstStep && m_steps.firstIsOutlier())
        m_stepChosen.front() = false;
    if (m_request.endedStepsOnly && hasEndedStep())
        for (size_t at = 0; at < m_stepChosen.size(); ++at)
            m_stepChosen[at] = m_stepChosen[at] && m_steps.steps[at].ended;
    m_byStep = m_steps.marked && std::find(m_stepChosen.begin(), m_stepChosen.end(), 0) != m_stepChosen.end();
    // The requested steps may be all steps of the trace; even then, the time outside them is not requested.
    m_byStep |= m_steps.marked && (m_request.steps || !m_request.stepNumbers.empty());
    if (m_request.range)
        leaveOutStepsBesideRange();
}

void Scope::leaveOutStepsBesideRange()
{
    for (uint32_t at = 0; at < m_stepChosen.size(); ++at)
        m_stepChosen[at] = m_stepChosen[at] && !stepSpan(at).empty();
}

/// True if any chosen step ended.
bool Scope::hasEndedStep() const
{
    for (size_t at = 0; at < m_stepChosen.size(); ++at)
        if (m_stepChosen[at] && m_steps.steps[at].ended)
            return true;
    return false;
}

TimeSpan Scope::stepSpan(uint32_t step) const
{
    assert(step < m_steps.steps.size());
    const TimeSpan host = m_steps.steps[step].host;
    return m_request.range ? host.clipped(*m_request.range) : host;
}

void Scope::chooseTimes()
{
    assert(m_stepChosen.size() == m_steps.steps.size());
    for (size_t at = 0; at < m_stepChosen.size(); ++at)
        if (m_stepChosen[at])
            m_times.append(m_steps.steps[at].host);
    const bool anyEnded = hasEndedStep();
    const auto counts = [&](size_t at) { return m_stepChosen[at] && (m_steps.steps[at].ended || !anyEnded); };
    for (size_t at = 0; at < m_stepChosen.size(); ++at) {
        if (!counts(at))
            continue;
        const Ns begin = m_steps.steps[at].host.begin;
        while (at + 1 < m_stepChosen.size() && counts(at + 1))
            ++at;
        m_window.append({begin, m_steps.steps[at].host.end});
    }
    m_everything = !m_byStep && !m_request.range;
    if (m_request.range) {
        const IntervalSet range(*m_request.range);
        m_times = m_byStep ? m_times & range : range;
        m_window = m_byStep ? m_window & range : range;
    }
    m_wholeWindow = m_window;
    if (const IntervalSet &gaps = m_facts.gaps().times; !gaps.empty())
        m_window = m_window - gaps;
    if (m_everything)
        return;
    if (!m_times.empty())
        m_hull = {m_times.intervals().front().begin, m_times.intervals().back().end};
    m_isOnePiece = m_times.intervals().size() <= 1;
    const DeviceWork &work = m_facts.work();
    m_launched.resize(work.size());
    for (size_t at = 0; at < work.size(); ++at)
        m_launched[at] = holds(m_byStep && m_steps.onDevice ? work.start[at] : work.launched[at]);
}

std::vector<SliceRun> Scope::hostRuns(uint32_t most) const
{
    const Trace &trace = m_facts.trace();
    std::vector<SliceRun> runs;
    for (const auto &segment : trace.segments) {
        if (trace.lanes[segment->lane.value].kind == LaneKind::Stream || !hasHostLane(segment->lane))
            continue;
        for (uint32_t row = 0; row < segment->rows(); ++row) {
            auto [begin, end] = m_everything ? std::pair(segment->rowBegin[row], segment->rowBegin[row + 1])
                                             : segment->overlapping(row, m_hull);
            for (; begin < end; begin += std::min(most, end - begin))
                runs.push_back({segment.get(), begin, begin + std::min(most, end - begin)});
        }
    }
    return runs;
}

uint32_t Scope::chosenSteps() const
{
    return static_cast<uint32_t>(std::count(m_stepChosen.begin(), m_stepChosen.end(), 1));
}

TimeSpan Scope::deviceSpan(size_t at) const
{
    assert(at < m_facts.work().size());
    const TimeSpan span = m_facts.work().span(at);
    if (m_everything)
        return span;
    if (m_byStep)
        return m_launched[at] ? span : TimeSpan{};
    return span.clipped(*m_request.range);
}

bool Scope::begins(size_t at) const
{
    if (m_everything)
        return true;
    return m_byStep ? m_launched[at] : m_request.range->contains(m_facts.work().start[at]);
}

Ns Scope::deviceTime(size_t at) const { return deviceSpan(at).duration(); }

} // namespace riffle
