// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the session that runs when its traces change.
#include "views/common/session/session.h"

#include "model/analysis/facts/step_marks.h"
#include "model/analysis/search/moved_references.h"
#include "model/analysis/summary/summary.h"
#include "model/base/stopping.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"

#include <QThread>

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

void Session::setTraces(TraceSet traces)
{
    assert(QThread::currentThread() == thread());
    m_traces = std::move(traces);
    m_facts = std::make_shared<const SetFacts>(m_traces);
    m_memory->setTraceOpen(!m_traces.empty());
    ++m_opening;
    Changes changes = Traces;
    if (std::exchange(m_selected, {}).valid())
        changes |= Selection;
    if (std::exchange(m_area, std::nullopt))
        changes |= Area;
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
    m_chosenSteps.clear();
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
    m_facts = std::make_shared<const SetFacts>(m_traces, m_facts.get());
    m_memory->setTraceOpen(!m_traces.empty());
    const Changes changes = pointAgain(before);
    const QList<Pane *> panes = findChildren<Pane *>(Qt::FindDirectChildrenOnly);
    for (Pane *pane : panes)
        pane->keepPlace(true);
    emit changed(changes);
    for (Pane *pane : panes)
        pane->tell();
}

/// Finds again what points at the members of the set as it was before.
Session::Changes Session::pointAgain(const TraceSet &before)
{
    Changes changes;
    if (!std::ranges::equal(before.members(), m_traces.members()))
        changes |= Members;
    for (const LoadedTrace &member : m_traces.loaded()) {
        const LoadedTrace *old = before.find(member.id);
        if (!old || old->trace != member.trace)
            changes |= Members;
        if (old && old->time != member.time)
            changes |= Clock;
    }
    const MovedReferences references(before, m_traces);
    if (const SliceRef selected = references.now(m_selected); selected != m_selected) {
        m_selected = selected;
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
    if (changes & Members && !m_filters.stepMark.empty()) {
        findChosenSteps();
        changes |= Steps;
    }
    return changes;
}

std::span<const Step> Session::stepsOf(TraceId trace) const
{
    assert(m_traces.trace(trace));
    if (m_filters.stepMark.empty())
        return m_traces.trace(trace)->steps;
    return m_chosenSteps[trace];
}

void Session::findChosenSteps()
{
    const auto key = QStringLiteral("steps");
    m_chosenSteps.clear();
    m_jobs->cancel(key);
    if (m_filters.stepMark.empty())
        return;
    using StepsOfTraces = PerTrace<std::vector<Step>>;
    m_jobs->run(
        key,
        [set = m_traces, mark = m_filters.stepMark](const std::stop_token &stop) {
            return untilStopped(stop, [&] {
                StepsOfTraces steps;
                for (const LoadedTrace &member : set.loaded())
                    steps[member.id] = stepsMarkedBy(*member.trace, mark);
                return steps;
            });
        },
        [this](std::optional<StepsOfTraces> steps) {
            m_chosenSteps = std::move(steps).value_or(StepsOfTraces());
            emit changed(Steps);
        });
}

} // namespace riffle
