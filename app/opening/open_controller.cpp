// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/open_controller.h"

#include "app/opening/current_opening.h"
#include "model/analysis/memory/stored_snapshot.h"
#include "model/base/parallel.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"

#include <QFileInfo>

#include <algorithm>
#include <array>
#include <utility>

namespace riffle {

namespace {
constexpr int kLookMs = 2000;
constexpr int kRanksMs = 300;
constexpr size_t kShownReasons = 30; ///< of files that were skipped; the tool tip of the notice shows all

QString namesOf(const QStringList &files)
{
    const QString first = QFileInfo(files.value(0)).fileName();
    return files.size() > 1 ? OpenController::tr("%1 and %2 more").arg(first).arg(files.size() - 1) : first;
}

/// True if the file had no end when it was read: its writer may not have finished it.
bool lacksEnd(const Trace &trace)
{
    constexpr std::array kKinds{Trouble::TruncatedText, Trouble::TruncatedArchive, Trouble::MissingClose,
                                Trouble::CutDocument};
    return std::ranges::any_of(kKinds, [&](Trouble kind) { return trace.report.of(kind).count > 0; });
}

QString keyOf(size_t file) { return QStringLiteral("open/%1").arg(file); }

} // namespace

OpenController::OpenController(Session *session, const Settings *settings, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_settings(settings)
    , m_shownMemoryFiles(new MemoryFiles(this))
    , m_shownFlightFiles(new FlightFiles(this))
    , m_storeSnapshotsFrom(kStoreSnapshotsFrom)
    , m_follower(new TraceFollower(session, this))
    , m_ranks(new RunReader(this))
    , m_jobs(this)
{
    m_ticker.setInterval(100);
    m_afterwards.setSingleShot(true);
    m_afterwards.setInterval(400);
    m_looks.setInterval(kLookMs);
    m_layoutSoon.setSingleShot(true);
    m_layoutSoon.setInterval(0);
    connect(&m_layoutSoon, &QTimer::timeout, this, &OpenController::layOut);
    m_ranksSoon.setSingleShot(true);
    m_ranksSoon.setInterval(kRanksMs);
    connect(&m_ranksSoon, &QTimer::timeout, this, [this] {
        takeRanks(std::exchange(m_madeRanks, {}));
        makeRanks();
    });
    connect(m_ranks, &RunReader::found, this, &OpenController::takeStoredRanks);
    connect(m_ranks, &RunReader::made, this, [this](const RunReader::Known &known) {
        m_areRanksTried[known.id] = 1;
        if (known.facts)
            m_madeRanks.push_back(known);
        if (!m_ranksSoon.isActive())
            m_ranksSoon.start();
        makeRanks();
    });
    connect(&m_looks, &QTimer::timeout, this, &OpenController::lookForCuts);
    connect(&m_looks, &QTimer::timeout, this, &OpenController::keepToBudget);
    connect(&m_ticker, &QTimer::timeout, this, &OpenController::report);
    connect(&m_afterwards, &QTimer::timeout, this, [this] {
        storeNext();
        verifyStores();
    });
    connect(session, &Session::changed, this, &OpenController::noteLooks);
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Members)
            forgetRemoved();
        if (changes & (Session::Traces | Session::Members | Session::Renewed) && !m_ranksSoon.isActive())
            m_ranksSoon.start();
        if (changes & (Session::Traces | Session::Members | Session::Facts))
            m_layoutSoon.start();
        if (changes & (Session::Traces | Session::Members)) // later, when all receivers know the new members
            QMetaObject::invokeMethod(this, &OpenController::followNew, Qt::QueuedConnection);
    });
    connect(session->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::Hover)
            looked(m_session->pane()->hovered().trace);
    });
    connect(session, &Session::memberRequested, this, &OpenController::load);
    connect(m_follower, &TraceFollower::outgrown, this, [this](TraceId id) {
        if (m_session->traces().find(id))
            readAgain(id);
    });
    connect(m_follower, &TraceFollower::failed, this, [this](TraceId, const Error &error) {
        emit notice(NoticeBar::Level::Problem,
                    tr("The recording is not followed any more. %1").arg(toQString(error.text())));
        emit watchedFilesChanged();
    });
    connect(m_follower, &TraceFollower::ended, this, [this](TraceId id) {
        if (m_session->traces().member(id))
            emit notice(NoticeBar::Level::Info,
                        tr("The recording of %1 has ended.").arg(toQString(m_session->traces().title(id))));
        emit watchedFilesChanged();
    });
}

