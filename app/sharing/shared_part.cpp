// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/shared_part.h"

#include "app/window/view_catalog.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/format.h"
#include "views/common/chart/chart.h"
#include "views/common/look/chip_bar.h"
#include "views/common/look/limit_badge.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"
#include "views/common/memory/memory_view.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QFileInfo>

namespace riffle {

namespace {

/// The title of a page or view by its id; empty if there is none with this id.
QString titleOf(const QString &id)
{
    for (const PageEntry &entry : pageCatalog())
        if (id == QLatin1String(entry.id))
            return catalogText(entry.title);
    for (const ViewEntry &entry : viewCatalog())
        if (id == QLatin1String(entry.id))
            return catalogText(entry.title);
    return {};
}

template <typename Table>
Table *onlyOneIn(const QWidget *view)
{
    Table *only = nullptr;
    for (Table *table : view->findChildren<Table *>())
        if (table->isVisible()) {
            if (only)
                return nullptr;
            only = table;
        }
    return only;
}

/// "1.2 ms – 3.4 ms (2.200 ms)"
QString rangeText(const Session &session, TimeSpan range)
{
    const Ns origin = session.traces().origin();
    Ns step = 1; // a power of ten, so that both ends have about four digits
    while (step * 10 <= range.duration() / 1000)
        step *= 10;
    return QObject::tr("%1 – %2 after the first event (%3)")
        .arg(toQString(formatTick(range.begin - origin, step)), toQString(formatTick(range.end - origin, step)),
             toQString(formatDuration(range.duration())));
}

/// The part of a snapshot that a view shows.
QStringList memoryFacts(const MemorySession &memory)
{
    const DeviceReplay *device = memory.device();
    if (!device)
        return {};
    QStringList facts{QFileInfo(toQString(memory.snapshot()->path)).fileName(),
                      device->host ? QObject::tr("host") : QObject::tr("GPU %1").arg(device->device)};
    if (const auto range = memory.range())
        facts += QObject::tr("events %1 – %2").arg(range->first).arg(range->last);
    else if (memory.instant() == MemorySession::kNone)
        facts += QObject::tr("before the history");
    else
        facts += QObject::tr("after event %1").arg(memory.instant());
    return facts;
}

} // namespace

SharedPart partWithFocus(QWidget *page)
{
    SharedPart part;
    QWidget *focus = QApplication::focusWidget();
    for (QWidget *widget = focus; widget && !widget->isWindow(); widget = widget->parentWidget()) {
        if (auto *table = qobject_cast<SummaryTable *>(widget); table && !part.table)
            part.table = table;
        if (auto *rows = qobject_cast<QAbstractItemView *>(widget); rows && !part.rows)
            part.rows = rows;
        if (qobject_cast<Chart *>(widget) && !part.content)
            part.content = widget;
        if (!titleOf(widget->objectName()).isEmpty()) {
            part.view = widget;
            break;
        }
    }
    if (!part.view)
        part = {page, page, nullptr, nullptr, {}, false, false};
    if (!part.view)
        return part;
    const bool isChart = part.content && part.content != part.view;
    if (!part.table && !isChart)
        part.table = onlyOneIn<SummaryTable>(part.view);
    if (!part.table && !part.rows && !isChart)
        part.rows = onlyOneIn<QAbstractItemView>(part.view);
    if (isChart)
        part.table = nullptr;
    if (isChart || part.table)
        part.rows = nullptr;
    if (!part.content)
        part.content = part.view;
    const QString id = part.view->objectName();
    part.ofLanes = id == QLatin1String("timeline");
    part.ofSlice = part.ofLanes || id == QLatin1String("details");
    part.title = titleOf(id);
    if (part.table && !part.table->table().title.empty())
        part.title = toQString(part.table->table().title);
    return part;
}

ShareHeading headingOf(const SharedPart &part, const Session &session, const QString &files, const QString &rows)
{
    ShareHeading heading;
    heading.title = part.title.isEmpty() ? files : files + QStringLiteral(" · ") + part.title;
    const bool ofMemory = qobject_cast<MemoryView *>(part.view) || part.view->findChild<MemoryView *>();
    if (ofMemory) {
        heading.facts = memoryFacts(*session.memory());
    } else if (!session.traces().empty()) {
        if (part.ofLanes || (!session.area() && session.followsView()))
            heading.facts += rangeText(session, session.pane()->visibleRange());
        else if (!session.area() && session.filters().empty())
            heading.facts +=
                QObject::tr("all of the trace, %1").arg(toQString(formatDuration(session.traces().span().duration())));
        heading.facts += limitTexts(session);
        for (const auto *badge : part.view->findChildren<LimitBadge *>())
            if (badge->isVisible())
                heading.facts += badge->text();
    }
    if (part.table && part.table->rows().passingCount() < part.table->table().rows())
        heading.facts += QObject::tr("%1 of %2 rows pass the filter of the table")
                             .arg(part.table->rows().passingCount())
                             .arg(part.table->table().rows());
    if (!rows.isEmpty())
        heading.facts += rows;
    return heading;
}

} // namespace riffle
