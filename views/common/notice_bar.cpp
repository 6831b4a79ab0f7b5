// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/notice_bar.h"

#include "views/common/palette.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace riffle {

NoticeBar::NoticeBar(QWidget *parent)
    : QFrame(parent), m_text(new QLabel(this)), m_action(new QToolButton(this)), m_close(new QToolButton(this))
{
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setWordWrap(true);
    m_action->setAutoRaise(true);
    m_action->setFocusPolicy(Qt::TabFocus);
    m_close->setAutoRaise(true);
    m_close->setFocusPolicy(Qt::TabFocus);
    m_close->setText(QStringLiteral("✕"));
    m_close->setToolTip(tr("Dismiss"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 4, 6, 4);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_action);
    layout->addWidget(m_close);
    connect(m_action, &QToolButton::clicked, this, &NoticeBar::actionTriggered);
    connect(m_close, &QToolButton::clicked, this, &NoticeBar::dismiss);
    hide();
}

void NoticeBar::notify(Level level, const QString &text, const QString &action)
{
    m_level = level;
    m_text->setText(text);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    show();
    update();
}

void NoticeBar::dismiss()
{
    if (isHidden())
        return;
    hide();
    emit dismissed();
}

QString NoticeBar::text() const { return m_text->text(); }

void NoticeBar::paintEvent(QPaintEvent *)
{
    const Palette &colours = Palette::fitting(palette());
    const QRgb tone = m_level == Level::Info ? colours.accent : m_level == Level::Warning ? colours.mark : colours.flow;
    QPainter painter(this);
    painter.fillRect(rect(), QColor::fromRgb(Palette::mixed(colours.canvas, tone, 0.12)));
    painter.fillRect(0, 0, 4, height(), QColor::fromRgb(tone));
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
}

} // namespace riffle
