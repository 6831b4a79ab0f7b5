// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/file_actions.h"

#include "app/opening/open_controller.h"
#include "app/session/settings.h"
#include "app/window/part_dialog.h"
#include "model/ingest/importers.h"
#include "model/trace/source_identity.h"
#include "views/common/look/notice_bar.h"
#include "views/common/look/qt_text.h"

#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>

#include <algorithm>

namespace riffle {

QString openableFiles()
{
    QString endings;
    for (const std::string &ending : fileEndings())
        endings += toQString(ending) + QLatin1Char(' ');
    return FileActions::tr("Traces, logs and snapshots (%1);;All files (*)")
        .arg(endings + QLatin1String("*.zip *.tar *.tgz *.riffle *.rifflepack"));
}

FileActions::FileActions(OpenController *controller, Settings *settings, NoticeBar *changes, QWidget *window)
    : QObject(window)
    , m_controller(controller)
    , m_settings(settings)
    , m_changes(changes)
    , m_window(window)
    , m_watch(new FileWatch(this))
{
    connect(m_watch, &FileWatch::changed, m_controller, &OpenController::noteChanged);
    connect(m_controller, &OpenController::watchedFilesChanged, this, [this] {
        if (m_watches)
            m_watch->watch(m_controller->watchedFiles());
    });
    connect(m_controller, &OpenController::changedOnDisk, this, [this](const QStringList &files) {
        QStringList names;
        for (const QString &file : files)
            names += QFileInfo(file).fileName();
        m_changes->dismiss();
        m_changes->notify(
            NoticeBar::Level::Info,
            names.size() == 1
                ? tr("%1 changed on disk.").arg(names.front())
                : tr("%1 files changed on disk: %2.").arg(names.size()).arg(names.join(QStringLiteral(", "))),
            tr("Read again"));
    });
    connect(m_changes, &NoticeBar::actionTriggered, this, &FileActions::readAgain);
    connect(m_controller, &OpenController::started, m_changes, &NoticeBar::dismiss);
    connect(m_controller, &OpenController::partWanted, this, &FileActions::askForPart);
}

void FileActions::addTo(QMenu *menu)
{
    QAction *folder = menu->addAction(tr("Open fol&der…"), this, &FileActions::chooseFolder);
    QMenu *recent = menu->addMenu(tr("Open &recent"));
    recent->setToolTipsVisible(true);
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(recent); });
    QAction *add = menu->addAction(tr("&Add to this window…"), this, &FileActions::chooseMore);
    add->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O));
    add->setToolTip(tr("Files that are dropped with Shift held are added, too"));
    QMenu *open = menu->addMenu(tr("Close o&ne"));
    open->setToolTipsVisible(true);
    connect(open, &QMenu::aboutToShow, this, [this, open] { fillOpen(open); });
    QAction *again = menu->addAction(tr("Read a&gain"), this, &FileActions::readAgain);
    again->setShortcut(QKeySequence(Qt::Key_F5));
    folder->setObjectName(QStringLiteral("openFolder"));
    recent->setObjectName(QStringLiteral("openRecent"));
    add->setObjectName(QStringLiteral("addFiles"));
    open->setObjectName(QStringLiteral("closeOne"));
    again->setObjectName(QStringLiteral("readAgain"));
}

void FileActions::askForPart(const PartQuestion &question)
{
    auto *dialog = new PartDialog(question, m_settings->lastPart(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        if (!dialog->asksNextTime())
            m_settings->setPartLimitBytes(0);
        m_settings->setLastPart(dialog->choice());
        m_controller->choosePart(dialog->choice());
    });
    connect(dialog, &QDialog::rejected, m_controller, &OpenController::cancel);
    // Another opening, or a cancel elsewhere, makes the question void.
    const auto withdraw = [this, dialog] {
        dialog->disconnect(this);
        dialog->disconnect(m_controller);
        dialog->close();
    };
    connect(m_controller, &OpenController::started, dialog, withdraw);
    connect(m_controller, &OpenController::failed, dialog, withdraw);
    dialog->open();
}

void FileActions::chooseFolder()
{
    const QString folder = QFileDialog::getExistingDirectory(m_window, tr("Open the files in a folder"));
    if (folder.isEmpty())
        return;
    OpenRequest request;
    request.files = {folder};
    emit openRequested(request);
}

void FileActions::chooseMore()
{
    OpenRequest request;
    request.files =
        QFileDialog::getOpenFileNames(m_window, tr("Add traces or memory files to this window"), {}, openableFiles());
    emit addRequested(request);
}

void FileActions::readAgain()
{
    if (m_controller->loading())
        return;
    OpenRequest request = m_controller->request();
    request.isPartChosen = true;
    if (!request.origins.contains(QStringLiteral("-"))) { // standard input cannot be read twice
        request.files = request.named();
        request.origins.clear();
    }
    if (!request.files.isEmpty())
        emit openRequested(request);
}

void FileActions::fillRecent(QMenu *menu)
{
    menu->clear();
    for (const RecentSet &set : m_settings->recentSets()) {
        QString text = set.title();
        if (const QString detail = set.detail(); !detail.isEmpty())
            text += QStringLiteral(" · ") + detail;
        const QStringList missing = set.missing();
        if (!missing.isEmpty())
            text += QStringLiteral(" · ") + (missing.size() == 1 ? tr("%1 is missing").arg(missing.front())
                                                                 : tr("%1 are missing").arg(missing.size()));
        QAction *action = menu->addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")));
        QString tip = set.files.join(QLatin1Char('\n'));
        if (!missing.isEmpty())
            tip += tr("\nMissing: %1").arg(missing.join(QStringLiteral(", ")));
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, [this, set] {
            OpenRequest request;
            request.files = set.files;
            emit openRequested(request);
        });
    }
    if (menu->isEmpty()) {
        menu->addAction(tr("No recent files"))->setEnabled(false);
        return;
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Clear this list")), &QAction::triggered, m_settings, &Settings::clearRecentSets);
}

void FileActions::fillOpen(QMenu *menu)
{
    menu->clear();
    for (const QString &file : m_controller->request().files) {
        QAction *action = menu->addAction(QFileInfo(file).fileName().replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setToolTip(m_controller->nameOf(file));
        action->setEnabled(!m_controller->loading());
        connect(action, &QAction::triggered, this, [this, file] { m_controller->close(file); });
    }
    if (menu->isEmpty())
        menu->addAction(tr("No file is open"))->setEnabled(false);
}

void FileActions::follow()
{
    m_changes->dismiss();
    m_watches = true;
    m_watch->watch(m_controller->watchedFiles());
}

void FileActions::remember()
{
    const OpenRequest &request = m_controller->request();
    RecentSet set;
    for (const QString &file : request.named())
        set.files += QFileInfo(file).absoluteFilePath();
    if (set.files.isEmpty() || request.named().contains(QStringLiteral("-")))
        return;
    set.ranks = static_cast<int>(m_controller->traceFiles().size());
    set.others = static_cast<int>(std::max(request.files.size() - m_controller->traceFiles().size(), qsizetype(0)));
    std::vector<std::string> paths;
    for (const QString &file : m_controller->filesOnDisk())
        paths.push_back(toUtf8(file));
    for (const std::string &path : sourceFiles(paths)) {
        const QFileInfo info(toQString(path));
        set.bytes += info.isFile() ? info.size() : 0;
        set.date = std::max(set.date, info.lastModified().date());
    }
    m_settings->addRecentSet(set);
}

} // namespace riffle
