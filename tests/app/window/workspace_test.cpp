// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Pages, the dock and the side panel: what is shown at first, and how they are shown, folded and filled.
#include "tests/app/window_case.h"

#include "app/window/shell/page_bar.h"
#include "app/window/shell/tab_button.h"
#include "app/window/shell/tab_dock.h"
#include "app/window/shell/tab_row.h"
#include "app/window/view_catalog.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"
#include "views/common/table/summary_table.h"
#include "views/strip/strip_view.h"
#include "views/timeline/lanes_canvas.h"

#include <QFile>
#include <QMenu>
#include <QMenuBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace riffle;

class WorkspaceTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-workspace-test"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), sample()));
        write("other.json", R"([{"ph":"X","name":"load","pid":1,"tid":1,"ts":0,"dur":50}])");
        write("host.json", R"({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":100,"dur":50,"args":{"External id": 1}}]})");
    }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        makeWindow();
    }
    void cleanup() { closeWindow(); }

    void aTraceIsOpenedWithItsOverviewTheFirstTimeAndWithItsLanesLater()
    {
        openFile(sample());
        QCOMPARE(page(), QStringLiteral("overview"));
        QVERIFY(m_window->view(QStringLiteral("overview"))->isVisible());
        QVERIFY(!m_window->timeline()->isVisible() && dock()->isHidden() && side()->isHidden());
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Escape);
        QCOMPARE(page(), QStringLiteral("timeline"));
        QVERIFY(m_window->timeline()->isVisible() && m_window->timeline()->hasFocus());
        m_window->close();
        makeWindow();
        openFile(sample());
        QCOMPARE(page(), QStringLiteral("timeline"));
    }

    void aTraceThatIsNotFromTrainingHasItsLanesAndNoTablesOfTraining()
    {
        openFile(path(QStringLiteral("other.json")));
        QTRY_COMPARE(page(), QStringLiteral("timeline"));
        QCOMPARE(dock()->tabs()->shown(), std::vector<QString>{QStringLiteral("query")});
    }

    void otherFilesHaveOtherTables()
    {
        openLanes();
        QVERIFY(dock()->isOffered(QStringLiteral("operators")));
        openFile(path(QStringLiteral("other.json")));
        QTRY_VERIFY(!dock()->isOffered(QStringLiteral("operators")));
        QVERIFY(!m_window->strip()->isVisible());
    }

    void aFileThatIsReadAgainLeavesThePage()
    {
        openFile(sample());
        m_window->showPage(QStringLiteral("overview"));
        openFile(sample());
        QCOMPARE(page(), QStringLiteral("overview"));
    }

    void idsArePagesOrViewsOnce()
    {
        QStringList ids;
        for (const PageEntry &entry : pageCatalog())
            ids += QString::fromLatin1(entry.id);
        for (const ViewEntry &entry : viewCatalog())
            ids += QString::fromLatin1(entry.id);
        QCOMPARE(ids.removeDuplicates(), 0);
    }

    void aTraceWithoutDeviceWorkHasNoTableOfKernels()
    {
        openFile(path(QStringLiteral("host.json")));
        QVERIFY(dock()->isOffered(QStringLiteral("operators")));
        QVERIFY(!dock()->isOffered(QStringLiteral("kernels")));
        QVERIFY(!dock()->isOffered(QStringLiteral("area")));
        QVERIFY(!dock()->isOffered(QStringLiteral("allocator")));
    }

    void theLanesHaveMostOfTheWindow()
    {
        openLanes();
        QVERIFY(dock()->isFolded() && side()->isHidden());
        m_window->noticeBar()->dismiss(); // which says that the sample was generated
        QApplication::processEvents();
        QVERIFY2(m_window->timeline()->height() >= m_window->height() * 6 / 10,
                 qPrintable(QString::number(m_window->timeline()->height())));
        session()->select({TraceId(0), SliceId(3)});
        m_window->bringForward(QStringLiteral("operators"));
        QApplication::processEvents();
        QVERIFY(side()->isVisible() && !dock()->isFolded());
        const TimelineView *lanes = m_window->timeline();
        QVERIFY2(lanes->width() * lanes->height() >= m_window->width() * m_window->height() * 45 / 100,
                 qPrintable(QStringLiteral("%1 x %2").arg(lanes->width()).arg(lanes->height())));
    }

    void ctrlAndADigitShowsOpensAndFocusesThenFolds()
    {
        openLanes();
        press(Qt::Key_6); // operators is the sixth view
        QVERIFY(inFront("operators"));
        QVERIFY(m_window->view(QStringLiteral("operators"))->isAncestorOf(m_window->focusWidget()));
        QVERIFY(qobject_cast<QTreeView *>(m_window->focusWidget()));
        press(Qt::Key_7);
        QVERIFY(inFront("kernels") && !inFront("operators"));
        press(Qt::Key_7);
        QVERIFY(dock()->isFolded() && !inFront("kernels"));
        QVERIFY(m_window->timeline()->hasFocus());
        press(Qt::Key_3);
        QCOMPARE(page(), QStringLiteral("overview"));
        press(Qt::Key_6); // a table leads to the lanes
        QCOMPARE(page(), QStringLiteral("timeline"));
        QVERIFY(inFront("operators"));
        press(Qt::Key_0);
        QVERIFY(m_window->timeline()->hasFocus());
    }

    void aClickOnATabOpensTheDockAndADoubleClickFillsTheWindow()
    {
        openLanes();
        TabButton *kernels = tab("Kernels");
        QTest::mouseClick(kernels, Qt::LeftButton);
        QVERIFY(inFront("kernels"));
        QTest::mouseDClick(kernels, Qt::LeftButton);
        QVERIFY(!m_window->timeline()->isVisible() && inFront("kernels"));
        QTest::keyClick(m_window->view(QStringLiteral("kernels"))->findChild<QTreeView *>(), Qt::Key_Escape);
        QVERIFY(m_window->timeline()->isVisible() && inFront("kernels"));
        QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(dock()->isFolded());
        QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!m_window->timeline()->isVisible());
        QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(m_window->timeline()->isVisible() && dock()->isFolded());
    }

    void thePageTakesThePlaceOfAFullTable()
    {
        openLanes();
        QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!m_window->timeline()->isVisible());
        QVERIFY(dock()->isAncestorOf(m_window->focusWidget()));
        press(Qt::Key_0);
        QVERIFY(m_window->timeline()->isVisible() && m_window->timeline()->hasFocus());
        QTest::keyClick(m_window.get(), Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        session()->pane()->reveal({TraceId(0), SliceId(3)}); // as a row of the table does
        QVERIFY(m_window->timeline()->isVisible());
    }

    void theFocusGoesToTheLanesWhenTheTableIsFolded()
    {
        openLanes();
        press(Qt::Key_6);
        QVERIFY(dock()->isAncestorOf(m_window->focusWidget()));
        QTest::keyClick(m_window->focusWidget(), Qt::Key_J, Qt::ControlModifier);
        QVERIFY(dock()->isFolded() && m_window->timeline()->hasFocus());
    }

    void theTableBeforeAnAreaComesBack()
    {
        openLanes();
        m_window->bringForward(QStringLiteral("kernels"));
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QVERIFY(inFront("area"));
        session()->setArea(std::nullopt);
        QVERIFY(inFront("kernels"));
        press(Qt::Key_7); // folds it
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QVERIFY(inFront("area"));
        session()->setArea(std::nullopt);
        QVERIFY(dock()->isFolded());
    }

    void theArrowsGoFromTabToTab()
    {
        openLanes();
        QTest::mouseClick(tab("Operators"), Qt::LeftButton);
        tab("Operators")->setFocus();
        QTest::keyClick(tab("Operators"), Qt::Key_Right);
        QVERIFY(inFront("kernels") && tab("Kernels")->hasFocus());
        QTest::keyClick(tab("Kernels"), Qt::Key_Left);
        QVERIFY(inFront("operators"));
    }

    void theMenuShowsATabThatIsBehindAndFoldsTheOneInFront()
    {
        openLanes();
        QAction *kernels = entry(QStringLiteral("Kernels"));
        QVERIFY(kernels && !kernels->isChecked() && !inFront("kernels"));
        kernels->trigger();
        QVERIFY(inFront("kernels") && kernels->isChecked());
        kernels->trigger();
        QVERIFY(dock()->isFolded() && !kernels->isChecked());
        QAction *marks = entry(QStringLiteral("Marks"));
        QVERIFY(!marks->isChecked());
        marks->trigger();
        QVERIFY(inFront("marks") && marks->isChecked());
        marks->trigger();
        QVERIFY(side()->isHidden() && !marks->isChecked());
    }

    void theSidePanelComesWithASelectionUnlessItWasClosed()
    {
        openLanes();
        session()->select({TraceId(0), SliceId(3)});
        QVERIFY(inFront("details"));
        session()->select({});
        QVERIFY(side()->isHidden());
        session()->select({TraceId(0), SliceId(3)});
        QTest::keyClick(m_window.get(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(side()->isHidden());
        session()->select({TraceId(0), SliceId(4)});
        QVERIFY(side()->isHidden());
        QTest::keyClick(m_window.get(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(inFront("details"));
        session()->select({});
        QVERIFY(inFront("details"));
    }

    void theTableOfAnAreaIsRaisedAndTheDockKeepsItsHeight()
    {
        openLanes();
        m_window->bringForward(QStringLiteral("steps"));
        QApplication::processEvents();
        const int height = dock()->height();
        QVERIFY(height > 100);
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QVERIFY(inFront("area"));
        QCOMPARE(dock()->height(), height);
        // A tab that the user chose stays in front when the area changes.
        m_window->bringForward(QStringLiteral("operators"));
        TimeSpan part = session()->traces().span();
        part.end -= part.duration() / 2;
        session()->setArea(AreaSelection{part, {}});
        QVERIFY(inFront("operators"));
        QCOMPARE(dock()->height(), height);
        session()->setArea(std::nullopt);
        QVERIFY(!dock()->isOffered(QStringLiteral("area")));
    }

    void thePageAndTheTableComeBackOnTheNextStart()
    {
        openLanes();
        m_window->bringForward(QStringLiteral("modules"));
        QApplication::processEvents();
        const int height = dock()->height();
        m_window->close();
        makeWindow();
        openFile(sample());
        QCOMPARE(page(), QStringLiteral("timeline"));
        QVERIFY(inFront("modules"));
        QCOMPARE(dock()->height(), height);
    }

    void evidenceOnTheOverviewLeadsToTheLanes()
    {
        openFile(sample());
        QCOMPARE(page(), QStringLiteral("overview"));
        session()->pane()->reveal({TraceId(0), SliceId(3)});
        QCOMPARE(page(), QStringLiteral("timeline"));
        QCOMPARE(session()->selected(), (SliceRef{TraceId(0), SliceId(3)}));
        QApplication::processEvents();
        QVERIFY(m_window->timeline()->rect().contains(
            m_window->timeline()->canvas().rectOf({TraceId(0), SliceId(3)})->toRect().center()));
    }

private:
    QString sample() const { return path(QStringLiteral("sample.json")); }
    void write(const char *name, const char *text)
    {
        QFile file(path(QString::fromLatin1(name)));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
    }
    /// Unlike open(), stays on the page that is shown at first.
    void openFile(const QString &file)
    {
        OpenRequest request;
        request.files = {file};
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] { return !session()->traces().empty() && m_window->settled(); }));
    }
    void openLanes()
    {
        OpenRequest request;
        request.files = {sample()};
        open(request);
    }
    QString page() const { return m_window->workspace()->page(); }
    TabDock *dock() const { return m_window->workspace()->dock(); }
    TabDock *side() const { return m_window->workspace()->side(); }
    TabButton *tab(const char *title) const
    {
        for (TabButton *button : dock()->tabs()->findChildren<TabButton *>())
            if (button->text() == QLatin1String(title))
                return button;
        return nullptr;
    }
    bool inFront(const char *id) const
    {
        QApplication::processEvents();
        const QString view = QString::fromLatin1(id);
        return m_window->isInFront(view) && m_window->view(view)->isVisible();
    }
    void press(Qt::Key digit) { QTest::keyClick(m_window.get(), digit, Qt::ControlModifier); }
    QAction *entry(const QString &text) const
    {
        for (QAction *menu : m_window->menuBar()->actions())
            if (menu->text() == QLatin1String("&View"))
                for (QAction *action : menu->menu()->actions())
                    if (action->text() == text)
                        return action;
        return nullptr;
    }
};

RIFFLE_WIDGET_TEST(WorkspaceTest)
#include "workspace_test.moc"
