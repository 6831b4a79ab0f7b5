// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape/landscape_gestures.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace riffle {

namespace {
constexpr double kDragBegins = 4;    ///< pixels
constexpr double kWheelZoom = 1.2;   ///< factor per notch
constexpr double kWheelPan = 0.12;   ///< fraction of the visible range, per notch
constexpr double kKeyZoom = 1.25;    ///< vertical, factor per key press
constexpr int64_t kManyEvents = 100; ///< how far one key press with Shift moves the instant
} // namespace

LandscapeGestures::LandscapeGestures(LandscapeCanvas *canvas)
    : QObject(canvas)
    , m_canvas(canvas)
    , m_state(canvas->state())
    , m_memory(canvas->state()->memory())
    , m_keys({Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D}, this)
{
    connect(&m_keys, &HeldKeys::moved, this, &LandscapeGestures::moveBy);
    canvas->setFocusPolicy(Qt::StrongFocus);
    canvas->installEventFilter(this);
}

QString LandscapeGestures::help()
{
    return tr(
        "Hold w or s to zoom, a or d to pan (Shift: faster), + − zoom vertically, PgUp PgDn pan vertically, "
        "0 shows everything, f zooms to the selection\n"
        "← → , . move the instant by one event (Shift: 100), p goes to the peak, ↑ ↓ select the band above or "
        "below, r starts and ends a range\n"
        "A click selects a band, a drag selects a range, a drag below the plot moves the instant, Ctrl+wheel zooms, "
        "Shift+wheel pans, Esc clears the selection, then the range");
}

bool LandscapeGestures::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_canvas && (event->type() == QEvent::FocusOut || event->type() == QEvent::Hide)) {
        m_space = false;
        m_keys.stop();
    }
    if (watched == m_canvas && event->type() == QEvent::KeyRelease)
        return release(*static_cast<QKeyEvent *>(event));
    if (watched != m_canvas || !m_state->landscape())
        return QObject::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonPress: press(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::MouseMove: move(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::MouseButtonRelease: release(*static_cast<QMouseEvent *>(event)); return true;
    case QEvent::MouseButtonDblClick: m_state->fit(); return true;
    case QEvent::Wheel: wheel(*static_cast<QWheelEvent *>(event)); return true;
    case QEvent::KeyPress: return key(*static_cast<QKeyEvent *>(event));
    case QEvent::Leave:
        m_memory->setHovered(MemorySession::kNone);
        m_memory->setCursor(std::nullopt);
        emit hovered({}, {});
        return false;
    default: return false;
    }
}

void LandscapeGestures::press(const QMouseEvent &event)
{
    m_canvas->setFocus(Qt::MouseFocusReason);
    m_pressed = m_last = event.position();
    m_pressedSlot = m_canvas->slotAt(std::clamp(m_pressed.x(), m_canvas->plot().left(), m_canvas->plot().right() - 1));
    if (event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && m_space)) {
        m_drag = Drag::Pan;
    } else if (event.button() == Qt::LeftButton) {
        m_drag = m_pressed.y() > m_canvas->plot().bottom() ? Drag::Scrub : Drag::Press;
        if (m_drag == Drag::Scrub)
            setInstant(m_pressedSlot);
    }
}

void LandscapeGestures::move(const QMouseEvent &event)
{
    const QPointF at = event.position();
    const QRectF plot = m_canvas->plot();
    const uint32_t slot = m_canvas->slotAt(std::clamp(at.x(), plot.left(), plot.right() - 1));
    if (m_drag == Drag::Pan) {
        const Ns moved = m_canvas->positionAt(m_last.x()) - m_canvas->positionAt(at.x());
        const double bytes = m_canvas->bytesAt(m_last.y()) - m_canvas->bytesAt(at.y());
        const TimeSpan range = m_state->range();
        if (moved != 0 || m_state->range().duration() > plot.width()) {
            m_state->setRange({range.begin + moved, range.end + moved});
            m_last.setX(at.x());
        }
        m_state->setHeights(m_state->bottom() + bytes, m_state->top() + bytes);
        m_last.setY(at.y());
        return;
    }
    if (m_drag == Drag::Press && (at - m_pressed).manhattanLength() >= kDragBegins)
        m_drag = Drag::Range;
    if (m_drag == Drag::Range) {
        const LandscapeData &data = *m_state->data();
        const auto [first, last] = std::minmax(m_pressedSlot, slot);
        m_memory->setRange(
            MemorySession::EventRange{data.eventOf(std::max(1u, first)), data.eventOf(std::max(1u, last))});
        emit hovered({}, at.toPoint());
        return;
    }
    if (m_drag == Drag::Scrub) {
        setInstant(slot);
        return;
    }
    hover(at);
}

