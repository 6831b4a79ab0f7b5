// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/strip/strip_item.h"

#include "views/common/look/palette.h"

#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kItemPadding = 8, kItemGap = 6; ///< logical pixels
constexpr int kItemHeight = 28, kCurveWidth = 58, kCurveHeight = 16;
constexpr int kTilePadding = 12, kTileMargin = 6, kTileValue = 22; ///< logical pixels
constexpr int kTileCurveWidth = 96, kTileCurveHeight = 28;
constexpr size_t kLeastCurve = 3; ///< steps; fewer make no curve

QFont tileFont(QFont font)
{
    font.setBold(true);
    font.setPixelSize(kTileValue);
    return font;
}

} // namespace

StripItem::StripItem(const QString &title, QWidget *parent) : QAbstractButton(parent)
{
    setText(title);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StripItem::setFigure(const QString &value, const QString &words, std::vector<double> curve)
{
    m_value = value;
    m_words = words;
    m_curve = curve.size() < kLeastCurve ? std::vector<double>() : std::move(curve);
    setAccessibleName(text() + QLatin1Char(' ') + value + QLatin1Char(' ') + words);
    updateGeometry();
    update();
}

void StripItem::setDetail(Detail detail)
{
    if (m_detail == detail)
        return;
    m_detail = detail;
    setSizePolicy(detail == Detail::Tile ? QSizePolicy::Expanding : QSizePolicy::Fixed, QSizePolicy::Fixed);
    updateGeometry();
    update();
}

int StripItem::widthFor(Detail detail) const
{
    if (detail == Detail::Tile)
        return 2 * kTilePadding + std::max({fontMetrics().horizontalAdvance(text()),
                                            QFontMetrics(tileFont(font())).horizontalAdvance(m_value),
                                            fontMetrics().horizontalAdvance(m_words)});
    QFont bold = font();
    bold.setBold(true);
    int width = 2 * kItemPadding + fontMetrics().horizontalAdvance(text()) + kItemGap +
                QFontMetrics(bold).horizontalAdvance(m_value);
    width += detail < Detail::Curve || m_curve.empty() ? 0 : kItemGap + kCurveWidth;
    return width +
           (detail == Detail::Words && !m_words.isEmpty() ? kItemGap + fontMetrics().horizontalAdvance(m_words) : 0);
}

QSize StripItem::sizeHint() const
{
    const int tile = 2 * (fontMetrics().height() + kTileMargin) + QFontMetrics(tileFont(font())).height();
    return {widthFor(m_detail), m_detail == Detail::Tile ? tile : kItemHeight};
}

void StripItem::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    if (underMouse())
        painter.fillRect(rect(), palette().color(QPalette::Midlight));
    if (m_detail == Detail::Tile)
        paintTile(painter);
    else
        paintLine(painter);
}

void StripItem::paintTile(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    const QRect room = rect().adjusted(kTilePadding, kTileMargin, -kTilePadding, -kTileMargin);
    painter.setPen(QColor::fromRgb(colours.line));
    painter.drawLine(rect().topRight() + QPoint(0, 8), rect().bottomRight() - QPoint(0, 8));
    painter.setPen(QColor::fromRgb(colours.dimText));
    painter.drawText(room, Qt::AlignTop | Qt::AlignLeft, text());
    painter.drawText(room, Qt::AlignBottom | Qt::AlignLeft, m_words);
    const QFont large = tileFont(font());
    painter.setFont(large);
    painter.setPen(QColor::fromRgb(colours.text));
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, m_value);
    const int free = room.width() - QFontMetrics(large).horizontalAdvance(m_value) - kItemGap;
    if (!m_curve.empty() && free >= kCurveWidth) {
        const int width = std::min(free, kTileCurveWidth);
        paintCurve(painter, {room.right() - width, (height() - kTileCurveHeight) / 2, width, kTileCurveHeight});
    }
}

void StripItem::paintLine(QPainter &painter) const
{
    const Palette &colours = Palette::fitting(palette());
    int x = kItemPadding;
    const auto write = [&](const QString &words, QRgb colour, bool isBold) {
        QFont own = font();
        own.setBold(isBold);
        painter.setFont(own);
        painter.setPen(QColor::fromRgb(colour));
        const int width = QFontMetrics(own).horizontalAdvance(words);
        painter.drawText(QRect(x, 0, width + 1, height()), Qt::AlignVCenter | Qt::AlignLeft, words);
        x += width + kItemGap;
    };
    write(text(), colours.dimText, false);
    write(m_value, colours.text, true);
    if (m_detail >= Detail::Curve && !m_curve.empty()) {
        paintCurve(painter, {x, (height() - kCurveHeight) / 2, kCurveWidth, kCurveHeight});
        x += kCurveWidth + kItemGap;
    }
    if (m_detail == Detail::Words && !m_words.isEmpty())
        write(m_words, colours.dimText, false);
}

/// The curve from its least to its largest value, which has a dot.
void StripItem::paintCurve(QPainter &painter, QRect room) const
{
    const auto [least, largest] = std::ranges::minmax_element(m_curve);
    const double span = std::max(*largest - *least, 1e-9);
    const auto at = [&](size_t index) {
        const double across = static_cast<double>(index) / static_cast<double>(m_curve.size() - 1);
        return QPointF(room.left() + across * (room.width() - 4) + 2,
                       room.bottom() - 2 - (m_curve[index] - *least) / span * (room.height() - 5));
    };
    QPolygonF line;
    for (size_t index = 0; index < m_curve.size(); ++index)
        line << at(index);
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(QColor::fromRgb(colours.dimText), 1));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor::fromRgb(colours.mark));
    painter.drawEllipse(at(static_cast<size_t>(largest - m_curve.begin())), 2.5, 2.5);
}

} // namespace riffle
