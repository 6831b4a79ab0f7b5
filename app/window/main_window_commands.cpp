// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The window's menus and their commands.
#include "app/editor_launcher.h"
#include "app/memory_rules_control.h"
#include "app/opening/part_saver.h"
#include "app/session/dropped_filters.h"
#include "app/session/history.h"
#include "app/session/place.h"
#include "app/session/session_members.h"
#include "app/session/session_places.h"
#include "app/sharing/packages.h"
#include "app/sharing/sharing.h"
#include "app/window/commands/command_list.h"
#include "app/window/commands/command_palette.h"
#include "app/window/commands/key_bindings.h"
#include "app/window/compare_page.h"
#include "app/window/file_actions.h"
#include "app/window/import_report_dialog.h"
#include "app/window/main_window.h"
#include "app/window/preferences_dialog.h"
#include "app/window/samples.h"
#include "app/window/shell/page_bar.h"
#include "model/base/output_file.h"
#include "views/common/look/chip_bar.h"
#include "views/common/look/notice_bar.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_link.h"
#include "views/common/memory/memory_session.h"
#include "views/memory/landscape/landscape_state.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/search/find_bar.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QSaveFile>
#include <QStandardPaths>

#include <algorithm>

namespace riffle {

void MainWindow::makeMenus()
{
    const auto add = [this](QMenu *menu, const QString &text, const QKeySequence &key, auto slot) {
        QAction *action = menu->addAction(text);
        action->setShortcut(key);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    // A key that the page handles itself: the menu names it and does the same.
    const auto addKey = [this, add](QMenu *menu, const QString &text, Qt::Key key) {
        const QString name = QKeySequence(key).toString(QKeySequence::NativeText);
        setViewKey(add(menu, text, {}, [this, key] { sendKey(key); }), name.size() == 1 ? name.toLower() : name);
    };
    QMenu *file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&Open traces…"), QKeySequence::Open, &MainWindow::chooseFiles);
    m_files->addTo(file);
    QMenu *sample = file->addMenu(tr("Open &sample"));
    for (int at = 0; at < static_cast<int>(samples().size()); ++at)
        add(sample, sampleText(samples()[static_cast<size_t>(at)].title), {}, [this, at] { openSample(at); });
    file->addSeparator();
    add(file, tr("Open s&ession…"), {}, &MainWindow::chooseSession);
    add(file, tr("Save sess&ion…"), QKeySequence::Save, &MainWindow::saveSession);
    QAction *package =
        add(file, tr("Save pac&kage…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), &MainWindow::choosePackage);
    QAction *saveVisible = add(file, tr("Save &visible range as…"), {}, &MainWindow::saveVisiblePart);
    QAction *saveSelected = add(file, tr("Save sele&cted range as…"), {}, &MainWindow::saveSelectedPart);
    connect(file, &QMenu::aboutToShow, this, [this, package, saveVisible, saveSelected] {
        package->setEnabled(whatIsOpen() != Showing::Nothing && !m_packages->busy());
        saveVisible->setEnabled(!m_session->traces().empty() && !m_saver->saving());
        saveSelected->setEnabled(saveVisible->isEnabled() && m_session->area());
    });
    connect(file, &QMenu::aboutToHide, this, [package] { package->setEnabled(true); }); // for its shortcut
    file->addSeparator();
    add(file, tr("&Import report"), {}, &MainWindow::showImportReport);
    add(file, tr("&Preferences…"), QKeySequence::Preferences, &MainWindow::showPreferences);
    file->addSeparator();
    add(file, tr("&Quit"), QKeySequence::Quit, &QWidget::close);

    QMenu *edit = menuBar()->addMenu(tr("&Edit"));
    add(edit, tr("Copy &name"), QKeySequence::Copy, &MainWindow::copyName);
    add(edit, tr("Copy command &line for this place"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
        &MainWindow::copyCommandLine);
    m_sharing->addTo(edit);
    edit->addSeparator();
    QAction *find = add(edit, tr("&Find…"), {}, &MainWindow::startSearch);
    find->setShortcuts({QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)});
    add(edit, tr("Find ne&xt"), QKeySequence(Qt::Key_F3), [this] { m_find->next(); });
    add(edit, tr("Find pre&vious"), QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { m_find->previous(); });

    add(edit, tr("Fi&lter slices…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F), &MainWindow::startFilter);
    addKey(edit, tr("&Mark the selection, or the time at the pointer"), Qt::Key_M);
    QAction *bringBack = add(edit, tr("&Bring back the last filter"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T),
                             [this] { m_dropped->bringBack(); });
    const auto offerFilter = [this, bringBack] { bringBack->setEnabled(m_dropped->any()); };
    connect(m_dropped, &DroppedFilters::changed, this, offerFilter);
    offerFilter();

    QMenu *go = menuBar()->addMenu(tr("&Go"));
    QAction *back = add(go, tr("&Back"), QKeySequence(Qt::ALT | Qt::Key_Left), [this] { m_history->back(); });
    QAction *forward = add(go, tr("&Forward"), QKeySequence(Qt::ALT | Qt::Key_Right), [this] { m_history->forward(); });
    const auto showWays = [this, back, forward] {
        back->setEnabled(m_history->canGoBack());
        forward->setEnabled(m_history->canGoForward());
    };
    connect(m_history, &History::changed, this, showWays);
    showWays();
    back->setIconText(QStringLiteral("‹"));
    forward->setIconText(QStringLiteral("›"));
    m_bar->addWay(back);
    m_bar->addWay(forward);
    QAction *goTo = add(go, tr("Go to a step, &time, lane or rank…"), {}, &MainWindow::startGoto);
    goTo->setShortcuts({QKeySequence(Qt::Key_G), QKeySequence(Qt::CTRL | Qt::Key_G)});
    add(go, tr("&Next step"), QKeySequence(Qt::SHIFT | Qt::Key_PageDown), [this] { goToStep(1); });
    add(go, tr("&Previous step"), QKeySequence(Qt::SHIFT | Qt::Key_PageUp), [this] { goToStep(-1); });

    QMenu *slices = go->addMenu(tr("&Slices"));
    addKey(slices, tr("Next slice in the &lane"), Qt::Key_Period);
    addKey(slices, tr("Previous slice in the l&ane"), Qt::Key_Comma);
    addKey(slices, tr("&Next slice with the same name"), Qt::Key_N);
    addKey(slices, tr("&Previous slice with the same name"), Qt::Key_P);
    addKey(slices, tr("Follow the arrow &forward"), Qt::Key_BracketRight);
    addKey(slices, tr("Follow the arrow &back"), Qt::Key_BracketLeft);
    addKey(slices, tr("&Same slice in the next rank or step"), Qt::Key_X);
    add(slices, tr("Same slice in the pre&vious rank or step"), {},
        [this] { shownTimeline()->navigation().selectElsewhere(-1); });
    setViewKey(slices->actions().last(), QStringLiteral("Shift+X"));
    QMenu *move = go->addMenu(tr("&Move the view"));
    addKey(move, tr("Zoom &in"), Qt::Key_W);
    addKey(move, tr("Zoom &out"), Qt::Key_S);
    addKey(move, tr("Move &left"), Qt::Key_A);
    addKey(move, tr("Move &right"), Qt::Key_D);
    addKey(move, tr("&Fit the selection"), Qt::Key_F);
    addKey(move, tr("Show &everything"), Qt::Key_0);
    addKey(move, tr("Follow the end of a recordin&g"), Qt::Key_End);
    m_followEnd = move->actions().last();
    m_followEnd->setCheckable(true);
    const auto showFollowing = [this] {
        m_followEnd->setEnabled(m_session->grows());
        m_followEnd->setChecked(m_session->grows() && m_session->pane()->followsEnd());
    };
    connect(m_session->pane(), &Pane::changed, this, showFollowing);
    connect(m_session, &Session::changed, this, showFollowing);
    connect(m_followEnd, &QAction::triggered, this, showFollowing); // otherwise it would be the state of the clicks
    showFollowing();

    QMenu *look = menuBar()->addMenu(tr("&View"));
    int number = 1;
    const auto addShow = [&](QAction *action, int key) {
        if (key)
            action->setShortcut(QKeySequence(key));
        else if (number <= 9) // there are only nine digits for shortcuts
            action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number++)));
        look->addAction(action);
    };
    for (const ViewOfWindow &one : m_views)
        if (one.entry->isInSide())
            addShow(one.action, 0);
    for (const PageOfWindow &one : m_pages)
        addShow(one.action, one.entry->key);
    look->addSeparator();
    for (const ViewOfWindow &one : m_views)
        if (one.entry->isInSide())
            continue;
        else if (QLatin1String(one.entry->group) == QLatin1String("Run")) // digits are for what every trace has
            look->addAction(one.action);
        else
            addShow(one.action, 0);
    look->addSeparator();
    for (QAction *action : {m_workspace->foldAction(), m_workspace->fillAction(), m_sideToggle})
        look->addAction(action);
    look->addSeparator();
    look->addAction(m_criticalPath);
    add(look, tr("&Fold all lanes"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Up),
        [this] { shownTimeline()->foldAll(); });
    add(look, tr("&Unfold all lanes"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Down),
        [this] { shownTimeline()->unfoldAll(); });
    addKey(look, tr("Fold or unfold the &rank"), Qt::Key_Enter);
    // The check marks follow the state only while the menu is shown, so the palette's toggles must not rely on them.
    QAction *frames = add(look, tr("Show all &Python frames"), {},
                          [this] { shownTimeline()->showAllFrames(!shownTimeline()->showsAllFrames()); });
    frames->setCheckable(true);
    connect(look, &QMenu::aboutToShow, this, [this, frames] { frames->setChecked(shownTimeline()->showsAllFrames()); });
    QAction *byName = add(look, tr("&Group lanes of several ranks by name"), {},
                          [this] { m_timeline->groupByName(!m_timeline->isGroupedByName()); });
    byName->setCheckable(true);
    connect(look, &QMenu::aboutToShow, this, [this, byName] {
        byName->setChecked(m_timeline->isGroupedByName());
        byName->setEnabled(m_session->traces().members().size() > 1);
    });
    addComparing(look->addMenu(tr("Co&mparison")));
    QMenu *colours = look->addMenu(tr("&Colour slices by"));
    auto *modes = new QActionGroup(colours);
    const auto addMode = [&](const QString &text, ColourMode mode) {
        QAction *action = modes->addAction(colours->addAction(text));
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, mode] { shownTimeline()->setColourMode(mode); });
        connect(colours, &QMenu::aboutToShow, this,
                [this, action, mode] { action->setChecked(shownTimeline()->colourMode() == mode); });
    };
    addMode(tr("&Kind of work"), ColourMode::Class);
    addMode(tr("&Name"), ColourMode::Name);
    addMode(tr("&Stream or thread"), ColourMode::Lane);
    addMode(tr("S&tep"), ColourMode::Step);
    addMode(tr("&Duration"), ColourMode::Duration);
    addMode(tr("&Annotation"), ColourMode::Annotation);
    QMenu *theme = look->addMenu(tr("&Theme"));
    auto *group = new QActionGroup(theme);
    const auto addTheme = [&](const QString &text, std::optional<ThemeKind> kind) {
        QAction *action = group->addAction(theme->addAction(text));
        action->setCheckable(true);
        action->setChecked(m_settings->theme() == kind);
        connect(action, &QAction::triggered, this, [this, kind] { m_settings->setTheme(kind); });
        connect(m_settings, &Settings::themeChanged, action,
                [this, action, kind] { action->setChecked(m_settings->theme() == kind); });
    };
    addTheme(tr("Same as the &desktop"), std::nullopt);
    addTheme(tr("&Light"), ThemeKind::Light);
    addTheme(tr("D&ark"), ThemeKind::Dark);
    const ThemeKind desktop = systemTheme();
    connect(m_settings, &Settings::themeChanged, this,
            [this, desktop] { setTheme(m_settings->theme().value_or(desktop)); });

    QMenu *memory = menuBar()->addMenu(tr("&Memory"));
    m_rules->addTo(memory);
    memory->addSeparator();
    const auto addMemoryKey = [this, addKey, memory](const QString &text, Qt::Key key) {
        addKey(memory, text, key);
        m_memoryActions += memory->actions().last();
    };
    addMemoryKey(tr("&Previous event"), Qt::Key_Left);
    addMemoryKey(tr("&Next event"), Qt::Key_Right);
    addMemoryKey(tr("&Peak"), Qt::Key_P);
    addMemoryKey(tr("Set the start or the end of a &range"), Qt::Key_R);

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("&Command palette…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
        [this] { m_palette->activate(); });
    add(help, tr("&Keys and mouse gestures…"), QKeySequence(Qt::Key_Question), &MainWindow::showKeys);
    add(help, tr("&Tour"), {}, &MainWindow::startTour);
    m_palette = new CommandPalette([this] { return commands(); }, m_settings, this);
    m_keys = new KeyBindings(m_settings, nameActions(*menuBar()), this);
}

void MainWindow::chooseFiles()
{
    OpenRequest request;
    request.files = QFileDialog::getOpenFileNames(this, tr("Open traces or memory snapshots"), {}, openableFiles());
    open(request);
}

void MainWindow::chooseSession()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Open session"), {}, tr("Sessions (*.riffle)"));
    if (!path.isEmpty())
        openSession(path);
}

