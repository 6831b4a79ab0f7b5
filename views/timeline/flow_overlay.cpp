// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/flow_overlay.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace riffle {

void FlowOverlay::setSelection(const TraceSet &set, SliceRef selected)
{
    m_links.clear();
    m_trace = selected.trace;
    if (const Trace *trace = selected.valid() ? set.trace(selected.trace) : nullptr)
        m_links = flowLinks(*trace, selected.slice);
}

void FlowOverlay::paint(QPainter &painter, const QRectF &view, const Palette &palette, const RectOf &rectOf) const
{
    if (m_links.empty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = QColor::fromRgb(palette.flow);
    for (const FlowLink &link : m_links) {
        const auto from = rectOf({m_trace, link.from});
        const auto to = rectOf({m_trace, link.to});
        if (!from || !to)
            continue;
        // A launch may end after its work starts; the arrow then leaves at the start of the work.
        const bool upwards = to->center().y() < from->center().y();
        const bool sameRow = to->top() == from->top();
        QPointF start(std::clamp(to->left(), from->left(), from->right()),
                      upwards || sameRow ? from->top() : from->bottom());
        QPointF end(to->left() + std::min(6.0, to->width() / 2), upwards && !sameRow ? to->bottom() : to->top());
        // Coordinates far outside the view would overflow in the rasteriser.
        const double farX = 4 * view.width();
        const double farY = 4 * view.height();
        start.setX(std::clamp(start.x(), view.left() - farX, view.right() + farX));
        end.setX(std::clamp(end.x(), view.left() - farX, view.right() + farX));
        start.setY(std::clamp(start.y(), view.top() - farY, view.bottom() + farY));
        end.setY(std::clamp(end.y(), view.top() - farY, view.bottom() + farY));
        if (!QRectF(start, end).normalized().adjusted(-60, -60, 60, 60).intersects(view))
            continue;
        // The curve leaves and arrives vertically, so that it crosses rows instead of running along one.
        const QPointF leave = sameRow ? QPointF(0, -28) : QPointF(0, (end.y() - start.y()) / 2);
        const QPointF arrive = sameRow ? QPointF(0, -28) : -leave;
        QPainterPath path(start);
        path.cubicTo(start + leave, end + arrive, end);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(QColor::fromRgba((palette.canvas & 0xffffff) | 0xc0000000), 4));
        painter.drawPath(path);
        painter.setPen(QPen(colour, 1.6));
        painter.drawPath(path);
        const double back = arrive.y() < 0 ? -8 : 8;
        QPainterPath head(end);
        head.lineTo(end + QPointF(-4, back));
        head.lineTo(end + QPointF(4, back));
        head.closeSubpath();
        painter.fillPath(head, colour);
    }
    painter.restore();
}

} // namespace riffle
