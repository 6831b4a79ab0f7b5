// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/pane.h"

#include "model/layout/time_scale.h"
#include "views/common/session/session.h"

#include <QMetaMethod>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

constexpr double kRoomBehindEnd = 0.05; ///< of the visible range, where it begins to follow the end

TimeSpan united(TimeSpan a, TimeSpan b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

TimeSpan wholeRangeOf(const TraceSet &traces)
{
    const TimeSpan span = traces.askedSpan();
    return confined(padded(span, 0.01), padded(span, 0.05));
}

} // namespace

Pane::Pane(Session *session)
    : QObject(session)
    , m_session(session)
    , m_span(session->traces().span())
    , m_whole(wholeRangeOf(session->traces()))
    , m_visible(m_whole)
{
}

const TraceSet &Pane::traces() const { return m_shownOnly.empty() ? m_session->traces() : m_part; }

void Pane::showOnly(std::vector<TraceId> members)
{
    if (members == m_shownOnly)
        return;
    m_shownOnly = std::move(members);
    m_untold |= Shown;
    takeTraces();
    m_whole = wholeRangeOf(traces());
    show(m_whole);
    tell();
}

/// Takes over what has become of the session's traces.
void Pane::takeTraces()
{
    const auto isRemoved = [this](TraceId id) { return !m_session->traces().member(id); };
    if (std::erase_if(m_shownOnly, isRemoved) > 0)
        m_untold |= Shown;
    m_part = m_shownOnly.empty() ? TraceSet() : partOf(m_session->traces());
    m_span = traces().span();
}

AreaSelection Pane::areaOf(TimeSpan span, std::vector<LaneRef> lanes) const
{
    if (lanes.empty() && !m_shownOnly.empty())
        for (const LoadedTrace &member : m_part.loaded())
            for (uint32_t lane = 0; lane < member.trace->lanes.size(); ++lane)
                lanes.push_back({member.id, LaneId(lane)});
    return AreaSelection::of(traces(), span, std::move(lanes));
}

void Pane::setOrigin(std::optional<Ns> origin)
{
    if (origin == m_origin)
        return;
    m_origin = origin;
    emit changed(Origin);
}

TimeSpan Pane::ownRoom() const
{
    const TraceSet &set = traces();
    return united(padded(set.span(), 0.05), padded(set.askedSpan(), 0.05));
}

TimeSpan Pane::allowed(TimeSpan range) const
{
    return confined(range, m_room.empty() ? ownRoom() : united(ownRoom(), m_room));
}

void Pane::setRoom(TimeSpan room)
{
    m_room = room;
    if (!traces().empty())
        setVisibleRange(m_visible);
}

void Pane::setVisibleRange(TimeSpan range)
{
    if (traces().empty())
        return;
    range = allowed(range);
    if (range == m_visible)
        return;
    m_visible = range;
    emit changed(VisibleRange | noteEnd(range));
}

/// Follows the end if the range contains it.
Pane::Changes Pane::noteEnd(TimeSpan range)
{
    const bool hasEnd = range.end >= traces().span().end;
    return hasEnd == std::exchange(m_followsEnd, hasEnd) ? Changes() : Changes(FollowsEnd);
}

void Pane::setFollowsEnd(bool on)
{
    if (on == m_followsEnd || traces().empty())
        return;
    m_followsEnd = on;
    Changes changes = FollowsEnd;
    if (const Ns end = traces().span().end; on && !m_visible.contains(end)) {
        const Ns behind =
            saturatedSum(end, static_cast<Ns>(static_cast<double>(m_visible.duration()) * kRoomBehindEnd));
        m_visible = allowed({saturatedSum(behind, -m_visible.duration()), behind});
        changes |= VisibleRange;
    }
    emit changed(changes);
}

void Pane::goTo(TimeSpan range)
{
    static const QMetaMethod requested = QMetaMethod::fromSignal(&Pane::rangeRequested);
    if (isSignalConnected(requested))
        emit rangeRequested(range);
    else
        setVisibleRange(range);
}

void Pane::reveal(SliceRef slice)
{
    if (slice.valid() && traces().member(slice.trace))
        emit revealRequested(slice);
}

void Pane::setHover(SliceRef slice, std::optional<Ns> cursor, TraceId rank)
{
    if (!traces().member(slice.trace))
        slice = {};
    if (!traces().member(rank))
        rank = {};
    if (slice == m_hovered && cursor == m_cursor && rank == m_hoveredRank)
        return;
    m_hovered = slice;
    m_cursor = cursor;
    m_hoveredRank = rank;
    emit changed(Hover);
}

void Pane::setPartner(SliceRef slice)
{
    if (!slice.valid() || !traces().member(slice.trace))
        slice = {};
    if (slice == m_partner)
        return;
    m_partner = slice;
    emit changed(Partner);
}

void Pane::setLanes(LaneState lanes)
{
    if (lanes == m_lanes)
        return;
    m_lanes = std::move(lanes);
    emit changed(Lanes);
}

void Pane::showOtherTraces()
{
    m_shownOnly.clear();
    takeTraces();
    if (std::exchange(m_origin, std::nullopt))
        m_untold |= Origin;
    m_room = {};
    m_whole = wholeRangeOf(traces());
    show(m_whole);
}

void Pane::keepPlace(bool mayShowAll)
{
    takeTraces();
    const bool allWasVisible = m_visible == std::exchange(m_whole, wholeRangeOf(traces()));
    // A file that another run has overwritten can cover another time.
    const bool isBeside = !m_visible.overlaps(traces().span()) && !m_visible.overlaps(m_room);
    const bool showAll = (allWasVisible && mayShowAll) || isBeside;
    show(showAll ? m_whole : allowed(m_visible));
}

void Pane::moveAlong()
{
    const TimeSpan before = m_span;
    takeTraces();
    const bool allWasVisible = m_visible == std::exchange(m_whole, wholeRangeOf(traces()));
    if (!m_followsEnd)
        return;
    const Ns by = saturatedSum(m_span.end, -before.end);
    const TimeSpan along{saturatedSum(m_visible.begin, by), saturatedSum(m_visible.end, by)};
    const TimeSpan range = allWasVisible || before.empty() ? m_whole : allowed(along);
    if (range != std::exchange(m_visible, range))
        m_untold |= VisibleRange | Along;
}

/// Sets the range after the traces have changed. The pointer may be over something else then.
void Pane::show(TimeSpan range)
{
    if (range != std::exchange(m_visible, range))
        m_untold |= VisibleRange | noteEnd(range);
    if (m_hovered.valid() || m_hoveredRank.valid())
        m_untold |= Hover;
    m_hovered = {};
    m_hoveredRank = {};
    if (std::exchange(m_partner, {}).valid())
        m_untold |= Partner;
}

void Pane::tell()
{
    if (const Changes changes = std::exchange(m_untold, {}))
        emit changed(changes);
}

} // namespace riffle