void MainWindow::openSample(int sample)
{
    const Result<QStringList> files = unpackSample(samples()[static_cast<size_t>(sample)],
                                                   QStandardPaths::writableLocation(QStandardPaths::AppDataLocation));
    if (!files) {
        m_notice->notify(NoticeBar::Level::Problem, toQString(files.error().text()));
        return;
    }
    OpenRequest request;
    request.files = *files;
    open(request);
}

void MainWindow::saveSession()
{
    if (whatIsOpen() == Showing::Nothing)
        return;
    QString path = QFileDialog::getSaveFileName(this, tr("Save session"), {}, tr("Sessions (*.riffle)"));
    if (path.isEmpty())
        return;
    if (QFileInfo(path).suffix().isEmpty())
        path += QStringLiteral(".riffle");
    if (!mayWrite(path))
        return;
    if (const Result<void> written = sessionNow().write(path); !written)
        m_notice->notify(NoticeBar::Level::Problem, toQString(written.error().text()));
}

void MainWindow::saveVisiblePart() { savePart(m_session->pane()->visibleRange()); }

void MainWindow::saveSelectedPart()
{
    if (const auto area = m_session->area())
        savePart(area->in(m_session->traces()));
}

void MainWindow::savePart(TimeSpan range)
{
    const TraceSet &traces = m_session->traces();
    if (traces.empty() || m_saver->saving())
        return;
    const QDir folder = outputFolder();
    const bool one = traces.size() == 1;
    const QString path =
        one ? QFileDialog::getSaveFileName(this, tr("Save part of the trace"),
                                           folder.filePath(PartSaver::suggestedName(*traces.loaded().front().trace)),
                                           tr("Traces (*.json *.json.gz *.json.zst)"))
            : QFileDialog::getExistingDirectory(this, tr("Folder for the parts of the traces"), folder.path());
    if (path.isEmpty())
        return;
    const std::vector<PartSaver::Part> parts = PartSaver::partsOf(traces, range, [&](const Trace &trace) {
        return one ? path : QDir(path).filePath(PartSaver::suggestedName(trace));
    });
    if (!std::all_of(parts.begin(), parts.end(), [&](const auto &part) { return mayWrite(toQString(part.output)); }))
        return;
    if (traces.size() < traces.members().size())
        m_notice->notify(NoticeBar::Level::Warning,
                         tr("Only loaded traces are saved: %1 of %2.").arg(traces.size()).arg(traces.members().size()));
    m_saver->save(parts);
}

