// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/app/window_case.h"

#include "app/session/history.h"
#include "app/window/loading_bar.h"
#include "app/window/welcome_page.h"
#include "tests/support/qt/widget_tests.h"
#include "views/area/area_view.h"
#include "views/common/look/chip_bar.h"
#include "views/common/look/notice_bar.h"
#include "views/details/details_view.h"
#include "views/query/query_editor.h"
#include "views/search/find_bar.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/minimap.h"
#include "views/timeline/timeline_state.h"

#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include <algorithm>

using namespace riffle;

class WindowTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test"));
        m_sample = path(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_sample));
    }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini"))); // each test starts with default settings
        makeWindow();
    }
    void cleanup() { closeWindow(); }

    void fits1280By720()
    {
        QVERIFY2(m_window->minimumSizeHint().width() <= 1280 && m_window->minimumSizeHint().height() <= 720,
                 qPrintable(QStringLiteral("%1x%2")
                                .arg(m_window->minimumSizeHint().width())
                                .arg(m_window->minimumSizeHint().height())));
        openSample();
        QApplication::processEvents();
        QCOMPARE(m_window->size(), QSize(1280, 720));
    }

    void theSampleOpensFromTheWelcomePage()
    {
        QTest::mouseClick(m_window->findChild<QPushButton *>(QStringLiteral("welcomeSample")), Qt::LeftButton);
        QTRY_VERIFY(!session()->traces().empty());
        const Trace &trace = *session()->traces().trace(TraceId(0));
        QVERIFY(trace.sliceCount() > 500);
        QVERIFY(trace.steps.size() >= 2);
        QVERIFY(trace.report.total(Severity::Lost) == 0);
        QTRY_VERIFY(m_window->view(QStringLiteral("overview"))->isVisible());
    }

    void droppedFilesOpenAsOneSet()
    {
        const QString second = path(QStringLiteral("rank1.json"));
        QFile::copy(m_sample, second);
        drop({m_sample, second});
        QCOMPARE(session()->traces().loaded().size(), size_t(2));
        QCOMPARE(m_settings->recentSets().size(), size_t(1));
        QCOMPARE(m_settings->recentSets().front().files, (QStringList{m_sample, second}));
        QVERIFY(m_window->windowTitle().contains(QLatin1String("sample.json")));
    }

    void aBrokenFileGivesANoticeAndLeavesWhatIsOpen()
    {
        openSample();
        const QString broken = path(QStringLiteral("broken.json"));
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("this is no trace");
        file.close();
        OpenRequest request;
        request.files = {broken};
        m_window->open(request);
        QTRY_VERIFY2(m_window->noticeText().contains(QLatin1String("broken.json")), qPrintable(m_window->noticeText()));
        QVERIFY(m_window->noticeBar()->isVisible());
        QCOMPARE(session()->traces().loaded().size(), size_t(1));
        QVERIFY(m_window->timeline()->isVisible());
    }

    void aMissingFileGivesANoticeOnTheWelcomePage()
    {
        OpenRequest request;
        request.files = {path(QStringLiteral("missing.json"))};
        m_window->open(request);
        QTRY_VERIFY(m_window->noticeBar()->isVisible());
        QVERIFY(session()->traces().empty());
    }

    void theStoreTakesOverAndThePlaceStays()
    {
        openSample();
        const TimeSpan range{session()->traces().span().begin + 1000, session()->traces().span().begin + 500'000};
        session()->pane()->setVisibleRange(range);
        session()->select({TraceId(0), SliceId(7)});
        QTRY_VERIFY(session()->traces().trace(TraceId(0))->info.fromStore);
        QCOMPARE(session()->pane()->visibleRange(), range);
        QCOMPARE(session()->selected().slice, SliceId(7));
    }

    void theDetailsSayWhetherTheTraceWasReadOrStored()
    {
        QVERIFY(QFile::copy(m_sample, path(QStringLiteral("fresh.json"))));
        OpenRequest request;
        request.files = {path(QStringLiteral("fresh.json"))};
        const auto details = [this] {
            return m_window->view(QStringLiteral("details"))->findChild<QTextBrowser *>()->toPlainText();
        };
        open(request);
        m_window->bringForward(QStringLiteral("details"));
        QTRY_VERIFY(session()->traces().trace(TraceId(0))->info.fromStore);
        QTRY_VERIFY2(details().contains(QLatin1String("by reading the file; a copy is stored")), qPrintable(details()));
        makeWindow();
        open(request);
        m_window->bringForward(QStringLiteral("details"));
        QVERIFY(session()->traces().trace(TraceId(0))->info.fromStore);
        QTRY_VERIFY2(details().contains(QLatin1String("from its stored copy in")), qPrintable(details()));
        QVERIFY(!details().contains(QLatin1String("by reading the file")));
    }

    void slashSearchesAndEscapeGoesBack()
    {
        openSample();
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_Slash);
        auto *field = m_window->findBar()->box();
        QTRY_VERIFY(field->hasFocus());
        QTest::keyClicks(field, QStringLiteral("gemm"));
        QTRY_VERIFY(m_window->findBar()->settled() && m_window->findBar()->hits().count() > 0);
        QVERIFY(std::ranges::count(m_window->timeline()->minimap().ticks(), true) > 0);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(session()->selected().valid());
        QVERIFY(field->hasFocus()); // so that Enter goes on
        const SliceRef first = session()->selected();
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(session()->selected() != first);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(m_window->timeline()->hasFocus());
        QVERIFY(!session()->highlight().empty());
        QTest::keyClick(m_window->timeline(), Qt::Key_F3, Qt::ShiftModifier);
        const SliceRef before = session()->selected();
        QTest::keyClick(m_window->timeline(), Qt::Key_F3);
        QVERIFY(session()->selected() != before);
        QTest::keyClick(m_window->timeline(), Qt::Key_Escape);
        QVERIFY(session()->highlight().empty());
        QVERIFY(m_window->timeline()->minimap().ticks().empty());
    }

    void gGoesToAStep()
    {
        openSample();
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_G);
        auto *field = m_window->findBar()->box();
        QVERIFY(field->hasFocus());
        QTest::keyClicks(field, QStringLiteral("#1"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(m_window->timeline()->hasFocus());
        const Step &step = session()->traces().trace(TraceId(0))->steps.at(1);
        QVERIFY(session()->pane()->visibleRange().begin <= step.span.begin);
        QVERIFY(session()->pane()->visibleRange().end >= step.span.end);
        QVERIFY(session()->pane()->visibleRange().duration() < step.span.duration() * 2);
    }

    void cShowsTheCriticalPathButIsALetterInQueries()
    {
        openSample();
        auto *timeline = m_window->findChild<TimelineView *>();
        QTest::keyClick(timeline, Qt::Key_C);
        QVERIFY(timeline->showsCriticalPath());
        m_window->bringForward(QStringLiteral("query"));
        auto *editor = m_window->view(QStringLiteral("query"))->findChild<QueryEditor *>();
        QTRY_VERIFY(editor->isVisible());
        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_C);
        QCOMPARE(editor->toPlainText(), QStringLiteral("c"));
        QVERIFY(timeline->showsCriticalPath());
        QTest::keyClick(timeline, Qt::Key_C);
        QVERIFY(!timeline->showsCriticalPath());
    }

    void ctrlCCopiesTheNameAndCtrlShiftCTheCommandLine()
    {
        openSample();
        session()->select({TraceId(0), SliceId(3)});
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_C, Qt::ControlModifier);
        const Trace &trace = *session()->traces().trace(TraceId(0));
        const std::string name(trace.string(trace.slice(SliceId(3))->data.name));
        QCOMPARE(QApplication::clipboard()->text(), QString::fromStdString(name));
        QTest::keyClick(m_window->timeline(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString line = QApplication::clipboard()->text();
        QVERIFY2(line.startsWith(QLatin1String("riffle --view=")) && line.contains(QLatin1String("--select ")) &&
                     line.endsWith(m_sample),
                 qPrintable(line));
    }

    void altLeftGoesBack()
    {
        openSample();
        const TimeSpan first = session()->pane()->visibleRange();
        session()->pane()->setVisibleRange(
            {session()->traces().span().begin, session()->traces().span().begin + 100'000});
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(session()->pane()->visibleRange(), first);
        QTest::keyClick(m_window->timeline(), Qt::Key_Right, Qt::AltModifier);
        QVERIFY(session()->pane()->visibleRange() != first);
    }

    void anAreaBringsItsTableForward()
    {
        openSample();
        auto *area = static_cast<AreaView *>(m_window->view(QStringLiteral("area")));
        QVERIFY(!area->isVisible());
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QTRY_VERIFY(area->isVisible());
    }

    void escapeAnywhereDropsTheNewestFilter()
    {
        openSample();
        Filters filters;
        filters.steps = {1};
        session()->setFilters(filters);
        QCOMPARE(m_window->chipBar()->chips(), QStringList{"Step 1"});
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        auto *area = static_cast<AreaView *>(m_window->view(QStringLiteral("area")));
        QTRY_VERIFY(area->table()->rows().rowCount() > 0);
        area->table()->view()->setFocus();
        QTest::keyClick(area->table()->view(), Qt::Key_Escape);
        QVERIFY(!session()->area());
        QTest::keyClick(area->table()->view(), Qt::Key_Escape);
        QVERIFY(session()->filters().empty());
    }

    void aTablesOrderComesBackOnTheNextStart()
    {
        const auto table = [this] { return static_cast<AreaView *>(m_window->view(QStringLiteral("area")))->table(); };
        openSample();
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QTRY_VERIFY(table()->rows().rowCount() > 0);
        emit table()->view()->header()->sectionClicked(2);
        QCOMPARE(table()->rows().order().size(), size_t(1));
        m_window->close();
        makeWindow();
        openSample();
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QTRY_VERIFY(table()->rows().rowCount() > 0);
        QCOMPARE(table()->rows().order(), (std::vector<ResultRowModel::Order>{{2, true}}));
    }

    void marksComeBackOnTheNextStart()
    {
        openSample();
        const Ns origin = session()->traces().span().begin;
        session()->setMarks({{{origin + 10, origin + 20}, QStringLiteral("look here")}});
        m_window->close();
        makeWindow();
        openSample();
        QTRY_COMPARE(session()->marks().size(), size_t(1));
        QCOMPARE(session()->marks()[0].note, QStringLiteral("look here"));
    }

    void aSessionFileOpensTheSamePlace()
    {
        openSample();
        const Ns origin = session()->traces().span().begin;
        session()->pane()->setVisibleRange({origin + 1000, origin + 400'000});
        session()->select({TraceId(0), SliceId(11)});
        session()->setMarks({{{origin + 1, origin + 1}, QStringLiteral("note")}});
        const QString saved = path(QStringLiteral("place.riffle"));
        QVERIFY(m_window->sessionNow().write(saved));
        session()->pane()->setVisibleRange({origin, origin + 2000});
        session()->select({});
        session()->setMarks({});
        OpenRequest request;
        request.files = {saved};
        m_window->open(request);
        QTRY_COMPARE(session()->marks().size(), size_t(1));
        QCOMPARE(session()->pane()->visibleRange(), (TimeSpan{origin + 1000, origin + 400'000}));
        const Trace &trace = *session()->traces().trace(TraceId(0));
        QCOMPARE(trace.slice(session()->selected().slice)->data.start, trace.slice(SliceId(11))->data.start);
    }

    void cancelLeavesTheWelcomePage()
    {
        OpenRequest request;
        request.files = {m_sample};
        m_window->open(request);
        m_window->controller()->cancel();
        QVERIFY(!m_window->controller()->loading());
        QVERIFY(session()->traces().empty());
        QVERIFY(!m_window->findChild<LoadingBar *>()->isVisible());
    }

    void theMenusOpenTheSampleAndRecentFiles()
    {
        clickInMenu(QStringLiteral("&File"), QStringLiteral("Open &sample"));
        const QList<QMenu *> menus = menuNamed(QStringLiteral("&File"))->findChildren<QMenu *>();
        const auto kinds = std::ranges::find(menus, QStringLiteral("Open &sample"), &QMenu::title);
        QVERIFY(kinds != menus.end());
        QTRY_VERIFY((*kinds)->isVisible());
        QTest::mouseClick(*kinds, Qt::LeftButton, {}, (*kinds)->actionGeometry((*kinds)->actions().at(0)).center());
        QTRY_VERIFY(!session()->traces().empty() && m_window->settled());
        const QStringList sample = m_settings->recentSets().front().files;
        QVERIFY(sample.front().endsWith(QLatin1String("generated_rank0.pt.trace.json.gz")));
        openSample();
        QCOMPARE(m_settings->recentSets().size(), size_t(2));
        auto *recent = menuNamed(QStringLiteral("&File"))->findChild<QMenu *>(QStringLiteral("openRecent"));
        recent->popup(m_window->mapToGlobal(QPoint(40, 40)));
        QTRY_VERIFY(recent->isVisible());
        QVERIFY(recent->actions().value(1)->text().startsWith(m_settings->recentSets()[1].title()));
        QTest::mouseClick(recent, Qt::LeftButton, {}, recent->actionGeometry(recent->actions().at(1)).center());
        QTRY_COMPARE(m_window->controller()->request().files, sample);
    }

    void aClickOnARecentFileOfTheWelcomePageOpensIt()
    {
        RecentSet set;
        set.files = {m_sample};
        m_settings->addRecentSet(set);
        QLabel *link = nullptr;
        for (QLabel *label : m_window->findChild<WelcomePage *>()->findChildren<QLabel *>())
            if (label->toolTip() == m_sample)
                link = label;
        QVERIFY(link);
        QTRY_VERIFY(link->isVisible());
        QTest::mouseClick(link, Qt::LeftButton, {}, QPoint(10, link->height() / 2));
        QTRY_VERIFY(!session()->traces().empty());
    }

    void questionMarkListsTheKeysAndEscapeClosesThem()
    {
        openSample();
        m_window->timeline()->setFocus();
        QString text;
        QTimer::singleShot(0, this, [&text] {
            QWidget *dialog = QApplication::activeModalWidget();
            if (!dialog)
                return;
            for (QTreeWidgetItemIterator at(dialog->findChild<QTreeWidget *>()); *at; ++at)
                text += (*at)->text(0) + QLatin1Char(' ') + (*at)->text(1) + QLatin1Char('\n');
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        QTest::keyClick(m_window->timeline(), Qt::Key_Question);
        for (const char *wanted :
             {"Fit the selection", "Next and previous slice", "Ctrl+Shift+C", "Alt+Left", "Go to a step"})
            QVERIFY2(text.contains(QLatin1String(wanted)), wanted);
    }

    void whatIsMissingAndWhatIsDamagedAreBothSaid()
    {
        OpenRequest request;
        request.files = {path(QStringLiteral("missing.json")), m_sample, damagedFile()};
        open(request);
        const QStringList notices = m_window->noticeText().split(QLatin1Char('\n'));
        QCOMPARE(notices.size(), 3); // the third one says that the sample was not recorded
        QVERIFY2(notices[0].contains(QLatin1String("missing.json: Cannot open")), qPrintable(notices[0]));
        // an event without a time, an event that is cut, and the list of events, which has no end
        QVERIFY2(notices[1].startsWith(QLatin1String("damaged.json: Some events were lost (3)")),
                 qPrintable(notices[1]));
    }

    void aDamagedFileTellsWhatWasLostAndWhere()
    {
        OpenRequest request;
        request.files = {damagedFile()};
        m_window->open(request);
        QTRY_VERIFY(m_window->noticeBar()->isVisible());
        QCOMPARE(session()->traces().trace(TraceId(0))->sliceCount(), uint64_t{1});
        QStringList rows;
        QTimer::singleShot(0, this, [&rows] {
            QWidget *dialog = QApplication::activeModalWidget();
            if (!dialog)
                return;
            auto *list = dialog->findChild<QTreeWidget *>();
            for (QTreeWidgetItemIterator item(list); *item; ++item)
                rows += (*item)->text(0);
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        QToolButton *action = nullptr;
        for (QToolButton *button : m_window->noticeBar()->findChildren<QToolButton *>())
            if (!button->text().isEmpty() && button->isVisible() && !action)
                action = button;
        QVERIFY(action);
        QTest::mouseClick(action, Qt::LeftButton);
        QVERIFY2(rows.size() >= 4, qPrintable(rows.join(QLatin1Char('\n'))));
        QVERIFY2(!rows.filter(QStringLiteral("at byte")).filter(QStringLiteral("no time")).isEmpty(),
                 qPrintable(rows.join(QLatin1Char('\n'))));
    }

    void foldsComeBackOnTheNextStart()
    {
        openSample();
        const auto fold = [this]() -> const LaneItem & {
            return m_window->timeline()->state().layout().items().front();
        };
        LaneLabels &labels = m_window->timeline()->labels();
        QVERIFY(fold().heading() && !fold().folded);
        QTest::mouseClick(&labels, Qt::LeftButton, {}, labels.rectOf(fold()).center());
        QVERIFY(fold().folded);
        m_window->close();
        makeWindow();
        openSample();
        QVERIFY(fold().folded);
        LaneLabels &again = m_window->timeline()->labels();
        QTest::mouseClick(&again, Qt::LeftButton, {}, again.rectOf(fold()).center());
        QVERIFY(!fold().folded);
    }

    void thePictureShowsTheWholeWindowInBothThemes()
    {
        openSample();
        m_window->setTheme(ThemeKind::Light);
        QApplication::processEvents();
        const QImage light = m_window->picture();
        m_window->setTheme(ThemeKind::Dark);
        QApplication::processEvents();
        const QImage dark = m_window->picture();
        QCOMPARE(light.size(), m_window->size());
        QVERIFY(light.pixelColor(4, 4).lightness() > 150);
        QVERIFY(dark.pixelColor(4, 4).lightness() < 100);
    }

private:
    QMenu *menuNamed(const QString &title) const
    {
        for (QAction *action : m_window->menuBar()->actions())
            if (action->text() == title)
                return action->menu();
        return nullptr;
    }
    /// Chooses an entry as a user does: with clicks on the menu bar and on the entry.
    void clickInMenu(const QString &title, const QString &entry)
    {
        QMenu *menu = menuNamed(title);
        QVERIFY(menu);
        QTest::mouseClick(m_window->menuBar(), Qt::LeftButton, {},
                          m_window->menuBar()->actionGeometry(menu->menuAction()).center());
        QTRY_VERIFY(menu->isVisible());
        for (QAction *action : menu->actions())
            if (action->text() == entry) {
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                return;
            }
        QFAIL(qPrintable(entry));
    }
    QString damagedFile() const
    {
        const QString damaged = path(QStringLiteral("damaged.json"));
        QFile file(damaged);
        if (!file.open(QIODevice::WriteOnly))
            qFatal("no room for a file");
        QByteArray text("{'traceEvents':[{'ph':'X','name':'good','pid':1,'tid':1,'ts':1,'dur':5},\n"
                        "{'ph':'X','name':'no time','pid':1,'tid':1,'dur':5},\n{'ph':'X','name':'cut o");
        file.write(text.replace('\'', '"'));
        return damaged;
    }
    void openSample()
    {
        OpenRequest request;
        request.files = {m_sample};
        open(request);
    }

    QString m_sample;
};

RIFFLE_WIDGET_TEST(WindowTest)
#include "window_test.moc"
