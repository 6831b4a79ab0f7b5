// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The window's part in copies and packages, and the view as a session keeps it.
#include "app/opening/part_saver.h"
#include "app/sharing/package_dialog.h"
#include "app/sharing/packages.h"
#include "app/sharing/sharing.h"
#include "app/window/compare_page.h"
#include "app/window/loading_bar.h"
#include "app/window/main_window.h"
#include "app/window/shell/tab_dock.h"
#include "views/common/look/qt_text.h"
#include "views/compare/comparison_table.h"
#include "views/summary/summary_pane.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

namespace riffle {

Sharing *MainWindow::makeSharing()
{
    ShareHost host;
    host.session = m_session;
    host.page = [this] { return m_showing == Showing::Nothing ? nullptr : m_workspace->pageWidget(); };
    host.files = [this] { return windowTitle().remove(tr(" – Riffle")); };
    host.saveFile = [this](const QString &name, const QByteArray &content) { saveFile(name, content); };
    return new Sharing(std::move(host), this);
}

void MainWindow::connectSharing()
{
    const auto notify = [this](NoticeBar::Level level, const QString &text) { m_notice->notify(level, text); };
    connect(m_sharing, &Sharing::notice, m_notice, notify);
    connect(m_packages, &Packages::notice, m_notice, notify);
    connect(m_packages, &Packages::progressed, m_saving, &LoadingBar::showStatus);
    connect(m_packages, &Packages::finished, m_saving, &QWidget::hide);
    connect(m_saving, &LoadingBar::cancelRequested, m_packages, &Packages::cancel);
    connect(m_packages, &Packages::unpacked, this, [this](const QString &package, const QString &session) {
        OpenRequest request = m_packageRequest;
        request.files.clear();
        request.origins = {package};
        openSession(session, request, m_packagePlace);
        m_package = package;
    });
}

void MainWindow::openPackage(const QString &path, const OpenRequest &request, const PlaceRequest &place)
{
    m_packageRequest = request;
    m_packagePlace = place;
    m_packages->open(path);
}

void MainWindow::choosePackage()
{
    if (whatIsOpen() == Showing::Nothing || m_packages->busy())
        return;
    const TraceSet &traces = m_session->traces();
    PackageDialog dialog(!traces.empty(), m_session->area().has_value(), this);
    if (dialog.exec() != QDialog::Accepted)
        return;
    const QString first = m_open->request().files.value(0);
    const QString stem = QFileInfo(m_package.isEmpty() ? first : m_package).fileName().section(QLatin1Char('.'), 0, 0);
    QString path = QFileDialog::getSaveFileName(this, tr("Save package"),
                                                outputFolder().filePath(stem + QStringLiteral(".rifflepack")),
                                                tr("Packages (*.rifflepack)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".rifflepack");
    std::optional<TimeSpan> range;
    if (dialog.range() == PackageDialog::Range::Visible)
        range = m_session->pane()->visibleRange();
    else if (dialog.range() == PackageDialog::Range::Selected && m_session->area())
        range = m_session->area()->in(traces);
    savePackage(path, range, dialog.hashesNames());
}

/// The folder of what the user opened, in which save dialogs start. Unpacked files are in the cache, which is no place
/// for results.
QDir MainWindow::outputFolder() const
{
    const QString first = m_open->request().named().value(0);
    const QFileInfo info(first);
    if (!info.exists())
        return QDir::home();
    return info.isDir() ? QDir(first) : info.absoluteDir();
}

void MainWindow::savePackage(const QString &path, std::optional<TimeSpan> range, bool hashNames)
{
    if (!mayWrite(path))
        return;
    PackageRequest request;
    request.path = path;
    request.session = sessionNow();
    request.hashNames = hashNames;
    request.inputs = m_open->inputs();
    const TraceSet &traces = m_session->traces();
    const TimeSpan whole{traces.span().begin, saturatedSum(traces.span().end, 1)};
    for (const TraceMember &member : traces.members()) {
        request.parts.emplace_back();
        const LoadedTrace *loaded = traces.find(member.id);
        if (!loaded)
            continue;
        const TimeSpan own = loaded->time.toTrace(range.value_or(whole)), recorded = loaded->trace->info.recorded;
        // "<=", because the last event can be exactly at the end.
        if (own.begin <= recorded.end && own.end > recorded.begin)
            request.parts.back() = TimeSpan{own.begin - recorded.begin, own.end - recorded.begin};
    }
    if (traces.size() < traces.members().size())
        m_notice->notify(NoticeBar::Level::Warning,
                         tr("Only loaded traces are saved: %1 of %2.").arg(traces.size()).arg(traces.members().size()));
    m_packages->save(request);
}

QJsonObject MainWindow::viewNow() const
{
    QJsonObject tables;
    for (const ViewOfWindow &one : m_views) {
        const auto *view = qobject_cast<const ResultView *>(one.view);
        if (!view)
            continue;
        QJsonObject state{{QStringLiteral("rows"), view->table()->state()}};
        if (const auto *comparison = qobject_cast<const ComparisonTable *>(one.view))
            state[QStringLiteral("word")] = comparison->word();
        if (const auto *pane = qobject_cast<const SummaryPane *>(one.view)) {
            state[QStringLiteral("word")] = pane->word();
            state[QStringLiteral("grouping")] = pane->grouping();
        }
        tables[QString::fromLatin1(one.entry->id)] = state;
    }
    return {{QStringLiteral("page"), m_workspace->page()},
            {QStringLiteral("layout"), m_workspace->state()},
            {QStringLiteral("compare"), m_compare->saveState()},
            {QStringLiteral("tables"), tables}};
}

void MainWindow::applyView(const QJsonObject &view)
{
    if (view.isEmpty())
        return;
    const QJsonObject tables = view[QStringLiteral("tables")].toObject();
    for (const ViewOfWindow &one : m_views) {
        const QJsonObject state = tables[QString::fromLatin1(one.entry->id)].toObject();
        auto *known = qobject_cast<ResultView *>(one.view);
        if (!known || state.isEmpty())
            continue;
        known->table()->restoreState(state[QStringLiteral("rows")].toObject());
        if (auto *comparison = qobject_cast<ComparisonTable *>(one.view))
            comparison->choose(state[QStringLiteral("word")].toString());
        if (auto *pane = qobject_cast<SummaryPane *>(one.view))
            pane->choose(state[QStringLiteral("word")].toString(), state[QStringLiteral("grouping")].toString());
    }
    m_compare->restoreState(view[QStringLiteral("compare")].toObject());
    m_workspace->restoreState(view[QStringLiteral("layout")].toObject());
    if (const QString page = view[QStringLiteral("page")].toString(); applies(page))
        showPage(page);
    updateActions();
}

} // namespace riffle
