// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"
#include "views/common/chart/tree_chart.h"

#include <QByteArray>
#include <QImage>

#include <functional>
#include <string>
#include <vector>

namespace riffle {

/// A tree as rings around its root. A click descends: the clicked node becomes the middle. A click on the middle goes
/// back.
class SunburstChart : public TreeChart {
    Q_OBJECT
public:
    using ValueText = std::function<QString(int64_t)>;

    explicit SunburstChart(QWidget *parent = nullptr);

    /// `title` names the whole tree; `valueText` formats a value in full.
    void setTree(IcicleTree tree, std::vector<std::string> names, const QString &title, ValueText valueText);
    /// Sets a text that is shown for the whole tree in place of its sum; setTree() drops it.
    void setWhole(const QString &text);
    /// Colours each node by its difference from the same node of another tree, from -1 (less) to 1 (more). If the list
    /// is empty, the colours distinguish the parts of the tree.
    void setDifferences(std::vector<double> differences);
    QString middleText() const; ///< the value in the middle
    /// A point inside the node's own piece; null if it has none.
    QPointF pointOf(uint32_t node) const;
    QPointF middle() const;
    QRgb colourOf(uint32_t node) const; ///< the colour of its own piece

    std::string svg() const override;
    QImage image(int side) const;
    QByteArray png() const override;
    QSize sizeHint() const override { return {380, 400}; }

protected:
    void paintEvent(QPaintEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void layOutNodes() override;
    uint32_t crowdOf(uint32_t node) const override;
    QString valueText(int64_t value) const override { return m_valueText(value); }

private:
    void paintRings(QPainter &painter, QPointF middle, const SunburstShape &shape,
                    const std::vector<SunburstArc> &arcs) const;
    void paintMiddle(QPainter &painter, QPointF middle, const SunburstShape &shape, uint32_t told) const;
    QRgb colourOf(const SunburstArc &arc) const;
    QString textOf(uint32_t node) const;   ///< the node's value; for kNone, that of the whole
    uint32_t ringTop(uint32_t node) const; ///< the node of the innermost ring that contains it
    const SunburstArc *arcOf(uint32_t node) const;

    std::vector<double> m_differences;
    std::vector<uint32_t> m_order; ///< each node's number among its siblings; determines its colour
    ValueText m_valueText;
    QString m_whole; ///< if empty, the sum is shown
    SunburstShape m_shape;
    std::vector<SunburstArc> m_arcs;
};

} // namespace riffle
