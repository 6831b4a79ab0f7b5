// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/lanes_canvas.h"
#include "views/timeline/navigation.h"
#include "views/timeline/scroll_glide.h"

#include <QObject>
#include <QPoint>
#include <QPointF>

#include <optional>

class QMouseEvent;
class QWheelEvent;

namespace riffle {

/// Mouse and touchpad over the lanes: a click selects, with Ctrl it adds to the selection, a double click fits a slice
/// into the view, a drag selects an area, middle or Space drag pans, the wheel scrolls (with Ctrl it zooms, with Shift
/// it pans), a pinch zooms. Touchpads scroll and pan to the pixel, and glide on after a fast scroll.
class LaneGestures : public QObject {
    Q_OBJECT
public:
    LaneGestures(TimelineState *state, LanesCanvas *canvas, Navigation *navigation, QObject *parent);

    /// Something other than the pointer acts: nothing is hovered(), until the pointer moves again. Ends a glide.
    void quieten();

signals:
    /// The pointer is over this hit; a default Hit means that it is over nothing.
    void hovered(const riffle::Hit &hit, QPoint at);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    enum class Drag { None, Press, Area, Pan };

    void press(const QMouseEvent &event);
    void move(const QMouseEvent &event);
    void release(const QMouseEvent &event);
    void doubleClick(const QMouseEvent &event);
    void wheel(const QWheelEvent &event);
    void scrollAt(QPointF at, double distance);
    void panBy(double distance);
    void leave();
    void hover(QPoint point);
    void hoverAgain(); ///< updates what is under the pointer after the lanes have moved

    TimelineState *m_state;
    LanesCanvas *m_canvas;
    Navigation *m_navigation;
    Drag m_drag = Drag::None;
    QPointF m_pressed;
    QPointF m_last;
    Ns m_pressedTime = 0;
    std::optional<QPoint> m_resting; ///< where the pointer is while it is over the lanes
    LaneWindow::Part m_pressedPart = LaneWindow::Part::Main;
    bool m_quiet = false;
    int m_pressedHeight = 0; ///< inside that part's lanes, so that scrolling does not move the start of a drag
    ScrollGlide m_glide;
    bool m_isGliding = false; ///< the glide is moving the view
    QPointF m_wheelAt;        ///< where the wheel was turned last
    double m_unscrolled = 0;  ///< less than a pixel, which is kept for the next event
};

} // namespace riffle
