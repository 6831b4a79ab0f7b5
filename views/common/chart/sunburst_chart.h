// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/sunburst.h"

#include <QByteArray>
#include <QImage>
#include <QWidget>

#include <functional>
#include <string>
#include <vector>

namespace riffle {

/// A tree as rings around what it is of. A click descends: what was clicked is then the middle; a click into the middle,
/// Backspace and the path above lead back. Arrows walk: down into the largest child, up, and to the siblings.
class SunburstChart : public QWidget {
    Q_OBJECT
public:
    using ValueText = std::function<QString(int64_t)>;

    explicit SunburstChart(QWidget *parent = nullptr);

    /// `title` is what all of the tree is; `valueText` says a value in full.
    void setTree(IcicleTree tree, std::vector<std::string> names, const QString &title, ValueText valueText);
    /// How each node differs from another tree's, from -1 (less) to 1 (more): colours say that then. Empty: they tell parts apart.
    void setDifferences(std::vector<double> differences);
    const IcicleTree &tree() const { return m_tree; }
    uint32_t root() const { return m_root; } ///< kNone: all
    void setRoot(uint32_t node);
    uint32_t current() const { return m_current; }
    void setCurrent(uint32_t node); ///< kNone: none
    QString said(uint32_t node) const;
    QString middleText() const; ///< the value in the middle
    /// A point inside of the node's own piece; null when it has none.
    QPointF pointOf(uint32_t node) const;
    QPointF middle() const;
    QRgb colourOf(uint32_t node) const; ///< of its own piece

    std::string svg() const;
    QImage image(int side) const;
    QByteArray png() const;
    std::string csv() const; ///< a row a node, all of the tree: depth, name, path, value, and the value in full as text
    QSize sizeHint() const override { return {380, 400}; }

signals:
    void currentChanged(uint node);
    void rootChanged(uint node);
    void activated(uint node); ///< by Enter or a double click
    void exportRequested(const QString &suggestedName, const QByteArray &content);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    struct Crumb {
        uint32_t node;
        QString text;
        QRect place;
    };
    void layOut();
    void layOutPath();
    void paintRings(QPainter &painter, QPointF middle, const SunburstShape &shape, const std::vector<SunburstArc> &arcs) const;
    void paintName(QPainter &painter, QPointF middle, const SunburstShape &shape, const SunburstArc &arc, QRgb body) const;
    void paintMiddle(QPainter &painter, QPointF middle, const SunburstShape &shape, uint32_t told) const;
    QRgb colourOf(const SunburstArc &arc) const;
    uint32_t ringTop(uint32_t node) const; ///< what of the innermost ring a node is in
    const SunburstArc *arcOf(uint32_t node) const;
    uint32_t largestChild(uint32_t node) const;
    uint32_t sibling(uint32_t node, int direction) const;
    uint32_t parentOf(uint32_t node) const { return node < m_tree.size() ? m_tree.parents[node] : IcicleTree::kNone; }
    QString nameOf(uint32_t node) const;
    int rowHeight() const { return fontMetrics().height() + 5; }

    IcicleTree m_tree;
    std::vector<std::string> m_names;
    std::vector<double> m_differences;
    std::vector<uint32_t> m_order; ///< a node's number among its siblings, for colours
    QString m_title;
    ValueText m_valueText;
    uint32_t m_root = IcicleTree::kNone;
    uint32_t m_current = IcicleTree::kNone;
    uint32_t m_hovered = IcicleTree::kNone;
    SunburstShape m_shape;
    std::vector<SunburstArc> m_arcs;
    std::vector<Crumb> m_path;
};

} // namespace riffle
