// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/chip_bar.h"

#include "model/analysis/facts/step_marks.h"
#include "model/analysis/summary/summary.h"
#include "tests/model/analysis/small_trace.h"
#include "views/common/session/filter_actions.h"

#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace riffle;

class ChipBarTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_bar = std::make_unique<ChipBar>(m_session.get());
        m_bar->resize(900, 30);
        m_bar->show();
        TraceSet set = test::setOf(m_trace);
        set.add(test::trainingTrace(), TimeMap());
        m_session->setTraces(std::move(set));
        QVERIFY(QTest::qWaitForWindowExposed(m_bar.get()));
    }
    void cleanup()
    {
        m_bar.reset();
        m_session.reset();
    }

    void eachPartHasAChipTheNewestLast()
    {
        Filters filters;
        filters.steps = {1};
        m_session->setFilters(filters);
        filters.name = "sgemm";
        m_session->setFilters(filters);
        m_session->setArea(AreaSelection{{1'000'000, 1'012'000}, {}});
        QCOMPARE(m_bar->chips(), (QStringList{"12.00\u00a0µs starting at 0\u00a0ns", "Step 1", "sgemm"}));
    }

    void aClickOrDeleteOnAChipEndsIt()
    {
        Filters filters;
        filters.steps = {0, 1};
        filters.name = "sgemm";
        m_session->setFilters(filters);
        QTest::mouseClick(m_bar->findChildren<Chip *>()[0], Qt::LeftButton);
        QCOMPARE(m_session->filters().steps.size(), size_t(0));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QTest::keyClick(m_bar->findChildren<Chip *>()[0], Qt::Key_Delete);
        QVERIFY(m_session->filters().empty());
        QVERIFY(m_bar->chips().isEmpty());
    }

    void clearAllClearsAreaAndFilters()
    {
        Filters filters;
        filters.traces = {TraceId(1)};
        m_session->setFilters(filters);
        m_session->setArea(AreaSelection{{1'000'000, 1'012'000}, {}});
        QTest::mouseClick(button("Clear all"), Qt::LeftButton);
        QVERIFY(m_session->filters().empty());
        QVERIFY(!m_session->area());
        QVERIFY(!button("Clear all")->isVisible());
    }

    void namesThatAreLeftOutAndTextHaveChips()
    {
        Filters filters;
        filters.withoutNames = {"sgemm"};
        filters.text = "gem";
        m_session->setFilters(filters);
        QCOMPARE(m_bar->chips(), (QStringList{"Without sgemm", "Only “gem”"}));
        const auto names = m_session->filters().names();
        QVERIFY(names);
        QVERIFY(!(*names)("sgemm"));
        QVERIFY((*names)("sgemm_bwd"));
        QVERIFY(!(*names)("aten::mm"));
        QTest::mouseClick(m_bar->findChildren<Chip *>()[0], Qt::LeftButton);
        QVERIFY((*m_session->filters().names())("sgemm"));
    }

    void classesHaveOneChip()
    {
        Filters filters;
        filters.classes = bitOf(WorkClass::Communication);
        m_session->setFilters(filters);
        QCOMPARE(m_bar->chips(), QStringList{"Class: Communication"});
        filters.classes |= bitOf(WorkClass::Copies);
        m_session->setFilters(filters);
        QCOMPARE(m_bar->chips(), QStringList{"Classes: Communication · Copies"});
        m_session->widen(narrowed_by::Names);
        QCOMPARE(m_bar->chips().size(), 1);
        m_session->widen(narrowed_by::Classes);
        QVERIFY(m_session->filters().empty());
    }

    void escapeDropsTheNewest()
    {
        Filters filters;
        filters.name = "sgemm";
        m_session->setFilters(filters);
        filters.steps = {1};
        m_session->setFilters(filters);
        m_session->setArea(AreaSelection{{1'000'000, 1'012'000}, {}});
        m_session->escape();
        QVERIFY(!m_session->area());
        m_session->escape();
        QVERIFY(m_session->filters().steps.empty());
        QCOMPARE(m_session->filters().name, std::string("sgemm"));
        m_session->escape();
        QVERIFY(m_session->filters().empty());
    }

    void theViewIsFollowedOnlyWhenAskedAndOnceItRests()
    {
        QSignalSpy changed(m_session.get(), &Session::changed);
        m_session->pane()->setVisibleRange({1'000'000, 1'050'000});
        QVERIFY(!m_session->request().scope.range);
        QTest::mouseClick(button("Follow view"), Qt::LeftButton);
        QCOMPARE(m_session->request().scope.range, std::optional(TimeSpan{1'000'000, 1'050'000}));
        changed.clear();
        m_session->pane()->setVisibleRange({1'000'000, 1'040'000});
        m_session->pane()->setVisibleRange({1'000'000, 1'030'000});
        QCOMPARE(m_session->request().scope.range, std::optional(TimeSpan{1'000'000, 1'050'000})); // not yet
        QTRY_COMPARE(m_session->request().scope.range, std::optional(TimeSpan{1'000'000, 1'030'000}));
        int filterChanges = 0;
        for (const QList<QVariant> &call : changed)
            filterChanges += bool(call.at(0).value<Session::Changes>() & Session::Filter);
        QCOMPARE(filterChanges, 1);
        m_session->setArea(AreaSelection{{1'001'000, 1'002'000}, {}});
        QCOMPARE(m_session->request().scope.range, std::optional(TimeSpan{1'001'000, 1'002'000}));
    }

    void aSliceOffersItsNameStepLaneAndRank()
    {
        QMenu menu;
        const SliceRef backward{TraceId(0), test::sliceNamed(*m_trace, "sgemm_bwd")}; // starts in step 0, on stream 7
        addFilterActions(&menu, m_session.get(), backward);
        QStringList texts;
        for (QAction *action : menu.actions())
            texts += action->text();
        QCOMPARE(texts.size(), 5);
        QCOMPARE(texts[0], QStringLiteral("Filter to the name sgemm_bwd"));
        QCOMPARE(texts[1], QStringLiteral("Filter out the name sgemm_bwd"));
        QCOMPARE(texts[2], QStringLiteral("Filter to step 0"));
        menu.actions()[0]->trigger();
        menu.actions()[1]->trigger(); // both would leave nothing
        QCOMPARE(m_session->filters().name, std::string());
        QCOMPARE(m_session->filters().withoutNames, std::vector<std::string>{"sgemm_bwd"});
        m_session->setFilters({});
        for (QAction *action : menu.actions())
            if (action != menu.actions()[1])
                action->trigger();
        QCOMPARE(m_session->filters().name, std::string("sgemm_bwd"));
        QCOMPARE(m_session->filters().steps, std::vector<int64_t>{0});
        QCOMPARE(m_session->filters().lanes, (std::vector{LaneRef{TraceId(0), m_trace->slice(backward.slice)->lane}}));
        QCOMPARE(m_session->filters().traces, std::vector<TraceId>{TraceId(0)});
        QCOMPARE(m_bar->chips().size(), 4);
    }

    void analysesAreAskedAboutTheSame()
    {
        Filters filters;
        filters.name = "aten::mm";
        filters.traces = {TraceId(0)};
        m_session->setFilters(filters);
        SummaryRequest request = m_session->request();
        request.view = "operators";
        const auto table = summarize(*m_session->facts(), request, {});
        QVERIFY(table);
        QCOMPARE(table->column("name")->texts, std::vector<std::string>{"aten::mm"});
        QCOMPARE(table->column("calls")->integers[0], int64_t(2));
        // All the lanes belong to another trace, so there are no rows.
        request.lanes = {{TraceId(1), LaneId(0)}};
        const auto nothing = summarize(*m_session->facts(), request, {});
        QVERIFY(nothing);
        QCOMPARE(nothing->rows(), size_t(0));
    }

    void aFirstStepThatStandsOutIsLeftOutOnOneClick()
    {
        QVERIFY(!button("Leave out the first step")->isVisible());
        test::SmallTrace trace;
        const uint32_t main = trace.thread(1);
        trace.step(main, 0, 0, 5000);
        for (int step = 1; step < 4; ++step)
            trace.step(main, step, 5000 + step * 1000, 100);
        m_session->setTraces(test::setOf(trace.seal()));
        QVERIFY(button("Leave out the first step")->isVisible());
        QTest::mouseClick(button("Leave out the first step"), Qt::LeftButton);
        QVERIFY(!button("Leave out the first step")->isVisible());
        QCOMPARE(m_bar->chips(), QStringList{"Without the first step"});
        QCOMPARE(stepNumbers(), (std::vector<int64_t>{1, 2, 3}));
        QTest::mouseClick(m_bar->findChildren<Chip *>()[0], Qt::LeftButton);
        QCOMPARE(stepNumbers(), (std::vector<int64_t>{0, 1, 2, 3}));
    }

    void slicesOfANameBecomeTheSteps()
    {
        test::SmallTrace trace;
        const uint32_t main = trace.thread(1);
        trace.step(main, 0, 0, 5000);
        for (int turn = 4; turn < 6; ++turn)
            trace.plain(main, "turn#" + std::to_string(turn), "user_annotation", turn * 1000, 100);
        const auto sealed = trace.seal();
        m_session->setTraces(test::setOf(sealed));
        QCOMPARE(stepNumbers(), std::vector<int64_t>{0});
        Filters filters;
        filters.steps = {0};
        m_session->setFilters(filters);
        QMenu menu;
        addFilterActions(&menu, m_session.get(), SliceRef{TraceId(0), test::sliceNamed(*sealed, "turn#4")});
        for (QAction *action : menu.actions())
            if (action->text() == QLatin1String("Use slices named turn as steps"))
                action->trigger();
        QCOMPARE(m_bar->chips(),
                 QStringList{"Steps by name: turn"}); // the filter to step 0 is dropped, because the steps are new
        QCOMPARE(stepNumbers(), (std::vector<int64_t>{4, 5}));
        QTRY_COMPARE(m_session->stepsOf(TraceId(0)).size(), size_t(2));
        QCOMPARE(m_session->stepsOf(TraceId(0))[1].number, int64_t(5));
        m_session->escape();
        QCOMPARE(stepNumbers(), std::vector<int64_t>{0});
    }

    void annotationsOnAStreamBecomeTheSteps()
    {
        test::SmallTrace trace;
        const uint32_t main = trace.thread(1), gpu = trace.stream(7);
        for (int step = 0; step < 3; ++step) {
            trace.step(main, step, step * 100, 100);
            trace.launch(main, step * 100, 10, step + 1);
            trace.kernel(gpu, "gemm", 1000 + step * 2000, 1500, step + 1);
        }
        for (int step = 0; step < 2; ++step)
            trace.deviceStep(gpu, step, 1000 + step * 2000, 2000);
        const auto sealed = trace.seal();
        m_session->setTraces(test::setOf(sealed));
        QCOMPARE(stepNumbers(), (std::vector<int64_t>{0, 1, 2}));
        const SliceRef annotation{TraceId(0), stepsMarkedBy(*sealed, "ProfilerStep@device").at(1).slice};
        QMenu menu;
        addFilterActions(&menu, m_session.get(), annotation);
        for (QAction *action : menu.actions())
            if (action->text() == QLatin1String("Use annotations named ProfilerStep on the device as steps"))
                action->trigger();
        QCOMPARE(m_bar->chips(), QStringList{"Steps on the device: ProfilerStep"});
        QCOMPARE(stepNumbers(), (std::vector<int64_t>{0, 1}));
        QTRY_COMPARE(m_session->stepsOf(TraceId(0)).size(), size_t(2));
        QCOMPARE(m_session->stepsOf(TraceId(0))[1].span.begin, Ns(3000));
    }

    void newTracesStartUnfiltered()
    {
        Filters filters;
        filters.name = "aten::mm";
        m_session->setFilters(filters);
        test::SmallTrace small;
        small.operation(small.thread(1), "f", 100, 50);
        m_session->setTraces(test::setOf(small.seal()));
        QVERIFY(m_session->filters().empty());
        QVERIFY(m_bar->chips().isEmpty());
    }

private:
    /// The numbers of the steps in the scope of analyses.
    std::vector<int64_t> stepNumbers() const
    {
        SummaryRequest request = m_session->request();
        request.view = "steps";
        const auto table = summarize(*m_session->facts(), request, {});
        return table ? table->column("step")->integers : std::vector<int64_t>{};
    }
    QToolButton *button(const QString &text) const
    {
        for (QToolButton *tool : m_bar->findChildren<QToolButton *>())
            if (tool->text() == text)
                return tool;
        return nullptr;
    }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<ChipBar> m_bar;
};

RIFFLE_WIDGET_TEST(ChipBarTest)
#include "chip_bar_test.moc"
