// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The pages and tables of the window, and which of them is shown.
#include "app/window/main_window.h"

#include "app/session/history.h"
#include "app/session/settings.h"
#include "app/window/shell/page_bar.h"
#include "app/window/shell/tab_dock.h"
#include "app/window/welcome_page.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"
#include "views/search/find_bar.h"
#include "views/strip/strip_view.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/colour_legend.h"
#include "views/timeline/timeline_view.h"

#include <QAction>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

const auto kWelcome = QStringLiteral("welcome"), kOverview = QStringLiteral("overview"),
           kTimeline = QStringLiteral("timeline"), kMemory = QStringLiteral("snapshot"),
           kLogs = QStringLiteral("memory-logs"), kHang = QStringLiteral("hang"), kArea = QStringLiteral("area"),
           kMarks = QStringLiteral("marks"), kDetails = QStringLiteral("details"), kCompare = QStringLiteral("compare"),
           kComparison = QStringLiteral("comparison"), kRanksPage = QStringLiteral("ranks"),
           kStragglers = QStringLiteral("stragglers");

QString layoutKey(int showing) { return QStringLiteral("window-%1").arg(showing); }

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

/// A widget that holds a view and bears its id, by which the view finds what is remembered about it.
QWidget *holderOf(const char *id, QWidget *parent)
{
    auto *holder = new QWidget(parent);
    holder->setObjectName(QString::fromLatin1(id));
    auto *layout = new QVBoxLayout(holder);
    layout->setContentsMargins(0, 0, 0, 0);
    return holder;
}

} // namespace

ViewHost MainWindow::viewHost()
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
    host.showPage = [this](const QString &id) { goToPage(id); };
    host.memoryFiles = m_open->shownMemoryFiles();
    host.flightFiles = m_open->shownFlightFiles();
    host.criticalPath = m_criticalPath;
    host.comparison = m_comparison;
    host.compareMembers = [this](TraceId a, TraceId b) { compareMembers(a, b); };
    return host;
}

void MainWindow::makePages()
{
    const ViewHost host = viewHost();
    m_workspace->addPage(kWelcome, m_welcome, Workspace::Beside::Nothing);
    for (const PageEntry &entry : pageCatalog()) {
        const QString id = QString::fromLatin1(entry.id);
        QWidget *holder = holderOf(entry.id, m_workspace);
        QWidget *page = entry.make(host, holder);
        holder->layout()->addWidget(page);
        holder->setFocusProxy(page);
        m_workspace->addPage(id, holder, entry.beside);
        auto *action = new QAction(catalogText(entry.title), this);
        action->setObjectName(QStringLiteral("page.") + id);
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, id] { goToPage(id); });
        m_bar->addPage(id, action);
        m_pages.push_back({&entry, page, action});
    }
    for (const ViewEntry &entry : viewCatalog()) {
        const QString id = QString::fromLatin1(entry.id), title = catalogText(entry.title);
        TabDock *dock = entry.isInSide() ? m_workspace->side() : m_workspace->dock();
        QWidget *holder = holderOf(entry.id, dock);
        QWidget *view = entry.make(host, holder);
        holder->layout()->addWidget(view);
        holder->setFocusProxy(view);
        dock->add(id, title, entry.isInSide() ? QString() : catalogText(entry.group), holder);
        auto *action = new QAction(title, this);
        action->setObjectName(QStringLiteral("table.") + id);
        action->setCheckable(true);
        action->setToolTip(tr("Show the view; close it if it is in front"));
        m_views.push_back({&entry, view, action});
        connect(action, &QAction::triggered, this, [this, id] { showOrClose(id); });
    }
    m_workspace->dock()->setCurrent(QStringLiteral("operators"));
    m_workspace->side()->setCurrent(kDetails);
    m_sideToggle = new QAction(tr("&Side panel"), this);
    m_sideToggle->setIconText(QStringLiteral("◨"));
    m_sideToggle->setCheckable(true);
    m_sideToggle->setToolTip(tr("Show or hide the details of the selection"));
    m_sideToggle->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D));
    connect(m_sideToggle, &QAction::triggered, this, [this] {
        const bool shown = m_workspace->isSideShown();
        m_isSideWanted = m_isSideAsked = !shown;
        updateSide();
    });
    m_bar->addTool(m_sideToggle);
    connect(m_workspace, &Workspace::arranged, this, &MainWindow::updateActions);
    connect(m_workspace, &Workspace::arranged, m_history, &History::noteMove);
    for (const ViewOfWindow &one : m_views)
        if (auto *pane = qobject_cast<SummaryPane *>(one.view)) // which may have another grouping now
            connect(pane, &ResultView::answered, m_history, &History::noteMove);
    m_history->setWindow([this] { return look(); }, [this](const QJsonObject &now) { showLook(now); });
}

