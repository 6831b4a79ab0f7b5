// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/heat_map.h"

#include "model/trace/tables.h"
#include "views/common/chart/cell_card.h"
#include "views/common/look/qt_text.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cmath>

namespace riffle {

namespace {

constexpr int kGap = 8;           ///< logical pixels
constexpr int kMostNames = 200;   ///< the width of the rows' names
constexpr int kSmallestEdged = 6; ///< cells from this size on have a line around them, in device pixels
constexpr int kScaleWidth = 120;
constexpr QSize kLargestCell(120, 36);
/// The share of colour in the weakest value that is known, on light and on dark paper.
constexpr double kWeakest = 0.08, kWeakestOnDark = 0.16;
constexpr int kHatch = 5; ///< device pixels between the lines of the hatch

/// Returns what [0, count) has at a place of `size` pixels: at least one.
std::pair<int, int> cellsAt(int pixel, int size, int count)
{
    const int first = static_cast<int>(int64_t{pixel} * count / size);
    const int end = static_cast<int>((int64_t{pixel} + 1) * count / size);
    return {first, std::max(end, first + 1)};
}

/// The colours of 256 values from 0 to the strongest, on both sides.
struct Ramp {
    std::array<QRgb, 256> above, below;

    explicit Ramp(const Palette &palette)
    {
        const double weakest = palette.isDark ? kWeakestOnDark : kWeakest;
        for (size_t at = 0; at < above.size(); ++at) {
            const double share = weakest + (1 - weakest) * static_cast<double>(at) / 255;
            above[at] = Palette::mixed(palette.canvas, palette.mark, share);
            below[at] = Palette::mixed(palette.canvas, palette.bar, share);
        }
    }
    QRgb of(int64_t value, int64_t low, int64_t high) const
    {
        const bool isBelow = low < 0 && value < 0;
        const double zero = low < 0 ? 0.0 : static_cast<double>(low);
        const double whole = isBelow ? -static_cast<double>(low) : static_cast<double>(high) - zero;
        const double part = isBelow ? -static_cast<double>(value) : static_cast<double>(value) - zero;
        const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
        return (isBelow ? below : above)[static_cast<size_t>(std::lround(share * 255))];
    }
};

} // namespace

QRgb heatColour(const Palette &palette, int64_t value, int64_t low, int64_t high)
{
    return Ramp(palette).of(value, low, high);
}

HeatMap::HeatMap(QWidget *parent) : QWidget(parent), m_card(new CellCard(this))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void HeatMap::setData(HeatMapData data)
{
    assert(!data.values || data.values->size() == static_cast<size_t>(data.rows) * static_cast<size_t>(data.columns));
    m_data = std::move(data);
    measureNames();
    m_hovered = {};
    m_card->dismiss();
    m_image = {};
    const Cell was = m_current;
    m_current = {};
    setCurrent(was);
    update();
}

/// Gives the rows' names the width that the widest has in bold, as the current one is shown.
void HeatMap::measureNames()
{
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    m_namesWidth = 0;
    for (int row = 0; row < m_data.rows && m_namesWidth < kMostNames; ++row)
        m_namesWidth = std::max(m_namesWidth, metrics.horizontalAdvance(m_data.rowName(row)));
    m_namesWidth = std::min(m_namesWidth, kMostNames);
}

void HeatMap::setCurrent(Cell cell)
{
    if (cell.row >= m_data.rows || cell.column >= m_data.columns || !cell.valid())
        cell = {};
    if (cell == m_current)
        return;
    m_current = cell;
    setAccessibleDescription(said(cell).join(QStringLiteral(". ")).replace(QLatin1Char('\t'), QLatin1Char(' ')));
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
    update();
}

int64_t HeatMap::valueAt(int row, int column) const
{
    return (
        *m_data.values)[static_cast<size_t>(row) * static_cast<size_t>(m_data.columns) + static_cast<size_t>(column)];
}

QStringList HeatMap::said(Cell cell) const
{
    return cell.valid() ? m_data.describe(cell.row, cell.column) : QStringList();
}

QRect HeatMap::plot() const
{
    const int line = fontMetrics().height();
    const int left = kGap + m_namesWidth + kGap, top = line + 6;
    const auto most = [](int count, int size) {
        return static_cast<int>(std::min<int64_t>(int64_t{count} * size, INT_MAX));
    };
    return {left, top, std::clamp(width() - left - kGap, 1, std::max(1, most(m_data.columns, kLargestCell.width()))),
            std::clamp(height() - top - line - 2 * kGap, 1, std::max(1, most(m_data.rows, kLargestCell.height())))};
}

QRect HeatMap::cellRect(Cell cell) const
{
    const QRect area = plot();
    // The pixels that cellsAt() gives the cell: where it begins or, if cells are smaller than pixels, where it ends.
    const auto first = [](int at, int count, int size) {
        const int64_t edge = int64_t{at} + (count > size);
        return static_cast<int>((edge * size + count - 1) / count) - (count > size);
    };
    const int left = first(cell.column, m_data.columns, area.width()),
              top = first(cell.row, m_data.rows, area.height());
    return {area.left() + left, area.top() + top,
            std::max(1, first(cell.column + 1, m_data.columns, area.width()) - left),
            std::max(1, first(cell.row + 1, m_data.rows, area.height()) - top)};
}

/// The cell with the strongest value among some; the first one if none is known.
HeatMap::Cell HeatMap::strongest(std::pair<int, int> rows, std::pair<int, int> columns) const
{
    Cell best{rows.first, columns.first};
    int64_t most = kNoInt;
    for (int row = rows.first; row < rows.second; ++row)
        for (int column = columns.first; column < columns.second; ++column) {
            int64_t value = valueAt(row, column);
            if (value == kNoInt)
                continue;
            if (m_data.low < 0 && value < 0)
                value = -value;
            if (value > most) {
                most = value;
                best = {row, column};
            }
        }
    return best;
}

HeatMap::Cell HeatMap::cellAt(QPoint point) const
{
    const QRect area = plot();
    if (isEmpty() || !area.contains(point))
        return {};
    return strongest(cellsAt(point.y() - area.top(), area.height(), m_data.rows),
                     cellsAt(point.x() - area.left(), area.width(), m_data.columns));
}

void HeatMap::makeImage()
{
    const Palette &colours = Palette::fitting(palette());
    const double ratio = devicePixelRatioF();
    const int wide = std::max(1, static_cast<int>(plot().width() * ratio));
    const int high = std::max(1, static_cast<int>(plot().height() * ratio));
    m_image = QImage(wide, high, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(ratio);
    const Ramp ramp(colours);
    const QRgb paper = Palette::mixed(colours.canvas, colours.idle, 0.12);
    const bool edgedX = wide / m_data.columns >= kSmallestEdged, edgedY = high / m_data.rows >= kSmallestEdged;
    std::vector<std::optional<QRgb>> line(static_cast<size_t>(wide)); // nothing is unknown
    std::vector<char> edges(static_cast<size_t>(wide));
    std::pair<int, int> shown{-1, -1};
    for (int y = 0; y < high; ++y) {
        const auto rows = cellsAt(y, high, m_data.rows);
        if (rows != shown) {
            std::pair<int, int> before{-1, -1};
            for (int x = 0; x < wide; ++x) {
                const auto columns = cellsAt(x, wide, m_data.columns);
                const auto at = static_cast<size_t>(x);
                if (columns == before) {
                    line[at] = line[at - 1];
                    edges[at] = 0;
                    continue;
                }
                const Cell cell = strongest(rows, columns);
                const int64_t value = valueAt(cell.row, cell.column);
                line[at] = value == kNoInt ? std::nullopt : std::optional(ramp.of(value, m_data.low, m_data.high));
                edges[at] = edgedX;
                before = columns;
            }
        }
        const bool isEdge = edgedY && rows != shown;
        shown = rows;
        auto *pixels = reinterpret_cast<QRgb *>(m_image.scanLine(y));
        for (int x = 0; x < wide; ++x) {
            const auto at = static_cast<size_t>(x);
            if (isEdge || edges[at])
                pixels[x] = colours.canvas;
            else if (line[at])
                pixels[x] = *line[at];
            else
                pixels[x] = (x + y) % kHatch == 0 ? colours.idle : paper;
        }
    }
}

void HeatMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.fillRect(rect(), QColor::fromRgb(colours.canvas));
    if (isEmpty())
        return;
    if (m_image.isNull())
        makeImage();
    painter.drawImage(plot().topLeft(), m_image);
    paintNames(painter);
    paintScale(painter);
    painter.setBrush(Qt::NoBrush);
    if (m_hovered.valid()) {
        painter.setPen(QColor::fromRgb(colours.hover));
        painter.drawRect(cellRect(m_hovered).adjusted(-1, -1, 0, 0));
    }
    if (m_current.valid()) {
        const QRect box = cellRect(m_current).adjusted(-1, -1, 0, 0);
        painter.setPen(QPen(QColor::fromRgb(colours.canvas), 4));
        painter.drawRect(box);
        painter.setPen(QPen(QColor::fromRgb(colours.selection), 2));
        painter.drawRect(box);
    }
    if (hasFocus()) {
        painter.setPen(QColor::fromRgb(colours.accent));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

/// Paints the names that fit, at equal distances, and those of the current cell in bold.
void HeatMap::paintNames(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    const QRect area = plot();
    const int line = fontMetrics().height();
    QFont bold = font();
    bold.setBold(true);
    const auto strideOf = [](int count, int size, int needed) {
        const double each = static_cast<double>(size) / count;
        int stride = 1;
        for (const int factor : {2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000})
            if (each * stride < needed)
                stride = factor;
        return stride;
    };
    const auto put = [&](const QRect &box, Qt::Alignment where, const QString &text, bool isCurrent) {
        painter.setFont(isCurrent ? bold : font());
        painter.setPen(QColor::fromRgb(isCurrent ? colours.text : colours.dimText));
        painter.drawText(box, where | Qt::AlignVCenter, elided(text, painter.fontMetrics(), box.width()));
    };
    const int rowStride = strideOf(m_data.rows, area.height(), line);
    const auto yOf = [&](int row) { return cellRect({row, 0}).center().y(); };
    const auto putRow = [&](int row) {
        put({kGap, yOf(row) - line / 2, m_namesWidth, line}, Qt::AlignRight, m_data.rowName(row), row == m_current.row);
    };
    for (int row = 0; row < m_data.rows; row += rowStride)
        if (!m_current.valid() || std::abs(yOf(row) - yOf(m_current.row)) >= line)
            putRow(row);
    if (m_current.valid())
        putRow(m_current.row);
    const int widest = fontMetrics().horizontalAdvance(m_data.columnName(m_data.columns - 1)) + 14;
    const int columnStride = strideOf(m_data.columns, area.width(), widest);
    const auto place = [&](int column) {
        const int middle = cellRect({0, column}).center().x();
        const int left = std::clamp(middle - widest / 2, 0, std::max(0, width() - widest));
        return QRect(left, 2, widest, line);
    };
    const QRect current = m_current.valid() ? place(m_current.column) : QRect();
    for (int column = 0; column < m_data.columns; column += columnStride)
        if (const QRect box = place(column); column != m_current.column && !box.intersects(current))
            put(box, Qt::AlignHCenter, m_data.columnName(column), false);
    if (m_current.valid())
        put(current, Qt::AlignHCenter, m_data.columnName(m_current.column), true);
    painter.setFont(font());
}

QString HeatMap::scaleText() const
{
    const QRect area = plot();
    const auto share = [](int count, int size) { return (count + size - 1) / std::max(1, size); };
    const int tall = share(m_data.rows, area.height()), wide = share(m_data.columns, area.width());
    if (isEmpty() || (tall <= 1 && wide <= 1))
        return {};
    return m_data.low < 0 ? tr("Each pixel shows the cell farthest from 0 of up to %1 × %2").arg(tall).arg(wide)
                          : tr("Each pixel shows the largest of up to %1 × %2 cells").arg(tall).arg(wide);
}

/// The scale at the bottom: its ends, the colours between them, and what a pixel stands for.
void HeatMap::paintScale(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    const Ramp ramp(colours);
    const int line = fontMetrics().height();
    const int y = plot().bottom() + kGap;
    const QString low = m_data.valueText(m_data.low);
    const QString high = (m_data.isBeyond ? QStringLiteral("≥ ") : QString()) + m_data.valueText(m_data.high);
    const int highWidth = fontMetrics().horizontalAdvance(high) + 2,
              lowWidth = fontMetrics().horizontalAdvance(low) + 2;
    const int right = width() - kGap;
    const QRect bar(right - highWidth - 6 - kScaleWidth, y + 2, kScaleWidth, line - 4);
    const double span = static_cast<double>(m_data.high) - static_cast<double>(m_data.low);
    for (int x = 0; x < bar.width(); ++x) {
        const double value = static_cast<double>(m_data.low) + span * x / std::max(1, bar.width() - 1);
        painter.fillRect(QRect(bar.left() + x, bar.top(), 1, bar.height()),
                         QColor::fromRgb(ramp.of(static_cast<int64_t>(value), m_data.low, m_data.high)));
    }
    painter.setPen(QColor::fromRgb(colours.dimText));
    painter.drawText(QRect(bar.left() - 6 - lowWidth, y, lowWidth, line), Qt::AlignRight | Qt::AlignVCenter, low);
    painter.drawText(QRect(bar.right() + 6, y, highWidth, line), Qt::AlignLeft | Qt::AlignVCenter, high);
    const int room = bar.left() - 6 - lowWidth - 2 * kGap;
    painter.drawText(QRect(kGap, y, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     elided(scaleText(), fontMetrics(), room));
}

void HeatMap::mouseMoveEvent(QMouseEvent *event)
{
    const Cell cell = cellAt(event->position().toPoint());
    if (cell == m_hovered)
        return;
    m_hovered = cell;
    if (cell.valid())
        m_card->say(said(cell), event->position().toPoint(), rect(), cellRect(cell));
    else
        m_card->dismiss();
    update();
}

void HeatMap::mousePressEvent(QMouseEvent *event)
{
    const Cell cell = cellAt(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !cell.valid())
        return;
    m_card->dismiss();
    moveTo(cell);
    emit chosen(cell.row, cell.column);
}

void HeatMap::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hovered = {};
    m_card->dismiss();
    update();
}

void HeatMap::wheelEvent(QWheelEvent *event)
{
    m_card->dismiss();
    QWidget::wheelEvent(event);
}

void HeatMap::moveTo(Cell cell)
{
    const Cell was = m_current;
    setCurrent(cell);
    if (m_current != was)
        emit currentChanged(m_current.row, m_current.column);
}

void HeatMap::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    if (!m_current.valid() && !isEmpty() && event->reason() != Qt::MouseFocusReason)
        moveTo({0, 0});
    update();
}

void HeatMap::keyPressEvent(QKeyEvent *event)
{
    if (isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    m_card->dismiss();
    Cell cell = m_current.valid() ? m_current : Cell{0, 0};
    const bool toEnd = event->modifiers() & Qt::ControlModifier;
    const int page = std::max(1, m_data.rows / 10);
    switch (event->key()) {
    case Qt::Key_Left: --cell.column; break;
    case Qt::Key_Right: ++cell.column; break;
    case Qt::Key_Up: --cell.row; break;
    case Qt::Key_Down: ++cell.row; break;
    case Qt::Key_PageUp: cell.row -= page; break;
    case Qt::Key_PageDown: cell.row += page; break;
    case Qt::Key_Home:
        cell.column = 0;
        if (toEnd)
            cell.row = 0;
        break;
    case Qt::Key_End:
        cell.column = m_data.columns - 1;
        if (toEnd)
            cell.row = m_data.rows - 1;
        break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current.valid())
            emit chosen(m_current.row, m_current.column);
        return;
    default: QWidget::keyPressEvent(event); return;
    }
    if (!m_current.valid())
        cell = {0, 0}; // the first key only shows where the current cell is
    moveTo({std::clamp(cell.row, 0, m_data.rows - 1), std::clamp(cell.column, 0, m_data.columns - 1)});
}

void HeatMap::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_image = {};
    m_card->dismiss();
}

void HeatMap::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        measureNames();
    m_image = {};
    update();
}

} // namespace riffle
