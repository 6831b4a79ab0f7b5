// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/empty_notice.h"

#include "tests/model/analysis/small_trace.h"
#include "views/area/area_view.h"
#include "views/common/look/limit_badge.h"
#include "views/common/memory/memory_session.h"
#include "views/details/details_view.h"
#include "views/query/query_view.h"
#include "views/summary/overview_page.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace riffle;

/// Every reason for which a view is empty, and the click that helps.
class EmptyViewTest : public QObject {
    Q_OBJECT

private slots:
    void init() { m_session = std::make_unique<Session>(); }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void aNameFilterThatLeavesNothingIsCleared()
    {
        open(test::trainingTrace());
        showPane("kernels");
        setText("no such name");
        QTRY_COMPARE(said(), QStringLiteral("The name filter leaves nothing here. Without it there are 2 rows."));
        QCOMPARE(notice()->button()->text(), QStringLiteral("Clear the name filter"));
        click();
        QVERIFY(m_session->filters().empty());
        QTRY_COMPARE(table().rows(), size_t(2));
        QVERIFY(!notice()->isVisible());
    }

    void aRangeThatLeavesNothingIsWidened()
    {
        open(test::trainingTrace());
        showPane("operators");
        m_session->setArea(AreaSelection{{1'092'000, 1'095'000}, {}});
        QTRY_COMPARE(said(), QStringLiteral("The selected range leaves nothing here. Without it there are 3 rows."));
        QCOMPARE(notice()->button()->text(), QStringLiteral("Show the whole range"));
        click();
        QVERIFY(!m_session->area());
        QTRY_COMPARE(table().rows(), size_t(3));
    }

    void theFollowedRangeIsWidenedToo()
    {
        open(test::trainingTrace());
        showPane("operators");
        m_session->pane()->setVisibleRange({1'092'000, 1'095'000});
        m_session->setFollowsView(true);
        QTRY_VERIFY(said().startsWith(QStringLiteral("The selected range leaves nothing")));
        click();
        QVERIFY(!m_session->followsView());
        QTRY_COMPARE(table().rows(), size_t(3));
    }

    void theFilterBoxIsCleared()
    {
        open(test::trainingTrace());
        SummaryPane *pane = showPane("operators");
        QLineEdit *box = pane->table()->findChild<QLineEdit *>();
        QTRY_COMPARE(table().rows(), size_t(3));
        QTest::keyClicks(box, QStringLiteral("zzz"));
        QCOMPARE(said(), QStringLiteral("The filter “zzz” hides all 3 rows."));
        click();
        QCOMPARE(box->text(), QString());
        QVERIFY(!notice()->isVisible());
    }

    void whileLoadingTheFileIsNamed()
    {
        showPane("operators");
        QTRY_COMPARE(said(), QStringLiteral("No trace is open."));
        m_session->setLoading(QStringLiteral("big.json"));
        QTRY_COMPARE(said(), QStringLiteral("Riffle is reading big.json."));
        QVERIFY(!notice()->button()->isVisible());
        open(test::trainingTrace());
        m_session->setLoading({});
        QTRY_COMPARE(table().rows(), size_t(3));
    }

    void allViewsOfATraceSayThatItIsLoading()
    {
        m_session->setLoading(QStringLiteral("big.json"));
        const auto says = [&](QWidget *view) {
            m_view.reset(view);
            showView();
            QTRY_COMPARE(said(), QStringLiteral("Riffle is reading big.json."));
        };
        says(new AreaView(m_session.get()));
        says(new DetailsView(m_session.get()));
        says(new OverviewPage(m_session.get()));
        says(new QueryView(m_session.get()));
        says(new TimelineView(m_session->pane()));
    }

    void withoutATraceAClickOpensOne()
    {
        showPane("operators");
        QTRY_COMPARE(said(), QStringLiteral("No trace is open."));
        QSignalSpy asked(m_session.get(), &Session::openRequested);
        click();
        QCOMPARE(asked.size(), 1);
    }

    void aFileWithoutEventsSaysSo()
    {
        open(test::SmallTrace().seal());
        const auto says = [&](QWidget *view) {
            m_view.reset(view);
            showView();
            QTRY_COMPARE(said(), QStringLiteral("There are no events in small.json."));
        };
        says(new SummaryPane(m_session.get(), {"steps"}));
        says(new AreaView(m_session.get()));
        says(new QueryView(m_session.get()));
        says(new OverviewPage(m_session.get()));
        says(new TimelineView(m_session->pane()));
        QSignalSpy asked(m_session.get(), &Session::openRequested);
        click();
        QCOMPARE(asked.size(), 1);
    }

