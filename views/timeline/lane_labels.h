// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/timeline_state.h"

#include <QWidget>

#include <optional>
#include <string>

namespace riffle {

/// The column left of the lanes: headings of ranks, GPUs and processes with their fold arrows, and the names of lanes.
/// A lane with plumbing says how many of its rows are shown, and a click there shows all or hides it. A lane can be
/// dragged to another place in its group, and its lower edge can be dragged to change its height; the menu pins and
/// hides lanes.
class LaneLabels : public QWidget {
    Q_OBJECT
public:
    LaneLabels(TimelineState *state, QWidget *parent);

    /// The rectangle of a strip's label; empty if it is scrolled out of view. For tests and menus.
    QRect rectOf(const LaneItem &item) const;
    /// Sets how busy each rank is, from 0 to 1, for the rows of folded ranks; none for ranks of which this is not
    /// known.
    void setBusy(PerTrace<std::optional<double>> shares);
    /// The second part of a label.
    QString noteOf(const LaneItem &item) const;

signals:
    /// The user dragged the right edge to this width.
    void widthWanted(int width);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void leaveEvent(QEvent *event) override;
    bool event(QEvent *event) override;

private:
    enum class Drag { None, Click, Move, Resize, Width };

    const LaneItem *itemAt(int y) const;
    void paintItem(QPainter &painter, const LaneItem &item, const QRect &cell);
    bool onEdge(const LaneItem &item, int y) const;
    static QString rowsText(const LaneItem &item);
    static QRect rowsLink(const LaneItem &item, const QRect &cell);
    static QString framesText(const LaneItem &item);
    QRect cellOf(const LaneItem &item) const;
    QRect titleLine(const LaneItem &item) const;
    QRect framesLink(const LaneItem &item) const;
    void updateCursor(QPoint point);

    TimelineState *m_state;
    PerTrace<std::optional<double>> m_busy;
    Drag m_drag = Drag::None;
    std::string m_draggedKey;
    QPoint m_pressed;
    int m_startHeight = 0;
    int m_dropY = -1; ///< where a moved lane would land
    std::string m_hoveredKey;
};

} // namespace riffle
