// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/chart/chart.h"

#include "model/base/format.h"
#include "model/layout/chart_scale.h"
#include "views/common/look/qt_text.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace riffle {

namespace {

constexpr int kPad = 8;
constexpr int kSwatch = 14;
constexpr int kTickGap = 6;
constexpr int kLinesPerTick = 3; ///< height of the plot per value label, in lines of text

constexpr std::array<Qt::BrushStyle, 8> kPatterns{Qt::SolidPattern,     Qt::BDiagPattern,  Qt::HorPattern,
                                                  Qt::DiagCrossPattern, Qt::Dense6Pattern, Qt::VerPattern,
                                                  Qt::FDiagPattern,     Qt::CrossPattern};
constexpr std::array<Qt::PenStyle, 4> kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

bool patternsOn = false; // used only on the GUI thread, like all widgets

QBrush patternBrush(Qt::BrushStyle pattern, const Palette &palette)
{
    QColor ink = QColor::fromRgb(palette.isDark ? 0xffffffff : 0xff000000);
    ink.setAlpha(80);
    return QBrush(ink, pattern);
}

} // namespace

SeriesStyle SeriesStyle::of(const Palette &palette, int series)
{
    const auto at = static_cast<size_t>(std::max(0, series));
    const std::vector<QRgb> &colours = palette.seriesColours();
    return {colours[at % colours.size()], patternsOn ? kPatterns[at % kPatterns.size()] : Qt::SolidPattern,
            kDashes[at % kDashes.size()]};
}

void SeriesStyle::setPatterns(bool on) { patternsOn = on; }

bool SeriesStyle::patterns() { return patternsOn; }

void SeriesStyle::fill(QPainter &painter, const QRectF &box, const Palette &palette) const
{
    painter.fillRect(box, QColor::fromRgb(colour));
    if (pattern != Qt::SolidPattern && box.width() >= 3)
        painter.fillRect(box, patternBrush(pattern, palette));
}

void SeriesStyle::fill(QPainter &painter, const QPolygonF &shape, const Palette &palette) const
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor::fromRgb(colour));
    painter.drawPolygon(shape);
    if (pattern == Qt::SolidPattern)
        return;
    painter.setBrush(patternBrush(pattern, palette));
    painter.drawPolygon(shape);
}

