// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/hang.h"
#include "views/common/session/jobs.h"
#include "views/hang/flight_files.h"

#include <QWidget>

#include <cstddef>
#include <memory>

class QLabel;
class QTextBrowser;
class QTreeWidget;
class QUrl;

namespace riffle {

class EmptyNotice;

/// Where the ranks of a job that hangs diverge, from the open dumps of the Flight Recorder: the divergences in their
/// order, and for the current one who waits, who did not come, their stacks and the evidence.
class HangView : public QWidget {
    Q_OBJECT
public:
    static constexpr size_t kMostRows = 1000; ///< divergences in the list; the number of the others is said

    explicit HangView(FlightFiles *files, QWidget *parent = nullptr);

    bool settled() const { return m_jobs.idle(); }
    QTreeWidget *list() const { return m_list; }
    QTextBrowser *page() const { return m_page; }
    QString heading() const;

signals:
    void openFileRequested(const QString &file, int line);

private:
    void compare();
    void take(HangReport report);
    void explainEmptiness();
    void showCurrent();
    void follow(const QUrl &link);

    FlightFiles *m_files;
    QLabel *m_heading;
    QTreeWidget *m_list;
    QTextBrowser *m_page;
    EmptyNotice *m_empty;
    std::shared_ptr<const HangReport> m_report; ///< null until the dumps are compared
    Jobs m_jobs;                                // last: its destructor waits for jobs
};

} // namespace riffle
