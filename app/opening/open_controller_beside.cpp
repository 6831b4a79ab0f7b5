// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the controller that opens files beside the current ones, and closes one of them.
#include "app/opening/current_opening.h"
#include "app/opening/open_controller.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>
#include <variant>

namespace riffle {

void OpenController::add(const OpenRequest &request)
{
    if (request.files.isEmpty())
        return;
    if (loading()) {
        emit notice(NoticeBar::Level::Info, tr("Files can be added once those that are being opened are there."));
        return;
    }
    if (m_request.files.isEmpty()) {
        open(request);
        return;
    }
    start(request, Place::Beside);
}

/// Leaves files out of an opening that are open already.
void OpenController::leaveOutOpen()
{
    Opening &opening = *m_opening;
    QStringList open;
    std::erase_if(opening.files, [&](const Opening::File &file) {
        const bool isOpen = std::ranges::any_of(
            m_request.files, [&](const QString &other) { return QFileInfo(other) == QFileInfo(file.path); });
        if (isOpen)
            open += QFileInfo(file.path).fileName();
        return isOpen;
    });
    opening.request.first = 0;
    opening.request.times.clear();
    if (!open.isEmpty())
        emit notice(NoticeBar::Level::Info, tr("Already open: %1.").arg(open.join(QStringLiteral(", "))));
}

/// Adds the traces to the members of the session, and starts to read.
void OpenController::beginBeside()
{
    Opening &opening = *m_opening;
    TraceSet traces = m_session->traces();
    for (Opening::File &file : opening.files)
        if (file.found.isTrace()) {
            file.id = traces.expect(toUtf8(file.path));
            m_traceFiles += file.path;
        }
    opening.isShown = true;
    keepFound();
    m_session->changeTraces(std::move(traces));
    m_looks.start();
    if (m_opening.get() == &opening) // a receiver may have cancelled the opening
        readNext();
    if (m_opening.get() == &opening)
        readStoredRanks();
}

void OpenController::finishBeside()
{
    Opening &opening = *m_opening;
    QStringList named = m_request.named();
    if (std::ranges::any_of(opening.files, [&](const Opening::File &file) { return opening.isKept(file); }))
        named += opening.request.named(); // otherwise all of them were open, or could not be opened
    const bool areFound = !m_request.origins.isEmpty() || !opening.request.origins.isEmpty();
    bool anySnapshot = false, anySideFile = false;
    for (Opening::File &file : opening.files) {
        if (opening.isKept(file))
            m_request.files += file.path;
        if (file.snapshot)
            m_snapshots.push_back(std::move(*file.snapshot));
        if (file.sideFile)
            m_sideFiles.push_back(std::move(*file.sideFile));
        anySnapshot |= file.snapshot.has_value();
        anySideFile |= file.sideFile.has_value();
    }
    m_request.origins = areFound ? named : QStringList();
    m_opening.reset();
    setLoading({});
    showOthers(anySnapshot, anySideFile);
    m_layoutSoon.start();
    emit changed();
    if (anySnapshot || anySideFile)
        sayRemarks();
    m_afterwards.start();
}

/// Gives the views the open snapshots, and the open files that are neither traces nor snapshots.
void OpenController::showOthers(bool snapshots, bool sideFiles)
{
    if (snapshots) {
        MemorySession::SnapshotList list;
        for (const OpenedSnapshot &opened : m_snapshots)
            list.push_back(opened.facts);
        m_session->memory()->setSnapshots(std::move(list));
    }
    if (!sideFiles)
        return;
    std::vector<MemoryFiles::File> memoryFiles;
    FlightFiles::Dumps dumps;
    for (const OpenedSideFile &opened : m_sideFiles)
        if (const auto *dump = std::get_if<std::shared_ptr<const FlightDump>>(&opened.content))
            dumps.push_back(*dump);
        else if (const auto *log = std::get_if<std::shared_ptr<const MemoryLog>>(&opened.content))
            memoryFiles.push_back({nullptr, *log});
        else
            memoryFiles.push_back({std::get<std::shared_ptr<const MemoryTimeline>>(opened.content), nullptr});
    m_shownMemoryFiles->setFiles(std::move(memoryFiles));
    m_shownFlightFiles->setDumps(std::move(dumps));
}

QStringList OpenController::filesOnDisk() const
{
    QStringList files;
    for (const QString &file : m_request.files) {
        QString path = nameOf(file);
        while (!QFileInfo::exists(path) && path != QFileInfo(path).path())
            path = QFileInfo(path).path();
        if (path == file || QFileInfo(path).isFile())
            files += path;
    }
    files.removeDuplicates();
    return files;
}

void OpenController::close(const QString &file)
{
    if (loading())
        return;
    const std::string path = toUtf8(file);
    QStringList named;
    m_request.files.removeOne(file);
    m_request.first = 0;
    m_request.times.clear(); // they are by position
    for (const QString &other : std::as_const(m_request.files))
        named += nameOf(other);
    m_request.origins = named == m_request.files ? QStringList() : named;
    m_names.remove(file);
    const bool snapshot = std::erase_if(m_snapshots, [&](const OpenedSnapshot &opened) {
                              return opened.facts->snapshot().path == path;
                          }) > 0;
    const bool sideFile =
        std::erase_if(m_sideFiles, [&](const OpenedSideFile &opened) { return opened.path == path; }) > 0;
    m_traceFiles.removeOne(file);
    TraceSet traces = m_session->traces();
    const auto member = std::ranges::find(traces.members(), path, &TraceMember::path);
    if (member != traces.members().end()) {
        traces.remove(member->id);
        m_session->changeTraces(std::move(traces));
    }
    showOthers(snapshot, sideFile);
    m_layoutSoon.start();
    emit changed();
}

} // namespace riffle
