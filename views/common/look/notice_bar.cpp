// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/notice_bar.h"

#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace riffle {

namespace {

constexpr qsizetype kMostLines = 3; ///< plus a line with the number of further notices

/// A label breaks lines between words only, so a word that does not fit on a line is shortened in its middle.
QString withFittingWords(const QString &text, const QFontMetrics &metrics, int width)
{
    QStringList words = text.split(QLatin1Char(' '));
    for (QString &word : words)
        word = metrics.elidedText(word, Qt::ElideMiddle, width);
    return words.join(QLatin1Char(' '));
}

} // namespace

NoticeBar::NoticeBar(QWidget *parent)
    : QFrame(parent)
    , m_text(new QLabel(this))
    , m_action(new QToolButton(this))
    , m_close(new QToolButton(this))
{
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    m_text->setSizePolicy(policy);
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
    m_notices.removeIf([&](const Notice &notice) { return notice.text == text; });
    const auto place = std::ranges::find_if(m_notices, [&](const Notice &notice) { return notice.level < level; });
    m_notices.insert(place, {level, text});
    if (!action.isEmpty())
        m_action->setText(action);
    m_action->setVisible(!m_action->text().isEmpty());
    showNotices();
    emit notified(level, text);
}

void NoticeBar::showNotices()
{
    QString all;
    for (const Notice &notice : m_notices)
        all += QStringLiteral("<p>%1</p>").arg(notice.text.toHtmlEscaped());
    m_text->setToolTip(all);
    show();
    fitText();
    update();
}

void NoticeBar::withdraw(const QString &text)
{
    if (m_notices.removeIf([&](const Notice &notice) { return notice.text == text; }) == 0)
        return;
    if (m_notices.isEmpty())
        dismiss();
    else
        showNotices();
}

void NoticeBar::fitText()
{
    layout()->activate(); // updates the label's width
    const QFontMetrics metrics = m_text->fontMetrics();
    const int width = std::max(40, m_text->width());
    const qsizetype shown = std::min(m_notices.size(), kMostLines);
    QStringList lines;
    for (qsizetype at = 0; at < shown; ++at) {
        const QString &all = m_notices[at].text;
        const QString words = withFittingWords(singleLine(all, all.size()), metrics, width);
        const int room = width * static_cast<int>(kMostLines / shown);
        lines += withFittingWords(metrics.elidedText(words, Qt::ElideMiddle, room), metrics, width);
    }
    if (shown < m_notices.size())
        lines += tr("… and %1 more").arg(m_notices.size() - shown);
    if (const QString fitting = lines.join(QLatin1Char('\n')); fitting != m_text->text())
        m_text->setText(fitting);
}

void NoticeBar::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    fitText();
}

void NoticeBar::dismiss()
{
    if (isHidden())
        return;
    hide();
    m_notices.clear();
    m_action->setText({});
}

QString NoticeBar::text() const
{
    QStringList all;
    for (const Notice &notice : m_notices)
        all += notice.text;
    return all.join(QLatin1Char('\n'));
}

void NoticeBar::paintEvent(QPaintEvent *)
{
    const Palette &colours = Palette::fitting(palette());
    const Level worst = m_notices.isEmpty() ? Level::Info : m_notices.front().level;
    const QRgb tone = worst == Level::Info ? colours.accent : worst == Level::Warning ? colours.mark : colours.flow;
    QPainter painter(this);
    painter.fillRect(rect(), QColor::fromRgb(Palette::mixed(colours.canvas, tone, 0.12)));
    painter.fillRect(0, 0, 4, height(), QColor::fromRgb(tone));
    painter.fillRect(0, height() - 1, width(), 1, QColor::fromRgb(colours.line));
}

} // namespace riffle
