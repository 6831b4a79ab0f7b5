// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/settings.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <utility>

class QMenu;

namespace riffle {

/// Controls which rules guess the categories of memory: the built-in ones, or those in a file, which is read again
/// whenever it changes. If the file contains an error, a notice reports it and the previous rules stay in use. Owned by
/// the window.
class MemoryRulesControl : public QObject {
    Q_OBJECT
public:
    MemoryRulesControl(MemorySession *memory, Settings *settings, QWidget *window);

    void addTo(QMenu *menu);
    /// `mayWrite` is asked before a file is written; it returns false, and says why, if the file is in use.
    void setWriteGuard(std::function<bool(const QString &path)> mayWrite) { m_mayWrite = std::move(mayWrite); }
    enum class Remember { No, Yes }; ///< whether the choice survives a restart
    void use(const QString &file, Remember remember = Remember::Yes);
    void useBuiltIn(Remember remember = Remember::Yes);
    /// The watched file, even while it cannot be used; empty for the built-in rules.
    const QString &file() const { return m_file; }
    /// Repeats the notice about the file's error, if there is one, after the notices were cleared.
    void complainAgain();
    bool settled() const { return m_jobs.idle() && !m_soon.isActive(); }

signals:
    void notice(riffle::NoticeBar::Level level, const QString &text);
    void withdrawn(const QString &text); ///< this notice no longer applies
    void editRequested(const QString &file, int line);

private:
    struct Read {
        std::optional<MemoryRules> rules;
        QByteArray text;
        QString trouble; ///< the error message, with the line
        int line = 1;
        bool missing = false;
    };
    static Read read(const QString &file);
    void choose();
    void writeBuiltIn();
    void readSoon();
    void readNow();
    void take(Read read);
    void complain(const QString &text);
    void withdraw();
    void forget();

    MemorySession *m_memory;
    Settings *m_settings;
    QWidget *m_window;
    std::function<bool(const QString &)> m_mayWrite;
    QString m_file;
    QByteArray m_text;      ///< the file's text when it was last read
    QString m_complaint;    ///< the notice that is shown about the file; empty if there is none
    int m_line = 1;         ///< the line of the error
    bool m_remember = true; ///< whether to store the file in the settings once it can be used
    int m_absences = 0;     ///< how many checks in a row found no file
    QFileSystemWatcher m_watcher;
    QTimer m_soon; ///< delays reading until an editor has finished writing
    Jobs m_jobs;   // last member: its destructor waits for running work
};

} // namespace riffle
