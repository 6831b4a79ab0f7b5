// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/hover_card.h"

#include "model/base/format.h"
#include "views/common/palette.h"
#include "views/common/qt_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr int kWidest = 460;
constexpr int kPad = 8;
} // namespace

HoverCard::HoverCard(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    QFont font = this->font();
    font.setPixelSize(12);
    setFont(font);
    hide();
}

QStringList HoverCard::describe(const Hit &hit, Ns time) const
{
    const Trace *trace = hit.item ? m_state->session()->traces().trace(hit.item->trace) : nullptr;
    if (!trace)
        return {};
    const QString lane = toQString(hit.item->title);
    const TimeMap &map = m_state->session()->traces().members[hit.item->trace].time;
    if (hit.item->kind == LaneItem::Kind::Graph) {
        const auto &graphs = m_state->graphs();
        if (hit.item->trace >= graphs.size() || !graphs[hit.item->trace] || hit.item->graph >= graphs[hit.item->trace]->size())
            return {};
        const TraceGraph &graph = (*graphs[hit.item->trace])[hit.item->graph];
        const double value = graph.graph.valueAt(map.toTrace(time));
        if (std::isnan(value))
            return {};
        const bool bytes = graph.unit == TraceGraph::Unit::Bytes;
        return {toQString(bytes ? formatBytes(static_cast<int64_t>(value)) : formatNumber(value)), lane};
    }
    if (hit.instant.valid() && hit.instant.value < trace->instants.time.size()) {
        const Ns at = map.toSet(trace->instants.time[hit.instant.value]);
        return {singleLine(toQString(trace->string(trace->instants.name[hit.instant.value])), 400), m_state->timeText(at), lane};
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
        lines.append(tr("Crosses another slice of its lane"));
    if (flags & slice_flag::Unfinished)
        lines.append(tr("Never ended; drawn to the trace's end"));
    if (hit.crowd > 1 && hit.box.x1 - hit.box.x0 <= 2)
        lines.append(tr("%1 slices here, the longest is shown").arg(toQString(formatCount(hit.crowd))));
    return lines;
}

void HoverCard::showFor(const Hit &hit, Ns time, QPoint at, const QRect &bounds)
{
    QStringList lines = describe(hit, time);
    if (lines.isEmpty()) {
        m_lines.clear();
        hide();
        return;
    }
    const QFontMetrics metrics(font());
    QFont strong = font();
    strong.setBold(true);
    const QFontMetrics strongMetrics(strong);
    int wide = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        lines[i] = elided(lines[i], i == 0 ? strongMetrics : metrics, kWidest);
        wide = std::max(wide, (i == 0 ? strongMetrics : metrics).horizontalAdvance(lines[i]));
    }
    const QSize size(wide + 2 * kPad, static_cast<int>(lines.size()) * (metrics.height() + 2) + 2 * kPad - 4);
    QPoint corner = at + QPoint(14, 16);
    if (corner.x() + size.width() > bounds.right())
        corner.setX(std::max(bounds.left(), at.x() - 10 - size.width()));
    if (corner.y() + size.height() > bounds.bottom())
        corner.setY(std::max(bounds.top(), at.y() - 10 - size.height()));
    const bool changed = lines != m_lines || isHidden();
    m_lines = std::move(lines);
    setGeometry(QRect(corner, size));
    if (changed) {
        show();
        raise();
        update();
    }
}

void HoverCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QColor::fromRgb(colours.isDark ? 0xff46525f : 0xffb9c3cf));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    QFont strong = font();
    strong.setBold(true);
    const int line = QFontMetrics(font()).height() + 2;
    int y = kPad - 2;
    for (qsizetype i = 0; i < m_lines.size(); ++i, y += line) {
        painter.setFont(i == 0 ? strong : font());
        painter.setPen(QColor::fromRgb(i == 0 ? colours.text : colours.dimText));
        painter.drawText(QRect(kPad, y, width() - kPad, line), Qt::AlignLeft | Qt::AlignVCenter, m_lines[i]);
    }
}

} // namespace riffle