void MainWindow::updateActions()
{
    m_bar->setCurrent(m_workspace->page());
    m_bar->setVisible(m_workspace->page() != kWelcome);
    m_find->setVisible(m_facts.traces);
    m_strip->setVisible((m_workspace->page() == kTimeline || m_workspace->page() == kOverview) && m_facts.training);
    m_strip->setTiles(m_workspace->page() == kOverview);
    if (m_legend)
        m_legend->setVisible(m_workspace->page() == kTimeline && m_facts.training);
    for (const ViewOfWindow &one : m_views)
        one.action->setChecked(isInFront(QString::fromLatin1(one.entry->id)));
    for (QAction *action : m_memoryActions)
        action->setEnabled(m_workspace->page() == kMemory);
    m_sideToggle->setChecked(m_workspace->isSideShown());
    m_sideToggle->setVisible(m_workspace->page() == kTimeline);
}

/// The dock or panel with a view; null if there is no such view.
TabDock *MainWindow::dockOf(const QString &id) const
{
    for (TabDock *dock : {m_workspace->dock(), m_workspace->side()})
        if (dock->has(id))
            return dock;
    return nullptr;
}

bool MainWindow::isInFront(const QString &id) const
{
    const TabDock *dock = dockOf(id);
    if (!dock || dock->current() != id || dock->isHidden())
        return false;
    return dock == m_workspace->side() ? m_workspace->isSideShown() : !dock->isFolded();
}

void MainWindow::bringForward(const QString &id)
{
    TabDock *dock = dockOf(id);
    if (!dock || !dock->isOffered(id))
        return;
    const bool isInSide = dock == m_workspace->side();
    if (!(isInSide ? m_workspace->hasSide() : m_workspace->hasDock()))
        showPage(id == kStragglers && applies(kRanksPage) ? kRanksPage : m_facts.traces ? kTimeline : kMemory);
    dock->setCurrent(id);
    if (isInSide) {
        m_isSideWanted = m_isSideAsked = true;
        updateSide();
    } else if (dock->isFolded()) {
        m_workspace->setDockSize(Workspace::DockSize::Open);
    }
    updateActions();
}

/// Shows a view and gives it the keyboard focus; closes it if it is in front already.
void MainWindow::showOrClose(const QString &id)
{
    TabDock *dock = dockOf(id);
    if (!isInFront(id)) {
        bringForward(id);
        if (isInFront(id))
            focusInto(dock->currentView());
        updateActions();
        return;
    }
    const bool hadFocus = dock->isAncestorOf(focusWidget());
    if (dock == m_workspace->side()) {
        m_isSideWanted = m_isSideAsked = false;
        updateSide();
    } else {
        m_workspace->setDockSize(Workspace::DockSize::Folded);
    }
    updateActions();
    if (hadFocus)
        m_workspace->pageWidget()->setFocus();
}

/// The side panel is folded until there is something in it.
void MainWindow::updateSide()
{
    const bool hasContent = m_session->selected().valid() || m_workspace->side()->current() == kMarks;
    m_workspace->setSideShown(m_isSideAsked || (m_isSideWanted && hasContent));
}

/// The page, the tables, and how the table in front is grouped: the part of a place that History does not know.
QJsonObject MainWindow::look() const
{
    QJsonObject look{{QStringLiteral("page"), m_workspace->page()},
                     {QStringLiteral("table"), m_workspace->dock()->current()},
                     {QStringLiteral("size"), static_cast<int>(m_workspace->dockSize())},
                     {QStringLiteral("side"), m_workspace->side()->current()},
                     {QStringLiteral("sideWanted"), m_isSideWanted},
                     {QStringLiteral("sideAsked"), m_isSideAsked}};
    if (const auto *pane = qobject_cast<const SummaryPane *>(view(m_workspace->dock()->current()))) {
        look[QStringLiteral("view")] = pane->word();
        look[QStringLiteral("grouping")] = pane->grouping();
    }
    return look;
}

