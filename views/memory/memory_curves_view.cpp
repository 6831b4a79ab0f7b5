// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/memory_curves_view.h"

#include "model/base/format.h"
#include "model/layout/chart_scale.h"
#include "views/common/chart/chart.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr int kPad = 8;
constexpr int kSwatch = 12;
constexpr int kTicks = 5;
} // namespace

MemoryCurvesView::MemoryCurvesView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(200, 110);
    setAccessibleName(tr("Memory over time"));
}

void MemoryCurvesView::setCurves(std::shared_ptr<const MemoryCurves> curves, ValueText valueText)
{
    m_curves = std::move(curves);
    m_valueText = std::move(valueText);
    m_point = kNone;
    layOut();
}

int64_t MemoryCurvesView::span() const
{
    return std::max<int64_t>(1, m_curves->times.back() - m_curves->times.front());
}

QRectF MemoryCurvesView::plot() const
{
    const int line = fontMetrics().height();
    return QRectF(QPointF(kPad, kPad + 2.0 * line + 6),
                  QPointF(width() - kPad, std::max(kPad + 3.0 * line, height() - kPad - line - 2.0)));
}

int64_t MemoryCurvesView::stackedAt(uint32_t point) const
{
    int64_t stacked = 0;
    for (const auto &series : m_curves->values)
        stacked += std::max<int64_t>(0, series[point]);
    return stacked;
}

void MemoryCurvesView::layOut()
{
    m_columns.clear();
    m_highest = 0;
    m_highestTotal = MemoryCurves::kNoTotal;
    update();
    if (!m_curves || m_curves->points() == 0)
        return;
    const auto width = static_cast<size_t>(std::max(1.0, plot().width()));
    m_columns.assign(width, kNone);
    for (uint32_t point = 0; point < m_curves->points(); ++point) {
        m_highest = std::max({m_highest, stackedAt(point), m_curves->totals[point]});
        m_highestTotal = std::max(m_highestTotal, m_curves->totals[point]);
        const double at = std::clamp(xOf(point) - plot().left(), 0.0, static_cast<double>(width - 1));
        uint32_t &shown = m_columns[static_cast<size_t>(at)];
        if (shown == kNone || m_curves->totals[point] > m_curves->totals[shown])
            shown = point;
    }
    // A level holds until the next point, so the last one of a column continues in the columns after it.
    uint32_t level = 0;
    for (size_t column = 0; column < width; ++column) {
        if (m_columns[column] == kNone)
            m_columns[column] = level;
        level = std::max(level, pointAt(plot().left() + static_cast<double>(column) + 0.999));
    }
}

double MemoryCurvesView::xOf(uint32_t point) const
{
    const double share =
        static_cast<double>(m_curves->times[point] - m_curves->times.front()) / static_cast<double>(span());
    return plot().left() + share * (plot().width() - 1);
}

uint32_t MemoryCurvesView::pointAt(double x) const
{
    if (!m_curves || m_curves->points() == 0)
        return kNone;
    const double share = std::clamp((x - plot().left()) / std::max(1.0, plot().width() - 1), 0.0, 1.0);
    const int64_t time = m_curves->times.front() + static_cast<int64_t>(share * static_cast<double>(span()));
    const auto behind = std::upper_bound(m_curves->times.begin(), m_curves->times.end(), time);
    return behind == m_curves->times.begin() ? 0 : static_cast<uint32_t>(behind - m_curves->times.begin() - 1);
}

void MemoryCurvesView::setPoint(uint32_t point)
{
    if (!m_curves || point >= m_curves->points() || point == m_point)
        return;
    m_point = point;
    setAccessibleDescription(said(point));
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
    update();
    emit pointChanged(point);
}

QString MemoryCurvesView::said(uint32_t point) const
{
    if (!m_curves || point >= m_curves->points())
        return {};
    const std::string &printed = point < m_curves->timeTexts.size() ? m_curves->timeTexts[point] : std::string();
    QString text =
        tr("Point %1 (0 to %2), %3: %4")
            .arg(QString::number(point), QString::number(m_curves->points() - 1),
                 toQString(printed.empty() ? formatDurationExact(m_curves->times[point] - m_curves->zero) : printed),
                 m_curves->totals[point] == MemoryCurves::kNoTotal ? tr("no total")
                                                                   : m_valueText(m_curves->totals[point]));
    for (size_t series = 0; series < m_curves->names.size(); ++series)
        if (m_curves->values[series][point] != 0)
            text += QStringLiteral(" · %1 %2")
                        .arg(toQString(m_curves->names[series]), m_valueText(m_curves->values[series][point]));
    if (const int64_t stacked = stackedAt(point); stacked != m_curves->totals[point])
        text += tr(" · sum of parts %1").arg(m_valueText(stacked));
    return text;
}

std::vector<MemoryCurvesView::Tick> MemoryCurvesView::ticks() const
{
    std::vector<Tick> ticks;
    if (!m_curves || m_curves->points() == 0)
        return ticks;
    // Ticks are at round times, so their texts say exactly where they are.
    const auto step = std::max<int64_t>(1, std::llround(roundStep(static_cast<double>(span()), kTicks)));
    const int64_t first = m_curves->times.front() - m_curves->zero, last = m_curves->times.back() - m_curves->zero;
    const int64_t begin = first / step * step + (first % step > 0 ? step : 0);
    for (int64_t time = begin; time <= last && ticks.size() <= kTicks; time += step)
        ticks.push_back(
            {plot().left() + static_cast<double>(time - first) / static_cast<double>(span()) * (plot().width() - 1),
             toQString(formatTick(time, step))});
    return ticks;
}

