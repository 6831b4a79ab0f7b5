// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/memory/allocator/allocator_model.h"

#include <QWidget>

namespace riffle {

/// Plots an allocator over its history. The upper plot shows the bytes that are reserved, in blocks and allocated, and
/// the largest hole; the lower plot shows two measures of fragmentation. A cursor marks the instant; dragging moves it.
class AllocatorCurve : public QWidget {
    Q_OBJECT
public:
    explicit AllocatorCurve(AllocatorModel *model, QWidget *parent = nullptr);

    QSize sizeHint() const override { return {400, 150}; }
    QSize minimumSizeHint() const override { return {200, 110}; }
    double xOf(uint32_t slot) const;
    uint32_t slotAt(double x) const;

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    QRectF bytesPlot() const;
    QRectF sharesPlot() const;

    AllocatorModel *m_model;
};

} // namespace riffle
