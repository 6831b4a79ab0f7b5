// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "views/timeline/lanes_canvas.h"

#include <QLineEdit>
#include <QtTest>

using namespace riffle;

class TimelineKeysTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void wZoomsInAtTheCursorAndSOut();
    void withoutACursorZoomKeepsTheMiddle();
    void aAndDPanAndShiftIsFaster();
    void aHeldKeyGoesOnMovingUntilItIsReleased();
    void losingTheFocusLetsGoOfHeldKeys();
    void zeroAndHomeShowTheWholeTrace();
    void fFitsTheSelectionAndAgainGoesBack();
    void mMarksTheSelectionAndAgainRemovesIt();
    void periodAndCommaWalkAlongTheRow();
    void nAndPWalkAlongTheName();
    void bracketsFollowTheFlow();
    void keysWithControlAreLeftToTheWindow();
    void shiftAndThePageKeysGoFromStepToStep();
    void escapeClearsHighlightThenSelectionThenArea();
};

void TimelineKeysTest::wZoomsInAtTheCursorAndSOut()
{
    const TimeSpan before = m_session->pane()->visibleRange();
    const QPoint at(m_view->canvas().width() / 4, 60);
    QTest::mouseMove(&m_view->canvas(), at);
    const Ns under = m_view->canvas().timeAt(at.x());
    QTest::keyClick(m_view.get(), Qt::Key_W);
    QVERIFY(length() < before.duration());
    QVERIFY(std::abs(m_view->canvas().xAt(under) - at.x()) < 1.5);
    const Ns zoomedIn = length();
    QTest::keyClick(m_view.get(), Qt::Key_S);
    QVERIFY(length() > zoomedIn);
    QVERIFY(std::abs(m_view->canvas().xAt(under) - at.x()) < 1.5);
}

void TimelineKeysTest::withoutACursorZoomKeepsTheMiddle()
{
    const TimeSpan before = m_session->pane()->visibleRange();
    QTest::keyClick(m_view.get(), Qt::Key_W);
    const TimeSpan after = m_session->pane()->visibleRange();
    QVERIFY(std::abs((before.begin + before.end) / 2 - (after.begin + after.end) / 2) <= 1);
}

