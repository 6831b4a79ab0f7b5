// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The part of the window that runs when files were opened, and that saves and restores their state.
#include "app/memory_rules_control.h"
#include "app/session/history.h"
#include "app/session/place.h"
#include "app/session/session_places.h"
#include "app/window/file_actions.h"
#include "app/window/import_report_dialog.h"
#include "app/window/loading_bar.h"
#include "app/window/main_window.h"
#include "views/common/look/notice_bar.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"
#include "views/memory/landscape/landscape_state.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/timeline/timeline_view.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

constexpr size_t kMostOpenRanks = 2; ///< more ranks are folded when they are opened for the first time

QString titleFor(const QStringList &files)
{
    if (files.isEmpty())
        return MainWindow::tr("Riffle");
    if (files == QStringList(QStringLiteral("-")))
        return MainWindow::tr("Standard input – Riffle");
    const QFileInfo file(files.value(0));
    // A log is a folder, so a file of a log gets the folder's name.
    const QString first = file.suffix() == QLatin1String("part") ? file.absoluteDir().dirName() : file.fileName();
    return files.size() > 1 ? MainWindow::tr("%1 and %2 more – Riffle").arg(first).arg(files.size() - 1)
                            : MainWindow::tr("%1 – Riffle").arg(first);
}

/// The file name and note of a trace that was generated, not recorded; empty if all traces were recorded.
QString madeUp(const TraceSet &traces)
{
    for (const LoadedTrace &member : traces.loaded())
        if (const std::string text = member.trace->info.text("riffle.generated"); !text.empty())
            return QFileInfo(QString::fromStdString(member.trace->info.path)).fileName() + QStringLiteral(": ") +
                   toQString(text);
    return {};
}

std::optional<TimeSpan> moved(const std::optional<TimeSpan> &span, Ns by)
{
    return span ? std::optional(TimeSpan{span->begin + by, span->end + by}) : std::nullopt;
}

} // namespace

/// Shows the first trace of an opening. What depends on the time of the first event waits until all traces are there.
void MainWindow::onShown()
{
    m_isShown = true;
    m_stateFiles.clear(); // nothing is remembered about these files before their marks are restored
    showFor(whatIsOpen());
    showPage(firstPage());
    setWindowTitle(titleFor(m_open->request().named()));
    restoreLanes();
    m_history->clear();
    m_workspace->pageWidget()->setFocus();
}

void MainWindow::onOpened()
{
    m_loading->hide();
    const bool traces = !m_session->traces().empty();
    const bool wasShown = std::exchange(m_isShown, false);
    const bool isUntouched = !wasShown || (m_session->pane()->visibleRange() == m_session->pane()->wholeRange() &&
                                           !m_session->selected().valid() && !m_session->area());
    showFor(whatIsOpen());
    m_hasOpened = true;
    findWhatApplies();
    const bool isAgain = traces && m_stateFiles == m_open->traceFiles() && applies(m_workspace->page());
    if (!wasShown && !isAgain)
        showPage(firstPage());
    setWindowTitle(titleFor(m_open->request().named()));
    if (m_remember) {
        m_files->remember();
        m_files->follow();
    }
    if (traces && !wasShown)
        restoreLanes();
    if (traces)
        restoreMarks(wasShown || !m_sessionToApply);
    if (m_sessionToApply && traces && isUntouched)
        applySession(*m_sessionToApply);
    if (m_sessionToApply)
        applySessionMemory(*m_sessionToApply);
    if (m_sessionToApply && isUntouched)
        applyView(m_sessionToApply->view);
    if (traces && isUntouched && !goToPlace(*m_session, m_place))
        m_notice->notify(NoticeBar::Level::Problem, tr("No slice is named %1.").arg(m_place.select));
    m_sessionToApply.reset();
    m_toShow = std::exchange(m_place, {}).show;
    if (const QString summary = importSummary(m_session->traces()); !summary.isEmpty())
        m_notice->notify(NoticeBar::Level::Warning, summary, tr("Show problems"));
    if (!m_session->memory()->empty())
        m_rules->complainAgain();
    if (const QString note = madeUp(m_session->traces()); !note.isEmpty())
        m_notice->notify(NoticeBar::Level::Info, note);
    if (!wasShown) {
        m_history->clear();
        m_workspace->pageWidget()->setFocus();
    }
    m_history->settle();
    if (std::exchange(m_isTourWanted, false))
        startTour();
}

/// Files were opened beside the others, or one was closed.
void MainWindow::onFilesChanged()
{
    m_loading->hide();
    m_stateFiles = m_open->traceFiles();
    m_stateMembers = memberIds(m_session->traces());
    showFor(whatIsOpen());
    findWhatApplies();
    setWindowTitle(titleFor(m_open->request().named()));
    if (!applies(m_workspace->page()))
        showPage(firstPage());
    if (m_remember) {
        m_files->remember();
        m_files->follow();
    }
}

