// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/icicle_chart.h"

#include "model/base/format.h"
#include "model/layout/icicle_svg.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QBuffer>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {
constexpr int kLeastLabel = 24; ///< pixels: the narrowest box that shows a name
}

IcicleChart::IcicleChart(QWidget *parent) : TreeChart(parent)
{
    setMinimumSize(200, 100);
    setAccessibleName(tr("Time tree"));
}

void IcicleChart::setTree(IcicleTree tree, std::vector<std::string> names, CellKind unit)
{
    m_unit = unit;
    takeTree(std::move(tree), std::move(names));
}

void IcicleChart::layOutNodes()
{
    const int levels = std::max(1, (height() - headHeight() - kPad) / rowHeight());
    m_boxes = icicleBoxes(tree(), root(), width() - 2 * kPad, static_cast<uint32_t>(levels));
}

uint32_t IcicleChart::crowdOf(uint32_t node) const
{
    const IcicleBox *box = boxOf(node);
    return box ? box->crowd : 0;
}

QString IcicleChart::valueText(int64_t value) const
{
    if (m_unit == CellKind::Bytes)
        return exactBytesText(value);
    return toQString(m_unit == CellKind::Time ? formatDuration(value) : formatCount(value));
}

const IcicleBox *IcicleChart::boxOf(uint32_t node) const
{
    const auto found =
        std::find_if(m_boxes.begin(), m_boxes.end(), [node](const IcicleBox &box) { return box.node == node; });
    return found == m_boxes.end() ? nullptr : &*found;
}

QRectF IcicleChart::rectOf(const IcicleBox &box) const
{
    return {kPad + box.left, double(headHeight()) + box.level * rowHeight(), box.right - box.left, rowHeight() - 1.0};
}

QRectF IcicleChart::rectOf(uint32_t node) const
{
    const IcicleBox *box = boxOf(node);
    return box ? rectOf(*box) : QRectF();
}

const IcicleBox *IcicleChart::boxAt(QPointF point) const
{
    const auto found =
        std::find_if(m_boxes.begin(), m_boxes.end(), [&](const IcicleBox &box) { return rectOf(box).contains(point); });
    return found == m_boxes.end() ? nullptr : &*found;
}

QRgb IcicleChart::colourOf(const IcicleBox &box) const
{
    const Palette &colours = Palette::fitting(palette());
    return box.crowd > 1 ? colours.step[1] : colours.slice(Palette::colourIndex(rawName(box.node)));
}

void IcicleChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    paint(painter);
    paintFocus(painter);
}

void IcicleChart::paint(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    paintHead(painter);
    for (const IcicleBox &box : m_boxes) {
        const QRectF place = rectOf(box);
        const QRgb body = colourOf(box);
        painter.fillRect(place, QColor::fromRgb(body));
        if (place.width() >= 3)
            painter.fillRect(QRectF(place.right() - 1, place.top(), 1, place.height()),
                             QColor::fromRgb(colours.canvas));
        if (place.width() < kLeastLabel)
            continue;
        painter.setPen(QColor::fromRgb(Palette::textOn(body)));
        const QRectF inside = place.adjusted(4, 0, -3, 0);
        painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(nameOf(box.node), fontMetrics(), static_cast<int>(inside.width())));
    }
    const auto outline = [&](uint32_t node, QRgb colour, double wide) {
        if (const IcicleBox *box = boxOf(node)) {
            painter.setPen(QPen(QColor::fromRgb(colour), wide));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rectOf(*box).adjusted(0.5, 0.5, -0.5, -0.5));
        }
    };
    outline(hovered(), colours.hover, 1);
    outline(current(), colours.selection, 2);
}

std::string IcicleChart::svg() const
{
    const Palette &colours = Palette::fitting(palette());
    IcicleInk ink;
    ink.name = [this](uint32_t node) { return toUtf8(nameOf(node)); };
    ink.value = [this](uint32_t node) { return toUtf8(valueText(tree().values[node])); };
    ink.colour = [this](const IcicleBox &box) { return colourOf(box); };
    ink.canvas = colours.canvas & 0xFFFFFF;
    ink.text = colours.text & 0xFFFFFF;
    ink.title = toUtf8(accessibleName());
    constexpr double kWidth = 1200;
    return icicleSvg(tree(), root(), kWidth, ink);
}

QByteArray IcicleChart::png() const
{
    constexpr int kFiner = 2;
    QImage image(size() * kFiner, QImage::Format_RGB32);
    image.setDevicePixelRatio(kFiner);
    QPainter painter(&image);
    painter.setFont(font());
    paint(painter);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    image.save(&buffer, "PNG");
    return bytes;
}

void IcicleChart::mouseMoveEvent(QMouseEvent *event)
{
    const IcicleBox *box = boxAt(event->position());
    hover(box ? box->node : kNone);
}

void IcicleChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || followPath(event->position()))
        return;
    if (const IcicleBox *box = boxAt(event->position())) {
        const IcicleBox clicked = *box;
        setCurrent(clicked.node);
        setRoot(clicked.crowd > 1 ? parentOf(clicked.node) : clicked.node);
    }
}

void IcicleChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && boxAt(event->position()) && current() != kNone)
        emit activated(current());
}

} // namespace riffle
