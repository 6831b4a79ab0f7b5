// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/view_catalog.h"

#include "app/window/compare_page.h"
#include "views/area/area_view.h"
#include "views/common/memory/memory_session.h"
#include "views/compare/comparison_state.h"
#include "views/compare/comparison_table.h"
#include "views/details/details_view.h"
#include "views/hang/hang_view.h"
#include "views/marks/marks_view.h"
#include "views/memory/alive/alive_view.h"
#include "views/memory/alive/difference_view.h"
#include "views/memory/allocator/allocator_view.h"
#include "views/memory/events/events_view.h"
#include "views/memory/events/range_view.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/memory/log/log_view.h"
#include "views/memory/oom/oom_view.h"
#include "views/query/query_view.h"
#include "views/ranks/rank_cells.h"
#include "views/ranks/ranks_page.h"
#include "views/ranks/stragglers_view.h"
#include "views/ranks/waits_view.h"
#include "views/summary/overview_page.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/timeline_view.h"

#include <QCoreApplication>
#include <QToolButton>

namespace riffle {

namespace {

QWidget *makeDetails(const ViewHost &host, QWidget *parent)
{
    auto *view = new DetailsView(host.session, parent);
    QObject::connect(view, &DetailsView::openFileRequested, parent, host.openFile);
    return view;
}

/// Connects a view that contains a table to the services of the window.
template <typename Type>
QWidget *hosted(Type *view, const ViewHost &host, QWidget *parent)
{
    const QString id = parent->objectName();
    view->table()->restoreState(host.viewState(id));
    QObject::connect(view, &ResultView::exportRequested, parent, host.saveText);
    QObject::connect(view->table(), &SummaryTable::stateChanged, parent,
                     [keep = host.keepViewState, id, table = view->table()] { keep(id, table->state()); });
    return view;
}

template <typename Type>
QWidget *makeTable(const ViewHost &host, QWidget *parent)
{
    return hosted(new Type(host.session, parent), host, parent);
}

/// A pane for one view of the summary. The holder's name is the word of the view.
QWidget *makeSummary(const ViewHost &host, QWidget *parent)
{
    const QByteArray word = parent->objectName().toLatin1();
    return hosted(new SummaryPane(host.session, {word.constData()}, parent), host, parent);
}

QWidget *makeCriticalPath(const ViewHost &host, QWidget *parent)
{
    auto *pane = new SummaryPane(host.session, {"critical-path"}, parent);
    auto *button = new QToolButton(pane);
    button->setDefaultAction(host.criticalPath);
    button->setFocusPolicy(Qt::TabFocus);
    pane->table()->addTool(button);
    return hosted(pane, host, parent);
}

/// A pane for the memory that traces recorded with profile_memory.
QWidget *makeTraceMemory(const ViewHost &host, QWidget *parent)
{
    return hosted(new SummaryPane(host.session, {"memory", "memory-peak", "memory-events"}, parent), host, parent);
}

/// One pane for the tables that are needed less often.
QWidget *makeMoreTables(const ViewHost &host, QWidget *parent)
{
    return hosted(new SummaryPane(host.session,
                                  {"collectives", "memcpy", "model", "distribution", "device", "user-defined",
                                   "event-types", "overview"},
                                  parent),
                  host, parent);
}

QWidget *makeOverview(const ViewHost &host, QWidget *parent)
{
    auto *page = new OverviewPage(host.session, parent);
    QObject::connect(page, &OverviewPage::timelineRequested, parent,
                     [show = host.showPage] { show(QStringLiteral("timeline")); });
    return page;
}

QWidget *makeTimeline(const ViewHost &host, QWidget *parent) { return new TimelineView(host.session->pane(), parent); }

QWidget *makeCompare(const ViewHost &host, QWidget *parent) { return new ComparePage(host.comparison, parent); }

QWidget *makeComparison(const ViewHost &host, QWidget *parent)
{
    return hosted(new ComparisonTable(host.comparison, parent), host, parent);
}

QWidget *makeRanks(const ViewHost &host, QWidget *parent)
{
    auto *page = new RanksPage(host.session, parent);
    QObject::connect(page, &RanksPage::timelineRequested, parent,
                     [show = host.showPage] { show(QStringLiteral("timeline")); });
    QObject::connect(page, &RanksPage::comparisonRequested, parent, [host](const ComparedPair &pair) {
        if (const auto members = comparedMembers(*host.session->run(), pair))
            host.compareMembers(members->first, members->second);
    });
    return page;
}

QWidget *makeMarks(const ViewHost &host, QWidget *parent) { return new MarksView(host.session, parent); }

QWidget *makeQuery(const ViewHost &host, QWidget *parent)
{
    auto *view = new QueryView(host.session, parent);
    const QString id = parent->objectName();
    view->restoreState(host.viewState(id));
    QObject::connect(view, &QueryView::exportRequested, parent, host.saveText);
    QObject::connect(view, &QueryView::stateChanged, parent,
                     [keep = host.keepViewState, id, view] { keep(id, view->state()); });
    return view;
}

template <typename Type>
QWidget *makeMemory(const ViewHost &host, QWidget *parent)
{
    auto *view = new Type(host.session->memory(), parent);
    if constexpr (requires { &Type::openFileRequested; })
        QObject::connect(view, &Type::openFileRequested, parent, host.openFile);
    if constexpr (requires { &Type::exportRequested; })
        QObject::connect(view, &Type::exportRequested, parent, host.saveText);
    return view;
}

/// Creates a memory view with a table, whose columns are remembered from one start to the next.
template <typename Type>
QWidget *makeMemoryTable(const ViewHost &host, QWidget *parent)
{
    auto *view = new Type(host.session, parent);
    const QString id = parent->objectName();
    view->table()->restoreState(host.viewState(id));
    QObject::connect(view, &Type::exportRequested, parent, host.saveText);
    if constexpr (requires { &Type::fileExportRequested; })
        QObject::connect(view, &Type::fileExportRequested, parent, host.saveFile);
    QObject::connect(view->table(), &SummaryTable::stateChanged, parent,
                     [keep = host.keepViewState, id, table = view->table()] { keep(id, table->state()); });
    return view;
}

QWidget *makeLogs(const ViewHost &host, QWidget *parent)
{
    auto *view = new LogView(host.memoryFiles, parent);
    QObject::connect(view, &LogView::fileExportRequested, parent, host.saveFile);
    return view;
}

QWidget *makeHang(const ViewHost &host, QWidget *parent)
{
    auto *view = new HangView(host.flightFiles, parent);
    QObject::connect(view, &HangView::openFileRequested, parent, host.openFile);
    return view;
}

template <typename Type>
bool settled(const QWidget *view)
{
    return static_cast<const Type *>(view)->settled();
}

bool always(const QWidget *) { return true; }

using Facts = WindowFacts;
bool traces(const Facts &facts) { return facts.traces; }
bool training(const Facts &facts) { return facts.training; }
bool devices(const Facts &facts) { return facts.training && facts.devices; }
bool ranks(const Facts &facts) { return facts.ranks; }
bool area(const Facts &facts) { return facts.traces && facts.area; }
bool snapshots(const Facts &facts) { return facts.snapshots; }
bool failures(const Facts &facts) { return facts.failed; }
bool memoryFiles(const Facts &facts) { return facts.memoryFiles; }
bool flightDumps(const Facts &facts) { return facts.flightDumps; }

const PageEntry kPages[] = {
    {"overview", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Overview"), 0, Workspace::Beside::Nothing, traces,
     makeOverview, settled<OverviewPage>},
    {"timeline", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Timeline"), Qt::CTRL | Qt::Key_0,
     Workspace::Beside::DockAndSide, traces, makeTimeline, settled<TimelineView>},
    {"ranks", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Ranks"), Qt::CTRL | Qt::Key_R, Workspace::Beside::Dock, ranks,
     makeRanks, settled<RanksPage>},
    {"compare", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Compare"), Qt::CTRL | Qt::Key_D, Workspace::Beside::Dock,
     training, makeCompare, settled<ComparePage>},
    {"snapshot", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), Qt::CTRL | Qt::Key_M, Workspace::Beside::Dock,
     snapshots, makeMemory<LandscapeView>, settled<LandscapeView>},
    {"memory-logs", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory logs"), Qt::CTRL | Qt::Key_L,
     Workspace::Beside::Nothing, memoryFiles, makeLogs, settled<LogView>},
    {"hang", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Hang"), Qt::CTRL | Qt::Key_H, Workspace::Beside::Nothing,
     flightDumps, makeHang, settled<HangView>},
};

const ViewEntry kViews[] = {
    {"details", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Details"), "", traces, makeDetails, settled<DetailsView>},
    {"marks", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Marks"), "", traces, makeMarks, always},
    {"stragglers", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "First stragglers"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Run"), ranks, makeTable<StragglersView>, settled<StragglersView>},
    {"waits", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Stragglers"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Run"),
     ranks, makeTable<WaitsView>, settled<WaitsView>},
    {"findings", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Findings"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"),
     training, makeSummary, settled<SummaryPane>},
    {"steps", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Steps"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"),
     training, makeSummary, settled<SummaryPane>},
    {"operators", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Operators"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"), training, makeSummary, settled<SummaryPane>},
    {"kernels", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Kernels"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"),
     devices, makeSummary, settled<SummaryPane>},
    {"modules", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Modules"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"),
     training, makeSummary, settled<SummaryPane>},
    {"critical-path", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Critical path"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"), training, makeCriticalPath, settled<SummaryPane>},
    {"area", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Area"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"), area,
     makeTable<AreaView>, settled<AreaView>},
    {"more", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "More tables"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Time"),
     training, makeMoreTables, settled<SummaryPane>},
    {"memory", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Allocations"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), training, makeTraceMemory, settled<SummaryPane>},
    {"memory-alive", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Alive"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), snapshots, makeMemoryTable<AliveView>, settled<AliveView>},
    {"allocator", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Allocator"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), snapshots, makeMemory<AllocatorView>, settled<AllocatorView>},
    {"memory-events", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Events"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), snapshots, makeMemory<EventsView>, settled<EventsView>},
    {"memory-difference", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Difference"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), snapshots, makeMemoryTable<DifferenceView>,
     settled<DifferenceView>},
    {"memory-range", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "In range"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), snapshots, makeMemoryTable<RangeView>, settled<RangeView>},
    {"out-of-memory", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Out of memory"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"), failures, makeMemory<OomView>, settled<OomView>},
    {"comparison", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Differences"),
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Compare"), training, makeComparison, settled<ComparisonTable>},
    {"query", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "SQL"), QT_TRANSLATE_NOOP("riffle::ViewCatalog", "SQL"), traces,
     makeQuery, settled<QueryView>},
};

} // namespace

std::span<const PageEntry> pageCatalog() { return kPages; }

std::span<const ViewEntry> viewCatalog() { return kViews; }

QString catalogText(const char *text) { return QCoreApplication::translate("riffle::ViewCatalog", text); }

} // namespace riffle
