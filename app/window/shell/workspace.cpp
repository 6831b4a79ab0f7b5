// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/workspace.h"

#include "app/window/shell/tab_dock.h"

#include <QAction>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kDockShare = 30;    ///< percent of the height that the dock takes when it is opened first
constexpr int kLeastDock = 187;   ///< logical pixels, unless that is more than half of the height
constexpr int kSideShare = 20;    ///< percent of the width
constexpr int kLeastSide = 262;   ///< logical pixels
constexpr int kWidestFirst = 336; ///< logical pixels of the side panel at first

} // namespace

Workspace::Workspace(QWidget *parent)
    : QWidget(parent)
    , m_columns(new QSplitter(Qt::Horizontal, this))
    , m_rows(new QSplitter(Qt::Vertical, m_columns))
    , m_stack(new QStackedWidget(m_rows))
    , m_dock(new TabDock(m_rows))
    , m_side(new TabDock(m_columns))
    , m_fold(new QAction(this))
    , m_fill(new QAction(this))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_columns);
    for (QSplitter *splitter : {m_columns, m_rows}) {
        splitter->setChildrenCollapsible(false);
        splitter->setStretchFactor(0, 1);
        splitter->setStretchFactor(1, 0);
    }
    m_dock->setObjectName(QStringLiteral("dock"));
    m_side->setObjectName(QStringLiteral("side"));
    m_fold->setText(tr("&Fold or open the tables"));
    m_fold->setIconText(QStringLiteral("▾"));
    m_fold->setToolTip(tr("Fold the tables to their tabs, or open them"));
    m_fold->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_J));
    m_fill->setText(tr("Fill the &window with the table"));
    m_fill->setIconText(QStringLiteral("□"));
    m_fill->setToolTip(tr("Fill the window with the table, or end that"));
    m_fill->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_J));
    m_fill->setCheckable(true);
    connect(m_fold, &QAction::triggered, this,
            [this] { setDockSize(m_dockSize == DockSize::Folded ? DockSize::Open : DockSize::Folded); });
    connect(m_fill, &QAction::triggered, this,
            [this] { setDockSize(m_dockSize == DockSize::Full ? DockSize::Open : DockSize::Full); });
    m_dock->addTool(m_fill);
    m_dock->addTool(m_fold);
    connect(m_dock, &TabDock::chosen, this, [this](const QString &id) {
        m_dock->setCurrent(id);
        setDockSize(m_dockSize == DockSize::Folded ? DockSize::Open : m_dockSize);
    });
    connect(m_dock, &TabDock::doubleClicked, m_fill, &QAction::trigger);
    connect(m_side, &TabDock::chosen, this, [this](const QString &id) {
        m_side->setCurrent(id);
        arrange();
    });
    connect(m_rows, &QSplitter::splitterMoved, this, [this] {
        if (m_dockSize == DockSize::Open)
            m_dockHeight = m_dock->height();
    });
    arrange();
}

void Workspace::addPage(const QString &id, QWidget *page, Beside beside)
{
    page->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // otherwise hidden pages keep the window large
    m_stack->addWidget(page);
    m_pages[id] = {page, beside};
}

void Workspace::showPage(const QString &id)
{
    const auto found = m_pages.find(id);
    if (found == m_pages.end() || m_page == id)
        return;
    m_page = id;
    m_stack->setCurrentWidget(found->second.widget);
    arrange();
}

QWidget *Workspace::pageWidget() const { return m_stack->currentWidget(); }

void Workspace::setDockSize(DockSize size)
{
    m_dockSize = size;
    arrange();
}

void Workspace::setSideShown(bool shown)
{
    m_isSideShown = shown;
    arrange();
}

Workspace::Beside Workspace::beside() const
{
    const auto page = m_pages.find(m_page);
    return page == m_pages.end() ? Beside::Nothing : page->second.beside;
}

void Workspace::arrange()
{
    const QWidget *focused = window()->focusWidget();
    const bool hadFocus = focused && isAncestorOf(focused);
    const bool isFull = hasDock() && m_dockSize == DockSize::Full;
    m_dock->setVisible(hasDock());
    m_dock->setFolded(m_dockSize == DockSize::Folded);
    m_stack->setVisible(!isFull);
    m_fill->setChecked(m_dockSize == DockSize::Full);
    m_fold->setIconText(m_dockSize == DockSize::Folded ? QStringLiteral("▴") : QStringLiteral("▾"));
    const bool showsSide = hasSide() && m_isSideShown;
    if (showsSide && m_side->isHidden()) {
        const int side = std::clamp(width() * kSideShare / 100, kLeastSide, kWidestFirst);
        m_side->show();
        if (m_columns->sizes().value(1) == 0)
            m_columns->setSizes({width() - side, side});
    }
    m_side->setVisible(showsSide);
    placeDock();
    if (QWidget *next = isFull ? m_dock->currentView() : m_stack->currentWidget();
        next && hadFocus && !focused->isVisible()) // otherwise, whatever comes next would have it
        next->setFocus();
    emit arranged();
}

/// Gives the dock its height.
void Workspace::placeDock()
{
    if (m_dock->isHidden() || m_dockSize == DockSize::Full)
        return;
    const int all = m_rows->height();
    if (m_dockSize == DockSize::Folded) { // a splitter keeps no size for what was hidden
        const int tabs = m_dock->minimumSizeHint().height();
        m_rows->setSizes({all - tabs, tabs});
        return;
    }
    const int first = std::min(std::max(all * kDockShare / 100, kLeastDock), all / 2);
    const int own = m_dockHeight > 0 ? std::min(m_dockHeight, all * 3 / 4) : first;
    m_rows->setSizes({all - own, own});
}

void Workspace::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (m_dockHeight == 0 || m_dockSize == DockSize::Folded)
        placeDock();
}

QJsonObject Workspace::state() const
{
    return {{QStringLiteral("table"), m_dock->current()},
            {QStringLiteral("open"), m_dockSize != DockSize::Folded},
            {QStringLiteral("height"), m_dockHeight},
            {QStringLiteral("side"), m_side->current()}};
}

void Workspace::restoreState(const QJsonObject &state)
{
    m_dock->setCurrent(state[QStringLiteral("table")].toString());
    m_side->setCurrent(state[QStringLiteral("side")].toString());
    m_dockHeight = std::max(0, state[QStringLiteral("height")].toInt());
    setDockSize(state[QStringLiteral("open")].toBool() ? DockSize::Open : DockSize::Folded);
}

} // namespace riffle