void MainWindow::onFailed()
{
    m_isTourWanted = false;
    m_loading->hide();
    m_sessionToApply.reset();
    m_place = {};
    if (m_session->traces().empty()) {
        showFor(whatIsOpen());
        showPage(firstPage()); // in place of a preview
    }
}

MainWindow::Showing MainWindow::whatIsOpen() const
{
    const bool traces = !m_session->traces().empty(), snapshots = !m_session->memory()->empty();
    if (traces)
        return snapshots ? Showing::Both : Showing::Traces;
    return snapshots ? Showing::Snapshots : m_open->sideFiles().empty() ? Showing::Nothing : Showing::Files;
}

void MainWindow::rememberTraceState()
{
    if (!m_remember || m_stateFiles.isEmpty() || m_session->traces().empty())
        return;
    const std::vector<SavedMark> marks = savedMarks(m_session->traces(), m_session->marks(), m_stateMembers);
    m_settings->setTraceState(m_stateFiles, QJsonObject{{QStringLiteral("lanes"), m_timeline->saveState()},
                                                        {QStringLiteral("marks"), marksToJson(marks)}});
}

/// Restores folds, order and heights of lanes: those of the session, or the last ones for the same files. Otherwise,
/// many ranks are one row each at first, so that they can be compared.
void MainWindow::restoreLanes()
{
    const QJsonObject state = m_remember ? m_settings->traceState(m_open->traceFiles()) : QJsonObject();
    const bool bySession = m_sessionToApply && !m_sessionToApply->lanes.isEmpty();
    QJsonObject lanes = bySession ? m_sessionToApply->lanes : state[QStringLiteral("lanes")].toObject();
    if (lanes.isEmpty())
        lanes[QStringLiteral("ranksFolded")] = m_session->traces().members().size() > kMostOpenRanks;
    m_timeline->restoreState(lanes);
}

/// Restores the marks of the session, or the last ones for the same files; beside the present ones, or in their place.
void MainWindow::restoreMarks(bool besidePresent)
{
    m_stateFiles = m_open->traceFiles();
    const TraceSet &traces = m_session->traces();
    m_stateMembers = memberIds(traces);
    std::vector<Mark> marks;
    if (m_sessionToApply) {
        marks = SessionPlaces(traces, *m_sessionToApply).marks();
    } else if (m_remember) {
        const QJsonArray saved = m_settings->traceState(m_stateFiles)[QStringLiteral("marks")].toArray();
        marks = marksIn(traces, marksFromJson(saved), m_stateMembers);
    }
    for (const Mark &mark : m_session->marks())
        if (besidePresent && std::ranges::find(marks, mark) == marks.end())
            marks.push_back(mark);
    m_session->setMarks(std::move(marks));
}

void MainWindow::showSelected(const SessionFile &file, SliceRef slice)
{
    PlaceRequest place;
    place.view = file.visible;
    if (file.selected && !slice.valid())
        place.select =
            file.selected->name + QLatin1Char('@') + QString::number(file.selected->start) + QStringLiteral("ns");
    if (!goToPlace(*m_session, place))
        m_notice->notify(NoticeBar::Level::Warning,
                         tr("The selected slice of the session, %1, is not in the traces.").arg(file.selected->name));
    if (slice.valid()) {
        m_session->select(slice);
        m_session->pane()->reveal(slice);
    }
}

void MainWindow::applySession(const SessionFile &file)
{
    const SessionPlaces places(m_session->traces(), file);
    if (file.filters) {
        m_session->setFilters(places.filters());
        m_session->setFollowsView(file.filters->followsView);
    }
    if (const auto area = places.area())
        m_session->setArea(area);
    showSelected(file, places.selected());
    if (const auto visible = moved(file.visible, m_session->traces().origin()))
        m_session->pane()->setVisibleRange(*visible);
}

/// Applies the snapshot part of a session and warns about files that have changed since.
void MainWindow::applySessionMemory(const SessionFile &file)
{
    for (const QString &changed : file.changedFiles())
        m_notice->notify(NoticeBar::Level::Warning,
                         tr("%1 has changed since this session was saved.").arg(QFileInfo(changed).fileName()));
    MemorySession *memory = m_session->memory();
    if (!file.memory || memory->empty())
        return;
    QStringList named, opened;
    for (const SessionFile::File &entry : file.files)
        named += entry.path;
    for (const OpenedSnapshot &snapshot : m_open->snapshots())
        opened += toQString(snapshot.facts->snapshot().path);
    if (file.memory->rules.isEmpty())
        m_rules->useBuiltIn(MemoryRulesControl::Remember::No);
    else
        m_rules->use(file.memory->rules, MemoryRulesControl::Remember::No);
    memory->setColour(file.memory->colour);
    m_memoryPage->state()->setTimed(file.memory->timed);
    memory->setChosenTraces(SessionPlaces(m_session->traces(), file).tracesOf(opened));
    if (const auto snapshot = openedSnapshot(named, file.memory->file, opened))
        file.memory->applyTo(memory, *snapshot);
}

} // namespace riffle
