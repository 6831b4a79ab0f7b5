// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "app/opening/open_controller.h"
#include "app/session/session_file.h"
#include "app/session/settings.h"
#include "app/window/view_catalog.h"
#include "views/common/session/session.h"

#include <QMainWindow>

#include <map>
#include <optional>
#include <vector>

class QAction;
class QDockWidget;
class QMenu;
class QStackedWidget;

namespace riffle {

class ChipBar;
class GotoBar;
class History;
class LandscapeView;
class LogView;
class LoadingBar;
class MemoryRulesControl;
class NoticeBar;
class PartSaver;
class SearchBar;
class TimelineView;
class WelcomePage;

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
    LogView *logPage() { return m_logPage; } ///< the central page when only memory timelines and memory logs are open
    LandscapeView *memoryPage() { return m_memoryPage; } ///< the central page when only snapshots are open
    SearchBar *searchBar() { return m_search; }
    PartSaver *partSaver() { return m_saver; }
    NoticeBar *noticeBar() { return m_notice; }
    ChipBar *chipBar() { return m_chips; }
    QString noticeText() const;
    QWidget *view(const QString &id) const;
    /// The current state as a session file.
    SessionFile sessionNow() const;
    /// True if a file with this name may be written. If that would destroy a file that the window reads, shows a notice
    /// and returns false.
    bool mayWrite(const QString &path);

public slots:
    void chooseFiles();
    void chooseSession();
    void openSample();
    void saveSession();
    void saveVisiblePart();
    void saveSelectedPart();
    void showImportReport();
    void showPreferences();
    void showKeys();
    void startSearch();
    void startGoto();
    void copyName();
    void copyCommandLine();
    void setTheme(riffle::ThemeKind kind);

protected:
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void childEvent(QChildEvent *event) override;
    bool focusNextPrevChild(bool next) override;

private:
    struct Dock {
        const ViewEntry *entry;
        QDockWidget *dock;
        QWidget *view;
    };
    void makeCentre();
    void makeDocks();
    void makeMenus();
    void fillRecentMenu(QMenu *menu);
    void connectParts();
    void onShown();
    void onOpened();
    void onFailed();
    /// The kinds of open files for which there is a layout.
    enum class Showing : int {
        Nothing = 0,
        Traces = shown_with::Traces,
        Snapshots = shown_with::Snapshots,
        Both = shown_with::Both,
        Files = shown_with::Files
    };
    void showFor(Showing what);
    Showing whatIsOpen() const;
    bool isInFront(const QDockWidget *dock) const;
    void bringForward(const Dock &dock);
    void bringForward(const QString &id); ///< shows and raises a dock
    void showOrClose(const Dock &dock);
    QAction *showAction(const Dock &dock);
    void keepLayout();
    void layOutFirst(Showing what);
    void rememberTraceState();
    void restoreLanes();
    void restoreMarks(bool besidePresent);
    void applySession(const SessionFile &file);
    void applySessionMemory(const SessionFile &file);
    LandscapeView *memoryTimeline() const; ///< the central page or the view in the dock, depending on what is open
    void showSelected(const SessionFile &file, SliceRef slice);
    void openFileInEditor(const QString &file, int line);
    void savePart(TimeSpan range);
    void saveText(const QString &suggestedName, const QString &text);
    void saveFile(const QString &suggestedName, const QByteArray &content);
    void onSessionChanged(Session::Changes changes);

    Settings *m_settings;
    Session *m_session;
    OpenController *m_open;
    History *m_history;
    PartSaver *m_saver;
    MemoryRulesControl *m_rules;
    QStackedWidget *m_stack = nullptr;
    WelcomePage *m_welcome = nullptr;
    NoticeBar *m_notice = nullptr;
    LoadingBar *m_loading = nullptr;
    LoadingBar *m_saving = nullptr;
    SearchBar *m_search = nullptr;
    GotoBar *m_goto = nullptr;
    ChipBar *m_chips = nullptr;
    TimelineView *m_timeline = nullptr;
    LandscapeView *m_memoryPage = nullptr;
    LogView *m_logPage = nullptr;
    QAction *m_criticalPath = nullptr; ///< toggles the critical path in the timeline
    std::vector<Dock> m_docks;
    Showing m_showing = Showing::Nothing;
    std::map<Showing, QByteArray> m_layouts; ///< the last layout of the docks for each kind of open files
    QStringList m_stateFiles;                ///< the files whose lanes and marks are shown
    std::vector<TraceId> m_stateMembers;     ///< the traces that they became
    bool m_isShown = false;                  ///< some of the files that are being opened can be seen already
    PlaceRequest m_place;
    std::optional<SessionFile> m_sessionToApply; ///< applied before going to m_place
    bool m_remember = true;                      ///< false for pictures, which must not change the settings
};

} // namespace riffle
