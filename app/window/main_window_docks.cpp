// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The docks of the window and their layout for each kind of open files.
#include "app/window/main_window.h"

#include "app/window/view_catalog.h"
#include "app/window/welcome_page.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/memory/log/log_view.h"
#include "views/timeline/timeline_view.h"

#include <QChildEvent>
#include <QDockWidget>
#include <QStackedWidget>
#include <QTabBar>

#include <ranges>

namespace riffle {

namespace {

constexpr int kLayoutVersion = 5; ///< version of saved layouts; increase it whenever the docks change
constexpr int kDetailsWidth = 380;
constexpr int kAreaHeight = 220;

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
            resizeDocks({dock.dock}, {what == Showing::Snapshots ? kAreaHeight : height() * 2 / 5}, Qt::Vertical);
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
        if (!wanted || dock.dock->isVisible() || !m_session->area())
            continue;
        dock.dock->show();
        resizeDocks({dock.dock}, {kAreaHeight}, Qt::Vertical);
    }
}

} // namespace riffle
