// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/page_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QToolButton>

namespace riffle {

namespace {

QToolButton *buttonFor(QAction *action, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

PageBar::PageBar(QWidget *parent)
    : QWidget(parent)
    , m_pages(new QHBoxLayout)
    , m_middle(new QHBoxLayout)
    , m_tools(new QHBoxLayout)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(12);
    for (QHBoxLayout *part : {m_pages, m_middle, m_tools}) {
        part->setSpacing(2);
        layout->addLayout(part, part == m_middle ? 1 : 0);
    }
}

void PageBar::addPage(const QString &id, QAction *action)
{
    QToolButton *button = buttonFor(action, this);
    button->setCheckable(true);
    m_pages->addWidget(button);
    m_buttons[id] = button;
}

void PageBar::setOffered(const QString &id, bool offered)
{
    if (const auto button = m_buttons.find(id); button != m_buttons.end())
        button->second->setVisible(offered);
}

void PageBar::setCurrent(const QString &id)
{
    for (const auto &[page, button] : m_buttons)
        button->defaultAction()->setChecked(page == id);
}

void PageBar::setMiddle(QWidget *middle)
{
    m_middle->addWidget(middle, 1);
    m_middle->addStretch(0); // takes the room while the widget is hidden
}

void PageBar::addTool(QAction *action)
{
    QToolButton *button = buttonFor(action, this);
    m_tools->addWidget(button);
    connect(action, &QAction::changed, button, [button, action] { button->setVisible(action->isVisible()); });
}

} // namespace riffle
