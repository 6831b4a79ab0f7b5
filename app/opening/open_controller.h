// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/file_opening.h"
#include "app/opening/launch_options.h"
#include "app/opening/part_question.h"
#include "app/opening/run_reader.h"
#include "app/opening/trace_follower.h"
#include "app/session/part_choice.h"
#include "app/session/settings.h"
#include "model/base/file_lock.h"
#include "model/trace/run/run_layout.h"
#include "model/trace/unload_order.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_files.h"
#include "views/common/session/jobs.h"
#include "views/common/session/session.h"
#include "views/hang/flight_files.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// The progress of opening or writing files.
struct LoadStatus {
    QString file;
    int number = 1; ///< one more than the number of files that are finished
    int count = 1;
    int others = 0; ///< the number of files that are read at the same time as `file`
    quint64 bytesDone = 0;
    quint64 bytesTotal = 0; ///< 0 while unknown
    double bytesPerSecond = 0;
    bool sealing = false;
    bool writing = false; ///< the file is being written, not read
};

/// Opens files off the GUI thread and puts them into the session: traces as members of one set, each as it comes, and
/// memory snapshots beside them when all are read. Afterwards it writes their stores in the background and replaces the
/// traces in memory with traces mapped from their stores. It unloads members while all together take more memory than
/// the user's limit, and loads them again when the user looks at them. The small facts about the ranks come from their
/// stores at once, and are made of the others in the background. Owned by the main window.
class OpenController : public QObject {
    Q_OBJECT
public:
    OpenController(Session *session, const Settings *settings, QObject *parent = nullptr);
    ~OpenController() override;

    /// Opens files in place of the current ones, which stay until the first new trace is there. Cancels an opening that
    /// is in progress.
    void open(const OpenRequest &request);
    /// Opens files beside the current ones, which stay as they are, and so does what is seen of them. Files that are
    /// open already are left out.
    void add(const OpenRequest &request);
    /// Closes one of the open files.
    void close(const QString &file);
    /// Goes on after partWanted(): reads this part, or everything. Does nothing if the opening has ended.
    void choosePart(const PartChoice &choice);
    /// Stops reading. If nothing can be seen of the new files, the previous ones stay; otherwise what is open stays,
    /// and traces that were not read are members that are not loaded.
    void cancel();
    bool loading() const { return m_opening != nullptr; }
    /// True if no reading, storing or checking is in progress or still to come.
    bool idle() const
    {
        return m_jobs.idle() && !m_afterwards.isActive() && areRanksKnown() && !m_layoutSoon.isActive();
    }
    /// True if the facts about all ranks are known of which they can be.
    bool areRanksKnown() const { return m_ranks->idle() && !m_ranksSoon.isActive() && m_madeRanks.empty(); }
    /// Loads a member that is not in memory.
    void load(TraceId id);
    /// Unloads a member if all large arrays together take more than the user's limit.
    void keepToBudget();
    const OpenRequest &request() const { return m_request; } ///< the request that opened the current files
    /// How the user would write the path of an open file: one in an archive follows the archive's path.
    QString nameOf(const QString &file) const { return m_names.value(file, file); }
    /// The identity of a member's file when it was last read; nothing if it never was.
    std::optional<SourceIdentity> identityOf(TraceId id) const { return std::as_const(m_traces)[id].opened.identity; }
    /// The files of request() as they lie on disk: an archive in place of the files in it.
    QStringList filesOnDisk() const;
    const std::vector<OpenedSnapshot> &snapshots() const { return m_snapshots; }
    const std::vector<OpenedSideFile> &sideFiles() const { return m_sideFiles; }
    /// The open memory timelines and memory logs, for the views.
    MemoryFiles *shownMemoryFiles() const { return m_shownMemoryFiles; }
    /// The open dumps of the Flight Recorder, for the views.
    FlightFiles *shownFlightFiles() const { return m_shownFlightFiles; }
    const QStringList &traceFiles() const { return m_traceFiles; } ///< the files of request() that are traces
    /// All files that are open or being opened, with every file of a log; no output may replace one of them.
    std::vector<std::string> inputs() const;
    /// Turns off the writing of stores after opening, for pictures and tests.
    void setStoreWriting(bool on) { m_storeWriting = on; }
    /// Turns off the following of traces that somebody is writing, for pictures.
    void setFollowing(bool on) { m_following = on; }
    const TraceFollower &follower() const { return *m_follower; }
    /// Looks at files that changed on disk: starts to follow traces that somebody writes now, and tells the others.
    void noteChanged(const QStringList &files);
    /// The files whose changes are to be noted: those on disk that are not followed.
    QStringList watchedFiles() const;
    /// Sets the number of pickle bytes from which a snapshot gets a store, for tests.
    void setStoreSnapshotsFrom(uint64_t bytes) { m_storeSnapshotsFrom = bytes; }

signals:
    void started();
    void progressed(const riffle::LoadStatus &status);
    /// Large traces are about to be read for the first time. The opening waits for choosePart() or cancel().
    void partWanted(const riffle::PartQuestion &question);
    void previewReady(const riffle::LoadPreview &preview);
    void shown();   ///< the first trace of several files is there, in place of the previous files
    void opened();  ///< all files that can be opened are there
    void changed(); ///< files were opened beside the current ones, or one of these was closed
    void failed();  ///< nothing could be opened, or the user cancelled; the previous files stay open
    void notice(riffle::NoticeBar::Level level, const QString &text);
    void changedOnDisk(const QStringList &files); ///< files that are open and not followed
    void watchedFilesChanged();

private:
    struct Opening; ///< the files that are being opened
    struct FoundFiles;
    enum class Place : uint8_t { Instead, Beside }; ///< of the files that are open
    struct OpenMember {
        OpenedTrace opened;
        bool isVerified = false; ///< its store is intact, or is being checked
        bool grows = false;      ///< its file had no end and has changed since, so it is read again from time to time
        bool willBeRead = false; ///< after a pause, and has not begun
    };
    OpeningOptions options(const OpenRequest &request) const;
    std::function<void(const LoadPreview &)> previewer();
    void start(const OpenRequest &request, Place place);
    void gathered(const FoundFiles &found);
    bool isPartWanted() const;
    void askForPart();
    void leaveOutOpen();
    void begin();
    void beginBeside();
    void readNext();
    void read(size_t file);
    void take(size_t file, Result<OpenedFile> result);
    void readNextOf(TraceId id);
    void takeTrace(TraceId id, OpenedTrace opened, TraceSet &traces);
    void replacePrevious(TraceSet traces);
    void finish();
    void finishBeside();
    void keepFound();
    void showOthers(bool snapshots, bool sideFiles);
    void stopReading();
    void readAgain(TraceId id);
    void looked(TraceId id);
    void noteLooks(Session::Changes changes);
    void forgetRemoved();
    void followNew();
    bool readsAgainLater(TraceId id);
    void setLoading(const QString &name); ///< what the views say while they have nothing else to show
    void sayRemarks();
    void report();
    void storeNext();
    void storeNextSnapshot();
    void verifyStores();
    void verified(TraceId id, bool isIntact);
    void lookForCuts();
    void readStoredRanks();
    void makeRanks();
    void takeStoredRanks(const std::vector<RunReader::Known> &known);
    void takeRanks(const std::vector<RunReader::Known> &known);
    static bool addRanks(const std::vector<RunReader::Known> &known, TraceSet &traces);
    void forgetRanks();
    void keepOthers();
    void layOut();

