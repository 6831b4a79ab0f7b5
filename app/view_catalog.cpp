// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/view_catalog.h"

#include "views/area/area_view.h"
#include "views/details/details_view.h"
#include "views/marks/marks_view.h"

#include <QCoreApplication>

namespace riffle {

namespace {

QWidget *makeDetails(const ViewHost &host, QWidget *parent)
{
    auto *view = new DetailsView(host.session, parent);
    QObject::connect(view, &DetailsView::openFileRequested, parent, host.openFile);
    return view;
}

/// Makes a view that shows a table.
template <typename Type>
QWidget *makeTable(const ViewHost &host, QWidget *parent)
{
    auto *view = new Type(host.session, parent);
    const QString id = parent->objectName();
    view->table()->restoreState(host.viewState(id));
    QObject::connect(view, &ResultView::exportRequested, parent, host.saveText);
    QObject::connect(view->table(), &SummaryTable::stateChanged, parent,
                     [keep = host.keepViewState, id, table = view->table()] { keep(id, table->state()); });
    return view;
}

QWidget *makeMarks(const ViewHost &host, QWidget *parent)
{
    return new MarksView(host.session, parent);
}

template <typename Type>
bool settled(const QWidget *view)
{
    return static_cast<const Type *>(view)->settled();
}

bool always(const QWidget *)
{
    return true;
}

const ViewEntry kViews[] = {
    {"details", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Details"), Qt::RightDockWidgetArea, true, makeDetails,
     settled<DetailsView>, {}},
    {"marks", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Marks"), Qt::RightDockWidgetArea, false, makeMarks, always, {}},
    {"area", QT_TRANSLATE_NOOP("riffle::ViewCatalog", "Area"), Qt::BottomDockWidgetArea, false, makeTable<AreaView>,
     settled<AreaView>, Session::Area},
};

} // namespace

std::span<const ViewEntry> viewCatalog()
{
    return kViews;
}

QString viewTitle(const ViewEntry &entry)
{
    return QCoreApplication::translate("riffle::ViewCatalog", entry.title);
}

} // namespace riffle