OpenController::~OpenController() = default;

OpeningOptions OpenController::options(const OpenRequest &request) const
{
    OpeningOptions options;
    options.import.range = request.range;
    options.import.steps = request.steps;
    options.storeSnapshotsFrom = m_storeSnapshotsFrom;
    options.follows = m_following;
    options.import.memoryLimit = static_cast<uint64_t>(m_settings->memoryLimitBytes());
    if (request.useStore && m_settings->storeEnabled())
        options.stores =
            StoreFolder(StoreFolder::defaultFolder(), static_cast<uint64_t>(m_settings->storeLimitBytes()));
    return options;
}

std::function<void(const LoadPreview &)> OpenController::previewer()
{
    return [this](const LoadPreview &preview) {
        QMetaObject::invokeMethod(
            this,
            [this, preview] {
                if (loading())
                    emit previewReady(preview);
            },
            Qt::QueuedConnection);
    };
}

void OpenController::open(const OpenRequest &request)
{
    if (request.files.isEmpty())
        return;
    stopReading();
    m_ranks->stopReading();
    m_afterwards.stop();
    m_jobs.cancel(kStoreKey);
    m_jobs.cancel(kVerifyKey);
    start(request, Place::Instead);
}

void OpenController::start(const OpenRequest &request, Place place)
{
    m_opening = std::make_unique<Opening>(request, options(request), place);
    setLoading(namesOf(request.named()));
    GatheringOptions gathering;
    gathering.cacheLimit = static_cast<uint64_t>(m_settings->storeLimitBytes());
    std::vector<std::string> paths;
    for (const QString &file : request.files)
        paths.push_back(toUtf8(file));
    m_jobs.run(
        QStringLiteral("find"),
        [paths, gathering, with = m_opening->options, progress = m_opening->gathering](const std::stop_token &stop) {
            FoundFiles files{gatherFiles(paths, gathering, {stop, progress.get()}), {}, {}};
            for (size_t at = 0; files.gathered && at < files.gathered->paths.size() && !stop.stop_requested(); ++at)
                files.found.push_back(findFile(files.gathered->paths[at], with));
            if (files.gathered && files.found.size() == files.gathered->paths.size())
                files.withoutPage = leaveOutWithoutPage(*files.gathered, files.found);
            return files;
        },
        [this](const FoundFiles &files) { gathered(files); },
        [this](const QString &why) {
            emit notice(NoticeBar::Level::Problem, tr("The files could not be opened. %1").arg(why));
            cancel();
        });
    m_ticker.start(); // files that open before its first tick show no progress
    emit started();
}

/// The paths of the request are the files that they stand for, from now on.
void OpenController::gathered(const FoundFiles &files)
{
    Opening &opening = *m_opening;
    if (!files.gathered) {
        emit notice(NoticeBar::Level::Problem, toQString(files.gathered.error().text()));
        cancel();
        return;
    }
    opening.gathered = *files.gathered;
    opening.withoutPage = files.withoutPage;
    QStringList paths;
    for (size_t at = 0; at < files.found.size(); ++at) {
        Opening::File file;
        file.path = toQString(opening.gathered.paths[at]);
        file.found = files.found[at];
        paths += file.path;
        opening.files.push_back(std::move(file));
    }
    if (paths != opening.request.files) {
        if (opening.request.origins.isEmpty())
            opening.request.origins = opening.request.files;
        if (paths.size() != opening.request.files.size()) { // these two are by position
            opening.request.first = 0;
            opening.request.times.clear();
        }
        opening.request.files = paths;
    }
    if (const std::string skipped = opening.gathered.sentence(kShownReasons); !skipped.empty())
        emit notice(opening.gathered.hasLosses() ? NoticeBar::Level::Warning : NoticeBar::Level::Info,
                    toQString(skipped));
    if (opening.place == Place::Beside)
        leaveOutOpen();
    opening.queue = OpeningQueue(opening.files.size(), workerCount());
    opening.queue.lookAt(opening.request.first);
    if (opening.place == Place::Beside)
        beginBeside();
    else if (isPartWanted())
        askForPart();
    else
        begin();
}

