// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "views/timeline/timeline_state.h"

#include <QWidget>

namespace riffle {

/// Ticks above the lanes in units that suit the range. A drag marks a range and shows its length; marks carry flags
/// and tool tips; a double click removes the mark under it. The menu switches between the time since the start and date
/// and time.
class TimeRuler : public QWidget {
    Q_OBJECT
public:
    TimeRuler(TimelineState *state, QWidget *parent);

    /// The lines of a mark's tool tip.
    QStringList describe(const Mark &mark) const;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    TimeScale scale() const { return TimeScale(m_state->pane()->visibleRange(), std::max(1, width())); }
    void paintTicks(QPainter &painter);
    void paintArea(QPainter &painter, const AreaSelection &area, QRgb colour);
    void paintMarks(QPainter &painter);
    int markAt(int x) const;

    TimelineState *m_state;
    std::optional<Ns> m_dragFrom;
    bool m_dragging = false;
    int m_pressedX = 0;
};

} // namespace riffle
