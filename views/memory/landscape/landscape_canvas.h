// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/landscape_image.h"
#include "views/memory/landscape/landscape_state.h"

#include <QImage>
#include <QWidget>

#include <optional>
#include <vector>

namespace riffle {

/// The landscape itself, its axes, and the marks of the program above it. The picture of bands and levels is cached as
/// an image and repainted only when its content changes; the instant, range, hover and selection are painted over it.
class LandscapeCanvas : public QWidget {
    Q_OBJECT
public:
    LandscapeCanvas(LandscapeState *state, QWidget *parent);

    struct Hit {
        bool inside = false;                        ///< true over the plot
        uint32_t slot = 0;                          ///< the slot that is shown there
        int64_t height = 0;                         ///< in bytes: the value on the vertical axis
        uint32_t allocation = MemorySession::kNone; ///< row of the device's allocations
        bool rest = false;                          ///< true over allocations without their own band
    };
    Hit hitAt(QPointF point) const;
    /// The place of a band at a visible slot, in pixels of the widget; none if the band is not alive there or is out of
    /// view.
    std::optional<QRectF> rectOf(uint32_t allocation, uint32_t slot) const;
    QRectF plot() const;
    TimeScale scale() const; ///< in logical pixels of the plot
    Ns positionAt(double x) const { return scale().timeAt(x - plot().left()); }
    double xOf(uint32_t slot) const { return plot().left() + scale().x(m_state->axis().begin(slot)); }
    uint32_t slotAt(double x) const;
    double bytesAt(double y) const;
    const BandColours &colours() const { return m_state->colours(); }
    LandscapeState *state() const { return m_state; }

signals:
    void coloursChanged();

protected:
    void paintEvent(QPaintEvent *event) override;
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void dropPicture();
    void makeColumns(const std::vector<std::pair<uint32_t, uint32_t>> &seen, size_t first, size_t last);
    void makePicture();
    void paintLevels(size_t width, size_t height);
    void paintGrid(QPainter &painter) const;
    void paintHeights(QPainter &painter) const;
    void paintPositions(QPainter &painter) const;
    void paintMarks(QPainter &painter) const;
    void paintLegend(QPainter &painter) const;
    void paintOverlay(QPainter &painter) const;
    void paintBand(QPainter &painter, uint32_t allocation, QRgb colour, double width, bool filled) const;
    static constexpr int kMarkHeight = 15; ///< of a row of marks
    static constexpr int kKeyHeight = 17;  ///< of the legend at the top
    int markRows() const;
    double yOf(double bytes) const;

    LandscapeState *m_state;
    std::vector<LandscapeColumn> m_columns; ///< one per physical pixel
    std::vector<LevelGraph::Extent> m_extents;
    bool m_columnsValid = false;
    QImage m_image;
    bool m_imageValid = false;
};

} // namespace riffle