SessionFile MainWindow::sessionNow() const
{
    SessionFile file;
    const auto members = m_session->traces().members();
    file.files = sessionMembers(m_session->traces(), [this](TraceId id) { return m_open->identityOf(id); });
    for (size_t at = 0; at < m_open->snapshots().size(); ++at) {
        const OpenedSnapshot &opened = m_open->snapshots()[at];
        SessionFile::File entry;
        entry.path = QFileInfo(toQString(opened.facts->snapshot().path)).absoluteFilePath();
        entry.identity = opened.identity;
        if (const TraceId id = traceOfSnapshot(*m_session, at); id.valid())
            entry.trace = static_cast<size_t>(std::ranges::find(members, id, &TraceMember::id) - members.begin());
        file.files.push_back(std::move(entry));
    }
    for (const OpenedSideFile &opened : m_open->sideFiles())
        file.files.push_back({QFileInfo(toQString(opened.path)).absoluteFilePath(), opened.identity, {}, {}});
    for (SessionFile::File &entry : file.files)
        if (const QString name = m_open->nameOf(entry.path); name != entry.path)
            entry.path = QFileInfo(name).absoluteFilePath();
    if (!m_session->memory()->empty()) {
        file.memory = SessionMemory::of(*m_session->memory(), members.size());
        file.memory->timed = m_memoryPage->state()->wantsTime();
    }
    file.view = viewNow();
    if (m_session->traces().empty())
        return file;
    const Ns origin = m_session->traces().origin();
    const auto relative = [origin](TimeSpan span) { return TimeSpan{span.begin - origin, span.end - origin}; };
    file.range = m_open->request().range;
    file.steps = m_open->request().steps;
    file.visible = relative(m_session->pane()->visibleRange());
    if (const auto area = m_session->area()) {
        file.area = relative(area->in(m_session->traces()));
        file.areaOwn = rankSpan(memberIds(m_session->traces()), area->span, area->trace);
        for (const LaneRef &lane : area->lanes)
            file.areaLanes.push_back(sessionLane(m_session->traces(), lane));
    }
    file.selected = sessionSelection(*m_session);
    file.marks = savedMarks(m_session->traces(), m_session->marks(), memberIds(m_session->traces()));
    file.lanes = m_timeline->saveState();
    file.filters = sessionFilters(*m_session);
    return file;
}

