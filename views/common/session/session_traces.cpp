// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the session that runs when its traces change.
#include "views/common/session/session.h"

#include "model/analysis/facts/step_marks.h"
#include "model/analysis/search/moved_references.h"
#include "model/analysis/summary/summary.h"
#include "model/base/stopping.h"
#include "model/trace/wall_clock.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"

#include <QThread>

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {

const auto kStepsJob = QStringLiteral("steps");

} // namespace

void Session::setTraces(TraceSet traces)
{
    assert(QThread::currentThread() == thread());
    m_traces = std::move(traces);
    m_run = std::make_shared<const OpenRun>(); // its members were those of the previous set
    m_shownRun = 0;
    m_generations.clear();
    m_facts = std::make_shared<const SetFacts>(m_traces, nullptr, m_mostSlices);
    m_pace.begin();
    m_memory->setTraceOpen(!m_traces.empty());
    ++m_opening;
    Changes changes = Traces;
    m_alsoSelected.clear();
    if (std::exchange(m_selected, {}).valid())
        changes |= Selection;
    if (std::exchange(m_area, std::nullopt))
        changes |= Area;
    if (!std::exchange(m_marks, {}).empty())
        changes |= Marks;
    if (!m_highlight.empty() || !m_highlightedSlices.empty())
        changes |= Highlight;
    m_highlight.clear();
    m_highlightedSlices.clear();
    if (!m_bands.empty())
        changes |= Bands;
    m_bands.clear();
    if (!m_filters.empty())
        changes |= Filter;
    m_filters = {};
    m_filterParts.clear();
    findChosenSteps();
    const QList<Pane *> panes = findChildren<Pane *>(Qt::FindDirectChildrenOnly);
    for (Pane *pane : panes)
        pane->showOtherTraces();
    m_followed = m_pane->visibleRange();
    emit changed(changes);
    for (Pane *pane : panes)
        pane->tell();
}

void Session::changeTraces(TraceSet traces)
{
    assert(QThread::currentThread() == thread());
    const TraceSet before = std::exchange(m_traces, std::move(traces));
    m_facts = std::make_shared<const SetFacts>(m_traces, m_facts.get(), m_mostSlices);
    m_pace.begin();
    m_memory->setTraceOpen(!m_traces.empty());
    const MovedReferences references(before, m_traces);
    Changes changes = changesSince(before, references) | pointAgain(references) | keepMarks(before, references);
    keepChosenSteps(before, references);
    if (changes & Members && !m_filters.stepMark.empty())
        changes |= Steps;
    const bool hasOnlyGrown = (changes & Placement) == Changes(Grown);
    const QList<Pane *> panes = findChildren<Pane *>(Qt::FindDirectChildrenOnly);
    for (Pane *pane : panes)
        pane->keepPlace(!hasOnlyGrown);
    emit changed(changes);
    for (Pane *pane : panes)
        pane->tell();
}

void Session::growTrace(TraceId id, std::shared_ptr<const Trace> trace, std::optional<Growing> growing)
{
    assert(QThread::currentThread() == thread());
    const LoadedTrace *member = m_traces.find(id);
    if (!member)
        return;
    std::optional<Generation> &next = m_generations[id];
    if (!trace) // the newest one so far
        trace = next && next->reading == member->reading ? next->trace : member->trace;
    next = Generation{std::move(trace), std::move(growing), member->reading};
    if (!m_growth.isActive())
        takeGenerations();
}

/// Tells which traces have grown, and makes facts() follow when it is time.
void Session::takeGenerations()
{
    Changes changes;
    uint32_t number = 0;
    for (std::optional<Generation> &next : m_generations) {
        const TraceId id(number++);
        const LoadedTrace *member = m_traces.find(id);
        if (!next || !member || member->reading != next->reading)
            continue;
        const TimeMap time = m_traces.time(id);
        m_traces.grow(id, std::move(next->trace), std::move(next->growing));
        changes |= time == m_traces.time(id) ? Changes(Grown) : Grown | Clock;
    }
    m_generations.clear();
    if (renewFacts())
        changes |= Renewed;
    if (changes & Grown || m_areFactsBehind)
        m_growth.start();
    if (!changes)
        return;
    const QList<Pane *> panes = findChildren<Pane *>(Qt::FindDirectChildrenOnly);
    for (Pane *pane : panes)
        pane->moveAlong();
    if (changes & Renewed && m_followsView && m_pane->followsEnd())
        m_followed = m_pane->visibleRange();
    emit changed(changes);
    for (Pane *pane : panes)
        pane->tell();
}

