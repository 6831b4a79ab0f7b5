// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/packages.h"

#include "app/sharing/package_work.h"
#include "model/trace/store_folder.h"
#include "views/common/look/qt_text.h"

#include <QFileInfo>

namespace riffle {

struct Packages::Watched {
    Progress progress;
    LoadStatus status;
};

Packages::Packages(const Settings *settings, QObject *parent) : QObject(parent), m_settings(settings), m_jobs(this)
{
    m_ticker.setInterval(100);
    connect(&m_ticker, &QTimer::timeout, this, &Packages::report);
}

Packages::~Packages() = default;

void Packages::start(const QString &file, bool writing)
{
    m_watched = std::make_shared<Watched>();
    m_watched->status.file = file;
    m_watched->status.writing = writing;
    m_ticker.start();
}

void Packages::end()
{
    m_ticker.stop();
    emit finished();
}

void Packages::save(const PackageRequest &request)
{
    start(request.path, true);
    ImportOptions options;
    options.memoryLimit = static_cast<uint64_t>(m_settings->memoryLimitBytes());
    m_jobs.run(
        kKey,
        [request, options, watched = m_watched](const std::stop_token &stop) {
            return savePackage(request, options, {stop, &watched->progress});
        },
        [this, path = request.path](const Result<SavedPackage> &saved) {
            end();
            if (!saved) {
                emit notice(NoticeBar::Level::Problem, toQString(saved.error().text()));
                return;
            }
            for (const QString &sentence : saved->leftOut)
                emit notice(NoticeBar::Level::Warning, sentence);
            emit notice(NoticeBar::Level::Info,
                        tr("Saved %1 (%2).").arg(path, bytesText(static_cast<int64_t>(QFileInfo(path).size()))));
        },
        [this](const QString &why) {
            end();
            emit notice(NoticeBar::Level::Problem, tr("The package could not be saved. %1").arg(why));
        });
}

void Packages::open(const QString &path)
{
    if (busy() && m_watched->status.writing) {
        emit notice(NoticeBar::Level::Warning,
                    tr("A package is being saved. Open %1 when that has ended.").arg(QFileInfo(path).fileName()));
        return;
    }
    start(path, false);
    const std::string stores = StoreFolder::defaultFolder();
    const QString cache = stores.empty() ? QString() : toQString(stores + "/packages");
    m_jobs.run(
        kKey,
        [path, cache, limit = m_settings->storeLimitBytes(), watched = m_watched](const std::stop_token &stop) {
            return cachePackage(path, cache, limit, {stop, &watched->progress});
        },
        [this, path](const Result<QString> &session) {
            end();
            if (session)
                emit unpacked(path, *session);
            else
                emit notice(NoticeBar::Level::Problem, toQString(session.error().text()));
        },
        [this](const QString &why) {
            end();
            emit notice(NoticeBar::Level::Problem, tr("The package could not be opened. %1").arg(why));
        });
}

void Packages::forget()
{
    if (busy() && !m_watched->status.writing)
        cancel();
}

void Packages::cancel()
{
    if (!busy())
        return;
    m_jobs.cancel(kKey);
    end();
}

void Packages::report()
{
    if (!busy())
        return;
    LoadStatus status = m_watched->status;
    status.bytesDone = m_watched->progress.bytesDone;
    status.bytesTotal = m_watched->progress.bytesTotal;
    emit progressed(status);
}

} // namespace riffle
