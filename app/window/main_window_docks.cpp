// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The docks of the window and their layout for each kind of open files.
#include "app/window/main_window.h"

#include "app/window/view_catalog.h"
#include "app/window/welcome_page.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/memory/log/log_view.h"
#include "views/timeline/timeline_view.h"

#include <QAction>
#include <QChildEvent>
#include <QDockWidget>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>

#include <ranges>

namespace riffle {

namespace {

constexpr int kLayoutVersion = 5; ///< version of saved layouts; increase it whenever the docks change
constexpr int kDetailsWidth = 380;
constexpr int kBottomShare = 40; ///< percent of the window's height

/// Gives the focus to a view: to the widget that it names, otherwise to its first one that takes the focus.
void focusInto(QWidget *view)
{
    if (view->focusProxy() || view->focusPolicy() & Qt::TabFocus) {
        view->setFocus(Qt::ShortcutFocusReason);
        return;
    }
    for (QWidget *next = view->nextInFocusChain(); next != view; next = next->nextInFocusChain())
        if (view->isAncestorOf(next) && next->focusPolicy() & Qt::TabFocus && next->isVisibleTo(view) &&
            next->isEnabled()) {
            next->setFocus(Qt::ShortcutFocusReason);
            return;
        }
}

} // namespace

void MainWindow::makeDocks()
{
    ViewHost host;
    host.session = m_session;
    host.openFile = [this](const QString &file, int line) { openFileInEditor(file, line); };
    host.viewState = [this](const QString &id) { return m_settings->viewState(id); };
    host.keepViewState = [this](const QString &id, const QJsonObject &state) {
        if (m_remember)
            m_settings->setViewState(id, state);
    };
    host.saveText = [this](const QString &name, const QString &text) { saveText(name, text); };
    host.saveFile = [this](const QString &name, const QByteArray &content) { saveFile(name, content); };
    host.memoryFiles = m_open->shownMemoryFiles();
    host.criticalPath = m_criticalPath;
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    for (const ViewEntry &entry : viewCatalog()) {
        auto *dock = new QDockWidget(viewTitle(entry), this);
        dock->setObjectName(QString::fromLatin1(entry.id));
        QWidget *view = entry.make(host, dock);
        dock->setWidget(view);
        addDockWidget(entry.area, dock);
        for (const Dock &other : m_docks) {
            if (other.entry->area == entry.area)
                tabifyDockWidget(other.dock, dock);
        }
        m_docks.push_back({&entry, dock, view});
    }
}

bool MainWindow::isInFront(const QDockWidget *dock) const
{
    if (dock->isFloating())
        return dock->isVisible() && dock->isActiveWindow();
    return dock->isVisible() && !dock->visibleRegion().isEmpty(); // the other tabs of an area are moved out of sight
}

/// Shows the dock in front of the other tabs of its area, which keeps its size.
void MainWindow::bringForward(const Dock &dock)
{
    const bool isBottom = dockWidgetArea(dock.dock) == Qt::BottomDockWidgetArea;
    const QDockWidget *neighbour = nullptr;
    for (const QDockWidget *other : tabifiedDockWidgets(dock.dock))
        if (isInFront(other))
            neighbour = other;
    const QSize size = neighbour ? neighbour->size() : QSize();
    const bool wasHidden = dock.dock->isHidden();
    dock.dock->show();
    dock.dock->raise();
    if (dock.dock->isFloating())
        dock.dock->activateWindow();
    else if (wasHidden && neighbour)
        resizeDocks({dock.dock}, {isBottom ? size.height() : size.width()}, isBottom ? Qt::Vertical : Qt::Horizontal);
    else if (wasHidden && isBottom)
        resizeDocks({dock.dock}, {height() * kBottomShare / 100}, Qt::Vertical);
}

void MainWindow::bringForward(const QString &id)
{
    for (const Dock &dock : m_docks)
        if (id == QLatin1String(dock.entry->id))
            bringForward(dock);
}

/// Tab skips the views behind other tabs, which Qt takes for visible.
bool MainWindow::focusNextPrevChild(bool next)
{
    QWidget *from = focusWidget() ? focusWidget() : this;
    const auto after = [next](QWidget *widget) {
        return next ? widget->nextInFocusChain() : widget->previousInFocusChain();
    };
    for (QWidget *to = after(from); to != from; to = after(to)) {
        const QDockWidget *dock = nullptr;
        for (QWidget *around = to; around && !dock; around = around->parentWidget())
            dock = qobject_cast<QDockWidget *>(around);
        const bool isStop = to->focusPolicy() & Qt::TabFocus && !to->focusProxy() && to->isVisible() && to->isEnabled();
        if (!isStop || to->window() != this || (dock && !isInFront(dock)))
            continue;
        to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
        for (QWidget *around = to->parentWidget(); around; around = around->parentWidget())
            if (auto *area = qobject_cast<QScrollArea *>(around))
                area->ensureWidgetVisible(to);
        return true;
    }
    return false;
}

/// Shows the dock and gives it the keyboard focus; closes it if it is in front already.
void MainWindow::showOrClose(const Dock &dock)
{
    if (isInFront(dock.dock)) {
        const bool hadFocus = dock.dock->isAncestorOf(focusWidget());
        dock.dock->close();
        if (hadFocus)
            m_stack->currentWidget()->setFocus();
        return;
    }
    bringForward(dock);
    focusInto(dock.view);
}

/// The menu entry that shows a view. Its check mark says that the view is open, be it behind another tab.
QAction *MainWindow::showAction(const Dock &dock)
{
    auto *action = new QAction(dock.dock->windowTitle(), this);
    action->setCheckable(true);
    action->setToolTip(tr("Show the view; close it if it is in front"));
    QAction *open = dock.dock->toggleViewAction();
    connect(open, &QAction::toggled, action, &QAction::setChecked);
    connect(action, &QAction::triggered, this, [this, dock, action] {
        showOrClose(dock);
        action->setChecked(!dock.dock->isHidden());
    });
    return action;
}

/// Makes tabs of docks scroll. By default, the tab bar that Qt creates for docks in the same area shortens the titles,
/// to nothing if there are many.
void MainWindow::childEvent(QChildEvent *event)
{
    QMainWindow::childEvent(event);
    if (event->type() != QEvent::ChildPolished)
        return;
    if (auto *tabs = qobject_cast<QTabBar *>(event->child())) {
        tabs->setElideMode(Qt::ElideNone);
        tabs->setUsesScrollButtons(true);
    }
}

void MainWindow::keepLayout()
{
    if (m_showing != Showing::Nothing)
        m_layouts[m_showing] = saveState(kLayoutVersion);
}

void MainWindow::layOutFirst(Showing what)
{
    for (const Dock &dock : m_docks)
        dock.dock->setVisible(dock.entry->shownAtFirst & static_cast<int>(what));
    resizeDocks({m_docks.front().dock}, {kDetailsWidth}, Qt::Horizontal);
    for (const Dock &dock : m_docks)
        if (dock.dock->isVisibleTo(this) && dock.entry->area == Qt::BottomDockWidgetArea)
            resizeDocks({dock.dock}, {height() * kBottomShare / 100}, Qt::Vertical);
    // Raise the first tab of each area, then any dock that is shown at first only for these kinds of files.
    for (const Dock &dock : m_docks | std::views::reverse)
        if (dock.entry->shownAtFirst & static_cast<int>(what))
            dock.dock->raise();
    for (const Dock &dock : m_docks)
        if (dock.entry->shownAtFirst == static_cast<int>(what))
            dock.dock->raise();
}

void MainWindow::showFor(Showing what)
{
    if (what == m_showing)
        return;
    keepLayout();
    m_showing = what;
    QWidget *const page = what == Showing::Nothing     ? static_cast<QWidget *>(m_welcome)
                          : what == Showing::Snapshots ? static_cast<QWidget *>(m_memoryPage)
                          : what == Showing::Files     ? static_cast<QWidget *>(m_logPage)
                                                       : m_timeline;
    m_stack->setCurrentWidget(page);
    if (what == Showing::Nothing)
        for (const Dock &dock : m_docks)
            dock.dock->hide();
    else if (!restoreState(m_layouts[what], kLayoutVersion))
        layOutFirst(what);
    page->setFocus();
}

QWidget *MainWindow::view(const QString &id) const
{
    for (const Dock &dock : m_docks) {
        if (id == QLatin1String(dock.entry->id))
            return dock.view;
    }
    return nullptr;
}

void MainWindow::onSessionChanged(Session::Changes changes)
{
    for (const Dock &dock : m_docks) {
        const bool wanted = changes & dock.entry->showOn;
        if (!wanted || !dock.dock->isHidden() || !m_session->area())
            continue;
        bringForward(dock);
    }
}

} // namespace riffle
