// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/main_window.h"

#include "app/memory_rules_control.h"
#include "app/opening/part_saver.h"
#include "app/session/dropped_filters.h"
#include "app/session/history.h"
#include "app/session/place.h"
#include "app/session/session_members.h"
#include "app/sharing/package_file.h"
#include "app/sharing/packages.h"
#include "app/sharing/sharing.h"
#include "app/window/compare_page.h"
#include "app/window/file_actions.h"
#include "app/window/focus_ring.h"
#include "app/window/key_relay.h"
#include "app/window/loading_bar.h"
#include "app/window/shell/page_bar.h"
#include "app/window/tour.h"
#include "app/window/welcome_page.h"
#include "views/common/chart/chart.h"
#include "views/common/look/chip_bar.h"
#include "views/common/look/notice_bar.h"
#include "views/common/look/theme.h"
#include "views/common/memory/memory_files.h"
#include "views/common/memory/memory_link.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"
#include "views/compare/comparison_state.h"
#include "views/hang/hang_view.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/memory/log/log_view.h"
#include "views/search/find_bar.h"
#include "views/strip/live_button.h"
#include "views/strip/strip_view.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/colour_legend.h"
#include "views/timeline/minimap.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/timeline_view.h"

#include <QAction>
#include <QCloseEvent>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QSet>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

namespace {

constexpr QSize kFirstSize(1280, 720);

QStringList droppedFiles(const QMimeData *data)
{
    QStringList files;
    for (const QUrl &url : data->urls()) {
        if (url.isLocalFile())
            files += url.toLocalFile();
    }
    return files;
}

/// Cleans up paths: removes trailing slashes, and keeps only the first of several files of one log, because any file of
/// a log opens the whole log.
QStringList withoutRepeats(const QStringList &files)
{
    QStringList tidy;
    QSet<QString> logs;
    for (const QString &file : files) {
        const QString path = QDir::cleanPath(file);
        const QFileInfo info(path);
        const bool isPart = info.suffix() == QLatin1String("part");
        if (isPart && logs.contains(info.absolutePath()))
            continue;
        if (isPart)
            logs.insert(info.absolutePath());
        tidy += path;
    }
    return tidy;
}

} // namespace

