// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/empty_notice.h"

#include "views/common/look/qt_text.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace riffle {

namespace {

constexpr int kMargin = 16; ///< logical pixels

QString widenText(uint32_t drops)
{
    switch (drops) {
    case narrowed_by::Range: return EmptyNotice::tr("Show the whole range");
    case narrowed_by::Steps: return EmptyNotice::tr("Show all steps");
    case narrowed_by::Lanes: return EmptyNotice::tr("Show all lanes");
    case narrowed_by::Ranks: return EmptyNotice::tr("Show all ranks");
    case narrowed_by::Names: return EmptyNotice::tr("Clear the name filter");
    case narrowed_by::Classes: return EmptyNotice::tr("Clear the class filter");
    default: return EmptyNotice::tr("Show everything");
    }
}

QString buttonText(const EmptyState &state)
{
    switch (state.action) {
    case EmptyAction::None: break;
    case EmptyAction::OpenFile: return EmptyNotice::tr("Open a file…");
    case EmptyAction::ReadWholeFile: return EmptyNotice::tr("Read the whole file");
    case EmptyAction::SumUp: return EmptyNotice::tr("Sum up all slices by name");
    case EmptyAction::Widen: return widenText(state.drops);
    case EmptyAction::ClearRowFilter: return EmptyNotice::tr("Clear the filter");
    case EmptyAction::ShowHidden: return EmptyNotice::tr("Show all lanes");
    case EmptyAction::CopySetting: return EmptyNotice::tr("Copy %1").arg(toQString(state.setting));
    case EmptyAction::GoToPeak: return EmptyNotice::tr("Go to the peak");
    }
    return {};
}

} // namespace

EmptyNotice::EmptyNotice(QWidget *parent) : QWidget(parent), m_text(new QLabel(this)), m_button(new QPushButton(this))
{
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_button->setAutoDefault(false);
    m_button->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(kMargin, 4, kMargin, 4);
    layout->addStretch(1);
    layout->addWidget(m_text);
    layout->addWidget(m_button, 0, Qt::AlignHCenter);
    layout->addStretch(1);
    connect(m_button, &QPushButton::clicked, this, &EmptyNotice::act);
}

void EmptyNotice::coverParent()
{
    m_covers = true;
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    parentWidget()->installEventFilter(this);
    setVisible(m_state.reason != EmptyReason::None);
}

void EmptyNotice::say(const EmptyState &state)
{
    if (state != m_state) {
        m_state = state;
        m_text->setText(toQString(state.text));
        m_button->setText(buttonText(state).replace(QLatin1Char('&'), QLatin1String("&&")));
        m_button->setVisible(state.action != EmptyAction::None);
    }
    if (!m_covers)
        return;
    setGeometry(parentWidget()->rect());
    setVisible(state.reason != EmptyReason::None);
    raise();
}

QString EmptyNotice::text() const { return m_text->text(); }

void EmptyNotice::act()
{
    if (m_state.action == EmptyAction::CopySetting) {
        QGuiApplication::clipboard()->setText(toQString(m_state.setting));
        m_button->setText(tr("Copied"));
        return;
    }
    const EmptyState asked = m_state; // the answer may change what the notice says
    emit helpWanted(asked);
}

bool EmptyNotice::eventFilter(QObject *watched, QEvent *event)
{
    if (m_covers && watched == parentWidget() && event->type() == QEvent::Resize)
        setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace riffle
