// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/busy_share.h"
#include "views/common/look/palette.h"
#include "views/timeline/timeline_state.h"

#include <QImage>
#include <QWidget>

#include <optional>
#include <vector>

namespace riffle {

/// The whole trace at a glance: how busy each GPU is, and a box for the range that the lanes show. The box and its
/// edges can be dragged; a drag elsewhere shows the dragged range, and a click centres the view there.
class Minimap : public QWidget {
    Q_OBJECT
public:
    Minimap(TimelineState *state, QWidget *parent);

    const std::vector<BusyLine> &lines() const { return m_lines; }
    /// The share of the whole trace during which the GPUs of a line are busy.
    static double meanShare(const BusyLine &line);
    /// The same per rank, over its GPUs; none for ranks without a line.
    PerTrace<std::optional<double>> busyRanks() const;

    /// Marks the parts of the whole trace, equally long, in which something was found; none if empty.
    void setTicks(std::vector<bool> ticks);
    const std::vector<bool> &ticks() const { return m_ticks; }

    /// Hides the minimap for good, and computes no lines any more.
    void leaveOut();

signals:
    void linesChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;

private:
    enum class Drag { None, Box, Left, Right, Span };

    /// Everything that the picture of the lines depends on, besides the lines.
    struct PictureOf {
        QSize size;
        double ratio = 0;
        const Palette *colours = nullptr;
        TimeSpan whole, read;
        bool operator==(const PictureOf &) const = default;
    };

    void onTraces();
    void findLines();
    TimeScale scale() const;
    void paintLines(QPainter &painter);
    void paintLine(QPainter &painter, const QRect &area, const std::vector<float> &share) const;
    void paintTicks(QPainter &painter) const;
    Drag gripAt(double x) const;

    TimelineState *m_state;
    std::vector<BusyLine> m_lines;
    TimeSpan m_linesSpan; ///< set time that m_lines are about
    QImage m_picture;     ///< the lines, painted once, because they have thousands of bars; null if they have changed
    PictureOf m_pictureOf;
    std::vector<bool> m_ticks;
    Drag m_drag = Drag::None;
    double m_pressedX = 0;
    TimeSpan m_pressedRange;
};

} // namespace riffle
