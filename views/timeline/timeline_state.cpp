// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_state.h"

#include "model/analysis/critical_path/critical_path_bands.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "model/layout/highlight_hits.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"
#include "views/timeline/snapshot_graphs.h"

#include <algorithm>
#include <tuple>

namespace riffle {

namespace {

/// Per trace, the ascending ids of all names that pass.
PerTrace<std::vector<uint32_t>> namesPassing(const TraceSet &set, const TextMatcher &passes)
{
    PerTrace<std::vector<uint32_t>> names;
    for (const LoadedTrace &member : set.loaded()) {
        std::vector<uint32_t> &own = names[member.id]; // also if none passes: then nothing is emphasised
        for (uint32_t id = 0; id < member.trace->strings.count(); ++id) {
            throwIfStoppedAt(id);
            if (passes(member.trace->string(id)))
                own.push_back(id);
        }
    }
    return names;
}

} // namespace

TimelineState::TimelineState(Session *session, QObject *parent) : QObject(parent), m_session(session)
{
    connect(session, &Session::changed, this, &TimelineState::onSession);
    connect(session->memory(), &MemorySession::changed, this, [this](MemorySession::Changes changes) {
        if (changes & MemorySession::Snapshots && !m_session->traces().empty())
            makeGraphs();
    });
    onSession(Session::Traces);
}

void TimelineState::onSession(Session::Changes changes)
{
    if (changes & Session::AnyTraces) {
        if (!m_session->traces().empty())
            m_preview.reset();
        const TraceSet before = std::exchange(m_known, m_session->traces());
        for (const LoadedTrace &member : before.loaded())
            if (changes & Session::Traces || m_known.trace(member.id) != member.trace.get()) {
                m_graphs.erase(member.id);
                m_idle.erase(member.id);
                m_path.erase(member.id);
            }
        relayout();
        makeGraphs();
        makeIdle();
    }
    if (changes & (Session::AnyTraces | Session::Narrowing))
        makeCriticalPath();
    if (changes & Session::Bands)
        relayout();
    if (changes & (Session::Highlight | Session::Filter | Session::AnyTraces))
        findHits();
}

void TimelineState::relayout()
{
    SetBands bands;
    for (const SetBands *made : std::initializer_list<const SetBands *>{&m_idle, &m_path, &m_session->bands()})
        for (const LoadedTrace &member : m_session->traces().loaded())
            bands[member.id].insert(bands[member.id].end(), (*made)[member.id].begin(), (*made)[member.id].end());
    m_layout = LaneLayout(m_session->traces(), m_graphs, m_lanes, bands);
    m_scroll = std::clamp(m_scroll, 0, maximumScroll());
    emit layoutChanged();
}

void TimelineState::makeGraphs()
{
    const auto &snapshots = m_session->memory()->snapshots();
    const auto snapshot = snapshots.empty() ? nullptr : snapshots.front();
    bool any = snapshot != nullptr || !m_graphs.empty();
    for (const LoadedTrace &member : m_session->traces().loaded())
        any = any || !member.trace->counters.time.empty() || !member.trace->memory.time.empty();
    if (!any) {
        m_jobs.cancel(QStringLiteral("graphs"));
        return;
    }
    m_jobs.run(
        QStringLiteral("graphs"),
        [set = m_session->traces(), snapshot](std::stop_token stop) {
            const Task task{std::move(stop), nullptr};
            SetGraphs graphs;
            for (const LoadedTrace &member : set.loaded()) {
                std::vector<TraceGraph> own = graphsOf(*member.trace, task);
                if (snapshot &&
                    member.id == set.loaded().front().id) // its rank is unknown, so only the first trace shows it
                    for (TraceGraph &graph : snapshotGraphs(*snapshot, *member.trace, task))
                        own.push_back(std::move(graph));
                graphs[member.id] = std::make_shared<std::vector<TraceGraph>>(std::move(own));
            }
            return graphs;
        },
        [this](SetGraphs graphs) {
            m_graphs = std::move(graphs);
            relayout();
        });
}

void TimelineState::makeIdle()
{
    if (m_session->traces().empty()) {
        m_jobs.cancel(QStringLiteral("idle"));
        return;
    }
    m_jobs.run(
        QStringLiteral("idle"),
        [facts = m_session->facts()](std::stop_token stop) { return idleBands(*facts, std::move(stop)); },
        [this](SetBands bands) {
            m_idle = std::move(bands);
            relayout();
        });
}

void TimelineState::makeCriticalPath()
{
    const QString key = QStringLiteral("critical path");
    if (!m_showsPath || m_session->traces().empty()) {
        m_jobs.cancel(key);
        return;
    }
    m_jobs.run(
        key,
        [facts = m_session->facts(), request = m_session->request()](std::stop_token stop) {
            return criticalPathBands(*facts, request, std::move(stop));
        },
        [this](SetBands path) {
            m_path = std::move(path);
            relayout();
        });
}

void TimelineState::showCriticalPath(bool on)
{
    if (on == m_showsPath)
        return;
    m_showsPath = on;
    if (!on) {
        m_path.clear();
        relayout();
    }
    makeCriticalPath();
    emit picturesChanged();
}

void TimelineState::findHits()
{
    const auto &names = m_session->highlight();
    const auto filter = m_session->filters().names();
    const bool byFilter = names.empty() && m_session->highlightedSlices().empty() && filter && *filter;
    if (names.empty() && !byFilter) {
        m_jobs.cancel(QStringLiteral("hits"));
        m_filteredNames.clear();
        m_hits = m_session->highlightedSlices();
        emit picturesChanged();
        return;
    }
    using Hits = std::pair<PerTrace<std::vector<uint32_t>>, PerTrace<BigVector<uint32_t>>>;
    m_jobs.run(
        QStringLiteral("hits"),
        [set = m_session->traces(), names, byFilter, passes = filter ? *filter : TextMatcher()](std::stop_token stop) {
            Hits hits;
            if (byFilter)
                hits.first = namesPassing(set, passes);
            hits.second = slicesOfNames(set, byFilter ? hits.first : names, Task{stop, nullptr});
            return hits;
        },
        [this](Hits hits) {
            std::tie(m_filteredNames, m_hits) = std::move(hits);
            emit picturesChanged();
        });
}

void TimelineState::highlightName(const std::string &name)
{
    m_jobs.run(
        QStringLiteral("highlight"),
        [set = m_session->traces(), name](const std::stop_token &stop) {
            const auto passes = [&name](std::string_view text) { return text == name; };
            return untilStopped(stop, [&] { return namesPassing(set, passes); });
        },
        [this, opening = m_session->opening()](std::optional<PerTrace<std::vector<uint32_t>>> names) {
            if (names && opening == m_session->opening())
                m_session->setHighlight(std::move(*names));
        });
}

const PerTrace<std::vector<uint32_t>> &TimelineState::emphasisedNames() const
{
    return m_session->highlight().empty() ? m_filteredNames : m_session->highlight();
}

bool TimelineState::excluded(const LaneItem &item) const
{
    const Filters &filters = m_session->filters();
    const auto holds = [](const auto &list, const auto &value) {
        return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    if (!holds(filters.traces, item.trace))
        return true;
    if (!item.heading())
        return !holds(filters.lanes, LaneRef{item.trace, item.lane});
    return std::none_of(item.summary.begin(), item.summary.end(), [&](LaneId lane) {
        return holds(filters.lanes, LaneRef{item.trace, lane});
    });
}

void TimelineState::setLanes(LaneState lanes)
{
    if (lanes == m_lanes)
        return;
    m_lanes = std::move(lanes);
    relayout();
}

void TimelineState::toggleFold(const LaneItem &item)
{
    LaneState lanes = m_lanes;
    if (lanes.folded.erase(item.key) == 0)
        lanes.folded.insert(item.key);
    setLanes(std::move(lanes));
}

void TimelineState::togglePin(const LaneItem &item)
{
    LaneState lanes = m_lanes;
    if (std::erase(lanes.pinned, item.key) == 0)
        lanes.pinned.push_back(item.key);
    setLanes(std::move(lanes));
}

void TimelineState::hide(const LaneItem &item)
{
    LaneState lanes = m_lanes;
    lanes.hidden.insert(item.key);
    setLanes(std::move(lanes));
}

void TimelineState::showAll()
{
    LaneState lanes = m_lanes;
    lanes.hidden.clear();
    lanes.filter.clear();
    setLanes(std::move(lanes));
}

void TimelineState::setHeight(const LaneItem &item, int height)
{
    LaneState lanes = m_lanes;
    if (height > 0)
        lanes.heights[item.key] = height;
    else
        lanes.heights.erase(item.key);
    setLanes(std::move(lanes));
}

void TimelineState::setFilter(const QString &filter)
{
    LaneState lanes = m_lanes;
    lanes.filter = toUtf8(filter.trimmed());
    setLanes(std::move(lanes));
}

void TimelineState::moveLane(const LaneItem &item, const LaneItem &before)
{
    if (item.key == before.key || item.heading() || item.pinned != before.pinned ||
        (!item.pinned && item.group != before.group))
        return;
    LaneState lanes = m_lanes;
    std::vector<std::string> keys;
    for (const LaneItem &other : item.pinned ? m_layout.pinned() : m_layout.items())
        if (!other.heading() && (item.pinned || other.group == item.group))
            keys.push_back(other.key);
    const auto from = std::find(keys.begin(), keys.end(), item.key);
    const auto to = std::find(keys.begin(), keys.end(), before.key);
    if (from == keys.end() || to == keys.end())
        return;
    if (from < to)
        std::rotate(from, from + 1, to + 1);
    else
        std::rotate(to, from, from + 1);
    if (item.pinned)
        lanes.pinned = std::move(keys);
    else
        lanes.order[item.group] = std::move(keys);
    setLanes(std::move(lanes));
}

void TimelineState::expose(LaneRef lane)
{
    LaneState lanes = m_lanes;
    for (const std::string &key : m_layout.keysOf(lane)) {
        lanes.folded.erase(key);
        lanes.hidden.erase(key);
    }
    setLanes(std::move(lanes));
    if (!m_layout.find(lane) && !m_lanes.filter.empty())
        setFilter({});
}

void TimelineState::setScroll(int y)
{
    y = std::clamp(y, 0, maximumScroll());
    if (y == m_scroll)
        return;
    m_scroll = y;
    emit scrolled();
}

void TimelineState::setViewHeight(int height)
{
    if (height == m_viewHeight)
        return;
    m_viewHeight = height;
    m_scroll = std::clamp(m_scroll, 0, maximumScroll());
    emit scrolled();
}

int TimelineState::pinnedShown() const { return std::min(m_layout.pinnedHeight(), m_viewHeight / 2); }

int TimelineState::maximumScroll() const
{
    return std::max(0, m_layout.height() + 12 - std::max(0, m_viewHeight - pinnedShown()));
}

void TimelineState::scrollTo(int top, int bottom)
{
    const int room = m_viewHeight - pinnedShown();
    const int margin = std::min(24, std::max(0, (room - (bottom - top)) / 2));
    if (bottom + margin > m_scroll + room)
        setScroll(bottom + margin - room);
    if (top - margin < m_scroll)
        setScroll(top - margin);
}

void TimelineState::setPreview(LoadPreview preview)
{
    m_preview = std::move(preview);
    emit layoutChanged();
}

void TimelineState::setAbsoluteTime(bool on)
{
    if (on == m_absoluteTime)
        return;
    m_absoluteTime = on;
    emit picturesChanged();
}

std::optional<int64_t> TimelineState::baseTime() const
{
    for (const LoadedTrace &member : m_session->traces().loaded())
        if (member.trace->info.baseTimeNs)
            return *member.trace->info.baseTimeNs + member.time.toTrace(Ns{0});
    return std::nullopt;
}

QString TimelineState::timeText(Ns setTime, Ns step) const
{
    if (m_absoluteTime)
        if (const auto base = baseTime())
            return toQString(formatUnixTime(*base + setTime, step));
    return toQString(formatTick(setTime - m_session->traces().origin(), step));
}

} // namespace riffle
