// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/tree_chart.h"

#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMetaMethod>
#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {
constexpr int kWidestCrumb = 180;
}

TreeChart::TreeChart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void TreeChart::takeTree(IcicleTree tree, std::vector<std::string> names, const QString &title)
{
    m_tree = std::move(tree);
    m_names = std::move(names);
    m_names.resize(m_tree.size());
    m_title = title;
    m_root = m_current = m_hovered = kNone;
    setAccessibleDescription({});
    layOut();
}

void TreeChart::setRoot(uint32_t node)
{
    node = node < m_tree.size() ? node : kNone;
    const bool changes = node != m_root;
    m_root = node;
    m_hovered = kNone;
    layOut();
    if (m_root != kNone && (m_current < m_root || m_current >= m_tree.end(m_root)))
        setCurrent(m_root);
    if (changes)
        emit rootChanged(m_root);
}

void TreeChart::setCurrent(uint32_t node)
{
    if (node >= m_tree.size())
        node = kNone;
    if (node == m_current)
        return;
    m_current = node;
    setAccessibleDescription(said(node));
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
    update();
    emit currentChanged(node);
}

void TreeChart::layOut()
{
    layOutPath();
    layOutNodes();
    update();
}

void TreeChart::layOutPath()
{
    m_path.clear();
    for (uint32_t node = m_root; node != kNone; node = parentOf(node))
        m_path.push_back({node, nameOf(node), {}});
    m_path.push_back({kNone, m_title.isEmpty() ? tr("All") : m_title, {}});
    std::reverse(m_path.begin(), m_path.end());
    // If the links do not fit, the outermost ones are dropped, except for the first.
    const int arrow = fontMetrics().horizontalAdvance(QStringLiteral(" › "));
    const int widest = std::max(kWidestCrumb, (width() - 2 * kPad) / static_cast<int>(m_path.size()) - arrow);
    const auto wide = [&](Crumb &crumb) {
        crumb.text = fontMetrics().elidedText(crumb.text, Qt::ElideMiddle, widest);
        return fontMetrics().horizontalAdvance(crumb.text) + arrow;
    };
    int sum = 0;
    for (Crumb &crumb : m_path)
        sum += wide(crumb);
    while (m_path.size() > 2 && sum > width() - 2 * kPad) {
        sum -= wide(m_path[1]);
        m_path.erase(m_path.begin() + 1);
    }
    int x = kPad;
    for (Crumb &crumb : m_path) {
        const int own = fontMetrics().horizontalAdvance(crumb.text);
        crumb.place = QRect(x, kPad / 2, own, rowHeight());
        x += own + arrow;
    }
}

QString TreeChart::nameOf(uint32_t node) const
{
    return node < m_tree.size() ? singleLine(toQString(m_names[node]), 400) : m_title;
}

QString TreeChart::said(uint32_t node) const
{
    if (node >= m_tree.size())
        return {};
    const auto share = [this, node](int64_t whole) {
        return toQString(
            formatShare(whole > 0 ? static_cast<double>(m_tree.values[node]) / static_cast<double>(whole) : 0));
    };
    QString text = nameOf(node) + QStringLiteral(": ") + valueText(m_tree.values[node]) + QStringLiteral(" · ") +
                   tr("%1 of all").arg(share(m_tree.total()));
    if (const uint32_t parent = parentOf(node); parent != kNone)
        text += QStringLiteral(" · ") + tr("%1 of its parent").arg(share(m_tree.values[parent]));
    if (const uint32_t crowd = crowdOf(node); crowd > 1)
        text += QStringLiteral(" · ") + tr("and %1 more too small to show separately").arg(crowd - 1);
    return text;
}

void TreeChart::hover(uint32_t node)
{
    if (node == m_hovered)
        return;
    m_hovered = node;
    setToolTip(node == kNone ? QString() : wrappedHtml(said(node), 110));
    update();
}

bool TreeChart::followPath(QPointF point)
{
    for (const Crumb &crumb : m_path)
        if (crumb.place.contains(point.toPoint())) {
            setRoot(crumb.node);
            return true;
        }
    return false;
}

