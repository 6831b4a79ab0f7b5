// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/line_chart.h"

#include "views/common/look/qt_text.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr int kWidestName = 160;
}

void LineChart::setLines(QStringList labels, QList<Series> series)
{
    m_labels = std::move(labels);
    m_series = std::move(series);
    m_highest = 0;
    for (const Series &line : m_series)
        for (const double value : line.values)
            m_highest = value > m_highest ? value : m_highest;
    dataChanged();
}

int LineChart::nameWidth() const
{
    int wide = 0;
    for (const Series &line : m_series)
        wide = std::max(wide, fontMetrics().horizontalAdvance(line.name));
    return std::min({wide, kWidestName, width() / 4});
}

double LineChart::xOf(int item) const
{
    const QRectF area = plot();
    const double room = std::max(1.0, area.width() - nameWidth() - 14);
    return itemCount() < 2 ? area.left() + room / 2 : area.left() + room * item / (itemCount() - 1);
}

QRectF LineChart::itemRect(int item) const
{
    const QRectF area = plot();
    const double half = itemCount() < 2 ? 8 : std::max(0.5, (xOf(1) - xOf(0)) / 2);
    const double x = xOf(item);
    return QRectF(QPointF(std::max(area.left(), x - half), area.top()), QPointF(x + half, area.bottom()));
}

QString LineChart::describe(int item) const
{
    QStringList parts;
    for (const Series &line : m_series)
        if (item < line.values.size() && !std::isnan(line.values[item]))
            parts += line.name + QLatin1Char(' ') + valueText(line.values[item]);
    return m_labels[item] + QStringLiteral(": ") + parts.join(QStringLiteral(" · "));
}

void LineChart::paintItems(QPainter &painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (int at = 0; at < m_series.size(); ++at) {
        const QList<double> &values = m_series[at].values;
        QPainterPath path;
        bool drawing = false;
        for (int item = 0; item < itemCount(); ++item) {
            if (item >= values.size() || std::isnan(values[item])) {
                drawing = false;
                continue;
            }
            const QPointF point(xOf(item), yOf(std::max(0.0, values[item])));
            if (drawing)
                path.lineTo(point);
            else
                path.moveTo(point);
            if (!drawing && (item + 1 >= values.size() || std::isnan(values[item + 1])))
                path.addEllipse(point, 1.5, 1.5); // a single point between gaps
            drawing = true;
        }
        const SeriesStyle style = SeriesStyle::of(colours(), at);
        // The palette's colours are meant for areas; a line needs more contrast.
        const QRgb ink = Palette::mixed(style.colour, colours().text, 0.45);
        painter.setPen(QPen(QColor::fromRgb(ink), 2, style.dashes));
        painter.drawPath(path);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    paintNames(painter);
}

void LineChart::paintNames(QPainter &painter) const
{
    struct Name {
        double y;
        double end; ///< y of the line's end
        int series;
    };
    std::vector<Name> names;
    for (int at = 0; at < m_series.size(); ++at)
        for (int item = itemCount(); item-- > 0;)
            if (item < m_series[at].values.size() && !std::isnan(m_series[at].values[item])) {
                const double y = yOf(std::max(0.0, m_series[at].values[item]));
                names.push_back({y, y, at});
                break;
            }
    std::sort(names.begin(), names.end(), [](const Name &a, const Name &b) { return a.y < b.y; });
    const QRectF area = plot();
    const double line = fontMetrics().height();
    // Moves each name down until it is clear of the one above, then up again from the lower edge.
    double least = area.top() + line / 2;
    for (Name &name : names) {
        name.y = std::max(name.y, least);
        least = name.y + line;
    }
    double most = area.bottom() - line / 2;
    for (size_t at = names.size(); at-- > 0;) {
        names[at].y = std::min(names[at].y, most);
        most = names[at].y - line;
    }
    const double x = xOf(itemCount() - 1) + 14;
    for (const Name &name : names) {
        painter.setPen(QColor::fromRgb(colours().dimText));
        painter.drawLine(QPointF(x - 12, name.end), QPointF(x - 3, name.y));
        painter.setPen(QColor::fromRgb(colours().text));
        painter.drawText(QRectF(x, name.y - line / 2, nameWidth() + 2, line), Qt::AlignLeft | Qt::AlignVCenter,
                         elided(m_series[name.series].name, fontMetrics(), nameWidth()));
    }
}

void LineChart::paintItemAxis(QPainter &painter)
{
    QList<std::pair<double, QString>> labels;
    for (int item = 0; item < itemCount(); ++item)
        labels.append({xOf(item), m_labels[item]});
    paintLabels(painter, labels);
}

} // namespace riffle