    void anotherProgramsSlicesAreSummedUp()
    {
        open(otherProgram());
        const QString sentence =
            QStringLiteral("Riffle recognizes no operators, no GPU work and no steps of a training run in small.json.");
        showPane("steps");
        QTRY_COMPARE(said(), sentence);
        m_view = std::make_unique<OverviewPage>(m_session.get());
        showView();
        QTRY_COMPARE(said(), sentence);
        click();
        QVERIFY(m_session->area());
        QCOMPARE(m_session->area()->span, m_session->traces().span());
        m_view = std::make_unique<AreaView>(m_session.get());
        showView();
        QTRY_COMPARE(table().rows(), size_t(1));
    }

    void whatWasNotRecordedHasASettingToCopy()
    {
        open(test::trainingTrace());
        showPane("memory");
        QTRY_COMPARE(said(), QStringLiteral("No memory events were recorded. torch.profiler records them with "
                                            "profile_memory=True."));
        QCOMPARE(notice()->button()->text(), QStringLiteral("Copy profile_memory=True"));
        click();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("profile_memory=True"));
        QCOMPARE(notice()->button()->text(), QStringLiteral("Copied"));
    }

    void whatTheRecorderCannotRecordHasNoButton()
    {
        auto trace = std::make_shared<Trace>(*otherProgram());
        trace->info.format = "Paddle JSON";
        open(trace);
        showPane("modules");
        QTRY_COMPARE(said(), QStringLiteral("No modules were recorded. Paddle's profiler cannot record them."));
        QVERIFY(!notice()->button()->isVisible());
    }

    void aPartOfAFileOffersTheWhole()
    {
        auto trace = std::make_shared<Trace>(*test::trainingTrace());
        trace->info.part = trace->span;
        open(trace);
        showPane("memory");
        QTRY_COMPARE(said(), QStringLiteral("The part of the trace that was read contains no memory events."));
        QSignalSpy asked(m_session.get(), &Session::wholeFileRequested);
        click();
        QCOMPARE(asked.size(), 1);
    }

    void whatDidNotHappenIsSaid()
    {
        open(test::trainingTrace());
        showPane("memcpy");
        QTRY_COMPARE(said(), QStringLiteral("No device copied or set memory."));
        QVERIFY(!notice()->button()->isVisible());
    }

    void anAreaWithoutSlicesSaysWhatHidesThem()
    {
        open(test::trainingTrace());
        m_view = std::make_unique<AreaView>(m_session.get());
        showView();
        QTRY_COMPARE(said(), QStringLiteral("Drag over the lanes to sum up an area by name."));
        click();
        QTRY_VERIFY(table().rows() > 0);
        const size_t all = table().rows();
        setText("no such name");
        QTRY_COMPARE(said(),
                     QStringLiteral("The name filter leaves nothing here. Without it there are %1 rows.").arg(all));
        click();
        QTRY_COMPARE(table().rows(), all);
        m_session->setArea(AreaSelection{{2'000'000, 2'000'010}, {}});
        QTRY_COMPARE(said(), QStringLiteral("No slice lies in the area."));
    }

    void aQueryWithoutRowsSaysSo()
    {
        open(test::trainingTrace());
        auto *view = new QueryView(m_session.get());
        m_view.reset(view);
        showView();
        QVERIFY(said().startsWith(QStringLiteral("Write a query")));
        view->findChild<QPlainTextEdit *>()->setPlainText(QStringLiteral("select name from slices where dur < 0"));
        view->run();
        QTRY_COMPARE(said(), QStringLiteral("The query returned no rows."));
    }

    void aFilterThatHidesAllLanesIsCleared()
    {
        open(test::trainingTrace());
        auto *timeline = new TimelineView(m_session->pane());
        m_view.reset(timeline);
        showView();
        QTRY_VERIFY(hasIdleLane(*timeline));
        QVERIFY(!notice()->isVisible());
        auto *box = m_view->findChild<QLineEdit *>();
        QTest::keyClicks(box, QStringLiteral("zzz"));
        QCOMPARE(said(), QStringLiteral("The filter “zzz” hides all 4 lanes."));
        click();
        QCOMPARE(box->text(), QString());
        QVERIFY(!notice()->isVisible());
        QCOMPARE(m_view->focusWidget(), m_view.get());
    }

    void hiddenLanesAreShownAgain()
    {
        open(test::trainingTrace());
        auto *timeline = new TimelineView(m_session->pane());
        m_view.reset(timeline);
        showView();
        QTRY_VERIFY(hasIdleLane(*timeline));
        const std::vector<LaneItem> items = timeline->state().layout().items();
        for (const LaneItem &item : items)
            if (!item.heading())
                timeline->state().hide(item);
        QCOMPARE(said(), QStringLiteral("All 4 lanes are hidden."));
        click();
        QCOMPARE(timeline->state().layout().items().size(), items.size());
    }

    void aBadgeSaysWhatLimitsAViewAndAClickShowsTheWhole()
    {
        open(test::trainingTrace());
        showPane("operators");
        QTRY_COMPARE(table().rows(), size_t(3));
        QVERIFY(!badge()->isVisible());
        m_session->setArea(AreaSelection{{1'000'000, 1'090'000}, {}});
        setText("aten");
        QCOMPARE(badge()->text(), QStringLiteral("Follows: range, name filter"));
        QTRY_COMPARE(table().rows(), size_t(2));
        QTest::mouseClick(badge(), Qt::LeftButton);
        QVERIFY(!m_session->area());
        QVERIFY(m_session->filters().empty());
        QVERIFY(!badge()->isVisible());
        QTRY_COMPARE(table().rows(), size_t(3));
    }

    void aRangeOfEverythingIsNoLimit()
    {
        open(test::trainingTrace());
        showPane("operators");
        m_session->setFollowsView(true);
        QVERIFY(!badge()->isVisible());
        m_session->pane()->setVisibleRange({1'000'000, 1'050'000});
        QTRY_COMPARE(badge()->text(), QStringLiteral("Follows: range"));
    }

    void theOverviewSaysThatItIgnoresTheNameFilter()
    {
        open(test::trainingTrace());
        m_view = std::make_unique<OverviewPage>(m_session.get());
        showView();
        setText("aten");
        QCOMPARE(badge()->text(), QStringLiteral("Ignores name filter"));
        m_session->setArea(AreaSelection{{1'000'000, 1'090'000}, {}});
        QCOMPARE(badge()->text(), QStringLiteral("Follows: range · Ignores name filter"));
        QTest::mouseClick(badge(), Qt::LeftButton); // shows the whole, and leaves the filter to the other views
        QVERIFY(!m_session->area());
        QCOMPARE(m_session->filters().text, std::string("aten"));
        QTest::mouseClick(badge(), Qt::LeftButton);
        QVERIFY(m_session->filters().empty());
        QVERIFY(!badge()->isVisible());
    }

    void aStepMarkIsNoLimitAndStays()
    {
        open(test::trainingTrace());
        showPane("operators");
        Filters filters;
        filters.stepMark = "ProfilerStep";
        m_session->setFilters(filters);
        QVERIFY(!badge()->isVisible());
        filters.steps = {1};
        m_session->setFilters(filters);
        QCOMPARE(badge()->text(), QStringLiteral("Follows: steps"));
        QTest::mouseClick(badge(), Qt::LeftButton);
        QCOMPARE(m_session->filters().stepMark, std::string("ProfilerStep"));
        QVERIFY(m_session->filters().steps.empty());
    }

