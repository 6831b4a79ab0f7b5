// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Paints everything around and over the picture of a landscape.
#include "model/base/format.h"
#include "model/layout/chart_scale.h"
#include "views/common/look/qt_text.h"
#include "views/memory/landscape/landscape_canvas.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

QString byteLabel(double value, double step)
{
    // Steps are powers of two, and labels have as many digits as are needed to tell them apart.
    static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (double rest = std::max(value, step); rest >= 1024 && unit < 6; rest /= 1024)
        ++unit;
    const double scale = std::exp2(10.0 * unit);
    int digits = 0;
    for (double part = step / scale; digits < 3 && std::fabs(part - std::round(part)) > 1e-9; part *= 10)
        ++digits;
    return QString::number(value / scale, 'f', value == 0 ? 0 : digits) + QChar(0x00a0) +
           QLatin1String(value == 0 ? "B" : kUnits[unit]);
}

} // namespace

void LandscapeCanvas::paintGrid(QPainter &painter) const
{
    const QRectF box = plot();
    QColor line = QColor::fromRgb(Palette::fitting(palette()).dimText);
    line.setAlpha(45);
    const double step =
        roundStep(m_state->top() - m_state->bottom(), std::max(2, static_cast<int>(box.height() / 44)), true);
    for (double value = std::ceil(m_state->bottom() / step) * step; value < m_state->top(); value += step)
        painter.fillRect(QRectF(box.left(), std::floor(yOf(value)), box.width(), 1), line);
}

void LandscapeCanvas::paintHeights(QPainter &painter) const
{
    const QRectF box = plot();
    const Palette &colours = Palette::fitting(palette());
    painter.setPen(QColor::fromRgb(colours.dimText));
    const int high = painter.fontMetrics().height();
    const double step =
        roundStep(m_state->top() - m_state->bottom(), std::max(2, static_cast<int>(box.height() / 44)), true);
    for (double value = std::ceil(m_state->bottom() / step) * step; value < m_state->top(); value += step) {
        const double y = std::clamp(yOf(value) - high / 2.0, 0.0, static_cast<double>(height() - high));
        painter.drawText(QRectF(0, y, box.left() - 8, high), Qt::AlignRight | Qt::AlignVCenter, byteLabel(value, step));
        painter.fillRect(QRectF(box.left() - 5, std::floor(yOf(value)), 5, 1), QColor::fromRgb(colours.edge));
    }
    painter.fillRect(QRectF(box.left() - 1, box.top(), 1, box.height()), QColor::fromRgb(colours.edge));
}

void LandscapeCanvas::paintPositions(QPainter &painter) const
{
    const QRectF box = plot();
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(QRectF(box.left() - 1, box.bottom(), box.width() + 1, 1), QColor::fromRgb(colours.edge));
    const TimeScale scale = this->scale();
    const Ns step = tickStep(scale, 100);
    const Ns origin = m_state->timed() ? m_state->data()->times.front() : 1; // slot 1 is after event 0
    const Ns first = (scale.range().begin - origin) / step * step + origin - step;
    double free = box.left();
    for (Ns tick = first; tick <= scale.range().end; tick += step) {
        const double x = box.left() + scale.x(tick);
        if (x < box.left() || x > box.right() ||
            (!m_state->timed() && (tick < origin || tick >= m_state->axis().whole().end)))
            continue;
        painter.fillRect(QRectF(std::floor(x), box.bottom(), 1, 4), QColor::fromRgb(colours.edge));
        const Ns value = tick - origin;
        QString text = m_state->timed() ? toQString(formatTick(value, step)) : toQString(formatCount(value));
        const double wide = painter.fontMetrics().horizontalAdvance(text);
        const double left = std::clamp(x - wide / 2, 0.0, width() - wide - 2);
        if (left < free)
            continue;
        painter.setPen(QColor::fromRgb(colours.dimText));
        painter.drawText(QRectF(left, box.bottom() + 4, wide + 2, 17), Qt::AlignLeft | Qt::AlignVCenter, text);
        free = left + wide + 12;
    }
    painter.setPen(QColor::fromRgb(colours.dimText));
    painter.drawText(QRectF(4, box.bottom() + 4, box.left() - 40, 17), Qt::AlignLeft | Qt::AlignVCenter,
                     m_state->timed() ? tr("time") : tr("event"));
}

