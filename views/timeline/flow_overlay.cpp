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
        // A launch may end after its work began: the arrow then leaves from where the work begins.
        const double leave = std::clamp(to->left(), from->left(), from->right());
        QPointF start(leave, to->center().y() < from->center().y() ? from->top() : from->bottom());
        QPointF end(to->left(), to->center().y());
        // Far outside, coordinates would overflow the rasteriser.
        const double far = 4 * std::max(view.width(), view.height());
        start.setX(std::clamp(start.x(), view.left() - far, view.right() + far));
        end.setX(std::clamp(end.x(), view.left() - far, view.right() + far));
        start.setY(std::clamp(start.y(), view.top() - far, view.bottom() + far));
        end.setY(std::clamp(end.y(), view.top() - far, view.bottom() + far));
        const QRectF bounds = QRectF(start, end).normalized().adjusted(-60, -60, 60, 60);
        if (!bounds.intersects(view))
            continue;
        const double bend = std::clamp(std::abs(end.x() - start.x()) / 2, 12.0, 60.0);
        QPainterPath path(start);
        path.cubicTo(start + QPointF(0, (end.y() - start.y()) / 2), end - QPointF(bend, 0), end);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(QColor::fromRgba((palette.canvas & 0xffffff) | 0xc0000000), 4));
        painter.drawPath(path);
        painter.setPen(QPen(colour, 1.6));
        painter.drawPath(path);
        QPainterPath head(end);
        head.lineTo(end + QPointF(-8, -4));
        head.lineTo(end + QPointF(-8, 4));
        head.closeSubpath();
        painter.fillPath(head, colour);
    }
    painter.restore();
}

} // namespace riffle
