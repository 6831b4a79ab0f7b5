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

/// A tree as rings around what it is of. A click descends: what was clicked is then the middle; a click into the middle
/// leads back.
class SunburstChart : public TreeChart {
    Q_OBJECT
public:
    using ValueText = std::function<QString(int64_t)>;

    explicit SunburstChart(QWidget *parent = nullptr);

    /// `title` is what all of the tree is; `valueText` says a value in full.
    void setTree(IcicleTree tree, std::vector<std::string> names, const QString &title, ValueText valueText);
    /// What is said of all of the tree in place of its sum, until the next tree.
    void setWhole(const QString &text);
    /// How each node differs from another tree's, from -1 (less) to 1 (more): colours say that then. Empty: they tell
    /// parts apart.
    void setDifferences(std::vector<double> differences);
    QString middleText() const; ///< the value in the middle
    /// A point inside of the node's own piece; null when it has none.
    QPointF pointOf(uint32_t node) const;
    QPointF middle() const;
    QRgb colourOf(uint32_t node) const; ///< of its own piece

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
    QString textOf(uint32_t node) const;   ///< its value; of kNone the whole
    uint32_t ringTop(uint32_t node) const; ///< what of the innermost ring a node is in
    const SunburstArc *arcOf(uint32_t node) const;

    std::vector<double> m_differences;
    std::vector<uint32_t> m_order; ///< a node's number among its siblings, for colours
    ValueText m_valueText;
    QString m_whole; ///< empty: the sum
    SunburstShape m_shape;
    std::vector<SunburstArc> m_arcs;
};

} // namespace riffle
