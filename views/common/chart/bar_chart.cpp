// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/bar_chart.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

constexpr int kWidestLabel = 120; ///< logical pixels; longer labels are shortened unless bars are further apart

double part(const BarChart::Series &series, int item)
{
    const double value = item < series.values.size() ? series.values[item] : 0;
    return value > 0 ? value : 0;
}

} // namespace

void BarChart::setBars(QStringList labels, QList<Series> series)
{
    m_labels = std::move(labels);
    m_series = std::move(series);
    m_highest = 0;
    for (int item = 0; item < itemCount(); ++item)
        m_highest = std::max(m_highest, total(item));
    dataChanged();
}

double BarChart::total(int item) const
{
    double sum = 0;
    for (const Series &series : m_series)
        sum += part(series, item);
    return sum;
}

QRectF BarChart::itemRect(int item) const
{
    const QRectF area = plot();
    const double wide = area.width() / std::max(1, itemCount());
    const double gap = wide >= 4 ? std::min(wide * 0.2, 8.0) : 0;
    const double body = std::min(wide - gap, 90.0); // a few bars would otherwise be very wide
    const double middle = area.left() + wide * (item + 0.5);
    return QRectF(QPointF(middle - body / 2, yOf(total(item))), QPointF(middle + body / 2, area.bottom()));
}

QString BarChart::describe(int item) const
{
    const double whole = total(item);
    QString text = m_labels[item] + QStringLiteral(": ") + valueText(whole);
    for (const Series &series : m_series)
        if (part(series, item) > 0)
            text += QStringLiteral(" · %1 %2 (%3)")
                        .arg(series.name, valueText(part(series, item)),
                             toQString(formatShare(part(series, item) / whole)));
    return text;
}

SeriesStyle BarChart::styleOf(int series) const
{
    SeriesStyle style = SeriesStyle::of(colours(), series);
    if (m_series[series].colour)
        style.colour = colours().edition(*m_series[series].colour);
    return style;
}

QList<Chart::LegendEntry> BarChart::legend() const
{
    QList<LegendEntry> entries;
    for (int at = 0; at < m_series.size(); ++at)
        entries.append({m_series[at].name, styleOf(at)});
    return entries;
}

void BarChart::paintItems(QPainter &painter)
{
    const QRectF area = plot();
    if (!(m_highest > 0))
        return;
    // If several bars share a pixel, the highest one is painted, so that no outlier is lost.
    for (int item = 0; item < itemCount();) {
        const QRectF box = itemRect(item);
        int shown = item, next = item + 1;
        for (; next < itemCount() && box.width() < 1 && itemRect(next).left() < std::floor(box.left()) + 1; ++next)
            if (total(next) > total(shown))
                shown = next;
        double bottom = area.bottom();
        for (int at = 0; at < m_series.size(); ++at) {
            const double high = part(m_series[at], shown) / m_highest * area.height();
            if (high > 0)
                styleOf(at).fill(painter, QRectF(box.left(), bottom - high, std::max(1.0, box.width()), high),
                                 colours());
            bottom -= high;
        }
        item = next;
    }
}

void BarChart::paintItemAxis(QPainter &painter)
{
    QList<std::pair<double, QString>> labels;
    const QRectF area = plot();
    for (int item = 0; item < itemCount(); ++item)
        labels.append(
            {itemRect(item).center().x(),
             painter.fontMetrics().elidedText(m_labels[item], Qt::ElideMiddle,
                                              std::max(kWidestLabel, static_cast<int>(area.width() / itemCount())))});
    paintLabels(painter, labels);
}

} // namespace riffle
