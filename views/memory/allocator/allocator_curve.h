// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/memory/allocator/allocator_model.h"

#include <QWidget>

namespace riffle {

/// Plots an allocator over its history. The upper plot shows the bytes that are reserved, in blocks and allocated, and
/// the largest hole; the lower plot, if there is room for it, shows two measures of fragmentation. A cursor marks the
/// instant; dragging moves it.
class AllocatorCurve : public QWidget {
    Q_OBJECT
public:
    explicit AllocatorCurve(AllocatorModel *model, QWidget *parent = nullptr);

    QSize sizeHint() const override { return {400, 150}; }
    QSize minimumSizeHint() const override { return {200, 56}; }
    double xOf(uint32_t slot) const;
    uint32_t slotAt(double x) const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    bool showsShares() const { return height() >= kBothPlots; }
    QRectF bytesPlot() const;
    QRectF sharesPlot() const;

    static constexpr int kBothPlots = 100; ///< logical pixels
    AllocatorModel *m_model;
};

} // namespace riffle
