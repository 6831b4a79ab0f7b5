// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/sunburst_chart.h"

#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riffle {

SunburstChart::SunburstChart(QWidget *parent)
    : TreeChart(parent)
    , m_valueText([](int64_t value) { return toQString(formatCount(value)); })
{
    setMinimumSize(180, 200);
    setAccessibleName(tr("Sunburst"));
}

void SunburstChart::setTree(IcicleTree tree, std::vector<std::string> names, const QString &title, ValueText valueText)
{
    m_valueText = std::move(valueText);
    m_whole.clear();
    m_differences.clear();
    m_order.assign(tree.size(), 0);
    std::vector<uint32_t> next(1, 0);
    for (uint32_t node = 0; node < tree.size(); ++node) {
        next.resize(tree.depth[node] + 1, 0);
        m_order[node] = next.back()++;
        next.push_back(0);
    }
    setAccessibleName(title);
    takeTree(std::move(tree), std::move(names), title);
}

void SunburstChart::setDifferences(std::vector<double> differences)
{
    m_differences = std::move(differences);
    if (!m_differences.empty())
        m_differences.resize(tree().size());
    update();
}

void SunburstChart::setWhole(const QString &text)
{
    m_whole = text;
    update();
}

QString SunburstChart::textOf(uint32_t node) const
{
    if (node < tree().size())
        return m_valueText(tree().values[node]);
    return m_whole.isEmpty() ? m_valueText(tree().total()) : m_whole;
}

QPointF SunburstChart::middle() const
{
    const double top = headHeight();
    return {width() / 2.0, top + (height() - top - kPad) / 2};
}

void SunburstChart::layOutNodes()
{
    const double radius = std::min(width() / 2.0, height() - middle().y()) - kPad;
    m_shape = sunburstShape(tree(), root(), radius);
    m_arcs = sunburstArcs(tree(), root(), m_shape);
}

uint32_t SunburstChart::crowdOf(uint32_t node) const
{
    const SunburstArc *arc = arcOf(node);
    return arc ? arc->crowd : 0;
}

QString SunburstChart::middleText() const { return textOf(root()); }

const SunburstArc *SunburstChart::arcOf(uint32_t node) const
{
    const auto found =
        std::find_if(m_arcs.begin(), m_arcs.end(), [node](const SunburstArc &arc) { return arc.node == node; });
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

void SunburstChart::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF from = event->position() - middle();
    const SunburstHit hit = sunburstHit(m_arcs, m_shape, from.x(), from.y());
    hover(hit.arc ? hit.arc->node : hit.isMiddle ? root() : kNone);
}

void SunburstChart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || followPath(event->position()))
        return;
    const QPointF from = event->position() - middle();
    const SunburstHit hit = sunburstHit(m_arcs, m_shape, from.x(), from.y());
    if (hit.isMiddle)
        setRoot(parentOf(root()));
    if (!hit.arc)
        return;
    const SunburstArc clicked = *hit.arc;
    setCurrent(clicked.node);
    // A leaf has nothing to descend into.
    if (clicked.crowd > 1)
        setRoot(parentOf(clicked.node));
    else if (tree().end(clicked.node) > clicked.node + 1)
        setRoot(clicked.node);
}

void SunburstChart::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() == Qt::LeftButton && current() != kNone)
        emit activated(current());
}

} // namespace riffle
