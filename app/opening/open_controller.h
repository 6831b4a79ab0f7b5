// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "app/opening/memory_file_opening.h"
#include "app/opening/opening_options.h"
#include "app/opening/snapshot_opening.h"
#include "app/session/settings.h"
#include "model/ingest/trace_opening.h"
#include "views/common/look/notice_bar.h"
#include "views/common/session/jobs.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// The progress of opening or writing files.
struct LoadStatus {
    QString file;
    int number = 1; ///< position of `file` among the `count` files
    int count = 1;
    quint64 bytesDone = 0;
    quint64 bytesTotal = 0; ///< 0 while unknown
    double bytesPerSecond = 0;
    bool sealing = false;
    bool writing = false; ///< the file is being written, not read
};

/// Opens files off the GUI thread and puts them into the session: traces as one set, memory snapshots beside them.
/// Afterwards it writes their stores in the background and replaces the traces in memory with traces mapped from their
/// stores. Owned by the main window.
class OpenController : public QObject {
    Q_OBJECT
public:
    OpenController(Session *session, const Settings *settings, QObject *parent = nullptr);
    ~OpenController() override;

    /// Opens files in place of the current ones. Cancels an opening that is in progress.
    void open(const OpenRequest &request);
    void cancel();
    bool loading() const { return m_jobs.running(kOpenKey); }
    /// True if no reading, storing or checking is in progress or still to come.
    bool idle() const { return m_jobs.idle() && !m_afterwards.isActive(); }
    const OpenRequest &request() const { return m_request; } ///< the request that opened the current files
    const std::vector<OpenedTrace> &traces() const { return m_opened; }
    const std::vector<OpenedSnapshot> &snapshots() const { return m_snapshots; }
    const std::vector<OpenedMemoryFile> &memoryFiles() const { return m_memoryFiles; }
    /// The open memory timelines and memory logs, for the views.
    MemoryFiles *shownMemoryFiles() const { return m_shownMemoryFiles; }
    const QStringList &traceFiles() const { return m_traceFiles; } ///< the files of request() that are traces
    /// All files that are open or being opened, with every file of a log; no output may replace one of them.
    std::vector<std::string> inputs() const;
    /// Turns off the writing of stores after opening, for pictures and tests.
    void setStoreWriting(bool on) { m_storeWriting = on; }
    /// Sets the number of pickle bytes from which a snapshot gets a store, for tests.
    void setStoreSnapshotsFrom(uint64_t bytes) { m_storeSnapshotsFrom = bytes; }

signals:
    void started();
    void progressed(const riffle::LoadStatus &status);
    void previewReady(const riffle::LoadPreview &preview);
    void opened();
    void failed(); ///< nothing could be opened, or the user cancelled; the previous files stay open
    void notice(riffle::NoticeBar::Level level, const QString &text);

private:
    struct Answer {
        std::vector<OpenedTrace> traces;
        std::vector<OpenedSnapshot> snapshots;
        std::vector<OpenedMemoryFile> memoryFiles;
        QStringList files; ///< the opened files of all kinds
        QStringList traceFiles;
        QStringList troubles;
        bool stopped = false;
    };
    struct Watched; ///< progress that the worker writes and the timer reads
    static Answer openAll(const OpenRequest &request, const OpeningOptions &options,
                          const std::shared_ptr<Watched> &watched, std::stop_token stop);
    OpeningOptions options(const OpenRequest &request);
    void take(OpenRequest request, Answer answer);
    void publish();
    void setLoading(const QString &name); ///< what the views say while they have nothing else to show
    void sayRemarks();
    void report();
    void storeNext();
    void storeNextSnapshot();
    void verifyStores();
    void verified(const std::vector<size_t> &damaged);
    void lookForCuts();

    const QString kOpenKey = QStringLiteral("open");
    Session *m_session;
    const Settings *m_settings;
    OpenRequest m_request;
    QStringList m_loadingFiles;
    std::vector<OpenedTrace> m_opened;
    std::vector<TraceId> m_ids; ///< the members of the session that m_opened became
    std::vector<OpenedSnapshot> m_snapshots;
    std::vector<OpenedMemoryFile> m_memoryFiles;
    MemoryFiles *m_shownMemoryFiles;
    QStringList m_traceFiles;
    std::shared_ptr<Watched> m_watched;
    bool m_storeWriting = true;
    uint64_t m_storeSnapshotsFrom;
    QTimer m_ticker;
    QTimer m_afterwards;    ///< delays the storing until the first frame is drawn
    QTimer m_looks;         ///< looks whether a file that is in use was cut
    QStringList m_cutFiles; ///< the notices about cut files
    Jobs m_looking{this};   ///< not part of idle()
    Jobs m_jobs;            // last member: its destructor waits for running work
};

} // namespace riffle