void LandscapeGestures::hover(QPointF point)
{
    const LandscapeCanvas::Hit hit = m_canvas->hitAt(point);
    m_memory->setHovered(hit.allocation);
    const LandscapeData *data = m_state->data();
    if (data && hit.inside && hit.slot > 0 && hit.slot <= data->times.size())
        m_memory->setCursor(data->times[hit.slot - 1]);
    m_canvas->setCursor(m_space                                 ? Qt::OpenHandCursor
                        : point.y() > m_canvas->plot().bottom() ? Qt::SizeHorCursor
                                                                : Qt::ArrowCursor);
    emit hovered(hit, point.toPoint());
}

void LandscapeGestures::release(const QMouseEvent &event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (drag == Drag::Press) {
        const LandscapeCanvas::Hit hit = m_canvas->hitAt(event.position());
        m_memory->setRange(std::nullopt);
        m_memory->select(hit.allocation);
        if (hit.inside)
            setInstant(hit.slot);
    }
    hover(event.position());
}

void LandscapeGestures::wheel(const QWheelEvent &event)
{
    const double y = event.angleDelta().y() / 120.0, x = event.angleDelta().x() / 120.0;
    const bool control = event.modifiers() & Qt::ControlModifier, shift = event.modifiers() & Qt::ShiftModifier;
    const double notches = y != 0 ? y : x;
    if (control && shift)
        m_state->zoomHeight(m_canvas->bytesAt(event.position().y()), std::pow(kWheelZoom, -notches));
    else if (control)
        m_state->zoom(m_canvas->positionAt(event.position().x()), std::pow(kWheelZoom, -notches));
    else if (shift)
        m_state->pan(-notches * kWheelPan);
    else {
        const double move = y * kWheelPan * (m_state->top() - m_state->bottom());
        m_state->setHeights(m_state->bottom() + move, m_state->top() + move);
        if (x != 0)
            m_state->pan(-x * kWheelPan);
    }
}

Ns LandscapeGestures::anchor() const
{
    const QPointF at = m_canvas->mapFromGlobal(QCursor::pos());
    if (m_canvas->underMouse() && m_canvas->plot().contains(at))
        return m_canvas->positionAt(at.x());
    // If the pointer is elsewhere, the view zooms about the instant, or about its own middle if the instant is not
    // visible.
    const Ns instant = m_state->axis().begin(m_state->data()->slotOf(m_memory->instant()));
    const TimeSpan range = m_state->range();
    return instant >= range.begin && instant < range.end ? instant : range.begin + range.duration() / 2;
}

bool LandscapeGestures::release(const QKeyEvent &event)
{
    if (event.key() == Qt::Key_Space && !event.isAutoRepeat())
        m_space = false;
    if (!event.isAutoRepeat())
        m_zoomRest = m_panRest = 0;
    return m_keys.release(event);
}

/// Zooms and pans as far as the held keys do in `seconds`. If few events are visible, one step can be less than one
/// event, so the remainder is carried over to the next step.
void LandscapeGestures::moveBy(double seconds)
{
    if (!m_state->landscape())
        return;
    const int zooming = m_keys.held({Qt::Key_S}) - m_keys.held({Qt::Key_W}),
              moving = m_keys.held({Qt::Key_D}) - m_keys.held({Qt::Key_A});
    m_zoomRest = zooming == 0 ? 0 : m_zoomRest + zooming * HeldKeys::kZoomRate * seconds;
    m_panRest = moving == 0 ? 0 : m_panRest + moving * HeldKeys::kPanRate * seconds;
    if (std::abs(std::expm1(m_zoomRest)) * static_cast<double>(m_state->range().duration()) >= 0.5)
        m_state->zoom(anchor(), std::exp(std::exchange(m_zoomRest, 0)));
    const auto length = static_cast<double>(m_state->range().duration());
    if (const double steps = std::round(m_panRest * length); steps != 0) {
        m_state->pan(steps / length);
        m_panRest -= steps / length;
    }
}

