// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/hover_card.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <algorithm>
#include <cmath>

namespace riffle {

HoverCard::HoverCard(TimelineState *state, QWidget *parent) : TextCard(parent), m_state(state) {}

QStringList HoverCard::describe(const Hit &hit, Ns time, Ns reach) const
{
    const Trace *trace = hit.item ? m_state->session()->traces().trace(hit.item->trace) : nullptr;
    if (!trace)
        return {};
    const QString lane = toQString(hit.item->title);
    const TimeMap &map = m_state->session()->traces().time(hit.item->trace);
    if (hit.item->kind == LaneItem::Kind::Graph) {
        const auto &graphs = m_state->graphs()[hit.item->trace];
        if (!graphs || hit.item->graph >= graphs->size())
            return {};
        const TraceGraph &graph = (*graphs)[hit.item->graph];
        QStringList lines;
        for (const TraceGraph::Mark &mark : graph.marks)
            if (const Ns at = map.toSet(mark.time); lines.isEmpty() && at - time <= reach && time - at <= reach)
                lines = {toQString(mark.text), m_state->timeText(at)};
        const double value = graph.graph.valueAt(map.toTrace(time));
        if (!std::isnan(value))
            lines += {toQString(graph.unit == TraceGraph::Unit::Bytes ? formatBytes(static_cast<int64_t>(value))
                                                                      : formatNumber(value)),
                      lane};
        return lines;
    }
    if (hit.instant.valid() && hit.instant.value < trace->instants.time.size()) {
        const Ns at = map.toSet(trace->instants.time[hit.instant.value]);
        return {singleLine(toQString(trace->string(trace->instants.name[hit.instant.value])), 400),
                m_state->timeText(at), lane};
    }
    if (hit.band) {
        const BandTrack &track = *hit.item->bands;
        return {toQString(track.nameOf(*hit.band)),
                toQString(formatDuration(track.bands->slices.duration[*hit.band])) + QStringLiteral("  ·  ") + lane};
    }
    const Segment *segment = hit.slice.valid() ? trace->segmentOf(hit.slice.slice) : nullptr;
    if (!segment)
        return {};
    const uint32_t index = hit.slice.slice.value - segment->firstSlice;
    QStringList lines{singleLine(toQString(trace->string(segment->slices.name[index])), 400),
                      toQString(formatDuration(segment->slices.duration[index])) + QStringLiteral("  ·  ") + lane};
    const uint16_t flags = segment->slices.flags[index];
    if (flags & slice_flag::Crossing)
        lines.append(tr("Crosses another slice in its lane"));
    if (flags & slice_flag::Unfinished)
        lines.append(tr("Never ended; drawn to the end of the trace"));
    if (hit.crowd > 1 && hit.box.x1 - hit.box.x0 <= 2)
        lines.append(tr("%1 slices here; the longest is shown").arg(toQString(formatCount(hit.crowd))));
    return lines;
}

void HoverCard::showFor(const Hit &hit, Ns time, QPoint at, const QRect &bounds)
{
    constexpr Ns kPixels = 4;
    showLines(describe(hit, time, m_state->pane()->visibleRange().duration() / std::max(1, bounds.width()) * kPixels),
              at, bounds);
}

} // namespace riffle