    static QString loadKey(TraceId id) { return QStringLiteral("load/%1").arg(id.value); }
    const QString kStoreKey = QStringLiteral("store"), kVerifyKey = QStringLiteral("verify");
    Session *m_session;
    const Settings *m_settings;
    OpenRequest m_request;
    std::unique_ptr<Opening> m_opening; ///< null while no files are being opened
    PerTrace<OpenMember> m_traces;      ///< those of the session that are loaded
    std::vector<OpenedSnapshot> m_snapshots;
    std::vector<OpenedSideFile> m_sideFiles;
    MemoryFiles *m_shownMemoryFiles;
    FlightFiles *m_shownFlightFiles;
    QStringList m_traceFiles;
    std::vector<RunFile> m_otherFiles; ///< that were found beside the open ones and have no page, or cannot be read
    QHash<QString, QString> m_names;   ///< by path, those that differ from it
    std::vector<std::shared_ptr<const FileLock>> m_unpacked; ///< keeps unpacked files in the cache
    UnloadOrder m_unloadOrder;
    bool m_storeWriting = true, m_following = true;
    uint64_t m_storeSnapshotsFrom;
    QTimer m_ticker;
    QTimer m_afterwards;    ///< delays the storing until the first frame is drawn
    QTimer m_ranksSoon;     ///< delays the making of facts about ranks, and collects what is told of them
    QTimer m_layoutSoon;    ///< collects the changes after which the files are laid out as runs again
    QTimer m_looks;         ///< looks at what changes by itself: the memory in use, and files in use that are cut
    QStringList m_cutFiles; ///< the notices about cut files
    Jobs m_looking{this};   ///< not part of idle()
    TraceFollower *m_follower;
    RunReader *m_ranks;
    std::vector<RunReader::Known> m_madeRanks; ///< that the session was not told yet
    PerTrace<char> m_areRanksTried;            ///< 1 if the facts about a member were made, or could not be
    Jobs m_jobs;                               // last member: its destructor waits for running work
};

} // namespace riffle