void TimelineKeysTest::aAndDPanAndShiftIsFaster()
{
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    QTest::keyClick(m_view.get(), Qt::Key_D);
    const Ns step = m_session->pane()->visibleRange().begin - 1'050'000;
    QVERIFY(step > 0);
    QCOMPARE(length(), Ns{10'000});
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    QTest::keyClick(m_view.get(), Qt::Key_D, Qt::ShiftModifier);
    QVERIFY(m_session->pane()->visibleRange().begin - 1'050'000 > 2 * step);
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    QTest::keyClick(m_view.get(), Qt::Key_A);
    QVERIFY(m_session->pane()->visibleRange().begin < 1'050'000);
}

void TimelineKeysTest::aHeldKeyGoesOnMovingUntilItIsReleased()
{
    QTest::keyPress(m_view.get(), Qt::Key_W);
    const Ns first = length();
    QTRY_VERIFY(length() < first / 2);
    QTest::keyRelease(m_view.get(), Qt::Key_W);
    const Ns released = length();
    QTest::qWait(60);
    QCOMPARE(length(), released);
}

void TimelineKeysTest::losingTheFocusLetsGoOfHeldKeys()
{
    QTest::keyPress(m_view.get(), Qt::Key_W);
    m_view->findChild<QLineEdit *>()->setFocus();
    const Ns left = length();
    QTest::qWait(60);
    QCOMPARE(length(), left);
}

void TimelineKeysTest::zeroAndHomeShowTheWholeTrace()
{
    for (const Qt::Key key : {Qt::Key_0, Qt::Key_Home}) {
        m_session->pane()->setVisibleRange({1'010'000, 1'010'100});
        QTest::keyClick(m_view.get(), key);
        QCOMPARE(m_session->pane()->visibleRange(), m_session->pane()->wholeRange());
    }
}

void TimelineKeysTest::fFitsTheSelectionAndAgainGoesBack()
{
    m_session->select(named("aten::mm"));
    const TimeSpan before = m_session->pane()->visibleRange();
    QTest::keyClick(m_view.get(), Qt::Key_F);
    const auto slice = *m_trace->slice(named("aten::mm").slice);
    QVERIFY(m_session->pane()->visibleRange().begin <= slice.data.start &&
            m_session->pane()->visibleRange().end >= slice.end());
    QVERIFY(length() < slice.data.duration * 5 / 4);
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QCOMPARE(m_session->pane()->visibleRange(), before);
}

void TimelineKeysTest::mMarksTheSelectionAndAgainRemovesIt()
{
    m_session->select(named("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_M);
    QCOMPARE(m_session->marks().size(), size_t{1});
    QCOMPARE(m_session->marks()[0].span, (TimeSpan{1'009'000, 1'021'000}));
    QTest::keyClick(m_view.get(), Qt::Key_M);
    QVERIFY(m_session->marks().empty());
    m_session->select({});
    QTest::mouseMove(&m_view->canvas(), QPoint(200, 300));
    QTest::keyClick(m_view.get(), Qt::Key_M);
    QCOMPARE(m_session->marks().size(), size_t{1});
    QVERIFY(m_session->marks()[0].span.empty());
}

void TimelineKeysTest::periodAndCommaWalkAlongTheRow()
{
    m_session->select(named("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(selectedName(), QStringLiteral("sgemm_bwd"));
    QTest::keyClick(m_view.get(), Qt::Key_Period);
    QCOMPARE(selectedName(), QStringLiteral("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(selectedName(), QStringLiteral("sgemm_bwd"));
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QTest::keyClick(m_view.get(), Qt::Key_Comma);
    QCOMPARE(m_session->selected(), named("sgemm"));
}

void TimelineKeysTest::nAndPWalkAlongTheName()
{
    m_session->select(named("aten::mm"));
    QTest::keyClick(m_view.get(), Qt::Key_N);
    QCOMPARE(selectedName(), QStringLiteral("aten::mm"));
    QVERIFY(m_session->selected() != named("aten::mm"));
    QTest::keyClick(m_view.get(), Qt::Key_P);
    QCOMPARE(m_session->selected(), named("aten::mm"));
}

void TimelineKeysTest::bracketsFollowTheFlow()
{
    m_session->select(named("cudaLaunchKernel"));
    QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
    QCOMPARE(selectedName(), QStringLiteral("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_BracketLeft);
    QCOMPARE(selectedName(), QStringLiteral("cudaLaunchKernel"));
    m_session->select(named("aten::linear"));
    QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
    QCOMPARE(selectedName(), QStringLiteral("MmBackward0"));
}

void TimelineKeysTest::keysWithControlAreLeftToTheWindow()
{
    const TimeSpan before = m_session->pane()->visibleRange();
    QTest::keyClick(m_view.get(), Qt::Key_W, Qt::ControlModifier);
    QTest::keyClick(m_view.get(), Qt::Key_D, Qt::AltModifier);
    QCOMPARE(m_session->pane()->visibleRange(), before);
}

void TimelineKeysTest::shiftAndThePageKeysGoFromStepToStep()
{
    test::SmallTrace small;
    const uint32_t main = small.thread(1);
    for (int step = 0; step < 4; ++step)
        small.step(main, step, 1'000'000 + step * 100'000, 100'000);
    TraceSet set;
    set.add(small.seal(), TimeMap({{0, 7'000}}));
    m_session->setTraces(set);
    const auto press = [&](Qt::Key key) { QTest::keyClick(m_view.get(), key, Qt::ShiftModifier); };
    const auto fitted = [](int step) { return padded({1'007'000 + step * 100'000, 1'107'000 + step * 100'000}, 0.02); };
    press(Qt::Key_PageDown); // all are in view
    QCOMPARE(m_session->pane()->visibleRange(), fitted(0));
    for (int step = 1; step < 4; ++step) {
        press(Qt::Key_PageDown);
        QCOMPARE(m_session->pane()->visibleRange(), fitted(step));
    }
    press(Qt::Key_PageDown); // there is none behind the last
    QCOMPARE(m_session->pane()->visibleRange(), fitted(3));
    press(Qt::Key_PageUp);
    QCOMPARE(m_session->pane()->visibleRange(), fitted(2));
    m_session->pane()->setVisibleRange(m_session->pane()->wholeRange());
    press(Qt::Key_PageUp);
    QCOMPARE(m_session->pane()->visibleRange(), fitted(3));
}

void TimelineKeysTest::escapeClearsHighlightThenSelectionThenArea()
{
    m_session->select(named("sgemm"));
    m_session->setArea(AreaSelection{{1'000'000, 1'010'000}, {}});
    m_session->setHighlight({{1, 2}});
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(m_session->highlight().empty());
    QVERIFY(m_session->selected().valid());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_session->selected().valid());
    QVERIFY(m_session->area());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_session->area());
}

RIFFLE_WIDGET_TEST(TimelineKeysTest)
#include "timeline_keys_test.moc"