void MainWindow::showLook(const QJsonObject &look)
{
    if (const QString page = look[QStringLiteral("page")].toString(); applies(page))
        showPage(page);
    const QString table = look[QStringLiteral("table")].toString();
    m_workspace->dock()->setCurrent(table);
    m_workspace->side()->setCurrent(look[QStringLiteral("side")].toString());
    m_workspace->setDockSize(static_cast<Workspace::DockSize>(look[QStringLiteral("size")].toInt()));
    m_isSideWanted = look[QStringLiteral("sideWanted")].toBool();
    m_isSideAsked = look[QStringLiteral("sideAsked")].toBool();
    updateSide();
    if (auto *pane = qobject_cast<SummaryPane *>(view(table)))
        pane->choose(look[QStringLiteral("view")].toString(), look[QStringLiteral("grouping")].toString());
    updateActions();
}

void MainWindow::showPage(const QString &id)
{
    m_workspace->showPage(id);
    showComparisonTable(id == kCompare);
}

/// The page of a comparison comes with its table, which gives way to the one before when the page is left.
void MainWindow::showComparisonTable(bool isWanted)
{
    TabDock *dock = m_workspace->dock();
    if (isWanted == m_beforeComparing.has_value())
        return;
    if (isWanted) {
        m_beforeComparing = {dock->current(), m_workspace->dockSize()};
        dock->setCurrent(kComparison);
        if (m_workspace->dockSize() == Workspace::DockSize::Folded)
            m_workspace->setDockSize(Workspace::DockSize::Open);
        return;
    }
    const auto before = *std::exchange(m_beforeComparing, std::nullopt);
    if (dock->current() != kComparison)
        return; // the user wants another one
    dock->setCurrent(before.first);
    if (m_workspace->dockSize() != Workspace::DockSize::Full)
        m_workspace->setDockSize(before.second);
}

