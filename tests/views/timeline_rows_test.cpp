// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Lanes of the host open with their first rows and show the others when they are asked for or needed.
#include "tests/support/import_text.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/lane_labels.h"

#include <QTest>

using namespace riffle;

class TimelineRowsTest : public TimelineCase {
    Q_OBJECT

private slots:
    void init()
    {
        test::SmallTrace small;
        const uint32_t main = small.thread(1);
        for (int depth = 0; depth < 12; ++depth)
            small.operation(main, ("call " + std::to_string(depth)).c_str(), 10 + depth, 100 - 2 * depth);
        showTimeline(small.seal());
        QCOMPARE(thread().rows, 8u);
    }
    void cleanup() { closeTimeline(); }

    void aClickShowsTheOtherRowsAndAnotherOneTheFirstOnes()
    {
        clickAtTheEnd();
        QCOMPARE(thread().rows, 12u);
        clickAtTheEnd();
        QCOMPARE(thread().rows, 8u);
    }

    void aSliceInAHiddenRowIsShownWhenItIsRevealed()
    {
        m_session->pane()->reveal(named("call 3"));
        QCOMPARE(thread().rows, 8u);
        m_session->pane()->reveal(named("call 11"));
        QCOMPARE(thread().rows, 12u);
        QCOMPARE(selectedName(), QStringLiteral("call 11"));
        QVERIFY(m_view->canvas().rect().contains(pointOf("call 11")));
    }

    void aSliceOfALaneThatTheFilterHidesIsShown()
    {
        m_view->state().setFilter(QStringLiteral("no such lane"));
        m_session->pane()->reveal(named("call 11"));
        QCOMPARE(thread().rows, 12u);
        QVERIFY(m_view->canvas().rect().contains(pointOf("call 11")));
    }

    void aQuietGroupUnfoldsAtEachSecondClick()
    {
        const auto trace = test::importText(R"json({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":100,"dur":50},
{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":500}]})json");
        QVERIFY(trace);
        m_session->setTraces(test::setOf(*trace));
        for (int click = 0; click < 4; ++click) {
            QCOMPARE(item("Spans").folded, click % 2 == 0);
            QTest::mouseClick(&m_view->labels(), Qt::LeftButton, {}, m_view->labels().rectOf(item("Spans")).center());
        }
        m_view->foldAll();
        QVERIFY(item("Spans").folded);
        m_view->unfoldAll();
        QVERIFY(!item("Spans").folded);
    }

    void theRowsAreSaved()
    {
        clickAtTheEnd();
        const QJsonObject saved = m_view->saveState();
        clickAtTheEnd();
        m_view->restoreState(saved);
        QCOMPARE(thread().rows, 12u);
    }

private:
    const LaneItem &thread() const { return item("thread 1"); }
    void clickAtTheEnd()
    {
        const QRect cell = m_view->labels().rectOf(thread());
        QTest::mouseClick(&m_view->labels(), Qt::LeftButton, {}, QPoint(60, cell.bottom() - 10));
    }
};

RIFFLE_WIDGET_TEST(TimelineRowsTest)
#include "timeline_rows_test.moc"
