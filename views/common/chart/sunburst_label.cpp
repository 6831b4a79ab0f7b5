// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/sunburst_label.h"

#include "views/common/look/qt_text.h"

#include <QFontMetricsF>
#include <QTransform>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riffle {

namespace {

constexpr double kLabelPad = 3;     ///< pixels at either end
constexpr double kLongest = 0.5;    ///< turns; longer text would end upside down
constexpr qsizetype kLeastSaid = 4; ///< the fewest characters of a cut name, with its ellipsis

/// The outlines of a text around (0, 0); empty where it does not fit.
QPainterPath outlines(const QString &name, const QFont &font, double room)
{
    QPainterPath path;
    const QString text = elided(name, QFontMetrics(font), static_cast<int>(room));
    if (text.isEmpty() || (text.size() < kLeastSaid && text != name))
        return path;
    path.addText(0, 0, font, text);
    const QFontMetricsF metrics(font);
    // The outlines can be wider than the hinted text that was measured, so they are squeezed to fit.
    const QRectF box = path.boundingRect();
    if (box.width() > room)
        path = QTransform::fromScale(room / box.width(), 1).map(path);
    return path.translated(-path.boundingRect().center().x(), (metrics.ascent() - metrics.descent()) / 2);
}

} // namespace

QPainterPath sunburstLabel(const QString &name, const QFont &font, const SunburstShape &shape, const SunburstArc &arc)
{
    const double wide = arc.to - arc.from, middle = (arc.from + arc.to) / 2, inner = shape.inner(arc.ring),
                 away = inner + shape.ring / 2;
    const double line = QFontMetricsF(font).height();
    if (wide * kWholeTurn * away > shape.ring) {
        const double room = std::min(wide, kLongest) * kWholeTurn * away - 2 * kLabelPad;
        if (shape.ring < line || room < line)
            return {};
        QPainterPath path = outlines(name, font, room);
        // Names in the lower half are turned around to be readable.
        const double side = middle < 0.25 || middle > 0.75 ? 1 : -1;
        for (int at = 0; at < path.elementCount(); ++at) {
            const QPainterPath::Element element = path.elementAt(at);
            const double turn = middle * kWholeTurn + side * element.x / away, radius = away - side * element.y;
            path.setElementPositionAt(at, std::sin(turn) * radius, -std::cos(turn) * radius);
        }
        return path;
    }
    const double room = shape.ring - 2 * kLabelPad;
    if (wide * kWholeTurn * inner < line || room < line)
        return {};
    QTransform turned;
    turned.rotate(middle * 360 + (middle < 0.5 ? -90 : 90));
    turned.translate(middle < 0.5 ? away : -away, 0);
    return turned.map(outlines(name, font, room));
}

} // namespace riffle
