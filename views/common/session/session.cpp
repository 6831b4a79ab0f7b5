// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/session.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/step_marks.h"
#include "model/analysis/summary/summary.h"
#include "model/layout/time_scale.h"
#include "views/common/memory/memory_link.h"
#include "views/common/memory/memory_session.h"

#include <QMetaMethod>

#include <QThread>
#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {

constexpr int kRestMs = 100; ///< how long the visible range must stay unchanged before analyses follow it

TimeSpan united(TimeSpan a, TimeSpan b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

/// True if both contain the same files, read in the same way, so that slices and lanes of one can be found in the other
/// by their ids.
bool sameTraces(const TraceSet &a, const TraceSet &b)
{
    return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const TraceSet::Member &one, const TraceSet::Member &other) {
                          return one.trace->info.path == other.trace->info.path &&
                                 one.trace->info.part == other.trace->info.part &&
                                 one.trace->span == other.trace->span &&
                                 one.trace->sliceCount() == other.trace->sliceCount();
                      });
}

} // namespace

Session::Session(QObject *parent)
    : QObject(parent)
    , m_facts(std::make_shared<const SetFacts>())
    , m_memory(new MemorySession(this))
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, [this] {
        m_followed = m_visible;
        emit changed(Filter);
    });
    connect(this, &Session::changed, this, [this](Changes changes) {
        if (m_followsView && changes & VisibleRange)
            m_rest.start();
    });
    new MemoryLink(this);
}

Session::~Session() = default;

TimeSpan Session::wholeRange() const
{
    const TimeSpan span = m_traces.askedSpan();
    return confined(padded(span, 0.01), padded(span, 0.05));
}

void Session::setTraces(TraceSet traces)
{
    assert(QThread::currentThread() == thread());
    assert(std::ranges::all_of(traces.members, [](const TraceSet::Member &member) { return member.trace != nullptr; }));
    const bool same = sameTraces(m_traces, traces);
    m_traces = std::move(traces);
    m_facts = std::make_shared<const SetFacts>(m_traces);
    m_memory->setTraceOpen(!m_traces.empty());
    Changes changes = Traces;
    m_opening += !same;
    if (!same || m_visible.empty()) {
        const TimeSpan whole = wholeRange();
        if (whole != m_visible)
            changes |= VisibleRange;
        m_visible = whole;
        if (m_selected.valid())
            changes |= Selection;
        m_selected = {};
        if (m_area)
            changes |= Area;
        m_area.reset();
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
        m_chosenSteps.clear();
        m_followed = m_visible;
    }
    if (m_hovered.valid())
        changes |= Hover;
    m_hovered = {};
    emit changed(changes);
}

TimeSpan Session::allowed(TimeSpan range) const
{
    return confined(range, united(padded(m_traces.span(), 0.05), padded(m_traces.askedSpan(), 0.05)));
}

void Session::goTo(TimeSpan range)
{
    static const QMetaMethod requested = QMetaMethod::fromSignal(&Session::rangeRequested);
    if (isSignalConnected(requested))
        emit rangeRequested(range);
    else
        setVisibleRange(range);
}

void Session::setVisibleRange(TimeSpan range)
{
    if (m_traces.empty())
        return;
    range = allowed(range);
    if (range == m_visible)
        return;
    m_visible = range;
    emit changed(VisibleRange);
}

void Session::select(SliceRef slice)
{
    if (!slice.slice.valid())
        slice = {};
    if (slice == m_selected)
        return;
    m_selected = slice;
    emit changed(Selection);
}

void Session::setArea(std::optional<AreaSelection> area)
{
    if (area == m_area)
        return;
    m_area = std::move(area);
    emit changed(Area);
}

void Session::setFilters(Filters filters)
{
    if (filters == m_filters)
        return;
    const bool otherMark = filters.stepMark != m_filters.stepMark;
    if (otherMark && filters.steps == m_filters.steps)
        filters.steps.clear(); // the numbers were those of the previous steps
    using Part = Filters::Part;
    for (const Part part :
         {Part::StepMark, Part::FirstStep, Part::Steps, Part::Lanes, Part::Traces, Part::Name, Part::Text}) {
        const bool had = m_filters.has(part), has = filters.has(part);
        if (had && !has)
            std::erase(m_filterParts, part);
        if (!had && has)
            m_filterParts.push_back(part);
    }
    m_filters = std::move(filters);
    if (otherMark)
        findChosenSteps();
    emit changed(otherMark ? Filter | Steps : Filter);
}

std::span<const Step> Session::stepsOf(uint32_t trace) const
{
    assert(trace < m_traces.members.size());
    if (m_filters.stepMark.empty())
        return m_traces.members[trace].trace->steps;
    assert(m_chosenSteps.size() == m_traces.members.size());
    return m_chosenSteps[trace];
}

void Session::findChosenSteps()
{
    m_chosenSteps.clear();
    if (!m_filters.stepMark.empty())
        for (const TraceSet::Member &member : m_traces.members)
            m_chosenSteps.push_back(stepsMarkedBy(*member.trace, m_filters.stepMark));
}

void Session::setFollowsView(bool on)
{
    if (on == m_followsView)
        return;
    m_followsView = on;
    m_followed = m_visible;
    m_rest.stop();
    emit changed(Filter);
}

