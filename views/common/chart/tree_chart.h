// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"

#include <QByteArray>
#include <QWidget>

#include <string>
#include <vector>

namespace riffle {

/// The common base of pictures of a tree: the root (the node that fills the picture), the path to it as links above,
/// the chosen node, the node under the pointer, a line that describes a node, and the keys. Arrow keys walk down into
/// the largest child, up, and to the siblings; Enter and Space descend, Backspace goes back, Home shows the whole tree.
class TreeChart : public QWidget {
    Q_OBJECT
public:
    const IcicleTree &tree() const { return m_tree; }
    uint32_t root() const { return m_root; } ///< kNone for the whole tree
    void setRoot(uint32_t node);
    uint32_t current() const { return m_current; }
    void setCurrent(uint32_t node); ///< kNone for none
    QString said(uint32_t node) const;

    /// The current picture as a file.
    virtual std::string svg() const = 0;
    virtual QByteArray png() const = 0;
    /// The whole tree as CSV, one row per node: depth, name, path, value, and the value in full as text.
    std::string csv() const;

signals:
    /// The user chose an export in the menu. The menu offers exports only if this signal is connected.
    void exportRequested(const QString &suggestedName, const QByteArray &content);
    void currentChanged(uint node);
    void rootChanged(uint node);
    void activated(uint node); ///< by Enter or a double click

protected:
    explicit TreeChart(QWidget *parent);

    static constexpr uint32_t kNone = IcicleTree::kNone;
    static constexpr int kPad = 6;

    /// Takes over a tree; no node is chosen then. `title` names the whole tree; "All" if empty.
    void takeTree(IcicleTree tree, std::vector<std::string> names, const QString &title = {});
    virtual void layOutNodes() = 0;
    /// The number of siblings that share the piece of which this node is the first; 0 if there is no such piece.
    virtual uint32_t crowdOf(uint32_t node) const = 0;
    virtual QString valueText(int64_t value) const = 0;

    const std::string &rawName(uint32_t node) const { return m_names[node]; }
    QString nameOf(uint32_t node) const;
    const QString &title() const { return m_title; }
    uint32_t hovered() const { return m_hovered; }
    void hover(uint32_t node);
    /// Follows the path's link at a point; false if there is none.
    bool followPath(QPointF point);
    /// Paints the background, the path, and the line about the node under the pointer or the chosen node.
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
