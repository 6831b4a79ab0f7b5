// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/file_watch.h"
#include "app/opening/launch_options.h"
#include "app/opening/part_question.h"
#include "app/session/recent_set.h"

#include <QObject>

class QMenu;

namespace riffle {

class NoticeBar;
class OpenController;
class Settings;

/// The part of the File menu that changes what is open: recent sets, more files, fewer files, reading again; and the
/// bar that says that files changed on disk. Owned by the main window.
class FileActions : public QObject {
    Q_OBJECT
public:
    FileActions(OpenController *controller, Settings *settings, NoticeBar *changes, QWidget *window);

    /// Adds the menu of recent sets, and the commands.
    void addTo(QMenu *menu);
    /// Watches the files that are open now, and forgets what was said about others.
    void follow();
    /// Adds what is open to the recent sets.
    void remember();

signals:
    void openRequested(const riffle::OpenRequest &request);
    void addRequested(const riffle::OpenRequest &request); ///< beside the open files

public slots:
    void readAgain();

private:
    void chooseFolder();
    void chooseMore();
    void askForPart(const PartQuestion &question);
    void fillRecent(QMenu *menu);
    void fillOpen(QMenu *menu);

    OpenController *m_controller;
    Settings *m_settings;
    NoticeBar *m_changes;
    QWidget *m_window;
    FileWatch *m_watch;
    bool m_watches = false; ///< follow() was called; perhaps there is no file to watch now
};

/// The files that a file dialog offers, as it wants them.
QString openableFiles();

} // namespace riffle