Chart::Chart(QWidget *parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void Chart::setTitle(const QString &title)
{
    m_title = title;
    setAccessibleName(title);
    update();
}

void Chart::setUnit(CellKind unit)
{
    m_unit = unit;
    m_plot.reset();
    update();
}

void Chart::dataChanged()
{
    m_hovered = -1;
    m_plot.reset();
    if (m_current >= itemCount())
        m_current = -1;
    setAccessibleDescription(said(m_current));
    update();
}

void Chart::setCurrentItem(int item)
{
    item = item < itemCount() ? item : -1;
    if (item == m_current)
        return;
    m_current = item;
    setAccessibleDescription(said(item));
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
    update();
    emit currentItemChanged(item);
}

QString Chart::valueText(double value, double step) const
{
    const auto whole = [](double number) {
        return static_cast<int64_t>(std::llround(std::clamp(number, -9e18, 9e18)));
    };
    switch (m_unit) {
    case CellKind::Time:
    case CellKind::Moment:
        return toQString(step > 0 ? formatTick(whole(value), std::max<Ns>(1, whole(step)))
                                  : formatDuration(whole(value)));
    case CellKind::Bytes: return toQString(formatBytes(whole(value)));
    case CellKind::Share: return toQString(formatShare(value));
    case CellKind::Count: return toQString(formatCount(whole(value)));
    default: return toQString(formatNumber(value));
    }
}

QStringList Chart::valueLabels(QList<double> *values) const
{
    const double top = highest();
    const int line = fontMetrics().height();
    const int room = std::max(line, height() - 5 * line - legendHeight());
    int ticks = std::max(1, room / (kLinesPerTick * line));
    double step = roundStep(top, ticks, m_unit == CellKind::Bytes);
    while (step > top && top > 0) // the label 0 alone would not show the scale
        step = roundStep(top, ++ticks, m_unit == CellKind::Bytes);
    // Counts have no halves, and texts are rounded: if two labels would read the same, there are fewer of them.
    for (;; step = roundStep(top, --ticks, m_unit == CellKind::Bytes)) {
        QStringList labels;
        values->clear();
        for (int tick = 0; tick * step <= top * (1 + 1e-9) && tick < 50; ++tick) {
            values->append(tick * step);
            labels += tick == 0 ? QStringLiteral("0") : valueText(tick * step, step);
        }
        if (ticks <= 1 || std::adjacent_find(labels.begin(), labels.end()) == labels.end())
            return labels;
    }
}

QRectF Chart::plot() const
{
    if (!m_plot)
        m_plot = findPlot();
    return *m_plot;
}

QRectF Chart::findPlot() const
{
    QList<double> values;
    int wide = 0;
    for (const QString &label : valueLabels(&values))
        wide = std::max(wide, fontMetrics().horizontalAdvance(label));
    const int line = fontMetrics().height();
    const double top = kPad + 2 * line + 4 + legendHeight() + line / 2.0;
    return QRectF(QPointF(kPad + wide + kTickGap, top),
                  QPointF(width() - kPad, std::max(top + 10, height() - kPad - line - 4.0)));
}

double Chart::yOf(double value) const
{
    const QRectF area = plot();
    const double top = highest();
    return top > 0 ? area.bottom() - value / top * area.height() : area.bottom();
}

int Chart::legendHeight() const
{
    int lines = 0, x = 0;
    for (const LegendEntry &entry : legend()) {
        const int wide = kSwatch + 5 + fontMetrics().horizontalAdvance(entry.name) + 16;
        if (lines == 0 || x + wide > width() - 2 * kPad) {
            ++lines;
            x = 0;
        }
        x += wide;
    }
    return lines * (fontMetrics().height() + 4);
}

void Chart::paintLegend(QPainter &painter) const
{
    const int line = fontMetrics().height() + 4;
    int x = kPad, y = kPad + 2 * fontMetrics().height() + 4;
    for (const LegendEntry &entry : legend()) {
        const int wide = kSwatch + 5 + fontMetrics().horizontalAdvance(entry.name) + 16;
        if (x > kPad && x + wide > width() - kPad) {
            x = kPad;
            y += line;
        }
        const QRectF swatch(x + 0.5, y + (line - 12) / 2.0 - 1.5, kSwatch - 1, 11);
        entry.style.fill(painter, swatch, colours());
        painter.setPen(QColor::fromRgb(colours().dimText));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(swatch);
        painter.setPen(QColor::fromRgb(colours().text));
        painter.drawText(QRect(x + kSwatch + 5, y, wide, line - 4), Qt::AlignLeft | Qt::AlignVCenter, entry.name);
        x += wide;
    }
}

void Chart::paintValueAxis(QPainter &painter) const
{
    QList<double> values;
    const QStringList labels = valueLabels(&values);
    const QRectF area = plot();
    const int line = fontMetrics().height();
    for (qsizetype at = 0; at < values.size(); ++at) {
        const double y = std::round(yOf(values[at]));
        painter.fillRect(QRectF(area.left(), y, area.width(), 1),
                         QColor::fromRgb(values[at] == 0 ? colours().dimText : colours().line));
        painter.setPen(QColor::fromRgb(colours().dimText));
        painter.drawText(QRectF(0, y - line / 2.0, area.left() - kTickGap, line), Qt::AlignRight | Qt::AlignVCenter,
                         labels[at]);
    }
}

void Chart::paintLabels(QPainter &painter, const QList<std::pair<double, QString>> &labels) const
{
    if (labels.isEmpty())
        return;
    const QFontMetrics metrics = painter.fontMetrics();
    int widest = 0;
    for (const auto &[x, text] : labels)
        widest = std::max(widest, metrics.horizontalAdvance(text));
    // Paints every label, or every second, fifth, tenth …, so that they do not overlap.
    const double apart =
        labels.size() < 2 ? 1e9 : (labels.back().first - labels.front().first) / static_cast<double>(labels.size() - 1);
    const auto stride = static_cast<qsizetype>(std::max(1.0, roundStep((widest + 12) / std::max(apart, 1e-3), 1)));
    painter.setPen(QColor::fromRgb(colours().dimText));
    for (qsizetype at = 0; at < labels.size(); at += stride) {
        const double wide = metrics.horizontalAdvance(labels[at].second) + 1;
        const double left = std::clamp(labels[at].first - wide / 2, 0.0, std::max(0.0, width() - 2 - wide));
        painter.drawText(QRectF(left, plot().bottom() + 4, wide, metrics.height()), Qt::AlignCenter, labels[at].second);
    }
}

void Chart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.fillRect(rect(), QColor::fromRgb(colours().canvas));
    const int line = fontMetrics().height();
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(QColor::fromRgb(colours().text));
    const QRect head(kPad, kPad, width() - 2 * kPad, line);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     elided(m_title, painter.fontMetrics(), head.width() - headReserve()));
    painter.setFont(font());
    const QString told = said(m_hovered >= 0 ? m_hovered : m_current);
    painter.setPen(QColor::fromRgb(told.isEmpty() ? colours().dimText : colours().text));
    painter.drawText(
        head.translated(0, line + 1), Qt::AlignLeft | Qt::AlignVCenter,
        elided(told.isEmpty() && itemCount() == 0 ? tr("Nothing to show") : told, fontMetrics(), head.width()));
    paintLegend(painter);
    if (itemCount() > 0) {
        paintValueAxis(painter);
        paintItems(painter);
        paintItemAxis(painter);
    }
    const auto outline = [&](int item, QRgb colour, double wide) {
        if (item < 0 || item >= itemCount())
            return;
        painter.setPen(QPen(QColor::fromRgb(colour), wide));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(itemRect(item).adjusted(-0.5, -0.5, 0.5, 0.5));
    };
    outline(m_hovered, colours().hover, 1);
    outline(m_current, colours().selection, hasFocus() ? 2 : 1);
    if (hasFocus()) {
        painter.setPen(QColor::fromRgb(colours().accent));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

int Chart::itemAt(QPointF point) const
{
    // Items are side by side, so a binary search over their positions finds the item.
    const QRectF area = plot();
    if (!area.adjusted(-2, -4, 2, 24).contains(point) || itemCount() == 0)
        return -1;
    int low = 0, high = itemCount() - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (itemRect(middle).right() < point.x())
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void Chart::mouseMoveEvent(QMouseEvent *event)
{
    const int item = itemAt(event->position());
    if (item == m_hovered)
        return;
    m_hovered = item;
    setToolTip(item >= 0 ? wrappedHtml(said(item), 90) : QString());
    update();
}

void Chart::mousePressEvent(QMouseEvent *event)
{
    const int item = itemAt(event->position());
    if (event->button() != Qt::LeftButton || item < 0)
        return;
    setCurrentItem(item);
    emit chosen(item);
}

void Chart::leaveEvent(QEvent *event)
{
    QWidget::leaveEvent(event);
    m_hovered = -1;
    update();
}

void Chart::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_plot.reset();
}

void Chart::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    m_plot.reset();
}

void Chart::focusInEvent(QFocusEvent *event)
{
    QWidget::focusInEvent(event);
    if (m_current < 0 && event->reason() != Qt::MouseFocusReason)
        setCurrentItem(0);
}

void Chart::keyPressEvent(QKeyEvent *event)
{
    const int last = itemCount() - 1;
    const int page = std::max(1, itemCount() / 10);
    switch (event->key()) {
    case Qt::Key_Left: setCurrentItem(std::clamp(m_current - 1, 0, std::max(0, last))); break;
    case Qt::Key_Right: setCurrentItem(std::min(m_current + 1, last)); break;
    case Qt::Key_PageUp: setCurrentItem(std::max(0, m_current - page)); break;
    case Qt::Key_PageDown: setCurrentItem(std::min(last, m_current + page)); break;
    case Qt::Key_Home: setCurrentItem(0); break;
    case Qt::Key_End: setCurrentItem(last); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_current >= 0)
            emit chosen(m_current);
        break;
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace riffle
