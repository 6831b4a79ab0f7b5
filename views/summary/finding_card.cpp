// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/finding_card.h"

#include "model/layout/colours.h"
#include "views/common/look/palette.h"
#include "views/common/look/wrapped_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace riffle {

namespace {
constexpr int kBar = 3; ///< logical pixels: the width of the bar at the left
constexpr ColourPair kBad{0xb3261e, 0xff8a80}, kWarning{0xa84300, 0xf0a35e};
} // namespace

FindingCard::FindingCard(const Content &content, QWidget *parent) : QFrame(parent), m_severity(content.severity)
{
    auto *title = new QPushButton(content.title, this);
    title->setFlat(true);
    title->setEnabled(content.hasEvidence);
    title->setToolTip(content.hasEvidence ? tr("Show the evidence in the timeline") : QString());
    title->setAccessibleName(tr("%1: %2, %3").arg(content.severity, content.title, content.measured));
    title->setStyleSheet(QStringLiteral(
        "QPushButton { border: 1px solid transparent; padding: 1px; text-align: left; font-weight: bold; }"
        "QPushButton:enabled { color: palette(link); }"
        "QPushButton:enabled:hover { text-decoration: underline; }"
        "QPushButton:focus { border-color: palette(link); }"));
    connect(title, &QPushButton::clicked, this, &FindingCard::evidenceRequested);
    auto *measured = new QLabel(content.measured, this);
    QFont bold = measured->font();
    bold.setBold(true);
    measured->setFont(bold);

    auto *rule = new QToolButton(this);
    rule->setText(tr("Rule and what may help"));
    rule->setCheckable(true);
    rule->setAutoRaise(true);
    rule->setStyleSheet(QStringLiteral("QToolButton { color: palette(link); border: 1px solid transparent; }"
                                       "QToolButton:hover { text-decoration: underline; }"
                                       "QToolButton:focus { border-color: palette(link); }"));
    rule->setFocusPolicy(Qt::TabFocus);
    auto *more = wrappedLabel(content.rule + QLatin1Char('\n') + content.suggestion, this);
    more->hide();
    connect(rule, &QToolButton::toggled, this, [this, more](bool on) {
        more->setVisible(on);
        emit heightChanged();
    });

    auto *head = new QHBoxLayout;
    head->addWidget(title, 0, Qt::AlignLeft);
    head->addStretch(1);
    head->addWidget(measured, 0, Qt::AlignRight);
    auto *foot = new QHBoxLayout;
    auto *severity = new QLabel(
        content.severity + (content.ranks.isEmpty() ? QString() : QStringLiteral(" · ")) + content.ranks, this);
    foot->addWidget(severity);
    foot->addStretch(1);
    foot->addWidget(rule);
    auto *rows = new QVBoxLayout(this);
    rows->setContentsMargins(kBar + 8, 6, 8, 4);
    rows->setSpacing(2);
    rows->addLayout(head);
    rows->addWidget(wrappedLabel(content.text, this));
    rows->addLayout(foot);
    rows->addWidget(more);
}

QRgb FindingCard::severityColour() const
{
    const Palette &colours = Palette::fitting(palette());
    if (m_severity == QLatin1String("error"))
        return colours.edition(kBad);
    return m_severity == QLatin1String("warning") ? colours.edition(kWarning) : colours.dimText;
}

void FindingCard::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Palette &colours = Palette::fitting(palette());
    painter.setPen(QColor::fromRgb(colours.line));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.fillRect(0, 0, kBar, height(), QColor::fromRgb(severityColour()));
}

} // namespace riffle