MainWindow::MainWindow(Settings *settings, QWidget *parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_session(new Session(this))
    , m_comparison(new ComparisonState(m_session))
    , m_open(new OpenController(m_session, settings, this))
    , m_history(new History(m_session, this))
    , m_dropped(new DroppedFilters(m_session, this))
    , m_saver(new PartSaver(settings, this))
    , m_sharing(makeSharing())
    , m_packages(new Packages(settings, this))
    , m_rules(new MemoryRulesControl(m_session->memory(), settings, this))
    , m_jobs(new Jobs(this))
{
    setWindowTitle(tr("Riffle"));
    setAcceptDrops(true);
    resize(kFirstSize);
    // A jump leads to the lanes, which must be there before the timeline hears of it.
    connect(m_session->pane(), &Pane::revealRequested, this, [this](SliceRef slice) {
        const bool isInPanes = m_workspace->page() == QLatin1String("compare") && m_compare->reveal(slice);
        if (!m_session->traces().empty() && !isInPanes)
            goToPage(QStringLiteral("timeline"));
    });
    connect(m_session->pane(), &Pane::rangeRequested, this, [this] { // the memory page moves the lanes along, too
        if (m_workspace->page() == QLatin1String("overview"))
            goToPage(QStringLiteral("timeline"));
    });
    makeCentre();
    m_tour = new Tour([this](TourPlace place) { return showPlace(place); }, this);
    makeMenus();
    connectParts();
    new KeyRelay(this, [this] { return m_showing == Showing::Nothing ? nullptr : m_workspace->pageWidget(); });
    new FocusRing(this);
    if (const QString rules = settings->memoryRulesFile(); !rules.isEmpty())
        m_rules->use(rules);
    restoreGeometry(settings->windowGeometry());
    showPage(QStringLiteral("welcome"));
}

MainWindow::~MainWindow()
{
    m_open->cancel();
    m_packages->cancel();
    // The views use the session, so delete them first.
    delete takeCentralWidget();
}

void MainWindow::makeCentre()
{
    auto *column = new QWidget(this);
    auto *layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_notice = new NoticeBar(column);
    m_changes = new NoticeBar(column);
    m_files = new FileActions(m_open, m_settings, m_changes, this);
    m_loading = new LoadingBar(column);
    m_saving = new LoadingBar(column);
    m_bar = new PageBar(column);
    m_find = new FindBar(m_session, m_bar);
    m_chips = new ChipBar(m_session, m_bar);
    m_bar->addMiddle(m_find);
    m_bar->addMiddle(m_chips);
    m_live = new LiveButton(m_session, m_bar);
    m_bar->addMiddle(m_live);
    m_strip = new StripView(m_session, column);
    connect(m_strip, &StripView::tableRequested, this, [this](const QString &id, const QString &word) {
        bringForward(id);
        if (auto *pane = qobject_cast<SummaryPane *>(view(id)); pane && !word.isEmpty())
            pane->choose(word);
    });
    m_workspace = new Workspace(column);
    m_welcome = new WelcomePage(m_settings, m_workspace);
    m_criticalPath = new QAction(tr("&Critical path in the timeline"), this);
    m_criticalPath->setIconText(tr("In the timeline"));
    m_criticalPath->setToolTip(
        tr("Show the critical path as a lane, for the selected range or the chosen steps; otherwise for everything"));
    m_criticalPath->setShortcut(QKeySequence(Qt::Key_C));
    m_criticalPath->setCheckable(true);
    makePages();
    m_timeline = static_cast<TimelineView *>(page(QStringLiteral("timeline")));
    m_compare = static_cast<ComparePage *>(page(QStringLiteral("compare")));
    m_memoryPage = static_cast<LandscapeView *>(page(QStringLiteral("snapshot")));
    m_logPage = static_cast<LogView *>(page(QStringLiteral("memory-logs")));
    m_hangPage = static_cast<HangView *>(page(QStringLiteral("hang")));
    connect(m_criticalPath, &QAction::triggered, m_timeline, &TimelineView::showCriticalPath);
    connect(m_timeline, &TimelineView::stateChanged, m_criticalPath,
            [this] { m_criticalPath->setChecked(m_timeline->showsCriticalPath()); });
    layout->addWidget(m_bar);
    layout->addWidget(m_notice);
    layout->addWidget(m_changes);
    layout->addWidget(m_loading);
    layout->addWidget(m_saving);
    layout->addWidget(m_strip);
    layout->addWidget(m_workspace, 1);
    m_legend = new ColourLegend(&m_timeline->state(), column);
    layout->addWidget(m_legend);
    setCentralWidget(column);
}

void MainWindow::connectParts()
{
    connect(m_session, &Session::changed, this, &MainWindow::onSessionChanged);
    SeriesStyle::setPatterns(m_settings->chartPatterns());
    connect(m_settings, &Settings::chartPatternsChanged, this, [this] {
        SeriesStyle::setPatterns(m_settings->chartPatterns());
        for (QWidget *widget : findChildren<QWidget *>())
            widget->update();
    });
    connect(m_session, &Session::openRequested, this, &MainWindow::chooseFiles);
    connect(m_session->memory(), &MemorySession::openRequested, this, &MainWindow::chooseFiles);
    connect(m_open->shownMemoryFiles(), &MemoryFiles::openRequested, this, &MainWindow::chooseFiles);
    connect(m_open->shownFlightFiles(), &FlightFiles::openRequested, this, &MainWindow::chooseFiles);
    connect(m_session, &Session::wholeFileRequested, this, [this] {
        OpenRequest whole = m_open->request();
        whole.range.reset();
        whole.steps.reset();
        whole.isPartChosen = true;
        open(whole);
    });
    connect(m_open, &OpenController::started, this, [this] {
        m_tour->leave();
        m_notice->dismiss();
        rememberTraceState();
    });
    connect(m_open, &OpenController::progressed, m_loading, &LoadingBar::showStatus);
    connect(m_open, &OpenController::previewReady, this, [this](const LoadPreview &preview) {
        if (m_session->traces().empty()) {
            showPage(QStringLiteral("timeline"));
            m_timeline->setPreview(preview);
        }
    });
    connect(m_open, &OpenController::shown, this, &MainWindow::onShown);
    connect(m_open, &OpenController::opened, this, &MainWindow::onOpened);
    connect(m_open, &OpenController::failed, this, &MainWindow::onFailed);
    connect(m_open, &OpenController::changed, this, &MainWindow::onFilesChanged);
    connect(m_files, &FileActions::openRequested, this, [this](const OpenRequest &request) { open(request); });
    connect(m_files, &FileActions::addRequested, this, &MainWindow::add);
    connect(m_open, &OpenController::notice, this,
            [this](NoticeBar::Level level, const QString &text) { m_notice->notify(level, text); });
    connect(m_loading, &LoadingBar::cancelRequested, m_open, &OpenController::cancel);
    connect(m_saver, &PartSaver::progressed, m_saving, &LoadingBar::showStatus);
    connect(m_saver, &PartSaver::finished, m_saving, &QWidget::hide);
    connect(m_saver, &PartSaver::notice, this,
            [this](NoticeBar::Level level, const QString &text) { m_notice->notify(level, text); });
    if (const auto *link = m_session->findChild<MemoryLink *>())
        connect(link, &MemoryLink::unaligned, m_notice,
                [this](const QString &text) { m_notice->notify(NoticeBar::Level::Info, text); });
    connectSharing();
    connect(m_rules, &MemoryRulesControl::notice, m_notice,
            [this](NoticeBar::Level level, const QString &text) { m_notice->notify(level, text); });
    m_rules->setWriteGuard([this](const QString &path) { return mayWrite(path); });
    connect(m_rules, &MemoryRulesControl::withdrawn, m_notice, &NoticeBar::withdraw);
    connect(m_rules, &MemoryRulesControl::editRequested, this, &MainWindow::openFileInEditor);
    connect(m_saving, &LoadingBar::cancelRequested, m_saver, &PartSaver::cancel);
    connect(m_notice, &NoticeBar::actionTriggered, this, &MainWindow::showImportReport);
    connect(&JobFailures::all(), &JobFailures::happened, this, [this](const QString &why) {
        m_notice->notify(NoticeBar::Level::Problem, tr("A part of the window could not be computed. %1").arg(why));
    });
    connect(m_find, &FindBar::left, this, [this] { m_workspace->pageWidget()->setFocus(); });
    connect(m_find, &FindBar::laneRequested, this, [this](LaneRef lane) {
        goToPage(QStringLiteral("timeline"));
        m_timeline->navigation().showLane(lane);
    });
    connect(m_find, &FindBar::ticksChanged, &m_timeline->minimap(), &Minimap::setTicks);
    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::chooseFiles);
    connect(m_welcome, &WelcomePage::sampleRequested, this, &MainWindow::openSample);
    connect(m_welcome, &WelcomePage::tourRequested, this, &MainWindow::startTour);
    connect(m_welcome, &WelcomePage::setRequested, this, [this](const QStringList &files) {
        OpenRequest request;
        request.files = files;
        open(request);
    });
    connect(m_timeline, &TimelineView::tableRequested, this, &MainWindow::findInTables);
    connect(m_timeline, &TimelineView::comparisonRequested, this, &MainWindow::compareSlice);
    connect(m_compare, &ComparePage::tableRequested, this, &MainWindow::findInTables);
    connect(m_compare, &ComparePage::comparisonRequested, this, &MainWindow::compareSlice);
    const auto tell = [this](const QString &text) { m_notice->notify(NoticeBar::Level::Info, text); };
    connect(m_timeline, &TimelineView::told, m_notice, tell);
    connect(m_compare, &ComparePage::told, m_notice, tell);
}

