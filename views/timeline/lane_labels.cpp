// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lane_labels.h"

#include "model/analysis/critical_path/critical_path_bands.h"
#include "model/base/format.h"
#include "model/trace/run/place_in_name.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/filter_actions.h"
#include "views/timeline/preview_painter.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace riffle {

namespace {
constexpr int kIndent = 12;
constexpr int kArrow = 14;
constexpr int kLink = 20;   ///< logical pixels: the height of the offer of more rows, at the end of a lane
constexpr int kLinkGap = 8; ///< logical pixels between that and the name
constexpr int kEdge = 4;    ///< pixels around a border in which a press grabs it
} // namespace

LaneLabels::LaneLabels(TimelineState *state, QWidget *parent) : QWidget(parent), m_state(state)
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    connect(state, &TimelineState::layoutChanged, this, qOverload<>(&QWidget::update));
    connect(state, &TimelineState::scrolled, this, qOverload<>(&QWidget::update));
}

const LaneItem *LaneLabels::itemAt(int y) const { return m_state->viewport().itemAt(y); }

QRect LaneLabels::rectOf(const LaneItem &item) const
{
    const LaneWindow &window = m_state->viewport().of(item);
    return cellOf(item).intersected(QRect(0, window.top, width(), window.bottom - window.top));
}

/// The whole label of a strip, also where it is scrolled out of view.
QRect LaneLabels::cellOf(const LaneItem &item) const
{
    return {0, item.y + m_state->viewport().of(item).offset(), width(), item.height};
}

/// The line with a strip's name, which stays in view while its lane is scrolled.
QRect LaneLabels::titleLine(const LaneItem &item) const
{
    const QRect cell = cellOf(item);
    const int height = item.heading() ? LaneLayout::kHeadingHeight : std::min(item.height, 24);
    const int top =
        std::clamp(m_state->viewport().of(item).top, cell.top(), std::max(cell.top(), cell.bottom() - height));
    return {0, top, cell.width(), height - 1};
}

void LaneLabels::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    QFont font = this->font();
    font.setPixelSize(12);
    painter.setFont(font);
    if (m_state->traces().empty()) {
        if (m_state->preview())
            paintPreviewNames(painter, rect(), *m_state->preview(), colours);
    } else {
        for (const LaneWindow &window : m_state->viewport().windows()) {
            painter.setClipRect(0, window.top, width(), window.bottom - window.top);
            for (const LaneItem &item : window.seen())
                paintItem(painter, item, cellOf(item));
            painter.setClipping(false);
            if (window.part == LaneWindow::Part::Pinned)
                painter.fillRect(0, window.bottom - 1, width(), 2, QColor::fromRgb(colours.dimText));
        }
        if (m_dropY >= 0)
            painter.fillRect(0, m_dropY - 1, width(), 2, QColor::fromRgb(colours.accent));
    }
    painter.fillRect(width() - 1, 0, 1, height(), QColor::fromRgb(colours.line));
}

void LaneLabels::setBusy(PerTrace<std::optional<double>> shares)
{
    m_busy = std::move(shares);
    update();
}

QString LaneLabels::noteOf(const LaneItem &item) const
{
    if (item.kind == LaneItem::Kind::TraceHeading && item.folded)
        if (const std::optional<double> &share = m_busy[item.trace])
            return tr("%1 busy").arg(toQString(formatShare(*share)));
    return singleLine(toQString(item.note));
}