private:
    /// The lane of the idle times is computed in the background.
    static bool hasIdleLane(TimelineView &timeline)
    {
        return std::ranges::any_of(timeline.state().layout().items(),
                                   [](const LaneItem &item) { return item.bands != nullptr; });
    }
    void open(std::shared_ptr<const Trace> trace) { m_session->setTraces(test::setOf(std::move(trace))); }
    static std::shared_ptr<const Trace> otherProgram()
    {
        test::SmallTrace small;
        small.plain(small.thread(1), "Frontend", "", 0, 100);
        auto trace = std::make_shared<Trace>(*small.seal());
        trace->info.format = "Chrome JSON";
        return trace;
    }
    void showView()
    {
        m_view->resize(900, 400);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    SummaryPane *showPane(const char *word)
    {
        auto *pane = new SummaryPane(m_session.get(), {word});
        m_view.reset(pane);
        showView();
        return pane;
    }
    void setText(const char *text)
    {
        Filters filters = m_session->filters();
        filters.text = text;
        m_session->setFilters(filters);
    }
    EmptyNotice *notice() const { return m_view->findChild<EmptyNotice *>(); }
    LimitBadge *badge() const { return m_view->findChild<LimitBadge *>(); }
    const ResultTable &table() const { return m_view->findChild<SummaryTable *>()->table(); }
    /// The text of the notice; empty if it is not shown.
    QString said() const { return notice()->isVisible() ? notice()->text() : QString(); }
    void click()
    {
        QVERIFY(notice()->button()->isVisible());
        QTest::mouseClick(notice()->button(), Qt::LeftButton);
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<QWidget> m_view;
};

RIFFLE_WIDGET_TEST(EmptyViewTest)
#include "empty_view_test.moc"
