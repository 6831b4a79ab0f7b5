// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/tab_dock.h"

#include "app/window/shell/tab_row.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace riffle {

namespace {
constexpr int kLeastView = 90; ///< logical pixels: the least height of a view that is shown
}

TabDock::TabDock(QWidget *parent)
    : QWidget(parent)
    , m_tabs(new TabRow(this))
    , m_head(new QHBoxLayout)
    , m_stack(new QStackedWidget(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_head->setSpacing(2);
    m_head->addWidget(m_tabs, 1);
    layout->addLayout(m_head);
    layout->addWidget(m_stack, 1);
    m_stack->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    connect(m_tabs, &TabRow::chosen, this, &TabDock::chosen);
    connect(m_tabs, &TabRow::doubleClicked, this, &TabDock::doubleClicked);
}

void TabDock::add(const QString &id, const QString &title, const QString &group, QWidget *view)
{
    view->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // otherwise hidden views keep the window large
    m_tabs->add(id, title, group);
    m_stack->addWidget(view);
    m_views[id] = view;
}

void TabDock::setOffered(const QString &id, bool offered)
{
    m_tabs->setOffered(id, offered);
    if (offered && current().isEmpty())
        return setCurrent(id);
    if (id != current() || offered)
        return;
    for (const QString &other : m_tabs->shown())
        if (m_tabs->isOffered(other))
            return setCurrent(other);
    m_tabs->setCurrent({});
    m_stack->hide();
}

bool TabDock::isOffered(const QString &id) const { return m_tabs->isOffered(id); }

void TabDock::setCurrent(const QString &id)
{
    const auto view = m_views.find(id);
    if (view == m_views.end() || !m_tabs->isOffered(id))
        return;
    m_tabs->setCurrent(id);
    m_stack->setCurrentWidget(view->second);
    m_stack->setVisible(!m_isFolded);
}

const QString &TabDock::current() const { return m_tabs->current(); }

QWidget *TabDock::currentView() const
{
    const auto view = m_views.find(current());
    return view == m_views.end() ? nullptr : view->second;
}

void TabDock::setFolded(bool folded)
{
    m_isFolded = folded;
    m_stack->setVisible(!folded && currentView());
    setMaximumHeight(folded ? m_tabs->sizeHint().height() : QWIDGETSIZE_MAX);
    updateGeometry();
}

void TabDock::addTool(QAction *action)
{
    auto *button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    m_head->addWidget(button);
}

QSize TabDock::minimumSizeHint() const
{
    const QSize tabs = m_tabs->minimumSizeHint();
    return {tabs.width(), tabs.height() + (m_isFolded ? 0 : kLeastView)};
}

} // namespace riffle