void LaneLabels::paintItem(QPainter &painter, const LaneItem &item, const QRect &cell)
{
    const Palette &colours = Palette::fitting(palette());
    const bool heading = item.heading();
    if (heading)
        painter.fillRect(cell, QColor::fromRgb(item.gpu ? colours.gpuHeading : colours.heading));
    else if (item.key == m_hoveredKey)
        painter.fillRect(cell, QColor::fromRgb(colours.laneAlternate));
    painter.fillRect(cell.left(), cell.bottom(), cell.width(), 1, QColor::fromRgb(colours.line));

    int x = 6 + item.indent * kIndent;
    const QRect row = titleLine(item);
    if (item.foldable) {
        const QPointF middle(x + 4, row.center().y() + 0.5);
        QPainterPath arrow;
        if (item.folded) {
            arrow.moveTo(middle + QPointF(-2, -4));
            arrow.lineTo(middle + QPointF(3, 0));
            arrow.lineTo(middle + QPointF(-2, 4));
        } else {
            arrow.moveTo(middle + QPointF(-4, -2));
            arrow.lineTo(middle + QPointF(4, -2));
            arrow.lineTo(middle + QPointF(0, 3));
        }
        arrow.closeSubpath();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillPath(arrow, QColor::fromRgb(colours.dimText));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    x += kArrow;
    QFont font = painter.font();
    font.setBold(heading);
    font.setPixelSize(item.height < 16 ? std::max(7, item.height - 4) : 12);
    painter.setFont(font);
    const QFontMetrics metrics(font);
    int room = cell.width() - x - 8;
    if (const QRect link = framesLink(item); !link.isEmpty()) {
        painter.setPen(QColor::fromRgb(colours.accent));
        painter.drawText(link, Qt::AlignLeft | Qt::AlignVCenter, framesText(item));
        if (link.top() == row.top())
            room = std::max(0, link.left() - kLinkGap - x);
    }
    const QString title = elided(singleLine(toQString(item.title)), metrics, room);
    if (const QString more = rowsText(item); !more.isEmpty()) {
        painter.setPen(QColor::fromRgb(colours.accent));
        painter.drawText(rowsLink(item, cell), Qt::AlignLeft | Qt::AlignVCenter, more);
    }
    painter.setPen(QColor::fromRgb(colours.text));
    painter.drawText(QRect(x, row.top(), room, row.height()), Qt::AlignLeft | Qt::AlignVCenter, title);
    const QString note = noteOf(item);
    if (note.isEmpty())
        return;
    font.setBold(false);
    painter.setFont(font);
    const int used = metrics.horizontalAdvance(title) + 10;
    painter.setPen(QColor::fromRgb(colours.dimText));
    painter.drawText(QRect(x + used, row.top(), room - used, row.height()), Qt::AlignRight | Qt::AlignVCenter,
                     elided(note, QFontMetrics(font), room - used));
}

/// The offer at the end of a lane to show all its rows, or the first ones again. Empty if it has no more.
QString LaneLabels::rowsText(const LaneItem &item)
{
    if (item.hiddenRows > 0)
        return item.hiddenRows == 1 ? tr("1 more row") : tr("%1 more rows").arg(item.hiddenRows);
    return item.isWhole ? tr("Fewer rows") : QString();
}

/// The place of that text in a lane's cell.
QRect LaneLabels::rowsLink(const LaneItem &item, const QRect &cell)
{
    const int x = 6 + item.indent * kIndent + kArrow;
    return {x, cell.bottom() - kLink, cell.width() - x - 8, kLink - kEdge};
}

/// The text about the rows of a lane with plumbing; empty for other lanes.
QString LaneLabels::framesText(const LaneItem &item)
{
    if (item.squeezedRows == 0 || item.folded)
        return {};
    return item.squeezed ? tr("%1 of %2 rows").arg(item.squeezedRows).arg(item.allRows) : tr("All frames");
}

/// The place of that text: below the name, in a low lane behind it. Empty if there is no text or no room.
QRect LaneLabels::framesLink(const LaneItem &item) const
{
    const QString text = framesText(item);
    const QRect title = titleLine(item);
    if (text.isEmpty() || title.height() < kLink - kEdge)
        return {};
    QFont font = this->font();
    font.setPixelSize(12);
    const int x = 6 + item.indent * kIndent + kArrow, width = QFontMetrics(font).horizontalAdvance(text) + 1;
    const bool hasRowsLink = !rowsText(item).isEmpty();
    if (item.height < (hasRowsLink ? 3 : 2) * kLink)
        return {title.right() - 8 - width, title.top(), width, title.height()};
    const QRect below(x, title.bottom(), width, kLink - kEdge);
    const int end = hasRowsLink ? rowsLink(item, cellOf(item)).top() : cellOf(item).bottom() + 1;
    return below.bottom() < end ? below : QRect();
}

bool LaneLabels::onEdge(const LaneItem &item, int y) const
{
    const int bottom = item.y + item.height + m_state->viewport().of(item).offset();
    return !item.heading() && std::abs(y - bottom) <= kEdge;
}

void LaneLabels::updateCursor(QPoint point)
{
    const LaneItem *item = itemAt(point.y());
    if (point.x() >= width() - kEdge)
        setCursor(Qt::SplitHCursor);
    else if (item && onEdge(*item, point.y()))
        setCursor(Qt::SplitVCursor);
    else if (item && ((!rowsText(*item).isEmpty() && rowsLink(*item, rectOf(*item)).contains(point)) ||
                      framesLink(*item).contains(point)))
        setCursor(Qt::PointingHandCursor);
    else
        unsetCursor();
}

void LaneLabels::mousePressEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = point;
    m_drag = Drag::None;
    if (point.x() >= width() - kEdge) {
        m_drag = Drag::Width;
        return;
    }
    const LaneItem *item = itemAt(point.y());
    if (!item)
        return;
    m_draggedKey = item->key;
    m_startHeight = item->height;
    m_drag = onEdge(*item, point.y()) ? Drag::Resize : Drag::Click;
}

