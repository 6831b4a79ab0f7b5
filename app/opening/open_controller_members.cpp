// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the controller that runs once files are open: members that are unloaded and loaded again, stores, and
// what is said about the files.
#include "app/opening/open_controller.h"

#include "model/analysis/memory/stored_snapshot.h"
#include "model/base/memory_use.h"
#include "views/common/look/qt_text.h"

#include <QFileInfo>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

void OpenController::load(TraceId id)
{
    const TraceMember *member = m_session->traces().member(id);
    if (!member || member->state == MemberState::Loaded)
        return;
    m_unloadOrder.looked(id);
    if (member->state == MemberState::Loading) {
        readNextOf(id);
        return;
    }
    TraceSet traces = m_session->traces();
    traces.expectAgain(id);
    m_session->changeTraces(std::move(traces));
    keepToBudget();
    readAgain(id);
}

/// Reads the file of a member, or its store. What is shown of it stays until then.
void OpenController::readAgain(TraceId id)
{
    OpeningOptions own = options(m_request);
    own.import.isLimitShared = true;
    const std::string path = m_session->traces().member(id)->path;
    const auto arrived = [this, id](const Result<OpenedTrace> &result) {
        TraceSet traces = m_session->traces();
        if (result) {
            takeTrace(id, *result, traces);
        } else {
            emit notice(NoticeBar::Level::Problem, toQString(result.error().text()));
            traces.fail(id, result.error().text());
            m_traces.erase(id);
        }
        m_session->changeTraces(std::move(traces));
        m_afterwards.start();
    };
    m_jobs.run(
        loadKey(id),
        [path, own](std::stop_token stop) {
            return openTraceFile(path, own, {std::move(stop), nullptr});
        },
        arrived,
        [arrived, path](const QString &why) {
            arrived(Error{toUtf8(why), path, {}});
        });
}

void OpenController::looked(TraceId id)
{
    if (m_session->traces().member(id))
        m_unloadOrder.looked(id);
}

void OpenController::noteLooks(Session::Changes changes)
{
    if (changes & Session::Filter)
        for (const TraceId id : m_session->filters().traces)
            looked(id);
    if (changes & Session::Area)
        if (const std::optional<AreaSelection> area = m_session->area())
            for (const LaneRef &lane : area->lanes)
                looked(lane.trace);
    if (changes & Session::Selection) {
        looked(m_session->selected().trace);
        // Later, because other receivers of this change have not seen it yet.
        if (m_session->selected().valid())
            QMetaObject::invokeMethod(
                this, [this] { load(m_session->selected().trace); }, Qt::QueuedConnection);
    }
}

/// Stops what is read for members that were removed, and forgets what is known about their files.
void OpenController::forgetRemoved()
{
    const TraceSet &traces = m_session->traces();
    for (uint32_t id = 0; id < traces.idsEnd(); ++id)
        if (!traces.member(TraceId(id))) {
            m_jobs.cancel(loadKey(TraceId(id)));
            m_traces.erase(TraceId(id));
            m_areRanksTried.erase(TraceId(id));
        }
}

/// Follows the members that were opened while somebody writes them.
void OpenController::followNew()
{
    bool any = false;
    for (const LoadedTrace &member : m_session->traces().loaded())
        if (auto source = std::exchange(m_traces[member.id].opened.source, nullptr)) {
            if (source->isFinished())
                continue;
            m_follower->follow(member.id, std::move(source));
            any = true;
        }
    if (any)
        emit watchedFilesChanged();
}

QStringList OpenController::watchedFiles() const
{
    QStringList files = filesOnDisk();
    for (const LoadedTrace &member : m_session->traces().loaded())
        if (m_follower->follows(member.id))
            files.removeOne(toQString(member.trace->info.path));
    return files;
}

void OpenController::noteChanged(const QStringList &files)
{
    struct Changed {
        QString file;
        TraceId id; ///< the member that may be followed; invalid for other files
        std::optional<OpenedTrace> opened;
    };
    std::vector<Changed> all;
    const bool mayFollow = m_following && !m_request.range && !m_request.steps && !loading();
    for (const QString &file : files) {
        const auto members = m_session->traces().members();
        const auto member = std::ranges::find(members, toUtf8(file), &TraceMember::path);
        const bool isLoaded = member != members.end() && member->state == MemberState::Loaded;
        all.push_back({file, mayFollow && isLoaded ? member->id : TraceId(), std::nullopt});
    }
    m_jobs.run(
        QStringLiteral("changed"),
        [all = std::move(all)](const std::stop_token &) mutable {
            for (Changed &one : all)
                if (one.id.valid())
                    if (auto opened = openGrowingTrace(toUtf8(one.file), Extent::Whole); opened && *opened)
                        one.opened = std::move(**opened);
            return all;
        },
        [this](std::vector<Changed> looked) {
            QStringList others;
            TraceSet traces = m_session->traces();
            bool anyTaken = false;
            for (Changed &one : looked) {
                if (one.opened && traces.find(one.id) && !loading()) {
                    takeTrace(one.id, std::move(*one.opened), traces);
                    anyTaken = true;
                } else if (!readsAgainLater(one.id)) {
                    others += one.file;
                }
            }
            if (anyTaken)
                m_session->changeTraces(std::move(traces));
            if (!others.isEmpty())
                emit changedOnDisk(others);
        });
}

