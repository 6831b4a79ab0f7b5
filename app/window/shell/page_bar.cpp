// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/page_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QToolButton>

namespace riffle {

namespace {

constexpr int kWideEnough = 1280; ///< logical pixels of the window, from which on it has room for back and forward

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
    , m_ways(new QHBoxLayout)
    , m_middle(new QHBoxLayout)
    , m_tools(new QHBoxLayout)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->setSpacing(12);
    for (QHBoxLayout *part : {m_pages, m_ways, m_middle, m_tools}) {
        part->setSpacing(part == m_middle ? 12 : 2);
        if (part == m_tools)
            layout->addStretch(0); // the pages stay at the left if nothing of the middle is shown
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

void PageBar::addMiddle(QWidget *widget) { m_middle->addWidget(widget, m_middle->isEmpty() ? 1 : 0); }

void PageBar::addWay(QAction *action)
{
    QToolButton *button = buttonFor(action, this);
    m_ways->addWidget(button);
    m_wayButtons += button;
}

void PageBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    for (QToolButton *button : m_wayButtons)
        button->setVisible(width() >= kWideEnough);
}

void PageBar::addTool(QAction *action)
{
    QToolButton *button = buttonFor(action, this);
    m_tools->addWidget(button);
    connect(action, &QAction::changed, button, [button, action] { button->setVisible(action->isVisible()); });
}

} // namespace riffle