void MainWindow::showImportReport()
{
    ImportReportDialog dialog(m_session->traces(), this);
    dialog.exec();
}

void MainWindow::showPreferences()
{
    PreferencesDialog dialog(m_settings, this);
    dialog.exec();
}

void MainWindow::copyName()
{
    if (const QString name = selectedName(*m_session); !name.isEmpty())
        QApplication::clipboard()->setText(name);
}

void MainWindow::copyCommandLine()
{
    if (whatIsOpen() == Showing::Nothing)
        return;
    QApplication::clipboard()->setText(commandLineFor(m_open->request(), *m_session));
}

void MainWindow::openFileInEditor(const QString &file, int line)
{
    if (const QString trouble = openInEditor(*m_settings, file, line); !trouble.isEmpty())
        m_notice->notify(NoticeBar::Level::Warning, trouble);
}

bool MainWindow::mayWrite(const QString &path)
{
    std::vector<std::string> inputs = m_open->inputs();
    if (!m_rules->file().isEmpty())
        inputs.push_back(toUtf8(m_rules->file()));
    if (!m_package.isEmpty())
        inputs.push_back(toUtf8(m_package));
    const Result<void> harmless = OutputFile::spares(inputs, toUtf8(path));
    if (!harmless)
        m_notice->notify(NoticeBar::Level::Problem, toQString(harmless.error().text()));
    return static_cast<bool>(harmless);
}

void MainWindow::saveText(const QString &suggestedName, const QString &text) { saveFile(suggestedName, text.toUtf8()); }

void MainWindow::saveFile(const QString &suggestedName, const QByteArray &content)
{
    const QString suffix = QFileInfo(suggestedName).suffix();
    const QString path = QFileDialog::getSaveFileName(this, tr("Save this view"), suggestedName,
                                                      tr("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    if (path.isEmpty() || !mayWrite(path))
        return;
    QSaveFile out(path);
    if (!out.open(QIODevice::WriteOnly) || out.write(content) < 0 || !out.commit())
        m_notice->notify(NoticeBar::Level::Problem, tr("%1 could not be written: %2.").arg(path, out.errorString()));
}

} // namespace riffle
