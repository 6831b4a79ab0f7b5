// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/sunburst_chart.h"

#include "model/base/format.h"
#include "views/common/palette.h"
#include "views/common/qt_text.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riffle {

namespace {
constexpr uint32_t kNone = IcicleTree::kNone;
constexpr int kPad = 6;
constexpr int kWidestCrumb = 180;
}

SunburstChart::SunburstChart(QWidget *parent) : QWidget(parent), m_valueText([](int64_t value) { return toQString(formatCount(value)); })
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(180, 200);
    setAccessibleName(tr("Sunburst"));
}

void SunburstChart::setTree(IcicleTree tree, std::vector<std::string> names, const QString &title, ValueText valueText)
{
    m_tree = std::move(tree);
    m_names = std::move(names);
    m_names.resize(m_tree.size());
    m_title = title;
    m_valueText = std::move(valueText);
    m_differences.clear();
    m_root = m_current = m_hovered = kNone;
    m_order.assign(m_tree.size(), 0);
    std::vector<uint32_t> next(1, 0);
    for (uint32_t node = 0; node < m_tree.size(); ++node) {
        next.resize(m_tree.depth[node] + 1, 0);
        m_order[node] = next.back()++;
        next.push_back(0);
    }
    setAccessibleName(title);
    setAccessibleDescription({});
    layOut();
}

void SunburstChart::setDifferences(std::vector<double> differences)
{
    m_differences = std::move(differences);
    if (!m_differences.empty())
        m_differences.resize(m_tree.size());
    update();
}

void SunburstChart::setRoot(uint32_t node)
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

void SunburstChart::setCurrent(uint32_t node)
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

QPointF SunburstChart::middle() const
{
    const double top = 2.0 * rowHeight() + kPad;
    return {width() / 2.0, top + (height() - top - kPad) / 2};
}

void SunburstChart::layOut()
{
    layOutPath();
    const double radius = std::min(width() / 2.0, height() - middle().y()) - kPad;
    m_shape = sunburstShape(m_tree, m_root, radius);
    m_arcs = sunburstArcs(m_tree, m_root, m_shape);
    update();
}

void SunburstChart::layOutPath()
{
    m_path.clear();
    for (uint32_t node = m_root; node != kNone; node = parentOf(node))
        m_path.push_back({node, nameOf(node), {}});
    m_path.push_back({kNone, m_title.isEmpty() ? tr("All") : m_title, {}});
    std::reverse(m_path.begin(), m_path.end());
    // Where they do not fit, the outermost go, but for the first.
    const auto wide = [this](Crumb &crumb) {
        crumb.text = fontMetrics().elidedText(crumb.text, Qt::ElideMiddle, kWidestCrumb);
        return fontMetrics().horizontalAdvance(crumb.text) + fontMetrics().horizontalAdvance(QStringLiteral(" › "));
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
        x += own + fontMetrics().horizontalAdvance(QStringLiteral(" › "));
    }
}

QString SunburstChart::nameOf(uint32_t node) const
{
    return node < m_tree.size() ? singleLine(toQString(m_names[node]), 400) : m_title;
}

QString SunburstChart::said(uint32_t node) const
{
    if (node >= m_tree.size())
        return {};
    const auto share = [this, node](int64_t whole) {
        return toQString(formatShare(whole > 0 ? static_cast<double>(m_tree.values[node]) / static_cast<double>(whole) : 0));
    };
    QString text = nameOf(node) + QStringLiteral(": ") + m_valueText(m_tree.values[node]) + QStringLiteral(" · ") + tr("%1 of all").arg(share(m_tree.total()));
    if (const uint32_t parent = parentOf(node); parent != kNone)
        text += QStringLiteral(" · ") + tr("%1 of what it is in").arg(share(m_tree.values[parent]));
    if (const SunburstArc *arc = arcOf(node); arc && arc->crowd > 1)
        text += QStringLiteral(" · ") + tr("and %1 more that are too small to tell apart").arg(arc->crowd - 1);
    return text;
}

QString SunburstChart::middleText() const
{
    return m_valueText(m_root < m_tree.size() ? m_tree.values[m_root] : m_tree.total());
}

