// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "views/timeline/hover_card.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/minimap.h"
#include "views/timeline/navigation.h"
#include "views/timeline/step_ribbon.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_state.h"

#include <QApplication>
#include <QNativeGestureEvent>
#include <QPointingDevice>
#include <QScrollBar>
#include <QtTest>

#include <cmath>
#include <functional>

using namespace riffle;

class TimelineMouseTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void aClickSelectsAndAClickBesideClears();
    void aDoubleClickFitsTheSlice();
    void aDragInTheLanesSelectsAnArea();
    void aDragInTheRulerMarksARange();
    void middleAndSpaceDragPan();
    void theWheelScrollsZoomsAndPans();
    void aPinchZooms();
    void aTouchpadScrollsAndMovesToThePixel();
    void theMomentumOfThePlatformIsFollowedAndNothingIsAdded();
    void aFastScrollGlidesOnAtItsSpeed();
    void aKeyAPressAndAnotherMoveEndTheGlide();
    void aSlowScrollAndReducedMotionDoNotGlide();
    void hoverShowsNameDurationAndLane();
    void theCardFollowsWhatMovesUnderAPointerAtRest();
    void aClickOnAStepShowsIt();
    void theMinimapShowsTheGpuAndMovesTheView();
    void groupsFoldByAClickOnTheirHeading();
    void lanesMoveByDraggingAndGrowByTheirEdge();

private:
    static constexpr int kFling = 6, kFlingStep = 20; ///< events, and logical pixels in each
    static constexpr quint64 kEventMs = 8;

    /// Two fingers on a touchpad.
    void touch(QPoint pixels, Qt::ScrollPhase phase, quint64 time)
    {
        const QPointF at(400, 160);
        QWheelEvent event(at, m_view->canvas().mapToGlobal(at), pixels, pixels * 8, Qt::NoButton, {}, phase, false);
        event.setTimestamp(time);
        QApplication::sendEvent(&m_view->canvas(), &event);
    }
    /// A scroll to the left that ends `restMs` after its last event.
    void fling(quint64 restMs)
    {
        quint64 time = 1000;
        touch({}, Qt::ScrollBegin, time);
        for (int event = 0; event < kFling; ++event)
            touch({-kFlingStep, 0}, Qt::ScrollUpdate, time += kEventMs);
        touch({}, Qt::ScrollEnd, time + restMs);
    }
    /// The number of pixels by which a time has moved to the left.
    double movedFrom(double x, Ns time) { return x - m_view->canvas().xAt(time); }
};

void TimelineMouseTest::aClickSelectsAndAClickBesideClears()
{
    for (const char *name : {"sgemm", "aten::mm", "MmBackward0", "nn.Module: Linear_0"}) {
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf(name));
        QCOMPARE(selectedName(), QString::fromLatin1(name));
    }
    QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, QPoint(10, m_view->canvas().height() - 4));
    QVERIFY(!m_session->selected().valid());
}

void TimelineMouseTest::aDoubleClickFitsTheSlice()
{
    QTest::mouseDClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("aten::mm"));
    QCOMPARE(selectedName(), QStringLiteral("aten::mm"));
    QVERIFY(length() < 12'500);
}

void TimelineMouseTest::aDragInTheLanesSelectsAnArea()
{
    LanesCanvas &canvas = m_view->canvas();
    const QPoint from(300, pointOf("sgemm").y());
    const QPoint to(500, pointOf("sgemm").y() + 2);
    QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
    QTest::mouseMove(&canvas, from + QPoint(30, 0));
    QTest::mouseMove(&canvas, to);
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, to);
    QVERIFY(m_session->area());
    QVERIFY(std::abs(canvas.xAt(m_session->area()->span.begin) - 300) < 1.5);
    QVERIFY(std::abs(canvas.xAt(m_session->area()->span.end) - 500) < 1.5);
    QCOMPARE(m_session->area()->lanes.size(), size_t{1});
    QCOMPARE(m_session->area()->lanes[0].lane, item("stream 7").lane);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, pointOf("sgemm"));
    QVERIFY(!m_session->area());
}

void TimelineMouseTest::aDragInTheRulerMarksARange()
{
    TimeRuler &ruler = m_view->ruler();
    QTest::mousePress(&ruler, Qt::LeftButton, {}, QPoint(400, 10));
    QTest::mouseMove(&ruler, QPoint(300, 10));
    QTest::mouseMove(&ruler, QPoint(200, 10));
    QTest::mouseRelease(&ruler, Qt::LeftButton, {}, QPoint(200, 10));
    QVERIFY(m_session->area());
    QVERIFY(m_session->area()->lanes.empty());
    QVERIFY(std::abs(m_view->canvas().xAt(m_session->area()->span.begin) - 200) < 1.5);
    QVERIFY(std::abs(m_view->canvas().xAt(m_session->area()->span.end) - 400) < 1.5);
    QTest::mouseClick(&ruler, Qt::LeftButton, {}, QPoint(50, 10));
    QVERIFY(!m_session->area());
}

