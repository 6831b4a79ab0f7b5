// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lane_gestures.h"

#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {
constexpr double kDragBegins = 4;  ///< pixels
constexpr double kWheelZoom = 1.2; ///< per notch
constexpr double kWheelPan = 0.12; ///< fraction of the visible range, per notch
constexpr int kWheelScroll = 60;   ///< pixels per notch
} // namespace

LaneGestures::LaneGestures(TimelineState *state, LanesCanvas *canvas, Navigation *navigation, QObject *parent)
    : QObject(parent)
    , m_state(state)
    , m_canvas(canvas)
    , m_navigation(navigation)
    , m_glide(this)
{
    canvas->installEventFilter(this);
    connect(&m_glide, &ScrollGlide::moved, this, [this](QPointF distance) {
        m_isGliding = true;
        scrollAt(m_wheelAt, -distance.y());
        panBy(-distance.x());
        m_isGliding = false;
    });
    connect(state->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::VisibleRange && !(changes & Pane::Along) && !m_isGliding) // something else moved the view
            m_glide.stop();
    });
    connect(state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::Traces | Session::Members))
            m_glide.stop();
    });
    // The slice under a resting pointer changes when keys, glides or other views move the lanes. It is looked up after
    // the lanes were painted, because the picture's rectangles are then known.
    connect(canvas, &LanesCanvas::pictureChanged, this, &LaneGestures::hoverAgain, Qt::QueuedConnection);
}

bool LaneGestures::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_canvas || m_state->traces().empty())
        return QObject::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonPress: press(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::MouseMove: move(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::MouseButtonRelease: release(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::MouseButtonDblClick: doubleClick(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::Wheel: wheel(*static_cast<QWheelEvent *>(event)); return true;
    case QEvent::Leave: leave(); return false;
    case QEvent::NativeGesture: {
        const auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() != Qt::ZoomNativeGesture)
            return false;
        quieten();
        m_navigation->zoom(m_canvas->timeAt(gesture->position().x()), 1 / std::max(0.1, 1 + gesture->value()));
        return true;
    }
    default: return false;
    }
}

void LaneGestures::press(const QMouseEvent &event)
{
    m_canvas->parentWidget()->setFocus(Qt::MouseFocusReason);
    quieten();
    m_pressed = m_last = event.position();
    if (event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && m_navigation->panning())) {
        m_drag = Drag::Pan;
        m_canvas->setCursor(Qt::ClosedHandCursor);
    } else if (event.button() == Qt::LeftButton) {
        m_drag = Drag::Press;
        m_pressedTime = m_canvas->timeAt(event.position().x());
        const int y = static_cast<int>(event.position().y());
        const LaneWindow &window = m_state->viewport().at(y);
        m_pressedPart = window.part;
        m_pressedHeight = y - window.offset();
    }
}

void LaneGestures::move(const QMouseEvent &event)
{
    m_quiet = false;
    const QPointF at = event.position();
    if (m_drag == Drag::Pan) {
        const TimeSpan range = m_state->pane()->visibleRange();
        const Ns moved = m_canvas->timeAt(m_last.x()) - m_canvas->timeAt(at.x());
        m_state->pane()->setVisibleRange({range.begin + moved, range.end + moved});
        scrollAt(m_pressed, m_last.y() - at.y());
        m_last = at;
        return;
    }
    if (m_drag == Drag::Press && (at - m_pressed).manhattanLength() >= kDragBegins)
        m_drag = Drag::Area;
    if (m_drag == Drag::Area) {
        const Ns time = m_canvas->timeAt(std::clamp(at.x(), 0.0, static_cast<double>(m_canvas->width())));
        const LaneWindow *pressed = m_state->viewport().find(m_pressedPart);
        const int from = m_pressedHeight + (pressed ? pressed->offset() : 0);
        const int to = static_cast<int>(at.y());
        // Empty space and headings belong to no lane; the range then applies to all lanes.
        m_state->session()->setArea(
            m_state->pane()->areaOf({std::min(m_pressedTime, time), std::max(m_pressedTime, time)},
                                    m_canvas->lanesBetween(std::min(from, to), std::max(from, to) + 1)));
        m_state->pane()->setHover({}, m_canvas->timeAt(at.x()));
        emit hovered({}, at.toPoint());
        return;
    }
    hover(at.toPoint());
}