const SunburstArc *SunburstChart::arcOf(uint32_t node) const
{
    const auto found = std::find_if(m_arcs.begin(), m_arcs.end(), [node](const SunburstArc &arc) { return arc.node == node; });
    return found == m_arcs.end() ? nullptr : &*found;
}

QPointF SunburstChart::pointOf(uint32_t node) const
{
    const SunburstArc *arc = arcOf(node);
    if (!arc)
        return {};
    const double turn = (arc->from + arc->to) * std::numbers::pi, away = m_shape.inner(arc->ring) + m_shape.ring / 2;
    return middle() + QPointF(std::sin(turn) * away, -std::cos(turn) * away);
}

void SunburstChart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void SunburstChart::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF from = event->position() - middle();
    const SunburstHit hit = sunburstHit(m_arcs, m_shape, from.x(), from.y());
    const uint32_t node = hit.arc ? hit.arc->node : hit.isMiddle ? m_root : kNone;
    if (node == m_hovered)
        return;
    m_hovered = node;
    setToolTip(node == kNone ? QString() : wrappedHtml(said(node), 110));
    update();
}

void SunburstChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    for (const Crumb &crumb : m_path)
        if (crumb.place.contains(event->position().toPoint())) {
            setRoot(crumb.node);
            return;
        }
    const QPointF from = event->position() - middle();
    const SunburstHit hit = sunburstHit(m_arcs, m_shape, from.x(), from.y());
    if (hit.isMiddle)
        setRoot(parentOf(m_root));
    if (!hit.arc)
        return;
    const SunburstArc clicked = *hit.arc;
    setCurrent(clicked.node);
    // A leaf has nothing to descend into.
    if (clicked.crowd > 1)
        setRoot(parentOf(clicked.node));
    else if (m_tree.end(clicked.node) > clicked.node + 1)
        setRoot(clicked.node);
}

void SunburstChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && m_current != kNone)
        emit activated(m_current);
}

void SunburstChart::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hovered = kNone;
    update();
}

void SunburstChart::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    if (m_current == kNone && m_tree.size() > 0 && event->reason() != Qt::MouseFocusReason)
        setCurrent(m_root == kNone ? 0 : m_root);
    update();
}

void SunburstChart::contextMenuEvent(QContextMenuEvent *event)
{
    if (m_tree.size() == 0)
        return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString name = m_title.isEmpty() ? QStringLiteral("sunburst") : m_title;
    menu->addAction(tr("Save as SVG…"), this, [this, name] { emit exportRequested(name + QStringLiteral(".svg"), QByteArray::fromStdString(svg())); });
    menu->addAction(tr("Save as PNG…"), this, [this, name] { emit exportRequested(name + QStringLiteral(".png"), png()); });
    menu->addAction(tr("Save as CSV…"), this, [this, name] { emit exportRequested(name + QStringLiteral(".csv"), QByteArray::fromStdString(csv())); });
    menu->popup(event->globalPos());
}

uint32_t SunburstChart::largestChild(uint32_t node) const
{
    uint32_t largest = kNone;
    const uint32_t end = m_tree.end(node);
    for (uint32_t child = node + 1; child < end; child = m_tree.end(child))
        if (largest == kNone || m_tree.values[child] > m_tree.values[largest])
            largest = child;
    return largest;
}

uint32_t SunburstChart::sibling(uint32_t node, int direction) const
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

void SunburstChart::keyPressEvent(QKeyEvent *event)
{
    if (m_tree.size() == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto walk = [this](uint32_t node) {
        if (node == kNone)
            return;
        // What has no piece of its own is not seen: then what it is in is the middle.
        setCurrent(node);
        const SunburstArc *arc = arcOf(node);
        if (node != m_root && (!arc || arc->crowd > 1))
            setRoot(parentOf(node));
    };
    const uint32_t from = m_current == kNone ? 0 : m_current;
    switch (event->key()) {
    case Qt::Key_Down: walk(m_current == kNone ? 0 : largestChild(from)); break;
    case Qt::Key_Up:
        if (from == m_root)
            setRoot(parentOf(from));
        walk(parentOf(from));
        break;
    case Qt::Key_Left: walk(sibling(from, -1)); break;
    case Qt::Key_Right: walk(sibling(from, 1)); break;
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

} // namespace riffle
