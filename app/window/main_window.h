// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "app/opening/open_controller.h"
#include "app/session/session_file.h"
#include "app/session/settings.h"
#include "app/window/shell/workspace.h"
#include "app/window/tour_cards.h"
#include "app/window/view_catalog.h"
#include "views/common/session/session.h"

#include <QDir>
#include <QMainWindow>

#include <optional>
#include <utility>
#include <vector>

class QAction;
class QMenu;

namespace riffle {

class ChipBar;
class ColourLegend;
class CommandPalette;
class ComparePage;
class ComparisonState;
class DroppedFilters;
class FindBar;
class FileActions;
class History;
class Jobs;
class KeyBindings;
class LandscapeView;
class HangView;
class LogView;
class LiveButton;
class LoadingBar;
class MemoryRulesControl;
class NoticeBar;
class PageBar;
class Packages;
class PartSaver;
class Sharing;
class StripView;
class TabDock;
class TimelineView;
class Tour;
class WelcomePage;
struct Command;

/// The main window. It creates the session, the views and the controllers, connects them and shows them. It does not
/// compute anything itself.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(Settings *settings, QWidget *parent = nullptr);
    ~MainWindow() override;

    /// Opens the files of the command line.
    void launch(const LaunchOptions &options);
    void open(const OpenRequest &request, const PlaceRequest &place = {});
    /// Opens the files of a session. Values set in `request` and `place` override those of the session file.
    void openSession(const QString &path, const OpenRequest &request = {}, PlaceRequest place = {});
    /// True if everything that is visible is up to date. For pictures and tests.
    bool settled() const;
    /// Renders the whole window as a picture.
    QImage picture();

    Session *session() { return m_session; }
    OpenController *controller() { return m_open; }
    Settings *settings() { return m_settings; }
    TimelineView *timeline() { return m_timeline; }
    ComparePage *comparePage() { return m_compare; }
    ComparisonState *comparison() { return m_comparison; }
    HangView *hangPage() { return m_hangPage; }          ///< the page of dumps of the Flight Recorder
    LogView *logPage() { return m_logPage; }             ///< the page of memory timelines and memory logs
    LandscapeView *memoryPage() { return m_memoryPage; } ///< the page of snapshots
    Workspace *workspace() { return m_workspace; }
    StripView *strip() { return m_strip; }
    FindBar *findBar() { return m_find; }
    PartSaver *partSaver() { return m_saver; }
    Packages *packages() { return m_packages; }
    Tour *tour() { return m_tour; }
    NoticeBar *noticeBar() { return m_notice; }
    NoticeBar *changesBar() { return m_changes; } ///< says that files changed on disk
    ChipBar *chipBar() { return m_chips; }
    LiveButton *liveButton() { return m_live; }
    KeyBindings *keyBindings() { return m_keys; }
    QString noticeText() const;
    QWidget *view(const QString &id) const; ///< a table, or a view of the side panel, or a page; null if there is none
    /// Shows a page (an id of pageCatalog()).
    void showPage(const QString &id);
    /// Shows a table or a view of the side panel, if it applies, and opens what is folded around it.
    void bringForward(const QString &id);
    bool isInFront(const QString &id) const; ///< a table or a view of the side panel
    /// The current state as a session file.
    SessionFile sessionNow() const;
    /// Saves what is open as a package: the parts of the traces in a range of set time, or all of them.
    void savePackage(const QString &path, std::optional<TimeSpan> range, bool hashNames);
    /// True if a file with this name may be written. If that would destroy a file that the window reads, shows a notice
    /// and returns false.
    bool mayWrite(const QString &path);

public slots:
    void chooseFiles();
    void chooseSession();
    void openSample(int sample = 0); ///< an index in samples()
    /// Starts the tour that fits the open files; if none is open, it opens the first sample.
    void startTour();
    void saveSession();
    void choosePackage();
    void saveVisiblePart();
    void saveSelectedPart();
    void showImportReport();
    void showPreferences();
    void showKeys();
    /// Shows the comparison of two members of the session; of one with itself, of two of its steps.
    void compareMembers(riffle::TraceId a, riffle::TraceId b);
    /// Shows the comparison of the step of a slice, or of its trace, with the same one in the next trace or another
    /// step.
    void compareSlice(riffle::SliceRef slice);
    void startSearch();
    void startFilter();
    void startGoto();
    void copyName();
    void copyCommandLine();
    void setTheme(riffle::ThemeKind kind);

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void closeEvent(QCloseEvent *event) override;

private:
    struct PageOfWindow {
        const PageEntry *entry;
        QWidget *page;
        QAction *action; ///< shows it
    };
    struct ViewOfWindow {
        const ViewEntry *entry;
        QWidget *view;
        QAction *action; ///< shows it, or closes it if it is in front
    };
    void makeCentre();
    ViewHost viewHost();
    Sharing *makeSharing();
    void connectSharing();
    QWidget *showPlace(TourPlace place);
    TourKind tourKind() const;
    QJsonObject viewNow() const;
    void applyView(const QJsonObject &view);
    void add(const OpenRequest &request);
    QDir outputFolder() const;
    void openPackage(const QString &path, const OpenRequest &request, const PlaceRequest &place);
    void makePages();
    void makeMenus();
    void sendKey(Qt::Key key);
    TimelineView *shownTimeline() const;
    void goToStep(int direction);
    void addComparing(QMenu *menu);
    void showComparison();
    void compareArea();
    void showComparisonTable(bool isWanted);
    void findInTables(SliceRef slice);
    std::vector<Command> commands();
    void changePreference(const QString &title);
    void connectParts();
    void onShown();
    void onOpened();
    void onFailed();
    void onFilesChanged();
    /// The kinds of open files, for each of which the layout of the window is remembered.
    enum class Showing : int { Nothing = 0, Traces = 1, Snapshots = 2, Both = 4, Files = 8 };
    void showFor(Showing what);
    Showing whatIsOpen() const;
    QString firstPage() const;
    void offer(const WindowFacts &facts);
    void findWhatApplies();
    void showAsked();
    bool applies(const QString &page) const;
    TabDock *dockOf(const QString &id) const;
    QWidget *page(const QString &id) const;
    void goToPage(const QString &id);
    void showOrClose(const QString &id);
    void updateSide();
    QJsonObject look() const;
    void showLook(const QJsonObject &look);
    void updateActions();
    bool viewsAreSettled() const;
    void escape();
    void keepLayout();
    void rememberTraceState();
    void restoreLanes();
    void restoreMarks(bool besidePresent);
    void applySession(const SessionFile &file);
    void applySessionMemory(const SessionFile &file);
    void showSelected(const SessionFile &file, SliceRef slice);
    void openFileInEditor(const QString &file, int line);
    void savePart(TimeSpan range);
    void saveText(const QString &suggestedName, const QString &text);
    void saveFile(const QString &suggestedName, const QByteArray &content);
    void onSessionChanged(Session::Changes changes);