void TimelineMouseTest::middleAndSpaceDragPan()
{
    LanesCanvas &canvas = m_view->canvas();
    for (const Qt::MouseButton button : {Qt::MiddleButton, Qt::LeftButton}) {
        m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
        if (button == Qt::LeftButton)
            QTest::keyPress(m_view.get(), Qt::Key_Space);
        const Ns under = canvas.timeAt(400);
        QTest::mousePress(&canvas, button, {}, QPoint(400, 200));
        QTest::mouseMove(&canvas, QPoint(350, 200));
        QTest::mouseMove(&canvas, QPoint(300, 200));
        QTest::mouseRelease(&canvas, button, {}, QPoint(300, 200));
        QTest::keyRelease(m_view.get(), Qt::Key_Space);
        QVERIFY(std::abs(canvas.xAt(under) - 300) < 2);
        QCOMPARE(length(), Ns{10'000});
        QVERIFY(!m_session->area());
    }
}

void TimelineMouseTest::theWheelScrollsZoomsAndPans()
{
    m_view->resize(1100, 240);
    QCoreApplication::processEvents();
    constexpr LaneWindow::Part kMain = LaneWindow::Part::Main;
    const LaneViewport &viewport = m_view->state().viewport();
    QVERIFY(viewport.maximumScroll(kMain) > 0);
    wheel({300, 160}, {0, -120}, {});
    QVERIFY(viewport.scroll(kMain) > 0);
    const auto bars = m_view->findChildren<QScrollBar *>();
    QVERIFY(std::ranges::any_of(bars, [&](QScrollBar *bar) { return bar->value() == viewport.scroll(kMain); }));
    wheel({300, 160}, {0, 1200}, {});
    QCOMPARE(viewport.scroll(kMain), 0);

    m_session->pane()->setVisibleRange({1'040'000, 1'080'000});
    const Ns under = m_view->canvas().timeAt(300);
    wheel({300, 60}, {0, 120}, Qt::ControlModifier);
    QVERIFY(length() < 40'000);
    QVERIFY(std::abs(m_view->canvas().xAt(under) - 300) < 1.5);
    const TimeSpan before = m_session->pane()->visibleRange();
    wheel({300, 60}, {0, -120}, Qt::ShiftModifier);
    QVERIFY(m_session->pane()->visibleRange().begin > before.begin);
    QCOMPARE(length(), before.duration());
}

void TimelineMouseTest::aPinchZooms()
{
    const Ns before = length();
    const QPointF at(300, 60);
    QNativeGestureEvent event(Qt::ZoomNativeGesture, QPointingDevice::primaryPointingDevice(), 2, at, at, at, 0.25, {});
    QApplication::sendEvent(&m_view->canvas(), &event);
    QVERIFY(length() < before);
}

void TimelineMouseTest::aTouchpadScrollsAndMovesToThePixel()
{
    m_view->resize(1100, 240);
    QCoreApplication::processEvents();
    const auto scroll = [this] { return m_view->state().viewport().scroll(LaneWindow::Part::Main); };
    touch({0, -7}, Qt::ScrollUpdate, 1000);
    QCOMPARE(scroll(), 7);
    touch({0, 3}, Qt::ScrollUpdate, 1008);
    QCOMPARE(scroll(), 4);
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    const Ns under = m_view->canvas().timeAt(400);
    touch({-13, 0}, Qt::ScrollUpdate, 1016);
    QVERIFY(std::abs(movedFrom(400, under) - 13) < 0.2);
    QCOMPARE(scroll(), 4);
    for (int event = 0; event < 4; ++event) // a fine wheel, half a pixel each
        wheel({400, 160}, {0, -1}, {});
    QCOMPARE(scroll(), 6);
}

void TimelineMouseTest::theMomentumOfThePlatformIsFollowedAndNothingIsAdded()
{
    m_view->navigation().setAnimated(true);
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    const Ns under = m_view->canvas().timeAt(400);
    quint64 time = 1000;
    touch({}, Qt::ScrollBegin, time);
    int sum = 0;
    for (const auto &[phase, pixels] :
         {std::pair(Qt::ScrollUpdate, 30), std::pair(Qt::ScrollUpdate, 30), std::pair(Qt::ScrollUpdate, 30),
          std::pair(Qt::ScrollMomentum, 21), std::pair(Qt::ScrollMomentum, 9), std::pair(Qt::ScrollMomentum, 4)}) {
        touch({-pixels, 0}, phase, time += kEventMs);
        sum += pixels;
        QVERIFY(std::abs(movedFrom(400, under) - sum) < 0.2);
    }
    touch({}, Qt::ScrollEnd, time + kEventMs);
    const TimeSpan seen = m_session->pane()->visibleRange();
    QTest::qWait(60);
    QCOMPARE(m_session->pane()->visibleRange(), seen);
}

void TimelineMouseTest::aFastScrollGlidesOnAtItsSpeed()
{
    m_view->navigation().setAnimated(true);
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    const Ns under = m_view->canvas().timeAt(400);
    fling(kEventMs);
    // 2.5 pixels per ms at first, then 2^-20 per second of that.
    const double whole = kFling * kFlingStep + 2.5 * 500 / (10 * std::log(2.0));
    QTRY_VERIFY(std::abs(movedFrom(400, under) - whole) < 1);
    QTest::qWait(40);
    QVERIFY(std::abs(movedFrom(400, under) - whole) < 1);
}

void TimelineMouseTest::aKeyAPressAndAnotherMoveEndTheGlide()
{
    m_view->navigation().setAnimated(true);
    LanesCanvas &canvas = m_view->canvas();
    const std::function<void()> ends[] = {[this] { QTest::keyClick(m_view.get(), Qt::Key_Shift); },
                                          [&] { QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(100, 100)); },
                                          [this] {
                                              m_session->pane()->setVisibleRange({1'020'000, 1'030'000});
                                          },
                                          [this] { touch({}, Qt::ScrollBegin, 2000); }};
    for (const auto &end : ends) {
        m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
        const Ns under = canvas.timeAt(400);
        fling(kEventMs);
        QTRY_VERIFY(movedFrom(400, under) > kFling * kFlingStep + 3);
        end();
        const TimeSpan seen = m_session->pane()->visibleRange();
        QTest::qWait(60);
        QCOMPARE(m_session->pane()->visibleRange(), seen);
    }
}

void TimelineMouseTest::aSlowScrollAndReducedMotionDoNotGlide()
{
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    const Ns under = m_view->canvas().timeAt(400);
    for (const bool isAnimated : {false, true}) {
        m_view->navigation().setAnimated(isAnimated);
        const double before = movedFrom(400, under);
        fling(isAnimated ? 200 : kEventMs); // fingers that rest before they leave
        QTest::qWait(60);
        QVERIFY(std::abs(movedFrom(400, under) - before - kFling * kFlingStep) < 0.2);
    }
}

void TimelineMouseTest::hoverShowsNameDurationAndLane()
{
    QTest::mouseMove(&m_view->canvas(), pointOf("sgemm_bwd"));
    QCOMPARE(m_session->pane()->hovered(), named("sgemm_bwd"));
    QVERIFY(m_view->hoverCard().isVisible());
    const QString text = m_view->hoverCard().lines().join(QLatin1Char('|')).replace(QChar(0xa0), QLatin1Char(' '));
    QVERIFY2(text.contains(QStringLiteral("sgemm_bwd")) && text.contains(QStringLiteral("24.00 µs")) &&
                 text.contains(QStringLiteral("stream 7")),
             qPrintable(text));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&m_view->canvas(), &leave);
    QVERIFY(!m_view->hoverCard().isVisible());
    QVERIFY(!m_session->pane()->cursor());
}

void TimelineMouseTest::theCardFollowsWhatMovesUnderAPointerAtRest()
{
    const auto middleOf = [this](const char *name) {
        const auto slice = m_trace->slice(named(name).slice);
        const Ns middle = slice->data.start + slice->data.duration / 2;
        return TimeSpan{middle - 4'000, middle + 4'000};
    };
    m_session->pane()->setVisibleRange(middleOf("sgemm_bwd"));
    const QPoint at = pointOf("sgemm_bwd");
    QTest::mouseMove(&m_view->canvas(), at);
    QCOMPARE(m_session->pane()->hovered(), named("sgemm_bwd"));
    // The view moves until another slice of the stream is under the pointer, and by a key until there is none.
    m_session->pane()->setVisibleRange(middleOf("sgemm"));
    QTRY_COMPARE(m_session->pane()->hovered(), named("sgemm"));
    QVERIFY(m_view->hoverCard().isVisible());
    QVERIFY(!m_view->hoverCard().lines().value(0).contains(QLatin1String("bwd")));
    m_session->pane()->setVisibleRange(middleOf("sgemm_bwd"));
    QTRY_COMPARE(m_session->pane()->hovered(), named("sgemm_bwd"));
    QTest::keyPress(m_view.get(), Qt::Key_D);
    QTRY_VERIFY(!m_session->pane()->hovered().valid());
    QTest::keyRelease(m_view.get(), Qt::Key_D);
    QVERIFY(!m_view->hoverCard().isVisible());
    QTRY_VERIFY(m_session->pane()->cursor() &&
                std::abs(m_view->canvas().xAt(*m_session->pane()->cursor()) - at.x()) < 1.5);
}

void TimelineMouseTest::aClickOnAStepShowsIt()
{
    QVERIFY(m_view->steps().isVisible());
    const double middle = (m_view->canvas().xAt(1'100'000) + m_view->canvas().xAt(1'190'000)) / 2;
    QTest::mouseClick(&m_view->steps(), Qt::LeftButton, {}, QPoint(static_cast<int>(middle), 8));
    QVERIFY(m_session->pane()->visibleRange().begin > 1'090'000);
    QVERIFY(m_session->pane()->visibleRange().end >= 1'190'000);
}

void TimelineMouseTest::theMinimapShowsTheGpuAndMovesTheView()
{
    Minimap &map = m_view->minimap();
    QCOMPARE(map.lines().size(), size_t{1});
    QCOMPARE(map.lines()[0].title, std::string("GPU 0"));
    QVERIFY(Minimap::meanShare(map.lines()[0]) > 0.3);
    m_session->pane()->setVisibleRange({1'050'000, 1'060'000});
    QTest::mouseClick(&map, Qt::LeftButton, {}, QPoint(map.width() * 9 / 10, 20));
    QVERIFY(m_session->pane()->visibleRange().begin > 1'150'000);
    QCOMPARE(length(), Ns{10'000});
    QTest::mousePress(&map, Qt::LeftButton, {}, QPoint(100, 20));
    QTest::mouseMove(&map, QPoint(300, 20));
    QTest::mouseRelease(&map, Qt::LeftButton, {}, QPoint(300, 20));
    QVERIFY(length() > 30'000);
}

void TimelineMouseTest::groupsFoldByAClickOnTheirHeading()
{
    const auto &strips = m_view->state().layout();
    const auto isIdleLane = [](const LaneItem &strip) { return strip.title == "GPU idle: why"; };
    QTRY_VERIFY(
        std::any_of(strips.items().begin(), strips.items().end(), isIdleLane)); // it is computed in the background
    const size_t all = strips.items().size();
    const QRect heading = m_view->labels().rectOf(item("GPU 0"));
    QTest::mouseClick(&m_view->labels(), Qt::LeftButton, {}, heading.center());
    QCOMPARE(strips.items().size(), all - 2); // the lanes of a stream and of the device's idle time
    QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, QPoint(50, heading.center().y()));
    QCOMPARE(m_view->state().layout().items().size(), all);
}

void TimelineMouseTest::lanesMoveByDraggingAndGrowByTheirEdge()
{
    LaneLabels &labels = m_view->labels();
    const QRect python = labels.rectOf(item("python"));
    const QRect other = labels.rectOf(item("thread 101"));
    QVERIFY(other.top() > python.top());
    QTest::mousePress(&labels, Qt::LeftButton, {}, QPoint(100, other.top() + 10));
    QTest::mouseMove(&labels, QPoint(100, other.top() - 10));
    QTest::mouseMove(&labels, QPoint(100, python.top() + 10));
    QTest::mouseRelease(&labels, Qt::LeftButton, {}, QPoint(100, python.top() + 10));
    QVERIFY(labels.rectOf(item("thread 101")).top() < labels.rectOf(item("python")).top());

    const QRect stream = labels.rectOf(item("stream 7"));
    QTest::mousePress(&labels, Qt::LeftButton, {}, QPoint(100, stream.bottom()));
    QTest::mouseMove(&labels, QPoint(100, stream.bottom() + 10));
    QTest::mouseMove(&labels, QPoint(100, stream.bottom() + 20));
    QTest::mouseRelease(&labels, Qt::LeftButton, {}, QPoint(100, stream.bottom() + 20));
    QVERIFY(item("stream 7").height >= stream.height() + 15);
}

RIFFLE_WIDGET_TEST(TimelineMouseTest)
#include "timeline_mouse_test.moc"
