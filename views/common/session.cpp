// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session.h"

#include "model/layout/time_scale.h"

#include <QMetaMethod>

#include <utility>

namespace riffle {

TimeSpan Session::wholeRange() const
{
    const TimeSpan span = m_traces.span();
    return confined(padded(span, 0.01), padded(span, 0.05));
}

void Session::setTraces(TraceSet traces)
{
    const TimeSpan before = m_traces.span();
    m_traces = std::move(traces);
    const TimeSpan after = m_traces.span();
    Changes changes = Traces;
    if (before != after || m_visible.empty()) {
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
        if (!m_highlight.empty())
            changes |= Highlight;
        m_highlight.clear();
    }
    if (m_hovered.valid())
        changes |= Hover;
    m_hovered = {};
    emit changed(changes);
}

TimeSpan Session::allowed(TimeSpan range) const { return confined(range, padded(m_traces.span(), 0.05)); }

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
    if (names == m_highlight)
        return;
    m_highlight = std::move(names);
    emit changed(Highlight);
}

void Session::reveal(SliceRef slice)
{
    if (slice.valid())
        emit revealRequested(slice);
}

} // namespace riffle
