// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/icicle_chart.h"

#include "model/base/format.h"
#include "views/common/palette.h"
#include "views/common/qt_text.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {
constexpr uint32_t kNone = IcicleTree::kNone;
constexpr int kPad = 6;
constexpr int kWidestCrumb = 180;
constexpr int kLeastLabel = 24; ///< pixels of a box that has a name
}

IcicleChart::IcicleChart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 100);
    setAccessibleName(tr("Tree of times"));
}

void IcicleChart::setTree(IcicleTree tree, std::vector<std::string> names, CellKind unit)
{
    m_tree = std::move(tree);
    m_names = std::move(names);
    m_names.resize(m_tree.size());
    m_unit = unit;
    m_root = m_current = m_hovered = kNone;
    layOut();
}

void IcicleChart::setRoot(uint32_t node)
{
    m_root = node < m_tree.size() ? node : kNone;
    m_hovered = kNone;
    layOut();
    if (m_root != kNone && (m_current < m_root || m_current >= m_tree.end(m_root)))
        setCurrent(m_root);
}

void IcicleChart::setCurrent(uint32_t node)
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

void IcicleChart::layOut()
{
    layOutPath();
    const int top = 2 * rowHeight() + kPad;
    const int levels = std::max(1, (height() - top - kPad) / rowHeight());
    m_boxes = icicleBoxes(m_tree, m_root, width() - 2 * kPad, static_cast<uint32_t>(levels));
    update();
}

void IcicleChart::layOutPath()
{
    m_path.clear();
    for (uint32_t node = m_root; node != kNone; node = parentOf(node))
        m_path.push_back({node, singleLine(toQString(m_names[node])), {}});
    m_path.push_back({kNone, tr("All"), {}});
    std::reverse(m_path.begin(), m_path.end());
    // Where they do not fit, the outermost go, but for "All".
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

QString IcicleChart::valueText(int64_t value) const
{
    return toQString(m_unit == CellKind::Time ? formatDuration(value) : m_unit == CellKind::Bytes ? formatBytes(value) : formatCount(value));
}

QString IcicleChart::said(uint32_t node) const
{
    if (node >= m_tree.size())
        return {};
    const auto share = [this, node](int64_t whole) {
        return toQString(formatShare(whole > 0 ? static_cast<double>(m_tree.values[node]) / static_cast<double>(whole) : 0));
    };
    QString text = toQString(m_names[node]) + QStringLiteral(": ") + valueText(m_tree.values[node]) + QStringLiteral(" · ")
        + tr("%1 of all").arg(share(m_tree.total()));
    if (const uint32_t parent = parentOf(node); parent != kNone)
        text += QStringLiteral(" · ") + tr("%1 of what it is in").arg(share(m_tree.values[parent]));
    if (const IcicleBox *box = boxOf(node); box && box->crowd > 1)
        text += QStringLiteral(" · ") + tr("and %1 more that are too small to tell apart").arg(box->crowd - 1);
    return text;
}

const IcicleBox *IcicleChart::boxOf(uint32_t node) const
{
    const auto found = std::find_if(m_boxes.begin(), m_boxes.end(), [node](const IcicleBox &box) { return box.node == node; });
    return found == m_boxes.end() ? nullptr : &*found;
}

QRectF IcicleChart::rectOf(const IcicleBox &box) const
{
    return {kPad + box.left, 2.0 * rowHeight() + kPad + box.level * rowHeight(), box.right - box.left, rowHeight() - 1.0};
}

QRectF IcicleChart::rectOf(uint32_t node) const
{
    const IcicleBox *box = boxOf(node);
    return box ? rectOf(*box) : QRectF();
}

const IcicleBox *IcicleChart::boxAt(QPointF point) const
{
    const auto found = std::find_if(m_boxes.begin(), m_boxes.end(), [&](const IcicleBox &box) { return rectOf(box).contains(point); });
    return found == m_boxes.end() ? nullptr : &*found;
}

void IcicleChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    for (const Crumb &crumb : m_path) {
        const bool last = &crumb == &m_path.back();
        painter.setPen(QColor::fromRgb(last ? colours.text : colours.accent));
        painter.drawText(crumb.place, Qt::AlignLeft | Qt::AlignVCenter, crumb.text);
        painter.setPen(QColor::fromRgb(colours.dimText));
        if (!last)
            painter.drawText(crumb.place.right() + 1, crumb.place.y(), 40, crumb.place.height(), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral(" › "));
    }
    const QString told = said(m_hovered != kNone ? m_hovered : m_current);
    painter.setPen(QColor::fromRgb(colours.text));
    const QRect line(kPad, kPad / 2 + rowHeight(), width() - 2 * kPad, rowHeight());
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_tree.size() == 0 ? tr("Nothing to show") : singleLine(told), Qt::ElideMiddle, line.width()));
    for (const IcicleBox &box : m_boxes) {
        const QRectF place = rectOf(box);
        const QRgb body = box.crowd > 1 ? colours.step[1] : colours.slice(Palette::colourIndex(m_names[box.node]));
        painter.fillRect(place, QColor::fromRgb(body));
        if (place.width() >= 3)
            painter.fillRect(QRectF(place.right() - 1, place.top(), 1, place.height()), QColor::fromRgb(colours.canvas));
        if (place.width() < kLeastLabel)
            continue;
        painter.setPen(QColor::fromRgb(Palette::textOn(body)));
        const QRectF inside = place.adjusted(4, 0, -3, 0);
        painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, elided(singleLine(toQString(m_names[box.node]), 400), fontMetrics(), static_cast<int>(inside.width())));
    }
    const auto outline = [&](uint32_t node, QRgb colour, double wide) {
        if (const IcicleBox *box = boxOf(node)) {
            painter.setPen(QPen(QColor::fromRgb(colour), wide));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rectOf(*box).adjusted(0.5, 0.5, -0.5, -0.5));
        }
    };
    outline(m_hovered, colours.hover, 1);
    outline(m_current, colours.selection, 2);
    if (hasFocus()) {
        painter.setPen(QColor::fromRgb(colours.accent));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void IcicleChart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layOut();
}

