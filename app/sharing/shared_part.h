// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

class QAbstractItemView;

namespace riffle {

class Session;
class SummaryTable;

/// The part of the window that a copy is about.
struct SharedPart {
    QWidget *view = nullptr;           ///< the page or view that has the keyboard focus; null if none is shown
    QWidget *content = nullptr;        ///< what a picture shows: the view, or one chart in it
    SummaryTable *table = nullptr;     ///< the table with the focus, or the only one that the view shows; may be null
    QAbstractItemView *rows = nullptr; ///< another table or list with the focus, or the only one; null beside a table
    QString title;                     ///< of the table, otherwise of the view
    bool ofLanes = false;              ///< the view is the timeline
    bool ofSlice = false;              ///< the view is about the selected slice
};

/// The part that has the focus; if nothing has, the page.
SharedPart partWithFocus(QWidget *page);

/// The text above a copy: the files and the part, and what the part covers (range, limits, number of rows).
struct ShareHeading {
    QString title;
    QStringList facts;
};
/// `files` names the open files; `rows` says how many rows are left out, if any are.
ShareHeading headingOf(const SharedPart &part, const Session &session, const QString &files, const QString &rows);

} // namespace riffle
