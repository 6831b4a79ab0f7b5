// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/segment_flow.h"
#include "views/memory/allocator/allocator_model.h"

#include <QAbstractScrollArea>

#include <optional>
#include <vector>

namespace riffle {

class Palette;

/// The map of an allocator's memory: segments ordered by stream, pool and address and wrapped into lines, with their
/// blocks. Rounding and pending frees are hatched, holes are empty. A click selects the block's allocation; Ctrl+wheel
/// changes the scale.
class AllocatorCanvas : public QAbstractScrollArea {
    Q_OBJECT
public:
    static constexpr int kLine = 18, kBar = 13; ///< pixels

    explicit AllocatorCanvas(AllocatorModel *model, QWidget *parent = nullptr);

    const SegmentFlow &flow() const { return m_flow; }
    /// The block or hole at a point of the viewport; null if there is none.
    const AllocatorPiece *pieceAt(QPointF point) const;
    /// The rectangle of an address range in the viewport; none if the address is in no segment.
    std::optional<QRectF> rectOf(uint64_t address, uint64_t size) const;
    /// At 1, everything fits if possible; at larger values, the map is that many times larger.
    double zoom() const { return m_zoom; }
    void setZoom(double zoom);
    /// Scrolls the event's block into view.
    void showEventBlock();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    void layOut();
    void paintStrip(QPainter &painter, const Palette &palette, const SegmentFlow::Strip &strip, double top) const;
    void paintPiece(QPainter &painter, const Palette &palette, const AllocatorPiece &piece,
                    const SegmentFlow::Strip &strip, uint64_t begin, double top) const;
    void paintMarks(QPainter &painter, const Palette &palette) const;
    double topOf(uint32_t line) const;

    AllocatorModel *m_model;
    SegmentFlow m_flow;
    std::vector<uint32_t> m_order;  ///< per item of the flow: the row of its segment in the state, by group and address
    std::vector<uint32_t> m_itemOf; ///< per segment of the state: its item in the flow
    std::vector<QString> m_headings; ///< per group
    double m_zoom = 1;
};

} // namespace riffle