void LaneLabels::mouseMoveEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    if (m_drag == Drag::Width) {
        emit widthWanted(point.x());
        return;
    }
    const auto dragged = [this]() -> const LaneItem * {
        for (const auto *section : {&m_state->layout().pinned(), &m_state->layout().items()})
            for (const LaneItem &item : *section)
                if (item.key == m_draggedKey)
                    return &item;
        return nullptr;
    };
    if (m_drag == Drag::Resize) {
        if (const LaneItem *item = dragged())
            m_state->setHeight(*item, std::max(8, m_startHeight + point.y() - m_pressed.y()));
        return;
    }
    if (m_drag == Drag::Click && (point - m_pressed).manhattanLength() > 8) {
        const LaneItem *item = dragged();
        m_drag = item && !item->heading() ? Drag::Move : Drag::None;
    }
    if (m_drag == Drag::Move) {
        const LaneItem *item = dragged();
        const LaneItem *over = itemAt(point.y());
        m_dropY = -1;
        if (item && over && !over->heading() && over->pinned == item->pinned &&
            (item->pinned || over->group == item->group)) {
            const QRect cell = rectOf(*over);
            m_dropY = over->y > item->y ? cell.bottom() : cell.top();
        }
        setCursor(Qt::ClosedHandCursor);
        update();
        return;
    }
    updateCursor(point);
    const LaneItem *item = itemAt(point.y());
    const std::string key = item && !item->heading() ? item->key : std::string();
    if (key != m_hoveredKey) {
        m_hoveredKey = key;
        update();
    }
}

void LaneLabels::mouseReleaseEvent(QMouseEvent *event)
{
    const QPoint point = event->position().toPoint();
    const Drag drag = std::exchange(m_drag, Drag::None);
    m_dropY = -1;
    const LaneItem *item = itemAt(point.y());
    if (drag == Drag::Click && item && item->key == m_draggedKey && (item->foldable || item->heading())) {
        const bool onArrow = point.x() < 6 + item->indent * kIndent + kArrow;
        if (!rowsText(*item).isEmpty() && rowsLink(*item, rectOf(*item)).contains(point))
            m_state->toggleWhole(LaneItem(*item));
        else if (framesLink(*item).contains(point))
            m_state->toggleFrames(LaneItem(*item));
        else if (item->heading() || onArrow)
            m_state->toggleFold(LaneItem(*item));
    } else if (drag == Drag::Move && item) {
        for (const auto *section : {&m_state->layout().pinned(), &m_state->layout().items()})
            for (const LaneItem &other : *section)
                if (other.key == m_draggedKey) {
                    m_state->moveLane(LaneItem(other), LaneItem(*item));
                    update();
                    updateCursor(point);
                    return;
                }
    }
    update();
    updateCursor(point);
}

