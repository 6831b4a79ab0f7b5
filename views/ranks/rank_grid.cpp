// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/rank_grid.h"

#include "model/trace/tables.h"
#include "views/common/chart/cell_card.h"
#include "views/common/chart/heat_map.h"
#include "views/common/look/qt_text.h"

#include <QAccessible>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <climits>
#include <cstdlib>

namespace riffle {

namespace {

constexpr int kPad = 8, kGroupGap = 10;                ///< logical pixels
constexpr size_t kAlwaysFull = 16, kAlwaysNamed = 256; ///< so many cells have text, whatever the room

/// "×2"; empty for one.
QString copiesText(size_t copies) { return copies > 1 ? QStringLiteral("×%1").arg(copies) : QString(); }

/// Keeps the longer of two texts.
void keepLonger(QString &longest, const QString &text)
{
    if (text.size() > longest.size())
        longest = text;
}

} // namespace

QString markOf(RankState state)
{
    switch (state) {
    case RankState::InMemory: return QStringLiteral("■");
    case RankState::OnDisk: return QStringLiteral("□");
    case RankState::Reading: return QStringLiteral("…");
    case RankState::Failed: return QStringLiteral("!");
    case RankState::NoTrace: return QStringLiteral("–");
    case RankState::NoFile: break;
    }
    return {};
}

QString wordsOf(RankState state)
{
    switch (state) {
    case RankState::InMemory: return RankGrid::tr("in memory");
    case RankState::OnDisk: return RankGrid::tr("on disk");
    case RankState::Reading: return RankGrid::tr("being read");
    case RankState::Failed: return RankGrid::tr("not readable");
    case RankState::NoTrace: return RankGrid::tr("no trace");
    case RankState::NoFile: break;
    }
    return RankGrid::tr("missing");
}

RankGrid::RankGrid(QWidget *parent) : QAbstractScrollArea(parent), m_card(new CellCard(viewport()))
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Ranks"));
}

void RankGrid::setData(RankGridData data)
{
    m_data = std::move(data);
    m_hovered = -1;
    m_card->dismiss();
    if (m_current >= static_cast<int>(m_data.cells.size()))
        m_current = -1;
    arrange();
}

void RankGrid::setCurrent(int cell)
{
    cell = cell < static_cast<int>(m_data.cells.size()) ? cell : -1;
    if (cell == m_current)
        return;
    m_current = cell;
    setAccessibleDescription(cell < 0 ? QString()
                                      : m_data.cells[static_cast<size_t>(cell)]
                                            .about.join(QStringLiteral(". "))
                                            .replace(QLatin1Char('\t'), QLatin1Char(' ')));
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
    if (cell >= 0 && static_cast<size_t>(cell) < m_boxes.size()) {
        const QRect box = m_boxes[static_cast<size_t>(cell)];
        QScrollBar *bar = verticalScrollBar();
        if (box.top() - kPad < bar->value())
            bar->setValue(box.top() - kPad);
        else if (box.bottom() + kPad > bar->value() + viewport()->height())
            bar->setValue(box.bottom() + kPad - viewport()->height());
    }
    viewport()->update();
}

/// Places the cells if they have this size; returns how high they are. Forgets the places unless they are kept.
int RankGrid::arranged(Size size, bool keep)
{
    const int line = fontMetrics().height();
    QSize cell(11, 11);
    if (size != Size::Plain) {
        QString name, found, value; // measuring all would take long if there are thousands
        for (const RankGridData::Cell &one : m_data.cells) {
            keepLonger(name, one.name + copiesText(one.copies));
            keepLonger(found, one.found);
            if (size == Size::Full && one.value != kNoInt)
                keepLonger(value, m_data.valueText(one.value));
        }
        int widest = fontMetrics().horizontalAdvance(name + QStringLiteral("0■"));
        if (size == Size::Full)
            widest = std::max({widest, fontMetrics().horizontalAdvance(found), fontMetrics().horizontalAdvance(value)});
        cell = size == Size::Full ? QSize(std::min(widest + 12, 150), 3 * line + 8) : QSize(widest + 8, line + 6);
    }
    const int gap = size == Size::Plain ? 2 : 3;
    const int room = viewport()->width() - 2 * kPad;
    const int wrapped = std::max(1, (room + gap) / (cell.width() + gap));
    int y = kPad, right = 0;
    if (keep) {
        m_boxes.assign(m_data.cells.size(), {});
        m_headings.clear();
    }
    for (const RankGridData::Group &group : m_data.groups) {
        if (keep)
            m_headings.emplace_back(kPad, y, room, line);
        if (!group.title.isEmpty() || !group.note.isEmpty())
            y += line + 4;
        const int columns = group.columns > 0 ? group.columns : wrapped;
        const int count = static_cast<int>(group.cells.size());
        const int rows = group.columns > 0 ? group.rows : (count + columns - 1) / columns;
        for (int at = 0; keep && at < count; ++at) {
            const RankGridData::Cell &one = m_data.cells[static_cast<size_t>(group.cells[static_cast<size_t>(at)])];
            const int column = group.columns > 0 ? one.column : at % columns;
            const int row = group.columns > 0 ? one.row : at / columns;
            const QPoint corner(kPad + column * (cell.width() + gap), y + row * (cell.height() + gap));
            m_boxes[static_cast<size_t>(group.cells[static_cast<size_t>(at)])] = QRect(corner, cell);
        }
        right = std::max(right, kPad + std::min(columns, std::max(count, group.columns)) * (cell.width() + gap));
        const int64_t end = y + int64_t{rows} * (cell.height() + gap) + kGroupGap;
        y = static_cast<int>(std::min<int64_t>(end, INT_MAX / 2));
    }
    if (keep) {
        horizontalScrollBar()->setRange(0, std::max(0, right - viewport()->width()));
        horizontalScrollBar()->setPageStep(viewport()->width());
        verticalScrollBar()->setRange(0, std::max(0, y - viewport()->height()));
        verticalScrollBar()->setPageStep(viewport()->height());
        verticalScrollBar()->setSingleStep(cell.height() + gap);
    }
    return right > viewport()->width() ? INT_MAX : y;
}

