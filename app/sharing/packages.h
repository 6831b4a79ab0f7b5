// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/open_controller.h"
#include "app/session/session_file.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// The contents of a package that is to be written.
struct PackageRequest {
    QString path;        ///< of the package
    SessionFile session; ///< its traces come first, and its paths are those of the open files
    /// One per trace: the part to save, in ns after the first event; nothing to leave the trace out.
    std::vector<std::optional<TimeSpan>> parts;
    bool hashNames = false;          ///< leaves out memory files, whose names cannot be hashed
    std::vector<std::string> inputs; ///< no output may replace one of these
};

/// Saves and opens packages off the GUI thread, one at a time. A package holds parts of traces, memory files, category
/// rules and a session, and says nothing about the machine on which it is saved. Owned by the main window.
class Packages : public QObject {
    Q_OBJECT
public:
    explicit Packages(const Settings *settings, QObject *parent = nullptr);
    ~Packages() override;

    void save(const PackageRequest &request);
    /// Unpacks a package into the cache, whose packages that were unused longest are removed beyond the limit of the
    /// stores, and emits unpacked().
    void open(const QString &path);
    void cancel();
    /// Cancels the unpacking of a package that something else is opened instead of.
    void forget();
    bool busy() const { return m_jobs.running(kKey); }

signals:
    void progressed(const riffle::LoadStatus &status);
    void finished(); ///< also after a failure or if the user cancelled
    /// The session file of a package, which names only files beside it.
    void unpacked(const QString &package, const QString &session);
    void notice(riffle::NoticeBar::Level level, const QString &text);

private:
    struct Watched; ///< progress that the worker writes and the timer reads
    void start(const QString &file, bool writing);
    void end();
    void report();

    const QString kKey = QStringLiteral("package");
    const Settings *m_settings;
    std::shared_ptr<Watched> m_watched;
    QTimer m_ticker;
    Jobs m_jobs; // last member: its destructor waits for running work
};

} // namespace riffle
