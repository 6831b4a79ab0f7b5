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
    , m_whole(wholeRangeOf(session->traces()))
    , m_visible(m_whole)
{
}

TimeSpan Pane::allowed(TimeSpan range) const
{
    const TraceSet &traces = m_session->traces();
    return confined(range, united(padded(traces.span(), 0.05), padded(traces.askedSpan(), 0.05)));
}

void Pane::setVisibleRange(TimeSpan range)
{
    if (m_session->traces().empty())
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
    const bool hasEnd = range.end >= m_session->traces().span().end;
    return hasEnd == std::exchange(m_followsEnd, hasEnd) ? Changes() : Changes(FollowsEnd);
}

void Pane::setFollowsEnd(bool on)
{
    if (on == m_followsEnd || m_session->traces().empty())
        return;
    m_followsEnd = on;
    Changes changes = FollowsEnd;
    if (const Ns end = m_session->traces().span().end; on && !m_visible.contains(end)) {
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
    if (slice.valid() && m_session->traces().member(slice.trace))
        emit revealRequested(slice);
}

void Pane::setHover(SliceRef slice, std::optional<Ns> cursor, TraceId rank)
{
    const TraceSet &traces = m_session->traces();
    if (!traces.member(slice.trace))
        slice = {};
    if (!traces.member(rank))
        rank = {};
    if (slice == m_hovered && cursor == m_cursor && rank == m_hoveredRank)
        return;
    m_hovered = slice;
    m_cursor = cursor;
    m_hoveredRank = rank;
    emit changed(Hover);
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
    m_whole = wholeRangeOf(m_session->traces());
    show(m_whole);
}

void Pane::keepPlace(bool mayShowAll)
{
    const bool allWasVisible = m_visible == std::exchange(m_whole, wholeRangeOf(m_session->traces()));
    // A file that another run has overwritten can cover another time.
    const bool showAll = (allWasVisible && mayShowAll) || !m_visible.overlaps(m_session->traces().span());
    show(showAll ? m_whole : allowed(m_visible));
}

void Pane::moveAlong(TimeSpan before)
{
    const TimeSpan span = m_session->traces().span();
    const bool allWasVisible = m_visible == std::exchange(m_whole, wholeRangeOf(m_session->traces()));
    if (!m_followsEnd)
        return;
    const Ns by = saturatedSum(span.end, -before.end);
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
}

void Pane::tell()
{
    if (const Changes changes = std::exchange(m_untold, {}))
        emit changed(changes);
}

} // namespace riffle
