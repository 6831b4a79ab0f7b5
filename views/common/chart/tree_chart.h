// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"

#include <QByteArray>
#include <QWidget>

#include <string>
#include <vector>

namespace riffle {

/// What pictures of a tree have in common: what fills the picture (the root), the path to it as links above, the chosen
/// node and the one under the pointer, a line that says all of it, and the keys. Arrows walk: down into the largest
/// child, up, and to the siblings; Enter and Space descend, Backspace goes back, Home to all.
class TreeChart : public QWidget {
    Q_OBJECT
public:
    const IcicleTree &tree() const { return m_tree; }
    uint32_t root() const { return m_root; } ///< kNone: all
    void setRoot(uint32_t node);
    uint32_t current() const { return m_current; }
    void setCurrent(uint32_t node); ///< kNone: none
    QString said(uint32_t node) const;

    /// What is shown, as files.
    virtual std::string svg() const = 0;
    virtual QByteArray png() const = 0;
    std::string csv() const; ///< a row a node, all of the tree: depth, name, path, value, and the value in full as text

signals:
    /// By the menu, which there is only when somebody listens.
    void exportRequested(const QString &suggestedName, const QByteArray &content);
    void currentChanged(uint node);
    void rootChanged(uint node);
    void activated(uint node); ///< by Enter or a double click

protected:
    explicit TreeChart(QWidget *parent);

    static constexpr uint32_t kNone = IcicleTree::kNone;
    static constexpr int kPad = 6;

    /// Nothing is chosen then. `title`: what all of the tree is; empty: "All".
    void takeTree(IcicleTree tree, std::vector<std::string> names, const QString &title = {});
    virtual void layOutNodes() = 0;
    /// How many nodes share the piece of the picture whose first is this one; 0 when there is none.
    virtual uint32_t crowdOf(uint32_t node) const = 0;
    virtual QString valueText(int64_t value) const = 0;

    const std::string &rawName(uint32_t node) const { return m_names[node]; }
    QString nameOf(uint32_t node) const;
    const QString &title() const { return m_title; }
    uint32_t hovered() const { return m_hovered; }
    void hover(uint32_t node);
    /// Goes where a link of the path leads; false when there is none at the point.
    bool followPath(QPointF point);
    /// The background, the path, and the line that says what is pointed at or chosen.
    void paintHead(QPainter &painter) const;
    void paintFocus(QPainter &painter) const;
    uint32_t parentOf(uint32_t node) const { return node < m_tree.size() ? m_tree.parents[node] : kNone; }
    int rowHeight() const { return fontMetrics().height() + 5; }
    int headHeight() const { return 2 * rowHeight() + kPad; }

    void resizeEvent(QResizeEvent *event) override;
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
    void walkTo(uint32_t node);
    uint32_t largestChild(uint32_t node) const;
    uint32_t sibling(uint32_t node, int direction) const;

    IcicleTree m_tree;
    std::vector<std::string> m_names;
    QString m_title;
    uint32_t m_root = kNone;
    uint32_t m_current = kNone;
    uint32_t m_hovered = kNone;
    std::vector<Crumb> m_path;
};

} // namespace riffle