bool LandscapeGestures::key(const QKeyEvent &event)
{
    if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
        return false;
    if (m_keys.press(event))
        return true;
    const bool fast = event.modifiers() & Qt::ShiftModifier;
    const double height = m_state->top() - m_state->bottom();
    switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal: m_state->zoomHeight(m_state->bottom(), 1 / kKeyZoom); return true;
    case Qt::Key_Minus: m_state->zoomHeight(m_state->bottom(), kKeyZoom); return true;
    case Qt::Key_PageUp: m_state->setHeights(m_state->bottom() + height / 2, m_state->top() + height / 2); return true;
    case Qt::Key_PageDown:
        m_state->setHeights(m_state->bottom() - height / 2, m_state->top() - height / 2);
        return true;
    case Qt::Key_0:
    case Qt::Key_Home: m_state->showAll(); return true;
    case Qt::Key_F: m_state->fit(); return true;
    case Qt::Key_Left:
    case Qt::Key_Comma:
    case Qt::Key_Less: moveInstant(fast ? -kManyEvents : -1); return true;
    case Qt::Key_Right:
    case Qt::Key_Period:
    case Qt::Key_Greater: moveInstant(fast ? kManyEvents : 1); return true;
    case Qt::Key_P: setInstant(m_state->data()->slotOf(m_state->data()->replay().peakAllocatedEvent)); return true;
    case Qt::Key_Up: selectBeside(1); return true;
    case Qt::Key_Down: selectBeside(-1); return true;
    case Qt::Key_R: toggleRange(); return true;
    case Qt::Key_Space: m_space = true; return true;
    case Qt::Key_Escape: return m_memory->escape();
    default: return false;
    }
}

void LandscapeGestures::setInstant(uint32_t slot) { m_memory->setInstant(m_state->data()->eventOf(slot)); }

/// Moves the instant and keeps it in view.
void LandscapeGestures::moveInstant(int64_t by)
{
    const LandscapeData &data = *m_state->data();
    const int64_t slot =
        std::clamp<int64_t>(int64_t(data.slotOf(m_memory->instant())) + by, 0, int64_t(data.columns.slotCount) - 1);
    setInstant(static_cast<uint32_t>(slot));
    const Ns at = m_state->axis().begin(static_cast<uint32_t>(slot));
    const TimeSpan range = m_state->range();
    if (at < range.begin || at >= range.end)
        m_state->setRange({at - range.duration() / 2, at - range.duration() / 2 + range.duration()});
}

/// Selects the band above or below the selected one at the instant; the lowest or highest one if none is selected.
void LandscapeGestures::selectBeside(int direction)
{
    const Landscape &landscape = *m_state->landscape();
    const uint32_t slot = m_state->data()->slotOf(m_memory->instant());
    const uint32_t band =
        m_memory->selected() == MemorySession::kNone ? Landscape::kNone : landscape.bandOf(m_memory->selected());
    const auto base = band == Landscape::kNone ? std::nullopt : landscape.base(band, slot);
    int64_t height = direction > 0 ? 0 : std::max<int64_t>(1, landscape.top(slot)) - 1;
    if (base)
        height = direction < 0                              ? *base - 1
                 : *base > INT64_MAX - landscape.size(band) ? INT64_MAX
                                                            : *base + landscape.size(band);
    if (const uint32_t next = landscape.bandAt(slot, height); next != Landscape::kNone)
        m_memory->select(landscape.row(next));
}

/// Starts a range at the instant, or ends the range that was started; until then it consists of a single event.
void LandscapeGestures::toggleRange()
{
    const LandscapeData &data = *m_state->data();
    const uint32_t event = data.eventOf(std::max(1u, data.slotOf(m_memory->instant())));
    const auto range = m_memory->range();
    const bool waits = range && range->first == range->last && range->first != event;
    m_memory->setRange(waits ? MemorySession::EventRange{range->first, event}
                             : MemorySession::EventRange{event, event});
}

} // namespace riffle
