// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the controller that makes ranks known by the small facts about them.
#include "app/opening/current_opening.h"
#include "app/opening/open_controller.h"
#include "app/opening/run_files.h"
#include "views/common/look/qt_text.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {
/// With more members, the facts about a whole trace that the making needs are not kept for the views.
constexpr size_t kMostShared = 8;
} // namespace

/// Reads the stored facts about the ranks of the opening; without one, of the members that lack them. Those about a
/// part of a file are not stored.
void OpenController::readStoredRanks()
{
    const OpenRequest &request = m_opening ? m_opening->request : m_request;
    const std::optional<StoreFolder> stores = (m_opening ? m_opening->options : options(m_request)).stores;
    if (!stores || request.range || request.steps)
        return;
    std::vector<RunReader::Wanted> wanted;
    if (m_opening) {
        for (const Opening::File &file : m_opening->files)
            if (file.id.valid())
                wanted.push_back({file.id, toUtf8(file.path)});
    } else {
        for (const TraceMember &member : m_session->traces().members())
            if (!member.facts)
                wanted.push_back({member.id, member.path});
    }
    if (!wanted.empty())
        m_ranks->readStored(std::move(wanted), *stores);
}

/// Makes the facts about the next member that lacks them. A trace that grows waits for its end. A member whose trace
/// went out of memory before its turn is read once more, but not those that the user did not let be read.
void OpenController::makeRanks()
{
    if (m_ranks->makes() || m_ranks->readsStored() || (m_opening && !m_opening->isShown))
        return;
    const TraceSet &traces = m_session->traces();
    for (const TraceMember &member : traces.members()) {
        if (member.facts || m_areRanksTried[member.id])
            continue;
        const LoadedTrace *loaded = traces.find(member.id);
        const bool isReadAgain = !loaded && member.state == MemberState::Unloaded && member.isKnown && !loading();
        if (loaded ? loaded->growing.has_value() : !isReadAgain)
            continue;
        const OpeningOptions own = options(m_request);
        RunReader::Source source{member.id, member.path, nullptr, nullptr, {}, {}, own.import};
        source.import.isLimitShared = true;
        if (loaded)
            source.trace = loaded->trace;
        if (traces.size() <= kMostShared)
            source.facts = m_session->facts();
        if (m_storeWriting && !m_request.range && !m_request.steps) {
            source.identity = std::as_const(m_traces)[member.id].opened.identity;
            source.stores = own.stores;
        }
        m_ranks->make(std::move(source));
        return;
    }
    if (m_madeRanks.empty() && !m_session->run()->isComplete)
        m_layoutSoon.start();
}

/// Tells the stored facts about the members of the opening to the session, or to the set that it will get.
void OpenController::takeStoredRanks(const std::vector<RunReader::Known> &known)
{
    if (m_opening && !m_opening->isShown)
        addRanks(known, m_opening->expected);
    else
        takeRanks(known);
    m_ranksSoon.start(); // for those that are not stored
}

void OpenController::takeRanks(const std::vector<RunReader::Known> &known)
{
    TraceSet traces = m_session->traces();
    if (addRanks(known, traces))
        m_session->changeTraces(std::move(traces));
}

/// Returns false if nothing is new.
bool OpenController::addRanks(const std::vector<RunReader::Known> &known, TraceSet &traces)
{
    bool anyNew = false;
    for (const RunReader::Known &one : known) {
        const TraceMember *member = traces.member(one.id);
        if (!member || member->facts)
            continue;
        traces.know(one.id, one.facts);
        anyNew = true;
    }
    return anyNew;
}

/// Forgets what was made for traces that are no members any more.
void OpenController::forgetRanks()
{
    m_ranks->stopMaking();
    m_madeRanks.clear();
    m_areRanksTried.clear();
}

/// Keeps the files of the opening that become no members and no memory files: they belong to the run, too.
void OpenController::keepOthers()
{
    for (const FileWithoutPage &file : m_opening->withoutPage)
        m_otherFiles.push_back(runFileOf(file));
    for (const SkippedFile &skipped : m_opening->gathered.skipped)
        if (std::ranges::find(m_opening->withoutPage, skipped.path, &FileWithoutPage::name) ==
            m_opening->withoutPage.end())
            m_otherFiles.push_back(runFileOf(skipped));
}

/// Lays the files out as runs, as far as they are known, and tells the session.
void OpenController::layOut()
{
    std::vector<RunFile> files;
    std::vector<TraceId> members;
    const auto add = [&](RunFile file, TraceId member = {}) {
        files.push_back(std::move(file));
        members.push_back(member);
    };
    for (const TraceMember &member : m_session->traces().members())
        add(runFileOf(member, toUtf8(nameOf(toQString(member.path)))), member.id);
    for (const OpenedSnapshot &opened : m_snapshots) {
        RunFile file;
        file.name = toUtf8(nameOf(toQString(opened.facts->snapshot().path)));
        file.kind = RunFileKind::Snapshot;
        add(std::move(file));
    }
    for (const OpenedSideFile &opened : m_sideFiles)
        add(runFileOf(opened, toUtf8(nameOf(toQString(opened.path)))));
    for (const RunFile &file : m_otherFiles)
        add(file);
    const bool isComplete = areRanksKnown() && !loading();
    m_jobs.run(
        QStringLiteral("layout"),
        [files = std::move(files), members = std::move(members), isComplete](const std::stop_token &) mutable {
            auto run = std::make_shared<OpenRun>(openRunOf(std::move(files), std::move(members)));
            run->isComplete = isComplete;
            return std::shared_ptr<const OpenRun>(std::move(run));
        },
        [this](std::shared_ptr<const OpenRun> now) { m_session->setRun(std::move(now)); });
}

} // namespace riffle
