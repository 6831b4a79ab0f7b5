// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"
#include "views/strip/strip_item.h"
#include "views/strip/strip_view.h"

#include <QSignalSpy>
#include <QTest>

using namespace riffle;

class StripTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<StripView>(m_session.get());
        m_view->resize(1200, 30);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    /// Steps of 1000, 1000 and 2000 from 0 on. A device works at 0..500 and 1000..1500, communicates at 1500..2000, and
    /// works at 2000..4000, so it is idle for 500 of 4000, during which nothing waits.
    void theFiguresAreThoseOfTheSteps()
    {
        open(training(), 4'000);
        const StripFigures &figures = m_view->figures();
        QCOMPARE(figures.step, std::optional<Ns>(1'000));
        QCOMPARE(figures.slowest, std::optional<Ns>(2'000));
        QCOMPARE(figures.steps, (std::vector<double>{1'000, 1'000, 2'000}));
        QCOMPARE(*figures.busy, 3'500.0 / 4'000);
        QCOMPARE(*figures.exposed, 500.0 / 4'000);
        QCOMPARE(*figures.idle, 500.0 / 4'000);
        QVERIFY(figures.findings);
        for (const auto item : {StripView::Step, StripView::Busy, StripView::Exposed, StripView::Idle})
            QVERIFY(m_view->item(item)->isVisible());
        QVERIFY2(m_view->item(StripView::Busy)->accessibleName().contains(QStringLiteral("87.5")),
                 qPrintable(m_view->item(StripView::Busy)->accessibleName()));
    }

    void asTilesTheyFillTheWidthIfThereIsRoom()
    {
        open(training(), 4'000);
        const int line = m_view->item(StripView::Step)->height();
        m_view->setTiles(true);
        m_view->resize(1'200, 80);
        QTRY_VERIFY(m_view->item(StripView::Step)->height() > 2 * line);
        int right = 0, shown = 0;
        for (int item = 0; item < StripView::Items; ++item)
            if (const StripItem *one = m_view->item(static_cast<StripView::Item>(item)); one->isVisible()) {
                QVERIFY(one->x() >= right);
                QVERIFY(one->width() >= 200);
                right = one->geometry().right();
                ++shown;
            }
        QCOMPARE(shown, 5);
        QVERIFY(right > 1'180);
        QSignalSpy asked(m_view.get(), &StripView::tableRequested);
        QTest::mouseClick(m_view->item(StripView::Busy), Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
        m_view->resize(400, 80);
        QTRY_COMPARE(m_view->item(StripView::Step)->height(), line);
    }

    void theWholeTraceIsNoStep()
    {
        m_session->setTraces(test::setOf(withoutMarks()));
        QTRY_VERIFY(m_view->settled() && m_view->figures().busy);
        QVERIFY(!m_view->figures().step && !m_view->figures().slowest);
        QApplication::processEvents();
        QVERIFY(!m_view->item(StripView::Step)->isVisible());
        QVERIFY(m_view->item(StripView::Busy)->isVisible());
    }

    void aTraceWithoutMarksIsNoStepBesideOthers()
    {
        TraceSet set;
        set.add(training());
        set.add(withoutMarks());
        m_session->setTraces(std::move(set));
        QTRY_VERIFY(m_view->settled() && m_view->figures().step);
        QCOMPARE(m_view->figures().step, std::optional<Ns>(1'000));
        QCOMPARE(m_view->figures().slowest, std::optional<Ns>(2'000));
    }

    void theyFollowTheFilter()
    {
        open(training(), 4'000);
        Filters filters;
        filters.steps = {2};
        m_session->setFilters(filters);
        QTRY_COMPARE(m_view->figures().step, std::optional<Ns>(2'000));
        QTRY_COMPARE(*m_view->figures().busy, 1.0);
    }

    void stepsThatTheRangeCutsDoNotCount()
    {
        open(training(), 4'000);
        m_session->setArea(AreaSelection{{500, 3'000}, {}}); // all of step 1, and parts of the others
        QTRY_COMPARE(m_view->figures().steps, std::vector<double>{1'000});
        QCOMPARE(m_view->figures().slowest, std::optional<Ns>(1'000));
        m_session->setArea(AreaSelection{{2'500, 3'500}, {}});
        QTRY_COMPARE(m_view->figures().steps, std::vector<double>{1'000}); // of step 2, since there is no other
        QVERIFY(m_view->settled());
    }

    void theCurveOfSeveralRanksIsTheMedianOfEachStep()
    {
        TraceSet set;
        for (const Ns by : {0, 200, 600}) {
            test::SmallTrace trace;
            const uint32_t main = trace.thread(1);
            for (int step = 0; step < 3; ++step)
                trace.step(main, step, step * 2'000, 1'000 + step * 100 + by);
            set.add(trace.seal());
        }
        m_session->setTraces(set);
        QTRY_COMPARE(m_view->figures().steps, (std::vector<double>{1'200, 1'300, 1'400}));
        QCOMPARE(m_view->figures().step, std::optional<Ns>(1'300));
        QCOMPARE(m_view->figures().slowest, std::optional<Ns>(1'800));
        QCOMPARE(m_view->figures().slowestStep.trace, TraceId(2));
    }

    void whatWasNotRecordedHasNoPlace()
    {
        test::SmallTrace trace;
        trace.step(trace.thread(1), 0, 0, 1'000);
        trace.operation(trace.thread(1), "aten::mm", 10, 50);
        open(trace.seal(), 1'000);
        QVERIFY(!m_view->figures().busy);
        QVERIFY(m_view->item(StripView::Step)->isVisible());
        for (const auto item : {StripView::Busy, StripView::Exposed, StripView::Idle})
            QVERIFY(!m_view->item(item)->isVisible());
    }

    void clicksLeadToTheEvidence()
    {
        open(training(), 4'000);
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested), asked(m_view.get(), &StripView::tableRequested);
        QTest::mouseClick(m_view->item(StripView::Step), Qt::LeftButton);
        QCOMPARE(revealed.count(), 1);
        const auto slice = revealed.at(0).at(0).value<SliceRef>();
        QCOMPARE(m_session->traces().trace(slice.trace)->slice(slice.slice)->data.duration, Ns{2'000});
        QTest::mouseClick(m_view->item(StripView::Findings), Qt::LeftButton);
        QCOMPARE(asked.takeFirst(), (QVariantList{QStringLiteral("findings"), QString()}));
        m_view->item(StripView::Exposed)->setFocus();
        QTest::keyClick(m_view->item(StripView::Exposed), Qt::Key_Space);
        QCOMPARE(asked.takeFirst(), (QVariantList{QStringLiteral("more"), QStringLiteral("collectives")}));
    }

    void itFitsNarrowWindows()
    {
        open(training(), 4'000);
        int before = m_view->item(StripView::Step)->width();
        for (const int width : {720, 620}) { // first without words, then without the curve
            m_view->resize(width, 30);
            QTRY_VERIFY(m_view->item(StripView::Step)->width() < before);
            before = m_view->item(StripView::Step)->width();
            int right = 0;
            for (int at = 0; at < StripView::Items; ++at)
                if (const StripItem *item = m_view->item(static_cast<StripView::Item>(at)); item->isVisible()) {
                    QVERIFY(item->x() >= right);
                    right = item->x() + item->width();
                }
            QVERIFY2(right <= width, qPrintable(QString::number(right)));
        }
    }

private:
    static std::shared_ptr<const Trace> training()
    {
        test::SmallTrace trace;
        const uint32_t main = trace.thread(1), gpu = trace.stream(7);
        trace.step(main, 0, 0, 1'000);
        trace.step(main, 1, 1'000, 1'000);
        trace.step(main, 2, 2'000, 2'000);
        uint32_t correlation = 0;
        const auto launch = [&](const char *name, Ns launched, Ns start, Ns duration) {
            trace.launch(main, launched, 1, ++correlation);
            trace.kernel(gpu, name, start, duration, correlation);
        };
        launch("gemm", 0, 0, 500);
        launch("gemm", 1'000, 1'000, 500);
        launch("ncclDevKernel_AllReduce_Sum", 1'100, 1'500, 500);
        launch("gemm", 2'000, 2'000, 2'000);
        return trace.seal();
    }
    static std::shared_ptr<const Trace> withoutMarks()
    {
        test::SmallTrace trace;
        trace.launch(trace.thread(1), 0, 10, 1);
        trace.kernel(trace.stream(7), "gemm", 20, 50'000, 1);
        return trace.seal();
    }
    void open(std::shared_ptr<const Trace> trace, Ns end)
    {
        QVERIFY(trace->span.end >= end);
        m_session->setTraces(test::setOf(std::move(trace)));
        QVERIFY(QTest::qWaitFor([this] { return m_view->settled() && m_view->figures().step; }));
        QApplication::processEvents();
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<StripView> m_view;
};

RIFFLE_WIDGET_TEST(StripTest)
#include "strip_test.moc"
