// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/layout/icicle.h"

#include <QWidget>

#include <string>
#include <vector>

namespace riffle {

/// A tree as boxes below boxes, each as wide as its share of what it lies in. A click descends: the box then fills the width;
/// Backspace goes back, as does the path above the boxes. Arrows walk: down into the largest child, up, and to the siblings.
class IcicleChart : public QWidget {
    Q_OBJECT
public:
    explicit IcicleChart(QWidget *parent = nullptr);

    void setTree(IcicleTree tree, std::vector<std::string> names, CellKind unit);
    uint32_t root() const { return m_root; } ///< kNone: all
    void setRoot(uint32_t node);
    uint32_t current() const { return m_current; }
    void setCurrent(uint32_t node); ///< kNone: none
    QString said(uint32_t node) const;
    QRectF rectOf(uint32_t node) const; ///< empty when it has no box of its own
    QSize sizeHint() const override { return {480, 300}; }

signals:
    void currentChanged(uint node);
    void activated(uint node); ///< by Enter or a double click

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    struct Crumb {
        uint32_t node;
        QString text;
        QRect place;
    };
    void layOut();
    void layOutPath();
    const IcicleBox *boxAt(QPointF point) const;
    const IcicleBox *boxOf(uint32_t node) const;
    QRectF rectOf(const IcicleBox &box) const;
    uint32_t largestChild(uint32_t node) const;
    uint32_t sibling(uint32_t node, int direction) const;
    uint32_t parentOf(uint32_t node) const { return node < m_tree.size() ? m_tree.parents[node] : IcicleTree::kNone; }
    int rowHeight() const { return fontMetrics().height() + 5; }
    QString valueText(int64_t value) const;

    IcicleTree m_tree;
    std::vector<std::string> m_names;
    CellKind m_unit = CellKind::Time;
    uint32_t m_root = IcicleTree::kNone;
    uint32_t m_current = IcicleTree::kNone;
    uint32_t m_hovered = IcicleTree::kNone;
    std::vector<IcicleBox> m_boxes;
    std::vector<Crumb> m_path;
};

} // namespace riffle