/// Makes facts() those of the traces as they are, if the traces have grown and it is time. When a trace ends, it is.
bool Session::renewFacts()
{
    bool hasEnded = false;
    m_areFactsBehind = false;
    for (const LoadedTrace &member : m_traces.loaded()) {
        const LoadedTrace *known = m_facts->set().find(member.id);
        const bool isSame = known && known->trace == member.trace && known->settled() == member.settled();
        m_areFactsBehind |= !isSame;
        hasEnded |= !isSame && !member.growing;
        if (!isSame)
            m_chosenSteps[member.id].areFound = false;
    }
    if (!m_areFactsBehind || !(m_pace.isDue() || hasEnded))
        return false;
    m_areFactsBehind = false;
    m_facts = std::make_shared<const SetFacts>(m_traces, m_facts.get(), m_mostSlices);
    m_pace.begin();
    findChosenSteps();
    return true;
}

void Session::setRun(std::shared_ptr<const OpenRun> run)
{
    assert(run);
    m_run = std::move(run);
    if (m_shownRun >= m_run->layout.runs.size())
        m_shownRun = 0;
    emit changed(Runs);
}

void Session::showRun(uint32_t run)
{
    if (run == m_shownRun || run >= m_run->layout.runs.size())
        return;
    m_shownRun = run;
    emit changed(Runs);
}

bool Session::grows() const
{
    return std::ranges::any_of(m_traces.loaded(), [](const LoadedTrace &member) { return member.growing.has_value(); });
}

AsOf Session::factsAsOf() const
{
    AsOf asOf;
    for (const LoadedTrace &member : m_facts->set().loaded()) {
        if (const TraceFacts &facts = m_facts->of(member.id); facts.isPart())
            asOf.newest = std::min(asOf.newest.value_or(kLatestTime), facts.settledSpan()->duration());
        if (!member.growing)
            continue;
        asOf.goesOn = true;
        const Ns settled = std::min(member.settled().value_or(kLatestTime), member.trace->recordedSpan().end);
        if (const auto at = lateUnixTime(member.trace->info, settled))
            asOf.unixNs = std::min(asOf.unixNs.value_or(*at), *at);
    }
    return asOf;
}

void Session::setMostSlicesOfFacts(uint64_t most)
{
    m_mostSlices = most;
    m_facts = std::make_shared<const SetFacts>(m_traces, nullptr, m_mostSlices);
    emit changed(Renewed);
}

/// Tells how the members differ from those of the set as it was before.
Session::Changes Session::changesSince(const TraceSet &before, const MovedReferences &references) const
{
    Changes changes;
    if (!std::ranges::equal(before.members(), m_traces.members(), {}, &TraceMember::id, &TraceMember::id))
        changes |= Members;
    for (const TraceMember &member : m_traces.members()) {
        const TraceMember *was = before.member(member.id);
        if (!was)
            continue;
        if (was->facts != member.facts)
            changes |= Facts;
        TraceMember old = *was;
        old.facts = member.facts;
        if (std::ranges::find(references.grown(), member.id) != references.grown().end())
            changes |= Grown;
        else if (old != member || before.trace(member.id) != m_traces.trace(member.id))
            changes |= Members;
        if (was->isKnown && before.time(member.id) != m_traces.time(member.id))
            changes |= Clock;
    }
    return changes;
}

