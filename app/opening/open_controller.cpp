// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/open_controller.h"

#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/importers.h"
#include "model/trace/source_identity.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"

#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <utility>

namespace riffle {

namespace {
constexpr int kLookForCutsMs = 2000;

QString nameOf(const QStringList &files)
{
    const QString first = QFileInfo(files.value(0)).fileName();
    return files.size() > 1 ? OpenController::tr("%1 and %2 more").arg(first).arg(files.size() - 1) : first;
}

} // namespace

struct OpenController::Watched {
    std::vector<std::unique_ptr<Progress>> progress; ///< one per file
    std::atomic<size_t> current{0};
    QElapsedTimer clock;
};

OpenController::OpenController(Session *session, const Settings *settings, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_settings(settings)
    , m_shownMemoryFiles(new MemoryFiles(this))
    , m_storeSnapshotsFrom(kStoreSnapshotsFrom)
    , m_jobs(this)
{
    m_ticker.setInterval(100);
    m_afterwards.setSingleShot(true);
    m_afterwards.setInterval(400);
    m_looks.setInterval(kLookForCutsMs);
    connect(&m_looks, &QTimer::timeout, this, &OpenController::lookForCuts);
    connect(&m_ticker, &QTimer::timeout, this, &OpenController::report);
    connect(&m_afterwards, &QTimer::timeout, this, [this] {
        storeNext();
        verifyStores();
    });
}

OpenController::~OpenController() = default;

OpeningOptions OpenController::options(const OpenRequest &request)
{
    OpeningOptions options;
    options.import.range = request.range;
    options.import.steps = request.steps;
    options.storeSnapshotsFrom = m_storeSnapshotsFrom;
    options.import.memoryLimit = static_cast<uint64_t>(m_settings->memoryLimitBytes());
    options.import.preview = [this](const LoadPreview &preview) {
        QMetaObject::invokeMethod(
            this,
            [this, preview] {
                if (loading())
                    emit previewReady(preview);
            },
            Qt::QueuedConnection);
    };
    if (request.useStore && m_settings->storeEnabled())
        options.stores =
            StoreFolder(StoreFolder::defaultFolder(), static_cast<uint64_t>(m_settings->storeLimitBytes()));
    return options;
}

OpenController::Answer OpenController::openAll(const OpenRequest &request, const OpeningOptions &options,
                                               const std::shared_ptr<Watched> &watched, std::stop_token stop)
{
    Answer answer;
    for (qsizetype i = 0; i < request.files.size() && !stop.stop_requested(); ++i) {
        watched->current = static_cast<size_t>(i);
        Task task{stop, watched->progress[static_cast<size_t>(i)].get()};
        const std::string path = toUtf8(request.files[i]);
        const auto keep = [&](auto opened, auto &into) {
            if (!opened) {
                answer.troubles += toQString(opened.error().text());
                return;
            }
            into.push_back(std::move(*opened));
            answer.files += request.files[i];
        };
        const Importer &importer = importerOf(path);
        if (importer.kind == FileKind::Snapshot) {
            keep(openSnapshot(path, options, task), answer.snapshots);
        } else if (importer.kind != FileKind::Trace) {
            keep(openMemoryFile(importer, path, options.import, task), answer.memoryFiles);
        } else {
            const StorePolicy policy{options.stores, StorePolicy::Verify::Later, 0};
            keep(openTrace(path, options.import, policy, task), answer.traces);
            if (answer.traces.size() > static_cast<size_t>(answer.traceFiles.size()))
                answer.traceFiles += request.files[i];
        }
    }
    answer.stopped = stop.stop_requested();
    return answer;
}

void OpenController::open(const OpenRequest &request)
{
    if (request.files.isEmpty())
        return;
    m_afterwards.stop();
    m_jobs.cancel(QStringLiteral("store"));
    m_jobs.cancel(QStringLiteral("verify"));
    auto watched = std::make_shared<Watched>();
    for (qsizetype i = 0; i < request.files.size(); ++i)
        watched->progress.push_back(std::make_unique<Progress>());
    watched->clock.start();
    m_watched = watched;
    m_loadingFiles = request.files;
    setLoading(nameOf(request.files));
    m_jobs.run(
        kOpenKey,
        [request, watched, options = options(request)](std::stop_token stop) {
            return openAll(request, options, watched, std::move(stop));
        },
        [this, request](Answer answer) { take(request, std::move(answer)); },
        [this](const QString &why) {
            m_ticker.stop();
            setLoading({});
            emit notice(NoticeBar::Level::Problem, tr("The files could not be opened. %1").arg(why));
            emit failed();
        });
    m_ticker.start(); // files that open before its first tick show no progress
    emit started();
}

void OpenController::setLoading(const QString &name)
{
    m_session->setLoading(name);
    m_shownMemoryFiles->setLoading(name);
}

void OpenController::cancel()
{
    if (!loading())
        return;
    m_jobs.cancel(kOpenKey);
    m_ticker.stop();
    setLoading({});
    emit failed();
}

std::vector<std::string> OpenController::inputs() const
{
    std::vector<std::string> paths;
    for (const QString &file : m_request.files + m_loadingFiles)
        paths.push_back(toUtf8(file));
    return sourceFiles(paths);
}

void OpenController::report()
{
    if (!loading() || !m_watched)
        return;
    const size_t current = m_watched->current;
    const Progress &progress = *m_watched->progress[current];
    LoadStatus status;
    status.file = m_loadingFiles.value(static_cast<qsizetype>(current));
    status.number = static_cast<int>(current) + 1;
    status.count = static_cast<int>(m_watched->progress.size());
    status.bytesDone = progress.bytesDone;
    status.bytesTotal = progress.bytesTotal;
    status.sealing = progress.stage != Progress::Stage::Reading;
    quint64 all = 0;
    for (const auto &file : m_watched->progress)
        all += file->bytesDone;
    const double seconds = static_cast<double>(m_watched->clock.elapsed()) / 1000.0;
    status.bytesPerSecond = seconds > 0.05 ? static_cast<double>(all) / seconds : 0.0;
    emit progressed(status);
}

void OpenController::take(OpenRequest request, Answer answer)
{
    m_ticker.stop();
    for (const QString &trouble : answer.troubles)
        emit notice(NoticeBar::Level::Problem, trouble);
    if (answer.traces.empty() && answer.snapshots.empty() && answer.memoryFiles.empty()) {
        setLoading({});
        emit failed();
        return;
    }
    request.files = answer.files;
    m_request = std::move(request);
    m_opened = std::move(answer.traces);
    m_snapshots = std::move(answer.snapshots);
    m_memoryFiles = std::move(answer.memoryFiles);
    m_traceFiles = answer.traceFiles;
    m_cutFiles.clear();
    m_looks.start();
    publish();
    MemorySession::SnapshotList snapshots;
    for (const OpenedSnapshot &snapshot : m_snapshots)
        snapshots.push_back(snapshot.facts);
    m_session->memory()->setSnapshots(std::move(snapshots));
    std::vector<MemoryFiles::File> shown;
    for (const OpenedMemoryFile &opened : m_memoryFiles)
        shown.push_back(opened.file);
    m_shownMemoryFiles->setFiles(std::move(shown));
    setLoading({});
    emit opened();
    sayRemarks();
    m_afterwards.start();
}

/// Looks, off the GUI thread, whether a file or store that is in use became shorter: what is missing reads as zeros.
void OpenController::lookForCuts()
{
    m_looking.run(
        QStringLiteral("look"),
        [traces = m_opened, snapshots = m_snapshots](const std::stop_token &) {
            std::vector<Error> cuts;
            const auto add = [&](const std::optional<Error> &failure) {
                if (failure)
                    cuts.push_back(*failure);
            };
            for (const OpenedTrace &opened : traces)
                add(opened.trace->failure());
            for (const OpenedSnapshot &opened : snapshots)
                add(opened.facts->snapshot().failure());
            return cuts;
        },
        [this](const std::vector<Error> &cuts) {
            for (const Error &cut : cuts) {
                const QString text = tr("What is shown may be incomplete. %1").arg(toQString(cut.text()));
                if (m_cutFiles.contains(text))
                    continue;
                m_cutFiles += text;
                emit notice(NoticeBar::Level::Problem, text);
            }
        });
}

void OpenController::sayRemarks()
{
    for (const OpenedSnapshot &snapshot : m_snapshots) {
        const QString name = QFileInfo(toQString(snapshot.facts->snapshot().path)).fileName();
        if (!snapshot.storeTrouble.empty())
            emit notice(NoticeBar::Level::Warning,
                        tr("The stored copy of %1 could not be used and was removed, so the file was read again. %2")
                            .arg(name, toQString(snapshot.storeTrouble)));
        if (snapshot.remarks.empty())
            continue;
        QString text = name + QLatin1Char(':');
        for (const std::string &remark : snapshot.remarks)
            text += QLatin1Char(' ') + toQString(remark);
        emit notice(snapshot.damaged ? NoticeBar::Level::Warning : NoticeBar::Level::Info, text);
    }
    for (const OpenedMemoryFile &opened : m_memoryFiles)
        if (!opened.damage.empty())
            emit notice(NoticeBar::Level::Warning, toQString(opened.damage));
}

void OpenController::publish()
{
    TraceSet traces = m_session->traces();
    const auto isOf = [](const LoadedTrace &member, const OpenedTrace &opened) {
        return member.trace->info.path == opened.trace->info.path && member.trace->info.part == opened.trace->info.part;
    };
    if (!m_opened.empty() && std::ranges::equal(traces.loaded(), m_opened, isOf)) {
        // The same files were read again, so what points at them stays.
        for (size_t at = 0; at < m_opened.size(); ++at)
            traces.load(m_ids[at], m_opened[at].trace);
        m_session->changeTraces(std::move(traces));
        return;
    }
    traces = {};
    m_ids.clear();
    for (const OpenedTrace &opened : m_opened)
        m_ids.push_back(traces.add(opened.trace));
    m_session->setTraces(std::move(traces));
}

void OpenController::storeNext()
{
    if (!m_storeWriting || !m_request.useStore || !m_settings->storeEnabled())
        return;
    size_t next = 0;
    while (next < m_opened.size() && !m_opened[next].storeWanted)
        ++next;
    if (next == m_opened.size()) {
        storeNextSnapshot();
        return;
    }
    const StoreFolder stores(StoreFolder::defaultFolder(), static_cast<uint64_t>(m_settings->storeLimitBytes()));
    m_jobs.run(
        QStringLiteral("store"),
        [opened = m_opened[next], stores](std::stop_token stop) {
            return exchangeForStored(opened, stores, {std::move(stop), nullptr});
        },
        [this, next](Result<OpenedTrace> stored) {
            if (!stored) {
                emit notice(NoticeBar::Level::Info,
                            tr("The file will be read again next time because no copy of it could be stored. %1")
                                .arg(toQString(stored.error().text())));
                return;
            }
            m_opened[next] = std::move(*stored);
            TraceSet traces = m_session->traces();
            traces.load(m_ids[next], m_opened[next].trace);
            m_session->changeTraces(std::move(traces));
            storeNext();
        });
}

void OpenController::storeNextSnapshot()
{
    size_t next = 0;
    while (next < m_snapshots.size() && m_snapshots[next].stored)
        ++next;
    if (next == m_snapshots.size())
        return;
    m_snapshots[next].stored = true; // storing is tried only once
    const StoreFolder stores(StoreFolder::defaultFolder(), static_cast<uint64_t>(m_settings->storeLimitBytes()));
    m_jobs.run(
        QStringLiteral("store"),
        [opened = m_snapshots[next], stores](std::stop_token stop) {
            return storeSnapshot(stores, *opened.facts, opened.identity, {std::move(stop), nullptr});
        },
        [this](const Result<uint64_t> &written) {
            if (!written)
                emit notice(NoticeBar::Level::Info,
                            tr("The file will be read again next time because no copy of it could be stored. %1")
                                .arg(toQString(written.error().text())));
            storeNextSnapshot();
        });
}

void OpenController::verifyStores()
{
    std::vector<std::pair<size_t, std::shared_ptr<const StoreFile>>> files;
    for (size_t i = 0; i < m_opened.size(); ++i) {
        if (m_opened[i].store)
            files.emplace_back(i, m_opened[i].store);
    }
    if (files.empty())
        return;
    m_jobs.run(
        QStringLiteral("verify"),
        [files](std::stop_token stop) {
            std::vector<size_t> damaged;
            for (const auto &[index, file] : files) {
                if (!file->verify({stop, nullptr}) && !stop.stop_requested())
                    damaged.push_back(index);
            }
            return damaged;
        },
        [this](const std::vector<size_t> &damaged) { verified(damaged); });
}

void OpenController::verified(const std::vector<size_t> &damaged)
{
    if (damaged.empty())
        return;
    const StoreFolder stores;
    for (const size_t index : damaged)
        stores.remove(m_opened[index].trace->info.path);
    emit notice(NoticeBar::Level::Warning,
                tr("The stored copy of this trace is damaged, so the file is being read again."));
    open(m_request);
}

} // namespace riffle
