// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/text_card.h"

#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kWidest = 520;
constexpr int kPad = 8;

QFont strongOf(QFont font)
{
    font.setBold(true);
    return font;
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

void TextCard::showLines(QStringList lines, QPoint at, const QRect &bounds)
{
    if (lines.isEmpty()) {
        m_lines.clear();
        hide();
        return;
    }
    const QFontMetrics metrics(font()), strong(strongOf(font()));
    int wide = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QFontMetrics &own = i == 0 ? strong : metrics;
        lines[i] = elided(lines[i], own, std::min(kWidest, bounds.width() - 2 * kPad));
        wide = std::max(wide, own.horizontalAdvance(lines[i]));
    }
    const QSize size(wide + 2 * kPad, static_cast<int>(lines.size()) * (metrics.height() + 2) + 2 * kPad - 4);
    QPoint corner = at + QPoint(14, 16);
    if (corner.x() + size.width() > bounds.right())
        corner.setX(std::max(bounds.left(), at.x() - 10 - size.width()));
    if (corner.y() + size.height() > bounds.bottom())
        corner.setY(std::max(bounds.top(), at.y() - 10 - size.height()));
    const bool changed = lines != m_lines || isHidden();
    m_lines = std::move(lines);
    setGeometry(QRect(corner, size));
    if (changed) {
        show();
        raise();
        update();
    }
}

void TextCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QColor::fromRgb(colours.isDark ? 0xff46525f : 0xffb9c3cf));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    const int line = QFontMetrics(font()).height() + 2;
    int y = kPad - 2;
    for (qsizetype i = 0; i < m_lines.size(); ++i, y += line) {
        painter.setFont(i == 0 ? strongOf(font()) : font());
        painter.setPen(QColor::fromRgb(i == 0 ? colours.text : colours.dimText));
        painter.drawText(QRect(kPad, y, width() - kPad, line), Qt::AlignLeft | Qt::AlignVCenter, m_lines[i]);
    }
}

} // namespace riffle
