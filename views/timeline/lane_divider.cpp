// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lane_divider.h"

#include "views/common/look/palette.h"

#include <QMouseEvent>
#include <QPainter>

namespace riffle {

namespace {
constexpr int kGripWidth = 28; ///< logical pixels: the width of the grip in the middle
} // namespace

LaneDivider::LaneDivider(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setCursor(Qt::SplitVCursor);
    setToolTip(tr("Drag to give the device's lanes more or less room. Double-click for the default."));
    hide();
}

void LaneDivider::place(const QRect &lanes)
{
    const int at = m_state->viewport().divider();
    setVisible(at >= 0);
    if (at >= 0) {
        setGeometry(lanes.left(), lanes.top() + at, lanes.width(), LaneViewport::kDivider);
        raise();
    }
}

void LaneDivider::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.heading));
    painter.fillRect(0, 0, width(), 1, QColor::fromRgb(colours.line));
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
    painter.fillRect((width() - kGripWidth) / 2, height() / 2 - 1, kGripWidth, 2, QColor::fromRgb(colours.dimText));
}

void LaneDivider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const LaneWindow *device = m_state->viewport().find(LaneWindow::Part::Device);
    if (device)
        m_pressedHeight = device->bottom - device->top - event->globalPosition().toPoint().y();
}

void LaneDivider::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        m_state->setDeviceWish(std::max(1, m_pressedHeight + event->globalPosition().toPoint().y()));
}

void LaneDivider::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton)
        m_state->setDeviceWish(0);
}

} // namespace riffle