void IcicleChart::mouseMoveEvent(QMouseEvent *event)
{
    const IcicleBox *box = boxAt(event->position());
    const uint32_t node = box ? box->node : kNone;
    if (node == m_hovered)
        return;
    m_hovered = node;
    setToolTip(box ? wrappedHtml(said(node), 110) : QString());
    update();
}

void IcicleChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    for (const Crumb &crumb : m_path)
        if (crumb.place.contains(event->position().toPoint())) {
            setRoot(crumb.node);
            return;
        }
    if (const IcicleBox *box = boxAt(event->position())) {
        const IcicleBox clicked = *box;
        setCurrent(clicked.node);
        setRoot(clicked.crowd > 1 ? parentOf(clicked.node) : clicked.node);
    }
}

void IcicleChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && boxAt(event->position()) && m_current != kNone)
        emit activated(m_current);
}

void IcicleChart::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hovered = kNone;
    update();
}

void IcicleChart::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    if (m_current == kNone && m_tree.size() > 0 && event->reason() != Qt::MouseFocusReason)
        setCurrent(m_root == kNone ? 0 : m_root);
    update();
}

uint32_t IcicleChart::largestChild(uint32_t node) const
{
    uint32_t largest = kNone;
    const uint32_t end = m_tree.end(node);
    for (uint32_t child = node + 1; child < end; child = m_tree.end(child))
        if (largest == kNone || m_tree.values[child] > m_tree.values[largest])
            largest = child;
    return largest;
}

uint32_t IcicleChart::sibling(uint32_t node, int direction) const
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

void IcicleChart::keyPressEvent(QKeyEvent *event)
{
    if (m_tree.size() == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto walk = [this](uint32_t node) {
        if (node == kNone)
            return;
        // What has no box of its own is not seen: then what it is in fills the width.
        setCurrent(node);
        const IcicleBox *box = boxOf(node);
        if (!box || box->crowd > 1)
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