void MainWindow::launch(const LaunchOptions &options)
{
    m_remember = options.screenshot.isEmpty();
    m_open->setStoreWriting(m_remember);
    m_open->setFollowing(m_remember); // a picture shows what was there when it was taken
    if (options.open.files.isEmpty())
        return;
    OpenRequest request = options.open;
    request.isPartChosen = !m_remember; // nobody answers a question about a picture
    open(request, options.place);
}

void MainWindow::open(const OpenRequest &asked, const PlaceRequest &place)
{
    if (asked.files.isEmpty())
        return;
    OpenRequest request = asked;
    request.files = withoutRepeats(asked.files);
    const auto session = std::find_if(request.files.begin(), request.files.end(), SessionFile::isNamedLikeOne);
    if (session != request.files.end()) {
        if (request.files.size() == 1)
            openSession(*session, request, place);
        else
            m_notice->notify(NoticeBar::Level::Problem,
                             tr("%1 is a session, which lists its own files. Open it on its own.").arg(*session));
        return;
    }
    if (const auto package = std::ranges::find_if(request.files, isNamedLikePackage); package != request.files.end()) {
        if (request.files.size() == 1)
            openPackage(*package, request, place);
        else
            m_notice->notify(NoticeBar::Level::Problem,
                             tr("%1 is a package, which contains its own files. Open it on its own.").arg(*package));
        return;
    }
    m_packages->forget();
    m_package.clear();
    m_place = place;
    m_sessionToApply.reset();
    m_open->open(request);
}

