// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/file_watch.h"

#include "views/common/look/qt_text.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

#include <optional>

namespace riffle {

namespace {

constexpr int kRestMs = 400;
constexpr qint64 kLongestWaitMs = 4000; ///< a file that grows all the time is looked at, too
constexpr qsizetype kMostFiles = 512;   ///< the system has a limit for all programs together

/// True if a file has the size and the time of its known version, so that its contents need not be read.
bool looksUnchanged(const QFileInfo &file, const SourceIdentity &known)
{
    return file.isFile() && static_cast<uint64_t>(file.size()) == known.size &&
           file.lastModified().toMSecsSinceEpoch() == known.modifiedNs / 1'000'000;
}

} // namespace

FileWatch::FileWatch(QObject *parent) : QObject(parent), m_jobs(this)
{
    m_rest.setSingleShot(true);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &FileWatch::noteEvent);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &FileWatch::noteEvent);
    connect(&m_rest, &QTimer::timeout, this, &FileWatch::look);
}

void FileWatch::watch(const QStringList &files)
{
    m_rest.stop();
    m_sinceFirst.invalidate();
    m_files = files.mid(0, kMostFiles);
    m_known.clear();
    if (const QStringList before = m_watcher.files() + m_watcher.directories(); !before.isEmpty())
        m_watcher.removePaths(before);
    follow();
    look();
}

/// Watches each file, and its folder for another file that takes its place; in a log, the file that may still grow.
void FileWatch::follow()
{
    QStringList paths;
    for (const QString &file : std::as_const(m_files)) {
        paths << file << QFileInfo(file).absolutePath();
        if (const QDir log(file); log.exists())
            if (const QStringList parts = log.entryList({QStringLiteral("*.part")}, QDir::Files, QDir::Name);
                !parts.empty())
                paths << log.filePath(parts.last());
    }
    paths.removeDuplicates();
    paths.removeIf([](const QString &path) { return !QFileInfo::exists(path); });
    if (!paths.isEmpty())
        m_watcher.addPaths(paths);
}

void FileWatch::noteEvent()
{
    if (!m_sinceFirst.isValid())
        m_sinceFirst.start();
    if (m_sinceFirst.elapsed() < kLongestWaitMs || !m_rest.isActive())
        m_rest.start(kRestMs);
}

void FileWatch::look()
{
    m_sinceFirst.invalidate();
    m_jobs.run(
        QStringLiteral("look"),
        [files = m_files, known = m_known](const std::stop_token &stop) {
            Known now;
            for (const QString &file : files) {
                if (stop.stop_requested())
                    break;
                const auto before = known.constFind(file);
                if (before != known.constEnd() && looksUnchanged(QFileInfo(file), *before))
                    continue;
                if (const auto identity = SourceIdentity::of(toUtf8(file)))
                    now.insert(file, *identity);
            }
            return now;
        },
        [this](const Known &now) {
            QStringList others;
            for (auto it = now.constBegin(); it != now.constEnd(); ++it) {
                const auto before = m_known.constFind(it.key());
                if (before != m_known.constEnd() &&
                    (before->size != it->size || before->contentHash != it->contentHash))
                    others += it.key();
                m_known.insert(it.key(), it.value());
            }
            follow(); // a file that took the place of another one is not watched yet
            others.sort();
            if (!others.isEmpty())
                emit changed(others);
        });
}

} // namespace riffle
