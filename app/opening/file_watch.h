// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/source_identity.h"
#include "views/common/session/jobs.h"

#include <QElapsedTimer>
#include <QFileSystemWatcher>
#include <QHash>
#include <QObject>
#include <QStringList>
#include <QTimer>

namespace riffle {

/// Tells when the contents of files change on disk, also if another file takes the place of one. A change is told once,
/// after it has been quiet for a moment.
class FileWatch : public QObject {
    Q_OBJECT
public:
    explicit FileWatch(QObject *parent = nullptr);

    /// Watches these files, and logs that are folders, in place of the previous ones. What they contain now counts as
    /// known.
    void watch(const QStringList &files);
    QStringList files() const { return m_files; }

signals:
    void changed(const QStringList &files);

private:
    using Known = QHash<QString, SourceIdentity>;
    void follow();
    void noteEvent();
    void look();

    QStringList m_files;
    Known m_known;
    QFileSystemWatcher m_watcher;
    QTimer m_rest;
    QElapsedTimer m_sinceFirst; ///< of the events that were not looked at yet
    Jobs m_jobs;                // last member: its destructor waits for running work
};

} // namespace riffle
