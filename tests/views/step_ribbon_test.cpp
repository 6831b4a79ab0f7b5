// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/step_ribbon.h"

#include <QLabel>
#include <QtTest>

using namespace riffle;

/// The ribbon of steps, and what it offers where there are none.
class StepRibbonTest : public TimelineCase {
    Q_OBJECT
private slots:
    void cleanup() { closeTimeline(); }

    void aTraceWithoutStepsOffersItsRegularAnnotations()
    {
        showTimeline(servingTrace());
        QTRY_VERIFY(ribbon().isVisible());
        QVERIFY2(offer().contains(QStringLiteral("decode")) && offer().contains(QStringLiteral("5")),
                 qPrintable(offer()));
        emit label().linkActivated(QStringLiteral("decode"));
        QTRY_COMPARE(m_session->stepsOf(TraceId(0)).size(), size_t{5});
        QVERIFY(ribbon().isVisible());
        QVERIFY(label().isHidden());
        m_session->setFilters({}); // by Esc or the chip
        QVERIFY(!label().isHidden());
    }

    void theKeyboardTakesAnOffer()
    {
        showTimeline(servingTrace());
        QTRY_VERIFY(!label().isHidden());
        label().setFocus();
        QTest::keyClick(&label(), Qt::Key_Tab);
        QTest::keyClick(&label(), Qt::Key_Return);
        QTRY_COMPARE(m_session->filters().stepMark, std::string("decode"));
    }

    void aTraceWithStepsOffersNothing()
    {
        showTimeline();
        QVERIFY(ribbon().isVisible());
        QVERIFY(label().isHidden());
    }

    void withoutStepsAndAnnotationsItIsHidden()
    {
        test::SmallTrace trace;
        trace.plain(trace.thread(1, "main"), "work", "cpu_op", 0, 100);
        showTimeline(trace.seal());
        QTest::qWait(50);
        QVERIFY(!ribbon().isVisible());
    }

    void withSeveralRanksItShowsTheStepsOfTheSelectedOne()
    {
        showTimeline();
        m_session->setTraces(TraceSet::of({test::trainingTrace(), servingTrace()}));
        const QImage before = ribbon().grab().toImage();
        Filters filters;
        filters.stepMark = "decode";
        m_session->setFilters(filters);
        QTRY_COMPARE(m_session->stepsOf(TraceId(1)).size(), size_t{5});
        QVERIFY(ribbon().grab().toImage() != before);
        // Without a mark, only the first rank has steps, whatever is selected.
        m_session->setFilters({});
        m_session->select({TraceId(1), SliceId(0)});
        QCOMPARE(ribbon().grab().toImage(), before);
    }

private:
    static std::shared_ptr<const Trace> servingTrace()
    {
        test::SmallTrace trace;
        const uint32_t thread = trace.thread(1, "scheduler");
        for (int i = 0; i < 5; ++i)
            trace.annotation(thread, "decode", i * 100'000, 80'000);
        return trace.seal();
    }
    StepRibbon &ribbon() { return *m_view->findChild<StepRibbon *>(); }
    QLabel &label() { return *ribbon().findChild<QLabel *>(); }
    QString offer() { return label().text(); }
};

RIFFLE_WIDGET_TEST(StepRibbonTest)
#include "step_ribbon_test.moc"