/// Takes the largest cells with which all fit.
void RankGrid::arrange()
{
    m_size = Size::Full;
    if (m_data.cells.size() > kAlwaysFull) {
        const Size least = m_data.cells.size() > kAlwaysNamed ? Size::Plain : Size::Named;
        while (m_size != least && arranged(m_size, false) > viewport()->height())
            m_size = m_size == Size::Full ? Size::Named : Size::Plain;
    }
    arranged(m_size, true);
    viewport()->update();
}

QRect RankGrid::cellRect(int cell) const
{
    return m_boxes[static_cast<size_t>(cell)].translated(-horizontalScrollBar()->value(),
                                                         -verticalScrollBar()->value());
}

int RankGrid::cellAt(QPoint point) const
{
    const QPoint at = point + QPoint(horizontalScrollBar()->value(), verticalScrollBar()->value());
    for (size_t cell = 0; cell < m_boxes.size(); ++cell)
        if (m_boxes[cell].adjusted(-1, -1, 1, 1).contains(at))
            return static_cast<int>(cell);
    return -1;
}

void RankGrid::paintCell(QPainter &painter, const QRect &box, const RankGridData::Cell &cell) const
{
    const Palette &colours = Palette::fitting(palette());
    const bool hasValue = cell.value != kNoInt;
    const QRgb fill = hasValue ? heatColour(colours, cell.value, m_data.low, m_data.high) : colours.canvas;
    const QRgb ink = hasValue ? Palette::textOn(fill) : colours.text;
    painter.fillRect(box, QColor::fromRgb(fill));
    const bool isAbsent = cell.state == RankState::NoFile;
    painter.setPen(QPen(QColor::fromRgb(isAbsent || !hasValue ? colours.edge : colours.line), 1,
                        isAbsent ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
    if (m_size == Size::Plain) {
        if (isAbsent || cell.state == RankState::Failed)
            painter.drawLine(box.bottomLeft(), box.topRight());
        if (cell.state == RankState::Failed)
            painter.drawLine(box.topLeft(), box.bottomRight());
        if (cell.copies > 1)
            painter.fillRect(QRect(box.right() - 3, box.top(), 4, 4), QColor::fromRgb(ink));
        return;
    }
    const int line = fontMetrics().height();
    const QRect text = box.adjusted(5, m_size == Size::Full ? 3 : 2, -5, -2);
    const QString mark = copiesText(cell.copies) + markOf(cell.state);
    const int markWidth = fontMetrics().horizontalAdvance(mark);
    QFont bold = font();
    bold.setBold(true);
    painter.setPen(QColor::fromRgb(isAbsent ? colours.dimText : ink));
    painter.setFont(bold);
    painter.drawText(QRect(text.left(), text.top(), text.width() - markWidth - 2, line),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     elided(cell.name, painter.fontMetrics(), text.width() - markWidth - 2));
    painter.setFont(font());
    painter.drawText(QRect(text.left(), text.top(), text.width(), line), Qt::AlignRight | Qt::AlignVCenter, mark);
    if (m_size == Size::Named)
        return;
    const auto put = [&](int at, const QString &words) {
        painter.drawText(QRect(text.left(), text.top() + at * line, text.width(), line),
                         Qt::AlignLeft | Qt::AlignVCenter, elided(words, fontMetrics(), text.width()));
    };
    put(1, hasValue ? m_data.valueText(cell.value) : QString());
    put(2, cell.found);
}

void RankGrid::paintEvent(QPaintEvent *)
{
    QPainter painter(viewport());
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(viewport()->rect(), QColor::fromRgb(colours.canvas));
    const QPoint scrolled(horizontalScrollBar()->value(), verticalScrollBar()->value());
    for (size_t group = 0; group < m_headings.size(); ++group) {
        const QRect box = m_headings[group].translated(-scrolled);
        const int noteWidth = std::min(fontMetrics().horizontalAdvance(m_data.groups[group].note), box.width() / 2);
        painter.setPen(QColor::fromRgb(colours.text));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                         elided(m_data.groups[group].title, fontMetrics(), box.width() - noteWidth - kPad));
        painter.setPen(QColor::fromRgb(colours.dimText));
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter,
                         elided(m_data.groups[group].note, fontMetrics(), noteWidth));
    }
    for (size_t cell = 0; cell < m_boxes.size(); ++cell)
        if (const QRect box = m_boxes[cell].translated(-scrolled); box.intersects(viewport()->rect()))
            paintCell(painter, box, m_data.cells[cell]);
    const auto outline = [&](int cell, QRgb colour, int wide) {
        if (cell < 0)
            return;
        painter.setPen(QPen(QColor::fromRgb(colour), wide));
        painter.drawRect(cellRect(cell).adjusted(-1, -1, 0, 0));
    };
    outline(m_hovered, colours.hover, 1);
    outline(m_current, colours.selection, 2);
    if (hasFocus()) {
        painter.setPen(QColor::fromRgb(colours.accent));
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

bool RankGrid::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::Leave) {
        m_hovered = -1;
        m_card->dismiss();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void RankGrid::mouseMoveEvent(QMouseEvent *event)
{
    const int cell = cellAt(event->position().toPoint());
    if (cell == m_hovered)
        return;
    m_hovered = cell;
    if (cell >= 0)
        m_card->say(m_data.cells[static_cast<size_t>(cell)].about, event->position().toPoint(), viewport()->rect(),
                    cellRect(cell));
    else
        m_card->dismiss();
    viewport()->update();
}

void RankGrid::mousePressEvent(QMouseEvent *event)
{
    const int cell = cellAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && cell >= 0)
        moveTo(cell);
}

void RankGrid::mouseDoubleClickEvent(QMouseEvent *event)
{
    m_card->dismiss();
    if (const int cell = cellAt(event->position().toPoint()); event->button() == Qt::LeftButton && cell >= 0)
        emit chosen(cell);
}

void RankGrid::moveTo(int cell)
{
    const int was = m_current;
    setCurrent(cell);
    if (m_current != was)
        emit currentChanged(m_current);
}

/// The cell of the nearest row below (1) or above (-1) the current one that is nearest sideways.
int RankGrid::neighbour(int down) const
{
    const QPoint from = m_boxes[static_cast<size_t>(m_current)].center();
    int best = m_current, nearestY = INT_MAX, nearestX = INT_MAX;
    for (size_t cell = 0; cell < m_boxes.size(); ++cell) {
        const QPoint to = m_boxes[cell].center();
        const int y = (to.y() - from.y()) * down, x = std::abs(to.x() - from.x());
        if (y <= 0 || y > nearestY || (y == nearestY && x >= nearestX))
            continue;
        best = static_cast<int>(cell);
        nearestY = y;
        nearestX = x;
    }
    return best;
}

void RankGrid::keyPressEvent(QKeyEvent *event)
{
    const int last = static_cast<int>(m_data.cells.size()) - 1;
    if (last < 0) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    m_card->dismiss();
    const bool isNew = m_current < 0;
    switch (event->key()) {
    case Qt::Key_Left: moveTo(std::max(0, m_current - 1)); break;
    case Qt::Key_Right: moveTo(std::min(last, m_current + 1)); break;
    case Qt::Key_Up: moveTo(isNew ? 0 : neighbour(-1)); break;
    case Qt::Key_Down: moveTo(isNew ? 0 : neighbour(1)); break;
    case Qt::Key_Home: moveTo(0); break;
    case Qt::Key_End: moveTo(last); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (!isNew)
            emit chosen(m_current);
        break;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void RankGrid::focusInEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusInEvent(event);
    if (m_current < 0 && !m_data.cells.empty() && event->reason() != Qt::MouseFocusReason)
        moveTo(0);
    viewport()->update();
}

void RankGrid::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void RankGrid::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    arrange();
}

void RankGrid::scrollContentsBy(int, int)
{
    m_card->dismiss();
    viewport()->update();
}

void RankGrid::changeEvent(QEvent *event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange ||
        event->type() == QEvent::StyleChange)
        arrange();
}

} // namespace riffle