void LandscapeCanvas::paintMarks(QPainter &painter) const
{
    const QRectF box = plot();
    const Palette &colours = Palette::fitting(palette());
    const SlotAxis &axis = m_state->axis();
    const SlotAxis byTime =
        m_state->timed() || m_state->data()->times.empty() ? SlotAxis() : SlotAxis(m_state->data()->times);
    const auto position = [&](int64_t time) { return m_state->timed() ? time : axis.begin(byTime.slotAt(time)); };
    std::vector<double> painted(static_cast<size_t>(markRows()),
                                -1e9); // right end of what is painted per row, so that a pixel shows one mark
    for (const LandscapeMark &mark : m_state->marks()) {
        const double from = box.left() + scale().x(position(mark.begin)),
                     to = box.left() + scale().x(position(mark.end));
        double &done = painted[static_cast<size_t>(mark.row)];
        if (to < box.left() || from > box.right() || to < done + 1)
            continue;
        const double left = std::max({from, box.left(), done}), right = std::min(std::max(to, from + 1), box.right());
        done = right;
        const QRectF bar(left, kKeyHeight + 2 + mark.row * kMarkHeight, right - left, kMarkHeight - 2);
        const QString name = toQString(mark.name);
        const QRgb fill = colours.slice(Palette::colourIndex(mark.name));
        painter.fillRect(bar, QColor::fromRgb(fill));
        painter.fillRect(QRectF(std::floor(bar.left()), bar.top(), 1, bar.height()), QColor::fromRgb(colours.edge));
        if (bar.width() > 30) {
            painter.setPen(QColor::fromRgb(Palette::textOn(fill)));
            painter.drawText(bar.adjusted(4, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                             elided(singleLine(name, 200), painter.fontMetrics(), static_cast<int>(bar.width()) - 6));
        }
    }
}

/// Paints the legend of the lines at the top.
void LandscapeCanvas::paintLegend(QPainter &painter) const
{
    const QRectF box = plot();
    const Palette &colours = Palette::fitting(palette());
    const std::pair<QString, QRgb> lines[] = {
        {tr("reserved"), colours.mark}, {tr("active"), colours.selection}, {tr("allocated"), colours.accent}};
    double wide = 6;
    for (const auto &[name, colour] : lines)
        wide += painter.fontMetrics().horizontalAdvance(name) + 26;
    if (wide > box.width())
        return;
    const QRectF cell(box.right() - wide, 1, wide, kKeyHeight - 1);
    double x = cell.left() + 6;
    for (const auto &[name, colour] : lines) {
        painter.fillRect(QRectF(x, cell.center().y() - 1, 12, 2), QColor::fromRgb(colour));
        painter.setPen(QColor::fromRgb(colours.text));
        painter.drawText(QRectF(x + 16, cell.top(), 200, cell.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        x += painter.fontMetrics().horizontalAdvance(name) + 26;
    }
}

void LandscapeCanvas::paintOverlay(QPainter &painter) const
{
    const QRectF box = plot();
    const Palette &colours = Palette::fitting(palette());
    const MemorySession *memory = m_state->memory();
    if (const auto range = memory->range()) {
        const double from = xOf(m_state->data()->slotOf(range->first)),
                     to = xOf(m_state->data()->slotOf(range->last) + 1);
        painter.fillRect(QRectF(from, box.top(), std::max(1.0, to - from), box.height()),
                         QColor::fromRgba(colours.area));
        for (const double x : {from, to})
            painter.fillRect(QRectF(std::floor(x), box.top(), 1, box.height()), QColor::fromRgb(colours.areaEdge));
    }
    if (const auto &times = m_state->data()->times; memory->cursor() && !times.empty()) {
        const auto after = std::upper_bound(times.begin(), times.end(), *memory->cursor());
        QColor line = QColor::fromRgb(colours.cursor);
        line.setAlpha(150);
        painter.fillRect(
            QRectF(std::floor(xOf(static_cast<uint32_t>(after - times.begin()))), box.top(), 1, box.height()), line);
    }
    const uint32_t slot = m_state->data()->slotOf(memory->instant());
    const double left = xOf(slot), right = xOf(slot + 1);
    const double x = right - left > 3 ? (left + right) / 2 : left;
    painter.fillRect(QRectF(std::floor(x) - 1, box.top(), 3, box.height()), QColor::fromRgb(colours.canvas));
    painter.fillRect(QRectF(std::floor(x), box.top(), 1, box.height()), QColor::fromRgb(colours.text));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor::fromRgb(colours.text));
    painter.drawPolygon(
        QPolygonF{QPointF(x - 5, box.top()), QPointF(x + 6, box.top()), QPointF(x + 0.5, box.top() + 7)});
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (memory->hovered() != memory->selected())
        paintBand(painter, memory->hovered(), colours.hover, 1, true);
    paintBand(painter, memory->selected(), colours.selection, 2, true);
}

/// Paints the outline of a band over the columns that show it.
void LandscapeCanvas::paintBand(QPainter &painter, uint32_t allocation, QRgb colour, double width, bool filled) const
{
    const Landscape &landscape = *m_state->landscape();
    const uint32_t band = allocation == MemorySession::kNone ? Landscape::kNone : landscape.bandOf(allocation);
    if (band == Landscape::kNone || !m_columnsValid)
        return;
    const double ratio = devicePixelRatioF(), left = plot().left();
    QPolygonF upper, lower;
    double end = left;
    double low = 0, high = 0;
    uint32_t before = Landscape::kNone;
    for (size_t column = 0; column < m_columns.size(); ++column) {
        const uint32_t slot = m_columns[column].slot;
        if (slot == before) {
            if (!upper.isEmpty())
                end = left + static_cast<double>(column + 1) / ratio;
            continue;
        }
        const auto base = landscape.base(band, slot);
        if (!base) {
            if (!upper.isEmpty())
                break;
            continue;
        }
        before = slot;
        const double x = left + static_cast<double>(column) / ratio;
        const double nowLow = yOf(static_cast<double>(*base)),
                     nowHigh = yOf(static_cast<double>(*base) + static_cast<double>(landscape.size(band)));
        if (upper.isEmpty() || nowLow != low || nowHigh != high) {
            if (!upper.isEmpty()) {
                upper << QPointF(x, high);
                lower << QPointF(x, low);
            }
            upper << QPointF(x, nowHigh);
            lower << QPointF(x, nowLow);
        }
        low = nowLow;
        high = nowHigh;
        end = left + static_cast<double>(column + 1) / ratio;
    }
    if (upper.isEmpty())
        return;
    upper << QPointF(end, high);
    lower << QPointF(end, low);
    std::reverse(lower.begin(), lower.end());
    upper += lower;
    QColor fill = QColor::fromRgb(colour);
    fill.setAlpha(filled ? 60 : 0);
    painter.setBrush(fill);
    painter.setPen(QPen(QColor::fromRgb(colour), width));
    painter.drawPolygon(upper);
}

} // namespace riffle
