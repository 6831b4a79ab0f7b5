// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session.h"

#include "model/layout/time_scale.h"

#include <QMetaMethod>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

TimeSpan united(TimeSpan a, TimeSpan b) { return {std::min(a.begin, b.begin), std::max(a.end, b.end)}; }

/// The part that was asked for where only a part was read: what was read may reach far out of it. Else all. Trace time.
TimeSpan wantedSpan(const Trace &trace)
{
    const TimeSpan part = trace.info.part ? trace.info.part->clipped(trace.info.recorded) : TimeSpan{};
    return part.empty() ? trace.span : part;
}

/// The same files, read in the same way: places in the one are places in the other.
bool sameTraces(const TraceSet &a, const TraceSet &b)
{
    return std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                      [](const TraceSet::Member &one, const TraceSet::Member &other) {
                          return one.trace->info.path == other.trace->info.path && one.trace->info.part == other.trace->info.part
                              && one.trace->span == other.trace->span && one.trace->sliceCount() == other.trace->sliceCount();
                      });
}

} // namespace

TimeSpan Session::readSpan() const
{
    std::optional<TimeSpan> all;
    for (const TraceSet::Member &member : m_traces.members) {
        if (member.trace->span.empty() && member.trace->sliceCount() == 0)
            continue;
        const TimeSpan own = member.time.toSet(wantedSpan(*member.trace));
        all = all ? united(*all, own) : own;
    }
    return all.value_or(TimeSpan{});
}

TimeSpan Session::wholeRange() const
{
    const TimeSpan span = readSpan();
    return confined(padded(span, 0.01), padded(span, 0.05));
}

void Session::setTraces(TraceSet traces)
{
    const bool same = sameTraces(m_traces, traces);
    m_traces = std::move(traces);
    Changes changes = Traces;
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
    }
    if (m_hovered.valid())
        changes |= Hover;
    m_hovered = {};
    emit changed(changes);
}

TimeSpan Session::allowed(TimeSpan range) const
{
    return confined(range, united(padded(m_traces.span(), 0.05), padded(readSpan(), 0.05)));
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
    if (names == m_highlight && m_highlightedSlices.empty())
        return;
    m_highlight = std::move(names);
    m_highlightedSlices.clear();
    emit changed(Highlight);
}

void Session::setHighlightedSlices(std::vector<std::vector<uint32_t>> slices)
{
    if (slices == m_highlightedSlices && m_highlight.empty())
        return;
    m_highlightedSlices = std::move(slices);
    m_highlight.clear();
    emit changed(Highlight);
}

void Session::reveal(SliceRef slice)
{
    if (slice.valid())
        emit revealRequested(slice);
}

} // namespace riffle