/// Makes all traces members, in the order of the request, and starts to read. If they are the members of the session
/// already, they stay, and what points at them stays, too.
void OpenController::begin()
{
    Opening &opening = *m_opening;
    std::vector<std::string> traces;
    for (const Opening::File &file : opening.files)
        if (file.found.isTrace())
            traces.push_back(toUtf8(file.path));
    const TraceSet &before = m_session->traces();
    const bool samePart = opening.request.range == m_request.range && opening.request.steps == m_request.steps;
    opening.isAgain =
        !traces.empty() && samePart && std::ranges::equal(before.members(), traces, {}, &TraceMember::path);
    opening.isShown = opening.isAgain;
    size_t next = 0;
    for (Opening::File &file : opening.files)
        if (file.found.isTrace())
            file.id = opening.isAgain ? before.members()[next++].id : opening.expected.expect(toUtf8(file.path));
    readNext(); // the file that is looked at comes first
    if (m_opening.get() == &opening)
        readStoredRanks();
}

void OpenController::readNext()
{
    while (const auto file = m_opening->queue.take())
        read(*file);
    if (m_opening->queue.done())
        finish();
}

void OpenController::read(size_t number)
{
    Opening &opening = *m_opening;
    Opening::File &file = opening.files[number];
    file.state = Opening::File::State::Reading;
    OpeningOptions own = opening.options;
    // Previous files go as soon as the first new one is there, so it has the limit for itself; files that are opened
    // beside others share it with them.
    own.import.isLimitShared = opening.queue.anyOpen() || opening.place == Place::Beside;
    if (!opening.queue.anyOpen())
        own.import.preview = previewer();
    m_jobs.run(
        keyOf(number),
        [importer = file.found.importer, path = toUtf8(file.path), own,
         progress = file.progress](std::stop_token stop) {
            return openFile(*importer, path, own, {std::move(stop), progress.get()});
        },
        [this, number](Result<OpenedFile> result) { take(number, std::move(result)); },
        [this, number](const QString &why) {
            take(number, Error{toUtf8(why), toUtf8(m_opening->files[number].path), {}});
        });
}

void OpenController::take(size_t number, Result<OpenedFile> result)
{
    Opening &opening = *m_opening;
    Opening::File &file = opening.files[number];
    const bool isRemoved = opening.isShown && file.id.valid() && !m_session->traces().member(file.id);
    file.state = result && !isRemoved ? Opening::File::State::Open : Opening::File::State::Failed;
    opening.queue.end(static_cast<bool>(result));
    TraceSet traces = opening.isShown ? m_session->traces() : opening.expected;
    if (isRemoved) {
        // Nobody waits for it any more.
    } else if (!result) {
        emit notice(NoticeBar::Level::Problem, toQString(result.error().text()));
        if (file.id.valid() && !opening.isAgain)
            traces.fail(file.id, result.error().text());
    } else if (auto *trace = std::get_if<OpenedTrace>(&*result)) {
        if (!opening.isShown)
            m_traces.clear(); // those of the previous set, which goes now
        takeTrace(file.id, std::move(*trace), traces);
        if (const auto at = opening.request.times.find(number); at != opening.request.times.end())
            traces.setTime(file.id, at->second);
    } else if (auto *snapshot = std::get_if<OpenedSnapshot>(&*result)) {
        file.snapshot = std::move(*snapshot);
    } else {
        file.sideFile = std::move(std::get<OpenedSideFile>(*result));
    }
    if (opening.isShown) {
        m_session->changeTraces(std::move(traces));
    } else if (traces.empty()) {
        opening.expected = std::move(traces);
    } else {
        replacePrevious(std::move(traces));
        emit shown();
    }
    if (m_opening.get() == &opening) // a receiver may have cancelled the opening
        readNext();
}