void LaneLabels::mouseDoubleClickEvent(QMouseEvent *event)
{
    // A double click on the lower edge restores the default height.
    const QPoint point = event->position().toPoint();
    const LaneItem *item = itemAt(point.y());
    if (item && onEdge(*item, point.y()))
        m_state->setHeight(LaneItem(*item), 0);
    else
        mousePressEvent(event);
}

void LaneLabels::contextMenuEvent(QContextMenuEvent *event)
{
    const LaneItem *found = itemAt(event->pos().y());
    QMenu menu(this);
    if (found) {
        const LaneItem item = *found;
        if (!item.heading())
            menu.addAction(item.pinned ? tr("Unpin") : tr("Pin to the top"), this,
                           [this, item] { m_state->togglePin(item); });
        if (item.foldable)
            menu.addAction(item.folded ? tr("Unfold") : tr("Fold"), this, [this, item] { m_state->toggleFold(item); });
        if (const QString more = rowsText(item); !more.isEmpty())
            menu.addAction(more, this, [this, item] { m_state->toggleWhole(item); });
        if (item.squeezedRows > 0)
            menu.addAction(item.squeezed ? tr("Show all Python frames") : tr("Hide plumbing frames"), this,
                           [this, item] { m_state->toggleFrames(item); });
        if (item.bands && m_state->session()->hasBands(item.bands->key))
            menu.addAction(tr("Remove lane"), this, [this, item] { m_state->session()->removeBands(item.bands->key); });
        else if (!item.bands || item.bands->key != kCriticalPathKey) // which has its own action below
            menu.addAction(tr("Hide"), this, [this, item] { m_state->hide(item); });
        if (!item.heading())
            menu.addAction(tr("Default height"), this, [this, item] { m_state->setHeight(item, 0); });
        menu.addSeparator();
        if (item.kind == LaneItem::Kind::Slices)
            addFilterActions(&menu, m_state->session(), LaneRef{item.trace, item.lane});
        menu.addSeparator();
    }
    QAction *all = menu.addAction(tr("Show all lanes"), this, [this] { m_state->showAll(); });
    const LaneState &lanes = m_state->pane()->lanes();
    all->setEnabled(!lanes.hidden.empty() || !lanes.filter.empty());
    QAction *path = menu.addAction(tr("Critical path"), m_state, &TimelineState::showCriticalPath);
    path->setCheckable(true);
    path->setChecked(m_state->showsCriticalPath());
    menu.exec(event->globalPos());
}

void LaneLabels::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hoveredKey.clear();
    update();
}

bool LaneLabels::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const LaneItem *item = itemAt(help->pos().y());
    if (!item) {
        QToolTip::hideText();
        return true;
    }
    QString text = toQString(item->title);
    if (!item->note.empty())
        text += QLatin1Char('\n') + toQString(item->note);
    const TraceMember *member = m_state->traces().member(item->trace);
    if (item->kind == LaneItem::Kind::TraceHeading && member)
        if (const std::string coordinates = coordinatesText(placeInName(member->path).coordinates);
            !coordinates.empty())
            text += QLatin1Char('\n') + toQString(coordinates);
    const Trace *trace = m_state->traces().trace(item->trace);
    if (trace && item->kind == LaneItem::Kind::Slices && item->lane.value < trace->lanes.size())
        text +=
            QLatin1Char('\n') +
            tr("Slices: %1").arg(toQString(formatCount(static_cast<int64_t>(trace->lanes[item->lane.value].slices))));
    if (item->squeezed)
        text += QLatin1Char('\n') +
                tr("%1 of %2 rows: Python frames between your code and operators are hidden. A click on the number of "
                   "rows shows them.")
                    .arg(item->squeezedRows)
                    .arg(item->allRows);
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace riffle
