// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/held_keys.h"
#include "views/memory/landscape/landscape_canvas.h"

#include <QObject>
#include <QPointF>

class QKeyEvent;
class QMouseEvent;
class QWheelEvent;

namespace riffle {

/// The mouse and key gestures of a landscape: those of the slice timeline, and some for the instant.
class LandscapeGestures : public QObject {
    Q_OBJECT
public:
    explicit LandscapeGestures(LandscapeCanvas *canvas);

    static QString help();

signals:
    /// The pointer is over this hit; over nothing if `hit.inside` is false.
    void hovered(const riffle::LandscapeCanvas::Hit &hit, QPoint at);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    enum class Drag { None, Press, Range, Pan, Scrub };

    void press(const QMouseEvent &event);
    void move(const QMouseEvent &event);
    void release(const QMouseEvent &event);
    void wheel(const QWheelEvent &event);
    bool key(const QKeyEvent &event);
    bool release(const QKeyEvent &event);
    void hover(QPointF point);
    void setInstant(uint32_t slot);
    void moveInstant(int64_t by);
    void selectBeside(int direction);
    void toggleRange();
    void moveBy(double seconds);
    Ns anchor() const;

    LandscapeCanvas *m_canvas;
    LandscapeState *m_state;
    MemorySession *m_memory;
    HeldKeys m_keys;
    double m_zoomRest = 0, m_panRest = 0; ///< movement of held keys that is not applied yet
    Drag m_drag = Drag::None;
    bool m_space = false;
    QPointF m_pressed;
    QPointF m_last;
    uint32_t m_pressedSlot = 0;
};

} // namespace riffle