/// Reads a trace of the opening before the others that wait.
void OpenController::readNextOf(TraceId id)
{
    if (!m_opening)
        return;
    for (size_t at = 0; at < m_opening->files.size(); ++at)
        if (m_opening->files[at].id == id)
            m_opening->queue.lookAt(at);
}

void OpenController::takeTrace(TraceId id, OpenedTrace opened, TraceSet &traces)
{
    traces.load(id, opened.trace);
    if (opened.source && !opened.source->isFinished())
        traces.grow(id, opened.trace, Growing{opened.source->settled()});
    if (m_traces[id].grows && lacksEnd(*opened.trace))
        opened.storeWanted = false; // not while it grows
    m_traces[id] = {std::move(opened), false, false, m_traces[id].willBeRead};
    m_areRanksTried.erase(id);
}

/// Reads a file again that had no end when it was read and has changed since. That is done at most a tenth of the time.
/// Returns false for other files.
bool OpenController::readsAgainLater(TraceId id)
{
    constexpr double kPausePerCost = 10;
    const LoadedTrace *member = m_session->traces().find(id);
    if (!member || !lacksEnd(*member->trace))
        return false;
    m_traces[id].grows = true;
    if (std::exchange(m_traces[id].willBeRead, true))
        return true;
    const double pause = kPausePerCost * member->trace->info.loadSeconds * 1000;
    QTimer::singleShot(static_cast<int>(std::min(pause, 1e9)), this, [this, id] {
        if (!m_session->traces().find(id))
            return;
        m_traces[id].willBeRead = false; // a change while it is read asks again
        if (loading())
            readsAgainLater(id);
        else
            readAgain(id);
    });
    return true;
}

/// Shows the new files in place of the previous ones, although most of the new ones may still be read.
void OpenController::replacePrevious(TraceSet traces)
{
    for (const TraceMember &member : m_session->traces().members())
        m_jobs.cancel(loadKey(member.id));
    m_jobs.cancel(kStoreKey);
    m_jobs.cancel(kVerifyKey);
    m_opening->isShown = true;
    m_request = m_opening->request;
    m_names.clear();
    m_unpacked.clear();
    m_otherFiles.clear();
    keepFound();
    m_traceFiles.clear();
    for (const Opening::File &file : m_opening->files)
        if (file.id.valid())
            m_traceFiles += file.path;
    m_unloadOrder = {};
    m_cutFiles.clear();
    m_snapshots.clear();
    m_sideFiles.clear();
    forgetRanks();
    m_session->setTraces(std::move(traces));
    showOthers(true, true);
    m_looks.start();
}

/// Keeps what is known about the files of the opening beside their contents.
void OpenController::keepFound()
{
    const GatheredFiles &gathered = m_opening->gathered;
    m_unpacked.insert(m_unpacked.end(), gathered.locks.begin(), gathered.locks.end());
    keepOthers();
    if (m_opening->request.origins.contains(QStringLiteral("-")))
        return; // what standard input contained has no other name
    for (size_t at = 0; at < gathered.paths.size(); ++at)
        if (gathered.paths[at] != gathered.names[at])
            m_names.insert(toQString(gathered.paths[at]), toQString(gathered.names[at]));
}

