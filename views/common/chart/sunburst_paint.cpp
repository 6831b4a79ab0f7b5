// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Paints a sunburst, on the screen and into files.

#include "model/layout/sunburst_svg.h"
#include "views/common/chart/chart.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/chart/sunburst_label.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QBuffer>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riffle {

namespace {

/// Qt's angles go counterclockwise from the right, in degrees.
double qtAngle(double turn) { return 90 - turn * 360; }

QPainterPath outlineOf(QPointF middle, const SunburstShape &shape, const SunburstArc &arc)
{
    const auto box = [&](double radius) {
        return QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius);
    };
    const double inner = shape.inner(arc.ring), outer = inner + shape.ring, swept = (arc.to - arc.from) * -360;
    QPainterPath path;
    path.arcMoveTo(box(outer), qtAngle(arc.from));
    path.arcTo(box(outer), qtAngle(arc.from), swept);
    path.arcTo(box(inner), qtAngle(arc.to), -swept);
    path.closeSubpath();
    return path;
}

/// Colours for more and less, distinguishable with any colour vision, blended from the colour for "equal".
QRgb differenceColour(const Palette &palette, double difference)
{
    const QRgb equal = palette.isDark ? 0xff505058 : 0xffd4d4d8, more = palette.isDark ? 0xfff4a582 : 0xffca5a34,
               less = palette.isDark ? 0xff6fb3dc : 0xff2166ac;
    // Makes even the smallest difference visible.
    constexpr double kLeast = 0.3;
    const double share = difference == 0 ? 0 : kLeast + (1 - kLeast) * std::min(1.0, std::abs(difference));
    return Palette::mixed(equal, difference < 0 ? less : more, share);
}

} // namespace

uint32_t SunburstChart::ringTop(uint32_t node) const
{
    while (node != kNone && parentOf(node) != root())
        node = parentOf(node);
    return node;
}

QRgb SunburstChart::colourOf(uint32_t node) const
{
    const SunburstArc *arc = arcOf(node);
    return arc ? colourOf(*arc) : 0;
}

QRgb SunburstChart::colourOf(const SunburstArc &arc) const
{
    const Palette &colours = Palette::fitting(palette());
    if (arc.node < m_differences.size())
        return differenceColour(colours, m_differences[arc.node]);
    if (arc.crowd > 1)
        return colours.step[1];
    const uint32_t top = ringTop(arc.node);
    const QRgb base = SeriesStyle::of(colours, static_cast<int>(top == kNone ? 0 : m_order[top] % 1024)).colour;
    // Outer rings are paler, and neighbours in a ring differ in lightness.
    constexpr double kPaler = 0.1, kNeighbour = 0.12, kPalest = 0.6;
    return Palette::mixed(
        base, colours.canvas,
        std::min(kPalest, kPaler * arc.ring + (arc.ring > 0 ? kNeighbour * (m_order[arc.node] % 2) : 0)));
}

void SunburstChart::paintRings(QPainter &painter, QPointF middle, const SunburstShape &shape,
                               const std::vector<SunburstArc> &arcs) const
{
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    for (const SunburstArc &arc : arcs) {
        const QRgb body = colourOf(arc);
        const bool isThin = (arc.to - arc.from) * 2 * std::numbers::pi * shape.inner(arc.ring + 1) < 3;
        painter.setPen(isThin ? QPen(Qt::NoPen) : QPen(QColor::fromRgb(colours.canvas), 1));
        painter.setBrush(QColor::fromRgb(body));
        painter.drawPath(outlineOf(middle, shape, arc));
    }
    painter.save();
    painter.translate(middle);
    for (const SunburstArc &arc : arcs)
        if (arc.crowd == 1)
            painter.fillPath(sunburstLabel(nameOf(arc.node), font(), shape, arc),
                             QColor::fromRgb(Palette::textOn(colourOf(arc))));
    painter.restore();
    painter.setBrush(Qt::NoBrush);
}

void SunburstChart::paintMiddle(QPainter &painter, QPointF middle, const SunburstShape &shape, uint32_t told) const
{
    const Palette &colours = Palette::fitting(palette());
    const uint32_t node = told == kNone ? root() : told;
    const double wide = 2 * shape.hole * 0.9;
    const int line = fontMetrics().height();
    painter.setPen(QColor::fromRgb(colours.text));
    // Text in brackets gets its own line if it does not fit beside the rest.
    QStringList lines{textOf(node)};
    if (const qsizetype bracket = lines[0].indexOf(QLatin1String(" ("));
        bracket > 0 && fontMetrics().horizontalAdvance(lines[0]) > wide)
        lines = {lines[0].left(bracket), lines[0].mid(bracket + 2).chopped(1)};
    if (const qsizetype blank = lines.back().lastIndexOf(QLatin1Char(' '));
        blank > 0 && fontMetrics().horizontalAdvance(lines.back()) > wide)
        lines = lines.mid(0, lines.size() - 1) + QStringList{lines.back().left(blank), lines.back().mid(blank + 1)};
    lines.prepend(nameOf(node));
    double top = middle.y() - line * (lines.size() > 3 ? lines.size() / 2.0 : 1);
    for (const QString &part : lines) {
        painter.drawText(QRectF(middle.x() - wide / 2, top, wide, line), Qt::AlignCenter,
                         elided(part, fontMetrics(), static_cast<int>(wide)));
        top += line;
    }
}

void SunburstChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    paintHead(painter);
    if (tree().size() == 0)
        return;
    paintRings(painter, middle(), m_shape, m_arcs);
    const auto outline = [&](uint32_t node, QRgb colour, double wide) {
        if (const SunburstArc *arc = arcOf(node)) {
            painter.setPen(QPen(QColor::fromRgb(colour), wide));
            painter.setBrush(Qt::NoBrush);
            painter.drawPath(outlineOf(middle(), m_shape, *arc));
        }
    };
    outline(hovered(), colours.hover, 1.5);
    outline(current(), colours.selection, 2.5);
    paintMiddle(painter, middle(), m_shape, hovered() != kNone ? hovered() : current());
    paintFocus(painter);
}

std::string SunburstChart::svg() const
{
    const Palette &colours = Palette::fitting(palette());
    SunburstInk ink;
    ink.name = [this](uint32_t node) { return toUtf8(nameOf(node)); };
    ink.value = [this](uint32_t node) { return toUtf8(textOf(node)); };
    ink.colour = [this](const SunburstArc &arc) { return colourOf(arc); };
    ink.canvas = colours.canvas & 0xFFFFFF;
    ink.text = colours.text & 0xFFFFFF;
    ink.title = toUtf8(title());
    constexpr double kRadius = 360;
    return sunburstSvg(tree(), root(), kRadius, ink);
}

QImage SunburstChart::image(int side) const
{
    QImage image(side, side, QImage::Format_ARGB32_Premultiplied);
    image.fill(QColor::fromRgb(Palette::fitting(palette()).canvas));
    QPainter painter(&image);
    painter.setFont(font());
    const SunburstShape shape = sunburstShape(tree(), root(), side / 2.0 - kPad);
    const QPointF centre(side / 2.0, side / 2.0);
    paintRings(painter, centre, shape, sunburstArcs(tree(), root(), shape));
    paintMiddle(painter, centre, shape, kNone);
    return image;
}

QByteArray SunburstChart::png() const
{
    constexpr int kSide = 1200;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    image(kSide).save(&buffer, "PNG");
    return bytes;
}

} // namespace riffle
