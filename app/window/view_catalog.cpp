// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/view_catalog.h"

#include "views/area/area_view.h"
#include "views/common/memory/memory_session.h"
#include "views/details/details_view.h"
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
#include "views/summary/overview_page.h"
#include "views/summary/summary_pane.h"

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

/// A pane for one view of the summary. The dock's name is the word of the view.
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

QWidget *makeOverview(const ViewHost &host, QWidget *parent) { return new OverviewPage(host.session, parent); }

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

template <typename Type>
bool settled(const QWidget *view)
{
    return static_cast<const Type *>(view)->settled();
}

bool always(const QWidget *) { return true; }

constexpr int kTraces = shown_with::Traces | shown_with::Both;
constexpr int kMemory = shown_with::Snapshots | shown_with::Both;

const ViewEntry kViews[] = {
    {"details",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Details"),
     Qt::RightDockWidgetArea,
     kTraces,
     makeDetails,
     settled<DetailsView>,
     {}},
    {"marks", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Marks"), Qt::RightDockWidgetArea, 0, makeMarks, always, {}},
    {"overview",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Overview"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeOverview,
     settled<OverviewPage>,
     {}},
    {"findings",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Findings"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeSummary,
     settled<SummaryPane>,
     {}},
    {"steps",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Steps"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeSummary,
     settled<SummaryPane>,
     {}},
    {"operators",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Operators"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeSummary,
     settled<SummaryPane>,
     {}},
    {"kernels",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Kernels"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeSummary,
     settled<SummaryPane>,
     {}},
    {"modules",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Modules"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeSummary,
     settled<SummaryPane>,
     {}},
    {"critical-path",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Critical path"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeCriticalPath,
     settled<SummaryPane>,
     {}},
    {"memory",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeTraceMemory,
     settled<SummaryPane>,
     {}},
    {"more",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "More tables"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeMoreTables,
     settled<SummaryPane>,
     {}},
    {"query",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "SQL"),
     Qt::BottomDockWidgetArea,
     kTraces,
     makeQuery,
     settled<QueryView>,
     {}},
    {"area", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Area"), Qt::BottomDockWidgetArea, 0, makeTable<AreaView>,
     settled<AreaView>, Session::Area},
    {"allocator",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Allocator"),
     Qt::BottomDockWidgetArea,
     shown_with::Both | shown_with::Snapshots,
     makeMemory<AllocatorView>,
     settled<AllocatorView>,
     {}},
    {"out-of-memory",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Out of memory"),
     Qt::BottomDockWidgetArea,
     shown_with::Both | shown_with::Snapshots,
     makeMemory<OomView>,
     settled<OomView>,
     {}},
    {"memory-timeline",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory timeline"),
     Qt::BottomDockWidgetArea,
     shown_with::Both,
     makeMemory<LandscapeView>,
     settled<LandscapeView>,
     {}},
    {"memory-alive",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Alive memory"),
     Qt::BottomDockWidgetArea,
     shown_with::Snapshots | shown_with::Both,
     makeMemoryTable<AliveView>,
     settled<AliveView>,
     {}},
    {"memory-events",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory events"),
     Qt::BottomDockWidgetArea,
     kMemory,
     makeMemory<EventsView>,
     settled<EventsView>,
     {}},
    {"memory-difference",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory difference"),
     Qt::BottomDockWidgetArea,
     kMemory,
     makeMemoryTable<DifferenceView>,
     settled<DifferenceView>,
     {}},
    {"memory-range",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory in range"),
     Qt::BottomDockWidgetArea,
     kMemory,
     makeMemoryTable<RangeView>,
     settled<RangeView>,
     {}},
    {"memory-logs",
     QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Memory logs"),
     Qt::BottomDockWidgetArea,
     0,
     makeLogs,
     settled<LogView>,
     {}},
};

} // namespace

std::span<const ViewEntry> viewCatalog() { return kViews; }

QString viewTitle(const ViewEntry &entry) { return QCoreApplication::translate("riffle::ViewCatalog", entry.title); }

} // namespace riffle