QString MemoryCurvesView::scaleText() const
{
    if (m_highest == m_highestTotal)
        return m_valueText(m_highest);
    const QString sum = tr("sum of parts %1").arg(m_valueText(m_highest));
    return m_highestTotal == MemoryCurves::kNoTotal ? sum
                                                    : tr("%1, largest total %2").arg(sum, m_valueText(m_highestTotal));
}

double MemoryCurvesView::heightOf(int64_t value) const
{
    return m_highest > 0
               ? static_cast<double>(std::max<int64_t>(0, value)) / static_cast<double>(m_highest) * plot().height()
               : 0;
}

/// Paints each series as one shape over all columns, so that its pattern is visible even in narrow columns.
void MemoryCurvesView::paintSeries(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    const QRectF area = plot();
    std::vector<size_t> begins; // the columns at which the point shown changes
    for (size_t column = 0; column < m_columns.size(); ++column)
        if (column == 0 || m_columns[column] != m_columns[column - 1])
            begins.push_back(column);
    std::vector<double> base(begins.size(), area.bottom());
    const auto add = [&](QPolygonF &shape, size_t at) {
        const size_t end = at + 1 < begins.size() ? begins[at + 1] : m_columns.size();
        shape << QPointF(area.left() + static_cast<double>(begins[at]), base[at])
              << QPointF(area.left() + static_cast<double>(end), base[at]);
    };
    for (size_t series = 0; series < m_curves->names.size(); ++series) {
        QPolygonF lower, shape;
        for (size_t at = 0; at < begins.size(); ++at) {
            add(lower, at);
            base[at] -= heightOf(m_curves->values[series][m_columns[begins[at]]]);
            add(shape, at);
        }
        std::reverse(lower.begin(), lower.end());
        SeriesStyle::of(colours, static_cast<int>(series)).fill(painter, shape + lower, colours);
    }
}

void MemoryCurvesView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    painter.setPen(QColor::fromRgb(colours.text));
    const int line = fontMetrics().height();
    const QRectF area = plot();
    if (m_columns.empty()) {
        painter.drawText(rect(), Qt::AlignCenter, tr("Nothing to show"));
        return;
    }
    painter.drawText(QRectF(kPad, kPad / 2.0, width() - 2 * kPad, line), Qt::AlignLeft,
                     elided(said(m_point), fontMetrics(), width() - 2 * kPad));
    double x = kPad;
    for (size_t series = 0; series < m_curves->names.size(); ++series) {
        const QString name = toQString(m_curves->names[series]);
        const double y = kPad / 2.0 + line + 2;
        SeriesStyle::of(colours, static_cast<int>(series)).fill(painter, QRectF(x, y + 2, kSwatch, line - 4), colours);
        painter.drawText(QRectF(x + kSwatch + 4, y, 400, line), Qt::AlignLeft, name);
        x += kSwatch + 14 + fontMetrics().horizontalAdvance(name);
    }
    paintSeries(painter);
    painter.setPen(QColor::fromRgb(colours.dimText));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    const QRectF scale(area.left() + 2, area.top() - 1, fontMetrics().horizontalAdvance(scaleText()) + 4, line);
    painter.fillRect(scale, QColor::fromRgb(colours.canvas));
    painter.drawText(scale, Qt::AlignCenter, scaleText());
    double free = 0;
    for (const Tick &tick : ticks()) {
        const double wide = fontMetrics().horizontalAdvance(tick.text) + 2;
        const double left = std::clamp(tick.x - wide / 2, 0.0, std::max(0.0, width() - wide));
        painter.fillRect(QRectF(std::floor(tick.x), area.bottom(), 1, 4), QColor::fromRgb(colours.dimText));
        if (left < free)
            continue;
        painter.drawText(QRectF(left, area.bottom() + 3, wide, line), Qt::AlignHCenter, tick.text);
        free = left + wide + kPad;
    }
    if (m_point != kNone) {
        painter.setPen(QPen(QColor::fromRgb(colours.cursor), 2));
        painter.drawLine(QPointF(xOf(m_point), area.top()), QPointF(xOf(m_point), area.bottom()));
    }
    if (hasFocus()) {
        painter.setPen(QColor::fromRgb(colours.accent));
        painter.setBrush(Qt::NoBrush); // the pattern of a series would cover everything
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void MemoryCurvesView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void MemoryCurvesView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_columns.empty())
        return;
    // If several points share the column, the one that is shown is chosen.
    const double column =
        std::clamp(event->position().x() - plot().left(), 0.0, static_cast<double>(m_columns.size() - 1));
    setPoint(m_columns[static_cast<size_t>(column)]);
}

void MemoryCurvesView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_columns.empty())
        return;
    const double column =
        std::clamp(event->position().x() - plot().left(), 0.0, static_cast<double>(m_columns.size() - 1));
    const uint32_t point = m_columns[static_cast<size_t>(column)];
    if (event->buttons() & Qt::LeftButton)
        setPoint(point);
    setToolTip(wrappedHtml(said(point), 110));
}

void MemoryCurvesView::keyPressEvent(QKeyEvent *event)
{
    if (m_columns.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto last = static_cast<uint32_t>(m_curves->points() - 1);
    const uint32_t at = m_point == kNone ? 0 : m_point, page = std::max(1u, last / 20);
    switch (event->key()) {
    case Qt::Key_Left: setPoint(at > 0 ? at - 1 : 0); break;
    case Qt::Key_Right: setPoint(std::min(last, at + 1)); break;
    case Qt::Key_PageUp: setPoint(at > page ? at - page : 0); break;
    case Qt::Key_PageDown: setPoint(std::min(last, at + page)); break;
    case Qt::Key_Home: setPoint(0); break;
    case Qt::Key_End: setPoint(last); break;
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace riffle