void OpenController::keepToBudget()
{
    if (loading())
        return; // what is read beyond the limit goes to a file
    const auto id =
        m_unloadOrder.next(m_session->traces(), memoryInUse(), static_cast<uint64_t>(m_settings->memoryLimitBytes()));
    if (!id)
        return;
    TraceSet traces = m_session->traces();
    traces.unload(*id);
    OpenMember &own = m_traces[*id];
    own = {{nullptr, own.opened.identity, nullptr, false, nullptr}, false, false, false};
    m_session->changeTraces(std::move(traces));
}

/// Looks, off the GUI thread, whether a file or store that is in use became shorter: what is missing reads as zeros.
void OpenController::lookForCuts()
{
    std::vector<std::shared_ptr<const Trace>> traces;
    for (const LoadedTrace &member : m_session->traces().loaded())
        traces.push_back(member.trace);
    m_looking.run(
        QStringLiteral("look"),
        [traces = std::move(traces), snapshots = m_snapshots](const std::stop_token &) {
            std::vector<Error> cuts;
            const auto add = [&](const std::optional<Error> &failure) {
                if (failure)
                    cuts.push_back(*failure);
            };
            for (const auto &trace : traces)
                add(trace->failure());
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
    for (const OpenedSideFile &opened : m_sideFiles)
        if (!opened.damage.empty())
            emit notice(NoticeBar::Level::Warning, toQString(opened.damage));
}

void OpenController::storeNext()
{
    if (!m_storeWriting || !m_settings->storeEnabled() || m_jobs.running(kStoreKey))
        return;
    const auto wanted = [this](const LoadedTrace &member) { return m_traces[member.id].opened.storeWanted; };
    const auto next = std::ranges::find_if(m_session->traces().loaded(), wanted);
    if (next == m_session->traces().loaded().end()) {
        storeNextSnapshot();
        return;
    }
    const StoreFolder stores(StoreFolder::defaultFolder(), static_cast<uint64_t>(m_settings->storeLimitBytes()));
    m_jobs.run(
        kStoreKey,
        [opened = m_traces[next->id].opened, stores](std::stop_token stop) {
            return exchangeForStored(opened, stores, {std::move(stop), nullptr});
        },
        [this, id = next->id](Result<OpenedTrace> stored) {
            if (!stored) {
                m_traces[id].opened.storeWanted = false;
                emit notice(NoticeBar::Level::Info,
                            tr("The file will be read again next time because no copy of it could be stored. %1")
                                .arg(toQString(stored.error().text())));
                return;
            }
            if (TraceSet traces = m_session->traces(); m_traces[id].opened.storeWanted) { // it may have been unloaded
                traces.load(id, stored->trace);
                m_traces[id] = {std::move(*stored), true, false};
                m_session->changeTraces(std::move(traces));
            }
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
        kStoreKey,
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
    if (m_jobs.running(kVerifyKey))
        return;
    std::vector<std::pair<TraceId, std::shared_ptr<const StoreFile>>> files;
    for (const LoadedTrace &member : m_session->traces().loaded()) {
        const OpenMember &own = m_traces[member.id];
        if (own.opened.store && !own.isVerified)
            files.emplace_back(member.id, own.opened.store);
    }
    if (files.empty())
        return;
    m_jobs.run(
        kVerifyKey,
        [files](std::stop_token stop) {
            std::vector<bool> intact;
            for (const auto &[id, file] : files)
                intact.push_back(static_cast<bool>(file->verify({stop, nullptr})));
            return intact;
        },
        [this, files](const std::vector<bool> &intact) {
            for (size_t at = 0; at < files.size(); ++at)
                if (const auto &[id, file] = files[at]; m_traces[id].opened.store == file)
                    verified(id, intact[at]);
            verifyStores(); // of members that were loaded meanwhile
        });
}

/// The store of a member was verified; a damaged one is removed, and the file is read again.
void OpenController::verified(TraceId id, bool isIntact)
{
    m_traces[id].isVerified = true;
    if (isIntact)
        return;
    StoreFolder().remove(m_session->traces().member(id)->path);
    emit notice(NoticeBar::Level::Warning,
                tr("The stored copy of this trace is damaged, so the file is being read again."));
    readAgain(id);
}

} // namespace riffle