/// Finds again what points at members.
Session::Changes Session::pointAgain(const MovedReferences &references)
{
    Changes changes;
    if (const auto before = std::pair(m_selected, m_alsoSelected); m_selected.valid()) {
        m_selected = references.now(m_selected);
        for (SliceRef &slice : m_alsoSelected)
            slice = references.now(slice);
        std::erase_if(m_alsoSelected, [](SliceRef slice) { return !slice.valid(); });
        if (!m_selected.valid())
            takeNextSelected();
        if (before != std::pair(m_selected, m_alsoSelected))
            changes |= Selection;
    }
    std::optional<AreaSelection> area = m_area;
    if (area && !area->lanes.empty() && (references.update(area->lanes), area->lanes.empty()))
        area.reset();
    if (area != m_area) {
        m_area = std::move(area);
        changes |= Area;
    }
    Filters filters = m_filters;
    references.update(filters.lanes);
    std::erase_if(filters.traces, [this](TraceId id) { return !m_traces.member(id); });
    if (filters != m_filters) {
        setFiltersSilently(std::move(filters));
        changes |= Filter;
    }
    const bool wereNames = !m_highlight.empty() || !m_highlightedSlices.empty(), wereBands = !m_bands.empty();
    for (const TraceId id : references.dropped()) {
        if (m_traces.find(id))
            ++m_opening;
        m_highlight.erase(id);
        m_highlightedSlices.erase(id);
        m_bands.erase(id);
    }
    if (!references.dropped().empty() && wereNames)
        changes |= Highlight;
    if (!references.dropped().empty() && wereBands)
        changes |= Bands;
    return changes;
}

/// Keeps the marks on members. Those on one that is gone, or was read again and does not have their time any more, stay
/// at their last place in set time.
Session::Changes Session::keepMarks(const TraceSet &before, const MovedReferences &references)
{
    const auto isThere = [this](const Mark &mark) {
        const TraceMember *member = m_traces.member(mark.trace);
        return member && mark.span.begin >= member->recorded.begin && mark.span.end <= member->recorded.end;
    };
    Changes changes;
    for (Mark &mark : m_marks)
        if (mark.trace.valid() && std::ranges::binary_search(references.dropped(), mark.trace) && !isThere(mark)) {
            mark.span = mark.in(before);
            mark.trace = {};
            changes |= Marks;
        }
    return changes;
}

/// Keeps the steps of traces that are the same, and finds the others. Those of a longer trace stay until then.
void Session::keepChosenSteps(const TraceSet &before, const MovedReferences &references)
{
    for (const LoadedTrace &old : before.loaded())
        if (m_traces.trace(old.id) != old.trace.get() &&
            std::ranges::find(references.grown(), old.id) == references.grown().end())
            m_chosenSteps.erase(old.id);
    for (const TraceId id : references.grown())
        m_chosenSteps[id].areFound = false;
    findChosenSteps();
}

std::span<const Step> Session::stepsOf(TraceId trace) const
{
    assert(m_traces.trace(trace));
    if (m_filters.stepMark.empty())
        return m_traces.trace(trace)->steps;
    return m_chosenSteps[trace].steps;
}

void Session::forgetChosenSteps()
{
    m_jobs->cancel(kStepsJob);
    m_chosenSteps.clear();
}

/// Finds the steps of the traces in which they are not found yet. A search that runs goes on, and those that came since
/// follow it: otherwise, ranks that arrive one after another would start it again and again.
void Session::findChosenSteps()
{
    if (m_filters.stepMark.empty()) {
        forgetChosenSteps();
        return;
    }
    std::vector<LoadedTrace> others;
    for (const LoadedTrace &member : m_facts->set().loaded())
        if (!m_chosenSteps[member.id].areFound)
            others.push_back(member);
    if (others.empty() || m_jobs->running(kStepsJob))
        return;
    using Found = std::vector<std::vector<Step>>;
    m_jobs->run(kStepsJob, inTurn([others, mark = m_filters.stepMark](const std::stop_token &stop) {
                    return untilStopped(stop, [&] {
                        Found found;
                        for (const LoadedTrace &member : others)
                            found.push_back(stepsMarkedBy(*member.trace, mark));
                        return found;
                    });
                }),
                [this, others](std::optional<Found> found) {
                    assert(found); // otherwise it was stopped, and its result is dropped
                    for (size_t at = 0; at < others.size(); ++at)
                        if (m_facts->set().trace(others[at].id) == others[at].trace.get())
                            m_chosenSteps[others[at].id] = {std::move((*found)[at]), true};
                    findChosenSteps();
                    emit changed(Steps);
                });
}

} // namespace riffle