    Settings *m_settings;
    Session *m_session;
    ComparisonState *m_comparison;
    OpenController *m_open;
    History *m_history;
    DroppedFilters *m_dropped;
    PartSaver *m_saver;
    Sharing *m_sharing;
    Packages *m_packages;
    MemoryRulesControl *m_rules;
    Jobs *m_jobs; ///< finds out what applies
    Workspace *m_workspace = nullptr;
    PageBar *m_bar = nullptr;
    StripView *m_strip = nullptr;
    ColourLegend *m_legend = nullptr;
    WelcomePage *m_welcome = nullptr;
    Tour *m_tour = nullptr;
    bool m_isTourWanted = false; ///< it starts when the sample is open
    NoticeBar *m_notice = nullptr;
    CommandPalette *m_palette = nullptr;
    KeyBindings *m_keys = nullptr;
    NoticeBar *m_changes = nullptr; ///< says that files changed on disk
    FileActions *m_files = nullptr;
    LoadingBar *m_loading = nullptr;
    LoadingBar *m_saving = nullptr;
    FindBar *m_find = nullptr;
    ChipBar *m_chips = nullptr;
    LiveButton *m_live = nullptr;
    TimelineView *m_timeline = nullptr;
    ComparePage *m_compare = nullptr;
    LandscapeView *m_memoryPage = nullptr;
    LogView *m_logPage = nullptr;
    HangView *m_hangPage = nullptr;
    QAction *m_criticalPath = nullptr; ///< toggles the critical path in the timeline
    QAction *m_sideToggle = nullptr;
    QAction *m_followEnd = nullptr;   ///< of traces that grow
    QList<QAction *> m_memoryActions; ///< those of the keys of the memory page
    std::vector<PageOfWindow> m_pages;
    std::vector<ViewOfWindow> m_views;
    Showing m_showing = Showing::Nothing;
    WindowFacts m_facts;
    bool m_hasOpened = false; ///< files were opened, and it is not known yet whether an allocation failed in them
    std::pair<QString, Workspace::DockSize> m_beforeArea; ///< the table and the dock before an area was selected
    /// The table and the dock before the page of a comparison was shown; nothing on other pages.
    std::optional<std::pair<QString, Workspace::DockSize>> m_beforeComparing;
    bool m_isSideWanted = true;          ///< the user has not closed the side panel
    bool m_isSideAsked = false;          ///< the user has opened it, so it stays without content
    QStringList m_stateFiles;            ///< the files whose lanes and marks are shown
    std::vector<TraceId> m_stateMembers; ///< the traces that they became
    bool m_isShown = false;              ///< some of the files that are being opened can be seen already
    QString m_package;            ///< the package from which the open files were unpacked; empty if they were not
    OpenRequest m_packageRequest; ///< what was asked when it was opened
    PlaceRequest m_packagePlace;
    PlaceRequest m_place;
    QString m_toShow; ///< the page or table that was asked for, until it is known what applies
    std::optional<SessionFile> m_sessionToApply; ///< applied before going to m_place
    bool m_remember = true;                      ///< false for pictures, which must not change the settings
};

} // namespace riffle