void TreeChart::paintHead(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    for (const Crumb &crumb : m_path) {
        const bool last = &crumb == &m_path.back();
        painter.setPen(QColor::fromRgb(last ? colours.text : colours.accent));
        painter.drawText(crumb.place, Qt::AlignLeft | Qt::AlignVCenter, crumb.text);
        painter.setPen(QColor::fromRgb(colours.dimText));
        if (!last)
            painter.drawText(crumb.place.right() + 1, crumb.place.y(), 40, crumb.place.height(),
                             Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral(" › "));
    }
    painter.setPen(QColor::fromRgb(colours.text));
    const QRect line(kPad, kPad / 2 + rowHeight(), width() - 2 * kPad, rowHeight());
    const QString told = m_tree.size() == 0 ? tr("Nothing to show") : said(m_hovered != kNone ? m_hovered : m_current);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(told, Qt::ElideMiddle, line.width()));
}

void TreeChart::paintFocus(QPainter &painter) const
{
    if (!hasFocus())
        return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QColor::fromRgb(Palette::fitting(palette()).accent));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void TreeChart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void TreeChart::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hovered = kNone;
    update();
}

void TreeChart::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    if (m_current == kNone && m_tree.size() > 0 && event->reason() != Qt::MouseFocusReason)
        setCurrent(m_root == kNone ? 0 : m_root);
    update();
}

uint32_t TreeChart::largestChild(uint32_t node) const
{
    uint32_t largest = kNone;
    const uint32_t end = m_tree.end(node);
    for (uint32_t child = node + 1; child < end; child = m_tree.end(child))
        if (largest == kNone || m_tree.values[child] > m_tree.values[largest])
            largest = child;
    return largest;
}

uint32_t TreeChart::sibling(uint32_t node, int direction) const
{
    const uint32_t parent = parentOf(node);
    const uint32_t end = parent == kNone ? static_cast<uint32_t>(m_tree.size()) : m_tree.end(parent);
    uint32_t before = kNone;
    for (uint32_t at = parent == kNone ? 0 : parent + 1; at < end; at = m_tree.end(at)) {
        if (at == node && direction < 0)
            return before;
        if (before == node)
            return at;
        before = at;
    }
    return kNone;
}

/// Goes to a node. If it does not have its own piece, its parent fills the picture.
void TreeChart::walkTo(uint32_t node)
{
    if (node == kNone)
        return;
    setCurrent(node);
    if (node != m_root && crowdOf(node) != 1)
        setRoot(parentOf(node));
}

void TreeChart::keyPressEvent(QKeyEvent *event)
{
    if (m_tree.size() == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const uint32_t from = m_current == kNone ? 0 : m_current;
    switch (event->key()) {
    case Qt::Key_Down: walkTo(m_current == kNone ? 0 : largestChild(from)); break;
    case Qt::Key_Up:
        if (from == m_root)
            setRoot(parentOf(from));
        walkTo(parentOf(from));
        break;
    case Qt::Key_Left: walkTo(sibling(from, -1)); break;
    case Qt::Key_Right: walkTo(sibling(from, 1)); break;
    case Qt::Key_Home: setRoot(kNone); break;
    case Qt::Key_Backspace: setRoot(parentOf(m_root)); break;
    case Qt::Key_Space: setRoot(from); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        setRoot(from);
        emit activated(from);
        break;
    default: QWidget::keyPressEvent(event);
    }
}

void TreeChart::contextMenuEvent(QContextMenuEvent *event)
{
    if (m_tree.size() == 0 || !isSignalConnected(QMetaMethod::fromSignal(&TreeChart::exportRequested)))
        return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString name = m_title.isEmpty() ? accessibleName() : m_title;
    menu->addAction(tr("Save as SVG…"), this, [this, name] {
        emit exportRequested(name + QStringLiteral(".svg"), QByteArray::fromStdString(svg()));
    });
    menu->addAction(tr("Save as PNG…"), this,
                    [this, name] { emit exportRequested(name + QStringLiteral(".png"), png()); });
    menu->addAction(tr("Save as CSV…"), this, [this, name] {
        emit exportRequested(name + QStringLiteral(".csv"), QByteArray::fromStdString(csv()));
    });
    menu->popup(event->globalPos());
}

std::string TreeChart::csv() const
{
    std::string out = "depth,name,path,value,text\n";
    std::vector<std::string> path;
    for (uint32_t node = 0; node < m_tree.size(); ++node) {
        path.resize(m_tree.depth[node]);
        path.push_back((path.empty() ? std::string() : path.back() + "/") + m_names[node]);
        out += std::to_string(m_tree.depth[node]) + ',' + csvField(m_names[node]) + ',' + csvField(path.back()) + ',' +
               std::to_string(m_tree.values[node]) + ',' + csvField(toUtf8(valueText(m_tree.values[node]))) + '\n';
    }
    return out;
}

} // namespace riffle