/// Opens files beside those that are open.
void MainWindow::add(const OpenRequest &request)
{
    for (const QString &file : request.files)
        if (SessionFile::isNamedLikeOne(file) || isNamedLikePackage(file)) {
            m_notice->notify(NoticeBar::Level::Problem,
                             tr("%1 has files of its own and cannot be added. Open it on its own.").arg(file));
            return;
        }
    m_open->add(request);
}

void MainWindow::openSession(const QString &path, const OpenRequest &request, PlaceRequest place)
{
    Result<SessionFile> file = SessionFile::read(path);
    if (!file) {
        m_notice->notify(NoticeBar::Level::Problem, QString::fromStdString(file.error().text()));
        return;
    }
    m_packages->forget();
    m_package.clear();
    OpenRequest own = requestFor(*file);
    own.useStore = request.useStore;
    own.isPartChosen = true;
    own.origins = request.origins;
    if (request.range || request.steps) {
        own.range = request.range;
        own.steps = request.steps;
    }
    if (place.view)
        file->visible.reset();
    if (!place.select.isEmpty())
        file->selected.reset();
    m_place = std::move(place);
    m_sessionToApply = std::move(*file);
    m_open->open(own);
}

QString MainWindow::noticeText() const { return m_notice->text(); }

bool MainWindow::settled() const
{
    if (m_open->loading() || !m_find->settled() || !m_rules->settled() || !m_sharing->settled() || m_packages->busy())
        return false;
    return viewsAreSettled();
}

QImage MainWindow::picture()
{
    const qreal ratio = devicePixelRatioF();
    QImage image(size() * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    render(&image);
    return image;
}

void MainWindow::setTheme(ThemeKind kind)
{
    applyTheme(kind);
    for (QWidget *widget : findChildren<QWidget *>())
        widget->update();
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (!droppedFiles(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    OpenRequest request;
    request.files = droppedFiles(event->mimeData());
    if (request.files.isEmpty())
        return;
    event->acceptProposedAction();
    if (event->modifiers() & Qt::ShiftModifier)
        add(request);
    else
        open(request);
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) // which no other widget has handled
        escape();
    else
        QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (m_remember) {
        rememberTraceState();
        keepLayout();
        m_settings->setWindowGeometry(saveGeometry());
    }
    QMainWindow::closeEvent(event);
}

} // namespace riffle