SummaryRequest Session::request() const
{
    SummaryRequest request;
    if (m_area)
        request.scope.range = m_area->span;
    else if (m_followsView)
        request.scope.range = m_followed;
    request.scope.stepMark = m_filters.stepMark;
    request.scope.wholeGaps = true;
    request.scope.withoutFirstStep = m_filters.withoutFirstStep;
    request.scope.stepNumbers = m_filters.steps;
    request.lanes = m_filters.lanes;
    if (m_area && !m_area->lanes.empty()) {
        request.lanes = m_area->lanes;
        // If the filters also name lanes, only lanes in both lists count; if there are none, nothing passes.
        if (!m_filters.lanes.empty())
            std::erase_if(request.lanes, [this](const LaneRef &lane) {
                return std::find(m_filters.lanes.begin(), m_filters.lanes.end(), lane) == m_filters.lanes.end();
            });
        if (request.lanes.empty())
            request.lanes.push_back({0, LaneId()});
    }
    request.traces = m_filters.traces;
    if (auto names = m_filters.names())
        request.names = std::move(*names);
    return request;
}

uint32_t Session::narrowedBy() const { return riffle::narrowedBy(request(), m_traces); }

void Session::widen(uint32_t limits)
{
    std::optional<AreaSelection> area = m_area;
    if (limits & narrowed_by::Range) {
        area.reset();
        setFollowsView(false);
    } else if (area && limits & narrowed_by::Lanes) {
        area->lanes.clear();
    }
    setArea(std::move(area));
    Filters filters = m_filters;
    using Part = Filters::Part;
    for (const auto &[limit, part] :
         {std::pair(narrowed_by::Steps, Part::Steps), std::pair(narrowed_by::Steps, Part::FirstStep),
          std::pair(narrowed_by::Lanes, Part::Lanes), std::pair(narrowed_by::Ranks, Part::Traces),
          std::pair(narrowed_by::Names, Part::Name), std::pair(narrowed_by::Names, Part::Text)})
        if (limits & limit)
            filters = filters.without(part);
    setFilters(std::move(filters));
}

void Session::setLoading(const QString &name)
{
    if (name == m_loading)
        return;
    m_loading = name;
    m_memory->setLoading(name);
    emit changed(Load);
}

EmptyFacts Session::emptyFacts() const
{
    EmptyFacts known = emptyFactsOf(*m_facts, {});
    known.loading = m_loading.toStdString();
    if (!m_memory->empty())
        known.other = "memory snapshot";
    return known;
}

void Session::help(const EmptyState &state)
{
    switch (state.action) {
    case EmptyAction::OpenFile: emit openRequested(); break;
    case EmptyAction::ReadWholeFile: emit wholeFileRequested(); break;
    case EmptyAction::SumUp: setArea(AreaSelection{m_traces.span(), {}}); break;
    case EmptyAction::Widen: widen(state.drops); break;
    case EmptyAction::None:
    case EmptyAction::ClearRowFilter:
    case EmptyAction::ShowHidden:
    case EmptyAction::CopySetting:
    case EmptyAction::GoToPeak: break; // the view does these itself
    }
}

void Session::escape()
{
    if (m_area)
        setArea(std::nullopt);
    else if (m_selected.valid())
        select({});
    else if (!m_highlight.empty() || !m_highlightedSlices.empty())
        setHighlight({});
    else if (!m_filterParts.empty())
        setFilters(m_filters.without(m_filterParts.back()));
}

void Session::setHover(SliceRef slice, std::optional<Ns> cursor)
{
    if (slice == m_hovered && cursor == m_cursor)
        return;
    m_hovered = slice;
    m_cursor = cursor;
    emit changed(Hover);
}

void Session::setMarks(std::vector<Mark> marks)
{
    if (marks == m_marks)
        return;
    m_marks = std::move(marks);
    emit changed(Marks);
}

void Session::setHighlight(std::vector<std::vector<uint32_t>> names)
{
    assert(std::ranges::all_of(names, [](const auto &ids) { return std::ranges::is_sorted(ids); }));
    if (names == m_highlight && m_highlightedSlices.empty())
        return;
    m_highlight = std::move(names);
    m_highlightedSlices.clear();
    emit changed(Highlight);
}

void Session::setHighlightedSlices(std::vector<BigVector<uint32_t>> slices)
{
    assert(std::ranges::all_of(slices, [](const auto &ids) { return std::ranges::is_sorted(ids); }));
    if (slices == m_highlightedSlices && m_highlight.empty())
        return;
    m_highlightedSlices = std::move(slices);
    m_highlight.clear();
    emit changed(Highlight);
}

void Session::addBands(SetBands bands)
{
    m_bands.resize(m_traces.members.size());
    bands.resize(m_bands.size());
    for (size_t trace = 0; trace < bands.size(); ++trace)
        for (auto &track : bands[trace]) {
            assert(track && track->bands);
            std::erase_if(m_bands[trace], [&](const auto &other) { return other->key == track->key; });
            m_bands[trace].push_back(std::move(track));
        }
    emit changed(Bands);
}

void Session::removeBands(const std::string &key)
{
    size_t removed = 0;
    for (auto &tracks : m_bands)
        removed += std::erase_if(tracks, [&](const auto &track) { return track->key == key; });
    if (removed)
        emit changed(Bands);
}

bool Session::hasBands(const std::string &key) const
{
    return std::any_of(m_bands.begin(), m_bands.end(), [&](const auto &tracks) {
        return std::any_of(tracks.begin(), tracks.end(), [&](const auto &track) { return track->key == key; });
    });
}

void Session::reveal(SliceRef slice)
{
    if (slice.valid())
        emit revealRequested(slice);
}

} // namespace riffle
