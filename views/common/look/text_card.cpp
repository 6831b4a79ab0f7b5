// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/text_card.h"

#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace riffle {

namespace {

constexpr int kWidest = 520; ///< logical pixels: the longest line
constexpr int kPad = 8;
constexpr int kSquare = 10;
constexpr int kGap = 10; ///< between columns

QFont strongOf(QFont font)
{
    font.setBold(true);
    return font;
}

QPoint placeOf(QSize size, QPoint at, const QRect &bounds, const QRect &avoid)
{
    const int right = at.x() + 14, left = at.x() - 10 - size.width();
    const int below = at.y() + 16, above = at.y() - 10 - size.height();
    const std::array<QPoint, 4> corners{QPoint(right, below), {left, below}, {right, above}, {left, above}};
    const auto fits = [&](QPoint corner) {
        const QRect card(corner, size);
        return bounds.contains(card) && !card.intersects(avoid);
    };
    if (const auto found = std::ranges::find_if(corners, fits); found != corners.end())
        return *found;
    // There is no room at the pointer: beside what is to be avoided, otherwise inside the bounds.
    const std::array<QPoint, 4> beside{QPoint(avoid.right() + 4, avoid.top()),
                                       {avoid.left() - 4 - size.width(), avoid.top()},
                                       {avoid.left(), avoid.bottom() + 4},
                                       {avoid.left(), avoid.top() - 4 - size.height()}};
    if (const auto found = std::ranges::find_if(beside, fits); !avoid.isNull() && found != beside.end())
        return *found;
    const int x = right + size.width() > bounds.right() + 1 ? left : right;
    const int y = below + size.height() > bounds.bottom() + 1 ? above : below;
    return {std::max(bounds.left(), x), std::max(bounds.top(), y)};
}

} // namespace

TextCard::TextCard(QWidget *parent) : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    QFont font = this->font();
    font.setPixelSize(12);
    setFont(font);
    hide();
}

QStringList TextCard::lines() const
{
    if (m_text.heading.isEmpty())
        return {};
    QStringList lines{m_text.heading};
    for (const CardText::Line &line : m_text.lines) {
        QStringList parts{line.label, line.text, line.difference};
        parts.removeAll(QString());
        lines.append(parts.join(QStringLiteral("  ")));
    }
    return lines;
}

void TextCard::dismiss()
{
    m_text = {};
    hide();
}

/// Shortens what is wider than `room` and returns the size of the card.
QSize TextCard::fit(CardText &text, int room)
{
    const QFontMetrics metrics(font()), strong(strongOf(font()));
    const int square = text.square ? kSquare + 6 : 0;
    text.heading = elided(text.heading, strong, room - square);
    int wide = strong.horizontalAdvance(text.heading) + square;
    m_labelWidth = 0;
    for (const CardText::Line &line : text.lines)
        if (!line.label.isEmpty())
            m_labelWidth = std::max(m_labelWidth, metrics.horizontalAdvance(line.label) + kGap);
    for (CardText::Line &line : text.lines) {
        const int label = line.label.isEmpty() ? 0 : m_labelWidth;
        const int difference = line.difference.isEmpty() ? 0 : metrics.horizontalAdvance(line.difference) + kGap;
        line.text = elided(line.text, metrics, room - label - difference);
        wide = std::max(wide, label + metrics.horizontalAdvance(line.text) + difference);
    }
    return {wide + 2 * kPad, static_cast<int>(text.lines.size() + 1) * (metrics.height() + 2) + 2 * kPad - 4};
}

void TextCard::showText(CardText text, QPoint at, const QRect &bounds, const QRect &avoid)
{
    if (text.heading.isEmpty()) {
        dismiss();
        return;
    }
    const QSize size = fit(text, std::min(kWidest, bounds.width() - 2 * kPad));
    const bool changed = text != m_text || isHidden();
    m_text = std::move(text);
    setGeometry(QRect(placeOf(size, at, bounds, avoid), size));
    if (changed) {
        show();
        raise();
        update();
    }
}

void TextCard::showLines(const QStringList &lines, QPoint at, const QRect &bounds)
{
    CardText text;
    text.heading = lines.value(0);
    for (const QString &line : lines.mid(1))
        text.lines.append({{}, line, {}});
    showText(std::move(text), at, bounds);
}

void TextCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QColor::fromRgb(colours.isDark ? 0xff46525f : 0xffb9c3cf));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int line = QFontMetrics(font()).height() + 2;
    int y = kPad - 2;
    int x = kPad;
    const auto draw = [&](const QString &text, QRgb colour) {
        painter.setPen(QColor::fromRgb(colour));
        painter.drawText(QRect(x, y, width() - x, line), Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    if (m_text.square) {
        painter.fillRect(x, y + (line - kSquare) / 2, kSquare, kSquare, QColor::fromRgb(*m_text.square));
        x += kSquare + 6;
    }
    painter.setFont(strongOf(font()));
    draw(m_text.heading, colours.text);
    painter.setFont(font());
    for (const CardText::Line &one : m_text.lines) {
        y += line;
        x = kPad;
        if (!one.label.isEmpty()) {
            draw(one.label, colours.dimText);
            x += m_labelWidth;
        }
        draw(one.text, one.label.isEmpty() ? colours.dimText : colours.text);
        x += painter.fontMetrics().horizontalAdvance(one.text) + kGap;
        draw(one.difference, colours.dimText);
    }
}

} // namespace riffle