void OpenController::finish()
{
    m_ticker.stop();
    Opening &opening = *m_opening;
    if (opening.place == Place::Beside) {
        finishBeside();
        return;
    }
    if (!opening.queue.anyOpen()) {
        m_ranks->stopReading();
        m_opening.reset();
        setLoading({});
        readStoredRanks(); // the previous files stay, and their ranks waited
        m_ranksSoon.start();
        m_layoutSoon.start();
        emit failed();
        return;
    }
    if (!opening.isShown) {
        m_traces.clear();
        replacePrevious(std::exchange(opening.expected, {}));
    }
    m_request = opening.request;
    m_request.files.clear();
    m_cutFiles.clear();
    m_snapshots.clear();
    m_sideFiles.clear();
    for (Opening::File &file : opening.files) {
        if (opening.isKept(file))
            m_request.files += file.path;
        if (file.snapshot)
            m_snapshots.push_back(std::move(*file.snapshot));
        if (file.sideFile)
            m_sideFiles.push_back(std::move(*file.sideFile));
    }
    showOthers(true, true);
    m_opening.reset();
    setLoading({});
    m_layoutSoon.start();
    emit opened();
    sayRemarks();
    m_afterwards.start();
}

/// Stops the jobs of an opening. Members that were not read are not loaded from now on.
void OpenController::stopReading()
{
    if (!m_opening)
        return;
    m_ticker.stop();
    m_jobs.cancel(QStringLiteral("find"));
    m_jobs.cancel(QStringLiteral("estimate"));
    for (size_t at = 0; at < m_opening->files.size(); ++at)
        m_jobs.cancel(keyOf(at));
    if (!m_opening->isShown) {
        m_ranks->stopReading(); // its ids are those of no member
        return;
    }
    TraceSet traces = m_session->traces();
    for (const TraceMember &member : m_session->traces().members())
        if (member.state == MemberState::Loading)
            traces.unload(member.id);
    m_session->changeTraces(std::move(traces));
}

void OpenController::cancel()
{
    if (!loading())
        return;
    stopReading();
    if (m_opening->isShown && !m_opening->isAgain) {
        finish();
        return;
    }
    m_opening.reset();
    setLoading({});
    readStoredRanks(); // the previous files stay, and their ranks waited
    m_ranksSoon.start();
    m_layoutSoon.start();
    emit failed();
}

void OpenController::setLoading(const QString &name)
{
    m_session->setLoading(name);
    m_shownMemoryFiles->setLoading(name);
    m_shownFlightFiles->setLoading(name);
}

std::vector<std::string> OpenController::inputs() const
{
    std::vector<std::string> paths;
    QStringList files = m_request.files + filesOnDisk();
    if (m_opening)
        files += m_opening->request.files;
    for (const QString &origin : m_opening ? m_opening->request.origins : QStringList())
        if (QFileInfo(origin).isFile())
            files += origin;
    for (const QString &file : files)
        paths.push_back(toUtf8(file));
    for (const TraceMember &member : m_session->traces().members())
        paths.push_back(member.path);
    return sourceFiles(paths);
}

void OpenController::report()
{
    if (!m_opening)
        return;
    using State = Opening::File::State;
    LoadStatus status;
    if (m_opening->files.empty()) { // archives are being unpacked
        status.file = m_opening->request.named().front();
        status.bytesDone = m_opening->gathering->bytesDone;
        status.bytesTotal = m_opening->gathering->bytesTotal;
        emit progressed(status);
        return;
    }
    status.count = static_cast<int>(m_opening->files.size());
    status.file = m_opening->files.front().path;
    bool isNamed = false;
    quint64 read = 0; // without what came from stores
    for (const Opening::File &file : m_opening->files) {
        const bool isDone = file.state == State::Open || file.state == State::Failed;
        const quint64 total = file.progress->bytesTotal ? file.progress->bytesTotal.load() : file.found.bytes;
        status.bytesTotal += total;
        read += file.progress->bytesDone;
        status.bytesDone += isDone ? total : file.progress->bytesDone.load();
        status.number += isDone;
        if (file.state != State::Reading)
            continue;
        status.others += isNamed;
        if (!std::exchange(isNamed, true)) {
            status.file = file.path;
            status.sealing = file.progress->stage != Progress::Stage::Reading;
        }
    }
    const double seconds = static_cast<double>(m_opening->clock.elapsed()) / 1000.0;
    status.bytesPerSecond = seconds > 0.05 ? static_cast<double>(read) / seconds : 0.0;
    emit progressed(status);
}

} // namespace riffle
