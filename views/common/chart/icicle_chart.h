// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "views/common/chart/tree_chart.h"

#include <string>
#include <vector>

namespace riffle {

/// A tree as nested rows of boxes, each as wide as its share of its parent. A click descends: the box then fills the
/// width. Backspace or the path above the boxes goes back. Arrow keys walk down into the largest child, up, and to the
/// siblings.
class IcicleChart : public TreeChart {
    Q_OBJECT
public:
    explicit IcicleChart(QWidget *parent = nullptr);

    void setTree(IcicleTree tree, std::vector<std::string> names, CellKind unit);
    QRectF rectOf(uint32_t node) const; ///< empty if the node does not have its own box
    QSize sizeHint() const override { return {480, 300}; }
    std::string svg() const override;
    QByteArray png() const override; ///< at its size on the screen, in twice the resolution

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void layOutNodes() override;
    uint32_t crowdOf(uint32_t node) const override;
    QString valueText(int64_t value) const override;

private:
    const IcicleBox *boxAt(QPointF point) const;
    const IcicleBox *boxOf(uint32_t node) const;
    QRectF rectOf(const IcicleBox &box) const;
    QRgb colourOf(const IcicleBox &box) const;
    void paint(QPainter &painter) const;

    CellKind m_unit = CellKind::Time;
    std::vector<IcicleBox> m_boxes;
};

} // namespace riffle
