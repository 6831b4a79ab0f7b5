// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_state.h"

#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"

#include <algorithm>
#include <utility>

namespace riffle {

TimelineState::TimelineState(Pane *pane, QObject *parent) : QObject(parent), m_pane(pane), m_session(pane->session())
{
    connect(m_session, &Session::changed, this, &TimelineState::onSession);
    connect(m_pane, &Pane::changed, this, &TimelineState::onPane);
    connect(m_session->memory(), &MemorySession::changed, this, [this](MemorySession::Changes changes) {
        if (changes & (MemorySession::Snapshots | MemorySession::Owner) && !traces().empty()) {
            m_jobs.cancel(kGraphsJob);
            m_withGraphs.clear();
            makeSeenLanes();
        }
    });
    onSession(Session::Traces);
}

void TimelineState::onPane(Pane::Changes changes)
{
    if (changes & (Pane::Lanes | Pane::Shown))
        relayout();
    if (changes & Pane::Shown)
        emit sessionChanged(Session::Members);
    if (changes & Pane::Origin)
        emit picturesChanged();
}

void TimelineState::onSession(Session::Changes changes)
{
    const bool areOthers = changes & (Session::Traces | Session::Members | Session::Renewed);
    if (changes & Session::Grown && !areOthers)
        relayoutInPlace();
    if (areOthers) {
        if (!traces().empty())
            m_preview.reset();
        const TraceSet before = std::exchange(m_known, m_session->facts()->set());
        for (const LoadedTrace &member : before.loaded()) {
            const LoadedTrace *now = m_known.find(member.id);
            if (!(changes & Session::Traces) && now && now->trace == member.trace)
                continue;
            m_withGraphs.erase(member.id);
            m_withIdle.erase(member.id);
            m_withClasses.erase(member.id);
            m_withTints.erase(member.id);
            m_withSqueezed.erase(member.id);
            if (!(changes & Session::Traces) && now && now->reading == member.reading)
                continue; // what was computed stays true until there is more
            m_graphs.erase(member.id);
            m_idle.erase(member.id);
            m_classes.erase(member.id);
            m_tints.erase(member.id);
            m_squeezed.erase(member.id);
            m_squeezedHits.erase(member.id);
            m_path.erase(member.id);
            m_ownBands.erase(member.id);
        }
        if (changes & Session::Traces) {
            m_jobs.cancel(kGraphsJob);
            m_jobs.cancel(kIdleJob);
            m_jobs.cancel(kClassesJob);
            m_jobs.cancel(kTintsJob);
            m_jobs.cancel(kSqueezeJob);
        }
        if (!m_session->memory()->snapshots().empty()) {
            m_jobs.cancel(kGraphsJob);
            m_withGraphs.clear(); // a snapshot may belong to another trace now
        }
        if (changes & Session::Traces)
            relayout();
        else
            relayoutInPlace();
    }
    if (changes & (Session::Answers | Session::Narrowing))
        makeCriticalPath();
    if (changes & Session::Bands)
        relayoutInPlace();
    if (changes & Session::Steps && m_colourMode == ColourMode::Step) {
        forgetTints();
        makeSeenLanes();
    }
    if (changes & (Session::Highlight | Session::Filter | Session::Traces | Session::Members | Session::Renewed))
        findHits();
    emit sessionChanged(changes);
}

void TimelineState::relayout()
{
    SetBands bands;
    for (const SetBands *made :
         std::initializer_list<const SetBands *>{&m_ownBands, &m_idle, &m_path, &m_session->bands()})
        for (const LoadedTrace &member : traces().loaded())
            bands[member.id].insert(bands[member.id].end(), (*made)[member.id].begin(), (*made)[member.id].end());
    m_layout = LaneLayout(traces(), m_graphs, m_pane->lanes(), bands, m_squeezed);
    m_unlisted.clear();
    std::set<TraceId> listed;
    for (const LaneItem &item : m_layout.items())
        listed.insert(item.trace);
    for (const TraceMember &member : traces().members())
        if (!listed.contains(member.id) && member.state == MemberState::Loaded)
            m_unlisted.push_back(member.id);
    m_viewport.update();
    emit layoutChanged();
    makeSeenLanes();
}

/// The first strip of what must stay in place when lanes come or go: of the pieces of a window between headings of
/// members that are not loaded, where lanes are about to come, the largest one. Null if there is none.
const LaneItem *TimelineState::seenPiece(const LaneWindow &window) const
{
    const LaneItem *largest = nullptr, *piece = nullptr;
    int most = 0, height = 0;
    for (const LaneItem &item : window.seen()) {
        const int seen = std::min(item.y + item.height, window.last()) - std::max(item.y, window.first());
        if (item.heading() && !item.foldable) {
            piece = nullptr;
            height = 0;
            continue;
        }
        if (!piece)
            piece = &item;
        height += seen;
        if (height > most) {
            most = height;
            largest = piece;
        }
    }
    return largest;
}

/// Lays out lanes that came or went by themselves, and scrolls so that what is seen stays where it is.
void TimelineState::relayoutInPlace()
{
    std::vector<std::pair<std::string, int>> seen; // keys, and how far above the windows' tops they begin
    for (const LaneWindow &window : m_viewport.windows())
        if (const LaneItem *item = window.part != LaneWindow::Part::Pinned ? seenPiece(window) : nullptr)
            seen.emplace_back(item->key, window.first() - item->y);
    relayout();
    for (const auto &[key, above] : seen)
        if (const auto now = std::ranges::find(m_layout.items(), key, &LaneItem::key); now != m_layout.items().end()) {
            const LaneWindow window = m_viewport.of(*now);
            setScroll(window.part, now->y + above - window.begin);
        }
}

void TimelineState::setOwnBands(SetBands bands)
{
    m_ownBands = std::move(bands);
    relayoutInPlace();
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
    return std::ranges::none_of(item.stripes, [&](const std::vector<LaneId> &lanes) {
        return std::ranges::any_of(lanes, [&](LaneId lane) { return holds(filters.lanes, LaneRef{item.trace, lane}); });
    });
}

void TimelineState::onScrolled()
{
    emit scrolled();
    makeSeenLanes();
}

void TimelineState::setScroll(LaneWindow::Part part, int y)
{
    if (m_viewport.setScroll(part, y))
        onScrolled();
}

const LaneWindow &TimelineState::activeWindow() const
{
    using Part = LaneWindow::Part;
    const std::span<const LaneWindow> windows = m_viewport.windows();
    const auto canScroll = [&](Part part) { return m_viewport.maximumScroll(part) > 0; };
    const Part other = m_activePart == Part::Device ? Part::Main : Part::Device;
    const Part part = canScroll(m_activePart) || !canScroll(other) ? m_activePart : other;
    const auto found = std::ranges::find(windows, part, &LaneWindow::part);
    return found == windows.end() ? windows.back() : *found;
}

void TimelineState::scrollBy(int distance)
{
    const LaneWindow::Part part = activeWindow().part;
    setScroll(part, m_viewport.scroll(part) + distance);
}

/// The row of the selected slice if it is in view.
std::optional<TimelineState::SeenRow> TimelineState::selectedRow() const
{
    const SliceRef selected = m_session->selected();
    const Trace *trace = selected.valid() ? traces().trace(selected.trace) : nullptr;
    const Segment *segment = trace ? trace->segmentOf(selected.slice) : nullptr;
    const LaneItem *item = segment ? m_layout.find({selected.trace, segment->lane}) : nullptr;
    const auto found = item ? rowInStrip(*item, *segment, selected.slice) : std::nullopt;
    if (!found)
        return std::nullopt;
    const uint32_t row = std::min(*found, item->rows - 1);
    const int top = LaneLayout::kPadding + static_cast<int>(row) * item->rowHeight, bottom = top + item->rowHeight;
    const LaneWindow &window = m_viewport.of(*item);
    const bool isSeen =
        item->y + top + window.offset() >= window.top && item->y + bottom + window.offset() <= window.bottom;
    return isSeen ? std::optional(SeenRow{item, top, bottom}) : std::nullopt;
}

void TimelineState::setViewHeight(int height)
{
    if (height == m_viewport.height())
        return;
    const std::optional<SeenRow> selected = selectedRow();
    m_viewport.setHeight(height);
    if (selected)
        m_viewport.show(*selected->item, selected->top, selected->bottom);
    onScrolled();
}

void TimelineState::setDeviceWish(int height)
{
    if (height == m_viewport.deviceWish())
        return;
    m_viewport.setDeviceWish(height);
    emit layoutChanged();
    makeSeenLanes();
}

void TimelineState::scrollTo(const LaneItem &item, int top, int bottom)
{
    if (m_viewport.show(item, top, bottom))
        onScrolled();
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

void TimelineState::setColourMode(ColourMode mode)
{
    if (mode == m_colourMode)
        return;
    m_colourMode = mode;
    forgetTints();
    makeSeenLanes();
    emit picturesChanged();
}

std::optional<int64_t> TimelineState::baseTime() const
{
    for (const LoadedTrace &member : traces().loaded())
        if (member.trace->info.baseTimeNs)
            return *member.trace->info.baseTimeNs + member.time.toTrace(Ns{0});
    return std::nullopt;
}

QString TimelineState::timeText(Ns setTime, Ns step) const
{
    if (m_absoluteTime)
        if (const auto base = baseTime())
            return toQString(formatUnixTime(*base + setTime, step));
    return toQString(formatTick(setTime - m_pane->origin(), step));
}

} // namespace riffle
