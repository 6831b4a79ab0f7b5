// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/draw_list.h"
#include "model/layout/hit_test.h"
#include "views/common/session/session.h"
#include "views/timeline/flow_overlay.h"
#include "views/timeline/lane_painter.h"
#include "views/timeline/timeline_state.h"

#include <QImage>
#include <QWidget>

#include <array>
#include <functional>

namespace riffle {

/// The lanes themselves. The picture of slices and graphs is cached as an image and repainted only when the range, the
/// lanes or the size change; the cursor, hover, selection, area and arrows are painted over it.
class LanesCanvas : public QWidget {
    Q_OBJECT
public:
    LanesCanvas(TimelineState *state, QWidget *parent);

    /// Finds what is under a point of the widget.
    Hit hitAt(QPoint point);
    Ns timeAt(double x) const;
    double xAt(Ns time) const;
    /// The place of a slice, even if it is scrolled or panned out of view; none if its lane is not shown or hides it as
    /// plumbing.
    std::optional<QRectF> rectOf(SliceRef slice) const;
    /// The strip at a vertical position in the widget; null in empty space.
    const LaneItem *itemAt(int y) const;
    /// The lanes between two vertical positions in the widget.
    std::vector<LaneRef> lanesBetween(int y0, int y1) const;

signals:
    /// Lanes or times have moved, and the new picture is on the screen.
    void pictureChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void onSession(Session::Changes changes);
    void onPane(Pane::Changes changes);
    void invalidate();
    void onScrolled();
    void makeLists();
    void makeImage();
    void paintOverlay(QPainter &painter);
    void shadeOtherSteps(QPainter &painter);
    void forStrips(const std::function<bool(const LaneItem &)> &isChosen,
                   const std::function<void(double, double)> &paint) const;
    void paintArea(QPainter &painter);
    void paintMarks(QPainter &painter);
    const DrawList &listOf(LaneWindow::Part part) const { return m_lists[static_cast<size_t>(part)]; }
    void outline(QPainter &painter, SliceRef slice, QRgb colour, double width, Qt::PenStyle style = Qt::SolidLine);
    TimeScale scale() const; ///< in logical pixels
    QRegion hoverRegion() const;

    TimelineState *m_state;
    std::array<DrawList, 3> m_lists; ///< by part of the viewport
    LanePainter m_painter;
    FlowOverlay m_flows;
    QImage m_image;
    int m_columns = 0; ///< the number of pixel columns in the lists
    bool m_listsValid = false;
    bool m_onlyScrolled = false; ///< the lists would be valid if the lanes had not been scrolled since
    bool m_imageValid = false;
    bool m_hasPatterns = false; ///< the image has the patterns of classes
    QRegion m_hovered;          ///< the region that the cursor and the hovered slice cover now
};

} // namespace riffle