void LaneGestures::quieten()
{
    m_glide.stop();
    m_quiet = true;
    emit hovered({}, {});
}

void LaneGestures::hoverAgain()
{
    if (m_resting && m_drag == Drag::None && !m_state->traces().empty())
        hover(*m_resting);
}

void LaneGestures::hover(QPoint point)
{
    m_resting = point;
    m_state->setActivePart(m_state->viewport().at(point.y()).part);
    const Hit hit = m_canvas->hitAt(point);
    m_state->pane()->setHover(hit.slice, m_canvas->timeAt(point.x()), hit.item ? hit.item->trace : TraceId());
    const bool hand = m_navigation->panning();
    const bool heading = hit.item && hit.item->heading();
    m_canvas->setCursor(hand ? Qt::OpenHandCursor : heading ? Qt::PointingHandCursor : Qt::ArrowCursor);
    emit hovered(m_quiet ? Hit() : hit, point);
}

void LaneGestures::release(const QMouseEvent &event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    const QPoint point = event.position().toPoint();
    if (drag == Drag::Press) {
        const Hit hit = m_canvas->hitAt(point);
        if (hit.item && hit.item->heading()) {
            m_state->toggleFold(LaneItem(*hit.item));
        } else {
            if (event.modifiers() & Qt::ControlModifier) {
                m_state->session()->toggleSelected(hit.slice);
            } else {
                m_state->session()->setArea(std::nullopt);
                m_state->session()->select(hit.slice);
            }
        }
    }
    hover(point);
}

void LaneGestures::doubleClick(const QMouseEvent &event)
{
    m_drag = Drag::None;
    if (event.button() != Qt::LeftButton)
        return;
    const Hit hit = m_canvas->hitAt(event.position().toPoint());
    if (hit.slice.valid())
        m_navigation->zoomTo(hit.slice);
    else if (hit.item && hit.item->heading())
        m_drag = Drag::Press;
}

void LaneGestures::wheel(const QWheelEvent &event)
{
    m_quiet = true;
    emit hovered({}, {});
    m_wheelAt = event.position();
    m_glide.follow(event, m_navigation->isAnimated() && event.modifiers() == Qt::NoModifier);
    const QPoint pixels = event.pixelDelta();
    const double notchesY = event.angleDelta().y() / 120.0;
    const double notchesX = event.angleDelta().x() / 120.0;
    if (event.modifiers() & Qt::ControlModifier) {
        m_navigation->zoom(m_canvas->timeAt(event.position().x()), std::pow(kWheelZoom, -notchesY));
    } else if (event.modifiers() & Qt::ShiftModifier) {
        // Some platforms swap the wheel's axes while Shift is held.
        if (!pixels.isNull())
            panBy(-(pixels.y() != 0 ? pixels.y() : pixels.x()));
        else
            m_navigation->pan(-(notchesY != 0 ? notchesY : notchesX) * kWheelPan);
    } else if (!pixels.isNull()) {
        scrollAt(event.position(), -pixels.y());
        panBy(-pixels.x());
    } else {
        scrollAt(event.position(), -notchesY * kWheelScroll);
        if (notchesX != 0)
            m_navigation->pan(-notchesX * kWheelPan);
    }
    hover(event.position().toPoint());
}

void LaneGestures::scrollAt(QPointF at, double distance)
{
    m_state->setActivePart(m_state->viewport().at(static_cast<int>(at.y())).part);
    m_unscrolled += distance;
    const double whole = std::trunc(m_unscrolled);
    m_unscrolled -= whole;
    m_state->scrollBy(static_cast<int>(whole));
}

/// Moves the view by logical pixels.
void LaneGestures::panBy(double distance)
{
    if (distance != 0)
        m_navigation->pan(distance / std::max(1, m_canvas->width()));
}

void LaneGestures::leave()
{
    m_resting.reset();
    if (m_drag != Drag::None)
        return;
    m_state->pane()->setHover({}, std::nullopt);
    emit hovered({}, {});
}

} // namespace riffle
