// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/session.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/summary/summary.h"
#include "views/common/memory/memory_link.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {

constexpr int kRestMs = 100;   ///< how long the visible range must stay unchanged before analyses follow it
constexpr int kGrowthMs = 100; ///< the shortest time between two changes by which traces grow

} // namespace

Session::Session(QObject *parent)
    : QObject(parent)
    , m_facts(std::make_shared<const SetFacts>())
    , m_pane(new Pane(this))
    , m_memory(new MemorySession(this))
    , m_jobs(new Jobs(this))
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, [this] {
        m_followed = m_pane->visibleRange();
        emit changed(Filter);
    });
    m_growth.setSingleShot(true);
    m_growth.setInterval(kGrowthMs);
    connect(&m_growth, &QTimer::timeout, this, &Session::takeGenerations);
    connect(m_pane, &Pane::changed, this, [this](Pane::Changes changes) {
        if (m_followsView && changes & Pane::VisibleRange && !(changes & Pane::Along))
            m_rest.start();
    });
    new MemoryLink(this);
}

Session::~Session() = default;

void Session::select(SliceRef slice)
{
    if (!slice.slice.valid() || !m_traces.member(slice.trace))
        slice = {};
    if (slice == m_selected && m_alsoSelected.empty())
        return;
    m_selected = slice;
    m_alsoSelected.clear();
    emit changed(Selection);
}

void Session::toggleSelected(SliceRef slice)
{
    if (!slice.slice.valid() || !m_traces.member(slice.trace))
        return;
    if (!m_selected.valid())
        m_selected = slice;
    else if (slice == m_selected)
        takeNextSelected();
    else if (std::erase(m_alsoSelected, slice) == 0)
        m_alsoSelected.push_back(slice);
    emit changed(Selection);
}

/// Selects the first of the further slices instead of the selected one.
void Session::takeNextSelected()
{
    m_selected = m_alsoSelected.empty() ? SliceRef() : m_alsoSelected.front();
    if (!m_alsoSelected.empty())
        m_alsoSelected.erase(m_alsoSelected.begin());
}

void Session::setArea(std::optional<AreaSelection> area)
{
    if (area && !area->lanes.empty() && (keepMembers(area->lanes), area->lanes.empty()))
        area.reset();
    if (area == m_area)
        return;
    m_area = std::move(area);
    emit changed(Area);
}

/// Removes lanes of what is no member, which views may still show.
void Session::keepMembers(std::vector<LaneRef> &lanes) const
{
    std::erase_if(lanes, [this](const LaneRef &lane) { return !m_traces.member(lane.trace); });
}

void Session::setFilters(Filters filters)
{
    keepMembers(filters.lanes);
    std::erase_if(filters.traces, [this](TraceId id) { return !m_traces.member(id); });
    if (filters == m_filters)
        return;
    const bool otherMark = filters.stepMark != m_filters.stepMark;
    if (otherMark && filters.steps == m_filters.steps)
        filters.steps.clear(); // the numbers were those of the previous steps
    setFiltersSilently(std::move(filters));
    if (otherMark) {
        forgetChosenSteps();
        findChosenSteps();
    }
    emit changed(otherMark ? Filter | Steps : Filter);
}

void Session::setFiltersSilently(Filters filters)
{
    for (const Filters::Part part : Filters::kParts) {
        const bool had = m_filters.has(part), has = filters.has(part);
        if (had && !has)
            std::erase(m_filterParts, part);
        if (!had && has)
            m_filterParts.push_back(part);
    }
    m_filters = std::move(filters);
}

void Session::setFollowsView(bool on)
{
    if (on == m_followsView)
        return;
    m_followsView = on;
    m_followed = m_pane->visibleRange();
    m_rest.stop();
    emit changed(Filter);
}

SummaryRequest Session::request() const
{
    SummaryRequest request;
    if (m_area)
        request.scope.range = m_area->in(m_traces);
    else if (m_followsView)
        request.scope.range = m_followed;
    request.scope.stepMark = m_filters.stepMark;
    request.scope.wholeGaps = true;
    request.scope.withoutFirstStep = m_filters.withoutFirstStep;
    request.scope.stepNumbers = m_filters.steps;
    request.scope.classes = m_filters.classes;
    request.lanes = m_filters.lanes;
    if (m_area && !m_area->lanes.empty()) {
        request.lanes = m_area->lanes;
        // If the filters also name lanes, only lanes in both lists count; if there are none, nothing passes.
        if (!m_filters.lanes.empty())
            std::erase_if(request.lanes, [this](const LaneRef &lane) {
                return std::find(m_filters.lanes.begin(), m_filters.lanes.end(), lane) == m_filters.lanes.end();
            });
        if (request.lanes.empty())
            request.lanes.push_back({});
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
        area = AreaSelection{area->in(m_traces), {}};
    }
    setArea(std::move(area));
    Filters filters = m_filters;
    using Part = Filters::Part;
    for (const auto &[limit, part] :
         {std::pair(narrowed_by::Steps, Part::Steps), std::pair(narrowed_by::Steps, Part::FirstStep),
          std::pair(narrowed_by::Lanes, Part::Lanes), std::pair(narrowed_by::Ranks, Part::Traces),
          std::pair(narrowed_by::Names, Part::Name), std::pair(narrowed_by::Names, Part::WithoutNames),
          std::pair(narrowed_by::Names, Part::Text), std::pair(narrowed_by::Classes, Part::Classes)})
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
    EmptyFacts known = emptyFactsOf(m_facts->ofWholeTraces(), {});
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

bool Session::escape()
{
    if (!m_highlight.empty() || !m_highlightedSlices.empty())
        setHighlight({});
    else if (m_selected.valid())
        select({});
    else if (m_area)
        setArea(std::nullopt);
    else if (!m_filterParts.empty())
        setFilters(m_filters.without(m_filterParts.back()));
    else
        return false;
    return true;
}

void Session::setMarks(std::vector<Mark> marks)
{
    if (marks == m_marks)
        return;
    m_marks = std::move(marks);
    emit changed(Marks);
}

void Session::setHighlight(PerTrace<std::vector<uint32_t>> names)
{
    assert(std::ranges::all_of(names, [](const auto &ids) { return std::ranges::is_sorted(ids); }));
    keepMembers(names);
    if (names == m_highlight && m_highlightedSlices.empty())
        return;
    m_highlight = std::move(names);
    m_highlightedSlices.clear();
    emit changed(Highlight);
}

void Session::setHighlightedSlices(PerTrace<BigVector<uint32_t>> slices)
{
    assert(std::ranges::all_of(slices, [](const auto &ids) { return std::ranges::is_sorted(ids); }));
    keepMembers(slices);
    if (slices == m_highlightedSlices && m_highlight.empty())
        return;
    m_highlightedSlices = std::move(slices);
    m_highlight.clear();
    emit changed(Highlight);
}

void Session::addBands(SetBands bands)
{
    for (const LoadedTrace &member : m_traces.loaded())
        for (auto &track : bands[member.id]) {
            assert(track && track->bands);
            std::erase_if(m_bands[member.id], [&](const auto &other) { return other->key == track->key; });
            m_bands[member.id].push_back(std::move(track));
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

} // namespace riffle
