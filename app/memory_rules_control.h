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

#include <optional>

class QMenu;

namespace riffle {

/// By whose rules it is guessed what memory is for: this program's, or those in a file, which is read again whenever it
/// changes. What is wrong with the file is said, and the rules before stay. Owned by the window.
class MemoryRulesControl : public QObject {
    Q_OBJECT
public:
    MemoryRulesControl(MemorySession *memory, Settings *settings, QWidget *window);

    void addTo(QMenu *menu);
    enum class Remember { No, Yes }; ///< from one start to the next
    void use(const QString &file, Remember remember = Remember::Yes);
    void useBuiltIn(Remember remember = Remember::Yes);
    /// The file that is watched, also while it cannot be used; empty: none.
    const QString &file() const { return m_file; }
    /// What is wrong with the file, where anything is, after notices were taken away.
    void complainAgain();
    bool settled() const { return m_jobs.idle() && !m_soon.isActive(); }

signals:
    void notice(riffle::NoticeBar::Level level, const QString &text);
    void withdrawn(const QString &text); ///< a notice that is no longer so
    void editRequested(const QString &file, int line);

private:
    struct Read {
        std::optional<MemoryRules> rules;
        QByteArray text;
        QString trouble; ///< what is wrong, and in which line
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
    QString m_file;
    QByteArray m_text;      ///< of the file, as it was read last
    QString m_complaint;    ///< what was said of it
    int m_line = 1;         ///< where something is wrong
    bool m_remember = true; ///< the file, once it can be used
    int m_absences = 0;     ///< how often in a row it was not there
    QFileSystemWatcher m_watcher;
    QTimer m_soon; ///< lets an editor finish writing
    Jobs m_jobs;   // last: its end waits for work
};

} // namespace riffle