/// Shows a page at the user's wish, also in place of a table that fills the window.
void MainWindow::goToPage(const QString &id)
{
    if (m_workspace->dockSize() == Workspace::DockSize::Full)
        m_workspace->setDockSize(Workspace::DockSize::Open);
    showPage(id);
    updateActions();
    m_workspace->pageWidget()->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::keepLayout()
{
    if (m_showing == Showing::Nothing || !m_remember)
        return;
    QJsonObject layout = m_workspace->state();
    if (m_beforeComparing && layout[QStringLiteral("table")] == kComparison) { // it came with its page
        layout[QStringLiteral("table")] = m_beforeComparing->first;
        layout[QStringLiteral("open")] = m_beforeComparing->second != Workspace::DockSize::Folded;
    }
    m_settings->setViewState(layoutKey(static_cast<int>(m_showing)), layout);
}

/// Offers the pages and tables that apply to what is open.
void MainWindow::offer(const WindowFacts &facts)
{
    m_facts = facts;
    for (const PageOfWindow &one : m_pages) {
        m_bar->setOffered(QString::fromLatin1(one.entry->id), one.entry->applies(facts));
        one.action->setEnabled(one.entry->applies(facts));
    }
    for (const ViewOfWindow &one : m_views) {
        const QString id = QString::fromLatin1(one.entry->id);
        dockOf(id)->setOffered(id, one.entry->applies(facts));
        one.action->setEnabled(one.entry->applies(facts));
    }
    updateActions();
}

/// Finds out what applies to what is open now. Until the answer is there, what was found before holds.
void MainWindow::findWhatApplies()
{
    WindowFacts quick = quickFacts(*m_session);
    quick.memoryFiles = !m_open->shownMemoryFiles()->empty();
    quick.flightDumps = !m_open->shownFlightFiles()->empty();
    WindowFacts meanwhile = quick;
    meanwhile.training |= quick.traces && m_facts.training;
    meanwhile.failed = quick.snapshots && m_facts.failed;
    offer(meanwhile);
    m_jobs->run(QStringLiteral("what applies"), completion(quick, *m_session), [this](WindowFacts facts) {
        facts.area = m_session->area().has_value();
        offer(facts);
        if (std::exchange(m_hasOpened, false) && facts.failed && m_workspace->page() == kMemory)
            bringForward(QStringLiteral("out-of-memory"));
        if (facts.traces && !facts.training && m_workspace->page() == kOverview)
            showPage(kTimeline);
        showAsked();
    });
}

/// Shows the page or table that the command line asks for.
void MainWindow::showAsked()
{
    const QString id = std::exchange(m_toShow, {});
    if (id.isEmpty())
        return;
    if (!view(id)) {
        m_notice->notify(NoticeBar::Level::Problem, tr("There is no page or table named %1.").arg(id));
        return;
    }
    if (applies(id))
        goToPage(id);
    else
        bringForward(id);
    if (m_workspace->page() != id && !isInFront(id))
        m_notice->notify(NoticeBar::Level::Problem, tr("%1 has nothing to show for these files.").arg(id));
}

bool MainWindow::applies(const QString &id) const
{
    return std::ranges::any_of(m_pages, [&](const PageOfWindow &one) {
        return id == QLatin1String(one.entry->id) && one.entry->applies(m_facts);
    });
}

/// The page that is shown at first.
QString MainWindow::firstPage() const
{
    switch (m_showing) {
    case Showing::Nothing: return kWelcome;
    case Showing::Snapshots: return kMemory;
    case Showing::Files: return m_open->shownMemoryFiles()->empty() ? kHang : kLogs;
    case Showing::Traces:
    case Showing::Both: break;
    }
    const bool isKnown =
        !m_remember || m_sessionToApply || !m_place.empty() || !m_settings->traceState(m_open->traceFiles()).isEmpty();
    return isKnown || !quickFacts(*m_session).training ? kTimeline : kOverview;
}

void MainWindow::showFor(Showing what)
{
    if (what == m_showing)
        return;
    keepLayout();
    m_showing = what;
    m_isSideAsked = false;
    findWhatApplies();
    m_workspace->restoreState(m_settings->viewState(layoutKey(static_cast<int>(what))));
    if (!applies(m_workspace->page()))
        showPage(firstPage());
    updateSide();
    m_workspace->pageWidget()->setFocus();
}

QWidget *MainWindow::view(const QString &id) const
{
    for (const ViewOfWindow &one : m_views)
        if (id == QLatin1String(one.entry->id))
            return one.view;
    return page(id);
}

QWidget *MainWindow::page(const QString &id) const
{
    for (const PageOfWindow &one : m_pages)
        if (id == QLatin1String(one.entry->id))
            return one.page;
    return nullptr;
}

bool MainWindow::viewsAreSettled() const
{
    const auto isSettled = [](const auto &one, const QWidget *widget) {
        return !widget->isVisible() || one.entry->settled(widget);
    };
    return m_jobs->idle() && (!m_strip->isVisible() || m_strip->settled()) &&
           std::ranges::all_of(m_pages, [&](const PageOfWindow &one) { return isSettled(one, one.page); }) &&
           std::ranges::all_of(m_views, [&](const ViewOfWindow &one) { return isSettled(one, one.view); });
}

void MainWindow::onSessionChanged(Session::Changes changes)
{
    constexpr auto kOpen = Session::Traces | Session::Members | Session::Renewed | Session::Runs;
    if (changes & (kOpen | Session::Area)) {
        const bool hadArea = m_facts.area;
        TabDock *dock = m_workspace->dock();
        if (!hadArea && m_session->area())
            m_beforeArea = {dock->current(), m_workspace->dockSize()};
        else if (hadArea && !m_session->area() && dock->current() == kArea) {
            dock->setCurrent(m_beforeArea.first);
            m_workspace->setDockSize(m_beforeArea.second);
        }
        if (changes & kOpen) {
            if (whatIsOpen() == m_showing) // otherwise, showFor() follows
                findWhatApplies();
        } else if (hadArea != m_session->area().has_value()) {
            WindowFacts facts = m_facts;
            facts.area = !hadArea;
            offer(facts);
        }
        if (!hadArea && m_facts.area)
            bringForward(kArea);
    }
    if (changes & Session::Selection)
        updateSide();
}

/// Drops one thing: what the session has, then the full dock, then the Overview.
void MainWindow::escape()
{
    if (m_workspace->page() == kMemory ? m_session->memory()->escape() : m_session->escape())
        return;
    if (m_workspace->hasDock() && m_workspace->dockSize() == Workspace::DockSize::Full)
        m_workspace->setDockSize(Workspace::DockSize::Open);
    else if (m_workspace->page() == kOverview)
        goToPage(kTimeline);
}

} // namespace riffle
