// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/tab_button.h"

#include "views/common/look/palette.h"

#include <QKeyEvent>
#include <QPainter>

namespace riffle {

namespace {

constexpr int kTabHeight = 28;
constexpr int kTabPadding = 8; ///< logical pixels left and right of the title
constexpr int kTabLine = 2;

} // namespace

TabButton::TabButton(const QString &title, QWidget *parent) : QAbstractButton(parent)
{
    setText(title);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
}

QSize TabButton::sizeHint() const
{
    QFont bold = font();
    bold.setBold(true); // so that the row does not move when another tab is chosen
    return {QFontMetrics(bold).horizontalAdvance(text()) + 2 * kTabPadding, kTabHeight};
}

/// Leaves the arrows to the row.
void TabButton::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
        event->ignore();
    else
        QAbstractButton::keyPressEvent(event);
}

void TabButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const QPalette &colours = palette();
    if (isChecked()) {
        painter.fillRect(rect(), colours.color(QPalette::Base));
        painter.fillRect(QRect(0, 0, width(), kTabLine), QColor::fromRgb(Palette::fitting(colours).accent));
    } else if (underMouse()) {
        painter.fillRect(rect(), colours.color(QPalette::Midlight));
    }
    QFont title = font();
    title.setBold(isChecked());
    painter.setFont(title);
    painter.setPen(colours.color(QPalette::WindowText));
    painter.drawText(rect(), Qt::AlignCenter,
                     QFontMetrics(title).elidedText(text(), Qt::ElideMiddle, width() - kTabPadding));
}

} // namespace riffle
