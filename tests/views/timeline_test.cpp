// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_view.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"
#include "views/common/palette.h"
#include "views/common/qt_text.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/minimap.h"
#include "views/timeline/navigation.h"
#include "views/timeline/step_ribbon.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_state.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QNativeGestureEvent>
#include <QPointingDevice>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include <set>

using namespace riffle;

class TimelineTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();

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
    void searchGoToAndKeysAreAskedFor();
    void keysWithControlAreLeftToTheWindow();
    void escapeClearsAreaThenSelectionThenHighlight();
    void aClickSelectsAndAClickBesideClears();
    void aDoubleClickFitsTheSlice();
    void aDragInTheLanesSelectsAnArea();
    void aDragInTheRulerMarksARange();
    void middleAndSpaceDragPan();
    void theWheelScrollsZoomsAndPans();
    void aPinchZooms();
    void hoverShowsNameDurationAndLane();
    void aClickOnAStepShowsIt();
    void theMinimapShowsTheGpuAndMovesTheView();
    void groupsFoldByAClickOnTheirHeading();
    void lanesMoveByDraggingAndGrowByTheirEdge();
    void theFilterKeepsMatchingLanesAndEscapeClearsIt();
    void revealUnfoldsScrollsAndZooms();
    void theStateComesBack();
    void aTickIsPaintedForAShortKernel();
    void aFoldedGroupShowsASummary();
    void crossingAndUnfinishedSlicesAreMarked();
    void aJumpGlidesAndAKeyTakesOver();
    void aLeapAskedForTwiceEndsWhereTheLastLeads();
    void highlightDimsTheRest();
    void aPreviewIsShownUntilTheTraceIsThere();
    void namesInEveryScriptAreDrawn();
    void copyTakesTheFullName();
    void renderImageHasTheSizeAskedFor();
    void anEmptySessionTakesKeysAndMouseWithoutHarm();
    void noInputMethodStandsBetween();

private:
    QPoint pointOf(const char *name) const;
    SliceRef named(const char *name) const { return {0, test::sliceNamed(*m_trace, name)}; }
    QString selectedName() const;
    void wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers);
    const LaneItem &item(const char *title) const;
    Ns length() const { return m_session->visibleRange().duration(); }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<TimelineView> m_view;
};

void TimelineTest::init()
{
    m_trace = test::trainingTrace();
    m_session = std::make_unique<Session>();
    m_view = std::make_unique<TimelineView>(m_session.get());
    m_session->setTraces(test::setOf(m_trace));
    m_view->resize(1100, 500);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    m_view->finishJobs();
    m_view->setFocus();
    QTest::mouseMove(m_view.get(), QPoint(2, 2));
    m_session->setHover({}, std::nullopt);
}

void TimelineTest::cleanup()
{
    m_view.reset();
    m_session.reset();
}

QPoint TimelineTest::pointOf(const char *name) const { return m_view->canvas().rectOf(named(name))->center().toPoint(); }

QString TimelineTest::selectedName() const
{
    const auto slice = m_trace->slice(m_session->selected().slice);
    return slice ? toQString(m_trace->string(slice->data.name)) : QString();
}

void TimelineTest::wheel(QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(at, m_view->canvas().mapToGlobal(QPointF(at)), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&m_view->canvas(), &event);
}

const LaneItem &TimelineTest::item(const char *title) const
{
    for (const auto *section : {&m_view->state().layout().pinned(), &m_view->state().layout().items()})
        for (const LaneItem &lane : *section)
            if (lane.title == title)
                return lane;
    qFatal("no lane %s", title);
}

void TimelineTest::wZoomsInAtTheCursorAndSOut()
{
    const TimeSpan before = m_session->visibleRange();
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

void TimelineTest::withoutACursorZoomKeepsTheMiddle()
{
    const TimeSpan before = m_session->visibleRange();
    QTest::keyClick(m_view.get(), Qt::Key_W);
    const TimeSpan after = m_session->visibleRange();
    QVERIFY(std::abs((before.begin + before.end) / 2 - (after.begin + after.end) / 2) <= 1);
}

void TimelineTest::aAndDPanAndShiftIsFaster()
{
    m_session->setVisibleRange({1'050'000, 1'060'000});
    QTest::keyClick(m_view.get(), Qt::Key_D);
    const Ns step = m_session->visibleRange().begin - 1'050'000;
    QVERIFY(step > 0);
    QCOMPARE(length(), Ns{10'000});
    m_session->setVisibleRange({1'050'000, 1'060'000});
    QTest::keyClick(m_view.get(), Qt::Key_D, Qt::ShiftModifier);
    QVERIFY(m_session->visibleRange().begin - 1'050'000 > 2 * step);
    m_session->setVisibleRange({1'050'000, 1'060'000});
    QTest::keyClick(m_view.get(), Qt::Key_A);
    QVERIFY(m_session->visibleRange().begin < 1'050'000);
}

void TimelineTest::aHeldKeyGoesOnMovingUntilItIsReleased()
{
    QTest::keyPress(m_view.get(), Qt::Key_W);
    const Ns first = length();
    QTRY_VERIFY(length() < first / 2);
    QTest::keyRelease(m_view.get(), Qt::Key_W);
    const Ns released = length();
    QTest::qWait(60);
    QCOMPARE(length(), released);
}

void TimelineTest::losingTheFocusLetsGoOfHeldKeys()
{
    QTest::keyPress(m_view.get(), Qt::Key_W);
    m_view->findChild<QLineEdit *>()->setFocus();
    const Ns left = length();
    QTest::qWait(60);
    QCOMPARE(length(), left);
}

void TimelineTest::zeroAndHomeShowTheWholeTrace()
{
    for (const Qt::Key key : {Qt::Key_0, Qt::Key_Home}) {
        m_session->setVisibleRange({1'010'000, 1'010'100});
        QTest::keyClick(m_view.get(), key);
        QCOMPARE(m_session->visibleRange(), m_session->wholeRange());
    }
}

void TimelineTest::fFitsTheSelectionAndAgainGoesBack()
{
    m_session->select(named("aten::mm"));
    const TimeSpan before = m_session->visibleRange();
    QTest::keyClick(m_view.get(), Qt::Key_F);
    const auto slice = *m_trace->slice(named("aten::mm").slice);
    QVERIFY(m_session->visibleRange().begin <= slice.data.start && m_session->visibleRange().end >= slice.end());
    QVERIFY(length() < slice.data.duration * 5 / 4);
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QCOMPARE(m_session->visibleRange(), before);
}

void TimelineTest::mMarksTheSelectionAndAgainRemovesIt()
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

void TimelineTest::periodAndCommaWalkAlongTheRow()
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

void TimelineTest::nAndPWalkAlongTheName()
{
    m_session->select(named("aten::mm"));
    QTest::keyClick(m_view.get(), Qt::Key_N);
    QCOMPARE(selectedName(), QStringLiteral("aten::mm"));
    QVERIFY(m_session->selected() != named("aten::mm"));
    QTest::keyClick(m_view.get(), Qt::Key_P);
    QCOMPARE(m_session->selected(), named("aten::mm"));
}

void TimelineTest::bracketsFollowTheFlow()
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

void TimelineTest::searchGoToAndKeysAreAskedFor()
{
    QSignalSpy search(m_view.get(), &TimelineView::searchRequested);
    QSignalSpy goTo(m_view.get(), &TimelineView::goToRequested);
    QSignalSpy keys(m_view.get(), &TimelineView::keysRequested);
    QTest::keyClick(m_view.get(), Qt::Key_Slash);
    QTest::keyClick(m_view.get(), Qt::Key_G);
    QTest::keyClick(m_view.get(), Qt::Key_Question, Qt::ShiftModifier);
    QCOMPARE(search.count(), 1);
    QCOMPARE(goTo.count(), 1);
    QCOMPARE(keys.count(), 1);
}

void TimelineTest::keysWithControlAreLeftToTheWindow()
{
    const TimeSpan before = m_session->visibleRange();
    QTest::keyClick(m_view.get(), Qt::Key_W, Qt::ControlModifier);
    QTest::keyClick(m_view.get(), Qt::Key_D, Qt::AltModifier);
    QCOMPARE(m_session->visibleRange(), before);
}

void TimelineTest::escapeClearsAreaThenSelectionThenHighlight()
{
    m_session->select(named("sgemm"));
    m_session->setArea(AreaSelection{{1'000'000, 1'010'000}, {}});
    m_session->setHighlight({{1, 2}});
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_session->area());
    QVERIFY(m_session->selected().valid());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(!m_session->selected().valid());
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(m_session->highlight().empty());
}

void TimelineTest::aClickSelectsAndAClickBesideClears()
{
    for (const char *name : {"sgemm", "aten::mm", "MmBackward0", "nn.Module: Linear_0"}) {
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf(name));
        QCOMPARE(selectedName(), QString::fromLatin1(name));
    }
    QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, QPoint(10, m_view->canvas().height() - 4));
    QVERIFY(!m_session->selected().valid());
}

void TimelineTest::aDoubleClickFitsTheSlice()
{
    QTest::mouseDClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("aten::mm"));
    QCOMPARE(selectedName(), QStringLiteral("aten::mm"));
    QVERIFY(length() < 12'500);
}

void TimelineTest::aDragInTheLanesSelectsAnArea()
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

void TimelineTest::aDragInTheRulerMarksARange()
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

void TimelineTest::middleAndSpaceDragPan()
{
    LanesCanvas &canvas = m_view->canvas();
    for (const Qt::MouseButton button : {Qt::MiddleButton, Qt::LeftButton}) {
        m_session->setVisibleRange({1'050'000, 1'060'000});
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

void TimelineTest::theWheelScrollsZoomsAndPans()
{
    m_view->resize(1100, 240);
    QCoreApplication::processEvents();
    QVERIFY(m_view->state().maximumScroll() > 0);
    wheel({300, 60}, {0, -120}, {});
    QVERIFY(m_view->state().scroll() > 0);
    QCOMPARE(m_view->findChild<QScrollBar *>()->value(), m_view->state().scroll());
    wheel({300, 60}, {0, 1200}, {});
    QCOMPARE(m_view->state().scroll(), 0);

    m_session->setVisibleRange({1'040'000, 1'080'000});
    const Ns under = m_view->canvas().timeAt(300);
    wheel({300, 60}, {0, 120}, Qt::ControlModifier);
    QVERIFY(length() < 40'000);
    QVERIFY(std::abs(m_view->canvas().xAt(under) - 300) < 1.5);
    const TimeSpan before = m_session->visibleRange();
    wheel({300, 60}, {0, -120}, Qt::ShiftModifier);
    QVERIFY(m_session->visibleRange().begin > before.begin);
    QCOMPARE(length(), before.duration());
}

void TimelineTest::aPinchZooms()
{
    const Ns before = length();
    const QPointF at(300, 60);
    QNativeGestureEvent event(Qt::ZoomNativeGesture, QPointingDevice::primaryPointingDevice(), 2, at, at, at, 0.25, {});
    QApplication::sendEvent(&m_view->canvas(), &event);
    QVERIFY(length() < before);
}

void TimelineTest::hoverShowsNameDurationAndLane()
{
    QTest::mouseMove(&m_view->canvas(), pointOf("sgemm_bwd"));
    QCOMPARE(m_session->hovered(), named("sgemm_bwd"));
    QVERIFY(m_view->hoverCard().isVisible());
    const QString text = m_view->hoverCard().lines().join(QLatin1Char('|')).replace(QChar(0xa0), QLatin1Char(' '));
    QVERIFY2(text.contains(QStringLiteral("sgemm_bwd")) && text.contains(QStringLiteral("24.00 µs"))
                 && text.contains(QStringLiteral("stream 7")),
             qPrintable(text));
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&m_view->canvas(), &leave);
    QVERIFY(!m_view->hoverCard().isVisible());
    QVERIFY(!m_session->cursor());
}

void TimelineTest::aClickOnAStepShowsIt()
{
    QVERIFY(m_view->steps().isVisible());
    const double middle = (m_view->canvas().xAt(1'100'000) + m_view->canvas().xAt(1'190'000)) / 2;
    QTest::mouseClick(&m_view->steps(), Qt::LeftButton, {}, QPoint(static_cast<int>(middle), 8));
    QVERIFY(m_session->visibleRange().begin > 1'090'000);
    QVERIFY(m_session->visibleRange().end >= 1'190'000);
}

void TimelineTest::theMinimapShowsTheGpuAndMovesTheView()
{
    Minimap &map = m_view->minimap();
    QCOMPARE(map.lines().size(), size_t{1});
    QCOMPARE(map.lines()[0].title, std::string("GPU 0"));
    QVERIFY(Minimap::meanShare(map.lines()[0]) > 0.3);
    m_session->setVisibleRange({1'050'000, 1'060'000});
    QTest::mouseClick(&map, Qt::LeftButton, {}, QPoint(map.width() * 9 / 10, 20));
    QVERIFY(m_session->visibleRange().begin > 1'150'000);
    QCOMPARE(length(), Ns{10'000});
    QTest::mousePress(&map, Qt::LeftButton, {}, QPoint(100, 20));
    QTest::mouseMove(&map, QPoint(300, 20));
    QTest::mouseRelease(&map, Qt::LeftButton, {}, QPoint(300, 20));
    QVERIFY(length() > 30'000);
}

void TimelineTest::groupsFoldByAClickOnTheirHeading()
{
    const size_t all = m_view->state().layout().items().size();
    const QRect heading = m_view->labels().rectOf(item("GPU 0"));
    QTest::mouseClick(&m_view->labels(), Qt::LeftButton, {}, heading.center());
    QCOMPARE(m_view->state().layout().items().size(), all - 1);
    QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, QPoint(50, heading.center().y()));
    QCOMPARE(m_view->state().layout().items().size(), all);
}

void TimelineTest::lanesMoveByDraggingAndGrowByTheirEdge()
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

void TimelineTest::theFilterKeepsMatchingLanesAndEscapeClearsIt()
{
    auto *filter = m_view->findChild<QLineEdit *>();
    const size_t all = m_view->state().layout().items().size();
    QTest::mouseClick(filter, Qt::LeftButton);
    QTest::keyClicks(filter, QStringLiteral("stream"));
    QCOMPARE(m_view->state().layout().items().size(), size_t{2});
    QTest::keyClick(filter, Qt::Key_Escape);
    QCOMPARE(m_view->state().layout().items().size(), all);
    QVERIFY(m_view->hasFocus());
}

void TimelineTest::revealUnfoldsScrollsAndZooms()
{
    m_view->resize(1100, 200);
    QCoreApplication::processEvents();
    LaneState lanes;
    for (const std::string &key : m_view->state().layout().keysOf({0, item("thread 101").lane}))
        lanes.folded.insert(key);
    m_view->state().setLanes(lanes);
    m_session->setVisibleRange({1'180'000, 1'190'000});
    m_session->reveal(named("MmBackward0"));
    QCOMPARE(selectedName(), QStringLiteral("MmBackward0"));
    const auto box = m_view->canvas().rectOf(named("MmBackward0"));
    QVERIFY(box);
    QVERIFY(box->top() >= 0 && box->bottom() <= m_view->canvas().height());
    QVERIFY(box->left() >= 0 && box->right() <= m_view->canvas().width());
}

void TimelineTest::theStateComesBack()
{
    m_view->state().togglePin(LaneItem(item("stream 7")));
    m_view->state().setHeight(LaneItem(item("thread 101")), 60);
    m_view->state().toggleFold(LaneItem(item("python")));
    const QJsonObject saved = m_view->saveState();
    TimelineView other(m_session.get());
    other.restoreState(saved);
    QCOMPARE(other.state().lanes(), m_view->state().lanes());
    QCOMPARE(other.saveState(), saved);
    QCOMPARE(other.state().layout().pinned().size(), size_t{1});
}

void TimelineTest::aTickIsPaintedForAShortKernel()
{
    test::SmallTrace small;
    const uint32_t lane = small.stream(7);
    small.kernel(lane, "begin", 0, 10, 0);
    small.kernel(lane, "tick", 4'000'000'000, 200, 0);
    small.kernel(lane, "end", 9'999'999'990, 10, 0);
    m_trace = small.seal();
    m_session->setTraces(test::setOf(m_trace));
    const QPoint at = m_view->canvas().rectOf(named("tick"))->topLeft().toPoint() + QPoint(0, 6);
    const QImage image = m_view->canvas().grab().toImage();
    const QRgb canvas = Palette::fitting(m_view->palette()).canvas;
    int painted = 0;
    for (int x = at.x() - 2; x <= at.x() + 2; ++x)
        painted += image.pixel(x, at.y()) != canvas ? 1 : 0;
    QCOMPARE(painted, 1);
    QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, at + QPoint(2, 0));
    QCOMPARE(selectedName(), QStringLiteral("tick"));
}

void TimelineTest::aFoldedGroupShowsASummary()
{
    const auto coloursIn = [this](const QRect &cell) {
        const QImage image = m_view->canvas().grab().toImage();
        std::set<QRgb> colours;
        for (int x = 0; x < image.width(); ++x)
            for (int y = cell.top(); y < cell.bottom(); ++y)
                colours.insert(image.pixel(x, y));
        return colours;
    };
    QTest::mouseMove(m_view.get(), QPoint(2, 2));
    const LaneItem open = item("process 100");
    QCOMPARE(coloursIn(m_view->labels().rectOf(open)).size(), size_t{1});
    QTest::mouseClick(&m_view->labels(), Qt::LeftButton, {}, m_view->labels().rectOf(open).center());
    m_session->setHover({}, std::nullopt);
    QVERIFY(item("process 100").folded);
    QVERIFY(coloursIn(m_view->labels().rectOf(item("process 100"))).size() > 5);
}

void TimelineTest::crossingAndUnfinishedSlicesAreMarked()
{
    const auto trace = test::importText(R"([{"ph":"X","name":"one","pid":1,"tid":1,"ts":0,"dur":60},
        {"ph":"X","name":"two","pid":1,"tid":1,"ts":30,"dur":50},
        {"ph":"B","name":"open","pid":1,"tid":2,"ts":10}, {"ph":"X","name":"last","pid":1,"tid":3,"ts":90,"dur":10}])");
    QVERIFY(trace);
    m_trace = *trace;
    m_session->setTraces(test::setOf(m_trace));
    QCoreApplication::processEvents(); // no steps any more: the ribbon goes
    const QImage image = m_view->canvas().grab().toImage();
    const QRgb odd = Palette::fitting(m_view->palette()).odd;
    const auto marks = [&](const char *name) {
        const QRect box = m_view->canvas().rectOf(named(name))->toRect();
        int count = 0;
        for (int x = box.left(); x <= box.right(); ++x)
            for (int y = box.top(); y <= box.bottom(); ++y)
                count += image.rect().contains(x, y) && image.pixel(x, y) == odd ? 1 : 0;
        return count;
    };
    QVERIFY(marks("one") == 0 || marks("two") == 0);
    QVERIFY(marks("one") + marks("two") > 20);
    QVERIFY(marks("open") > 20);
    QCOMPARE(marks("last"), 0);
    QTest::mouseMove(&m_view->canvas(), pointOf("open"));
    const QString card = m_view->hoverCard().lines().join(QLatin1Char('\n'));
    QVERIFY2(card.contains(QStringLiteral("Never ended")), qPrintable(card));
}

void TimelineTest::aJumpGlidesAndAKeyTakesOver()
{
    m_view->navigation().setAnimated(true);
    const TimeSpan whole = m_session->visibleRange();
    m_session->select(named("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QVERIFY(m_view->navigation().gliding());
    QTRY_VERIFY(!m_view->navigation().gliding());
    QVERIFY(length() < 20'000);
    const TimeSpan fitted = m_session->visibleRange();
    QVERIFY(fitted.begin <= 1'009'000 && fitted.end >= 1'021'000);
    QTest::keyClick(m_view.get(), Qt::Key_0);
    QTRY_VERIFY(length() > fitted.duration() && m_view->navigation().gliding());
    QTest::keyClick(m_view.get(), Qt::Key_D);
    QVERIFY(!m_view->navigation().gliding());
    const TimeSpan stopped = m_session->visibleRange();
    QTest::qWait(250);
    QCOMPARE(m_session->visibleRange(), stopped);
    QVERIFY(stopped != whole);
}

void TimelineTest::aLeapAskedForTwiceEndsWhereTheLastLeads()
{
    m_view->navigation().setAnimated(true);
    const TimeSpan before = m_session->visibleRange();
    m_session->select(named("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QTest::keyClick(m_view.get(), Qt::Key_F); // back at once
    QTRY_VERIFY(!m_view->navigation().gliding());
    QCOMPARE(m_session->visibleRange(), before);
    m_session->goTo({1'010'000, 1'020'000});
    m_session->goTo({1'060'000, 1'070'000});
    QTRY_COMPARE(m_session->visibleRange(), (TimeSpan{1'060'000, 1'070'000}));
}

void TimelineTest::highlightDimsTheRest()
{
    const QPoint kernel = m_view->canvas().rectOf(named("sgemm"))->toRect().bottomRight() - QPoint(4, 2);
    const QPoint other = m_view->canvas().rectOf(named("sgemm_bwd"))->toRect().bottomRight() - QPoint(4, 2);
    const QImage before = m_view->canvas().grab().toImage();
    m_session->setHighlight({{m_trace->slice(named("sgemm").slice)->data.name}});
    m_view->finishJobs();
    const QImage after = m_view->canvas().grab().toImage();
    QCOMPARE(after.pixel(kernel), before.pixel(kernel));
    QVERIFY(after.pixel(other) != before.pixel(other));
}

void TimelineTest::aPreviewIsShownUntilTheTraceIsThere()
{
    Session session;
    TimelineView view(&session);
    view.resize(800, 300);
    view.show();
    const QImage empty = view.grab().toImage();
    LoadPreview preview;
    preview.span = {0, 1000};
    preview.lanes.push_back({"stream 7", true, std::vector<float>(LoadPreview::kBins, 0.5f)});
    preview.lanes.push_back({"thread 1", false, std::vector<float>(LoadPreview::kBins, 0.1f)});
    view.setPreview(preview);
    QVERIFY(view.grab().toImage() != empty);
    session.setTraces(test::setOf(m_trace));
    QVERIFY(!view.state().preview());
}

void TimelineTest::namesInEveryScriptAreDrawn()
{
    test::SmallTrace small;
    const uint32_t lane = small.thread(100, "主线程 メイン");
    const char *names[] = {"注意力机制前向传播", "アテンション", "어텐션", "внимание", "👩‍👩‍👧 emoji", "e\u0301\u0301 combining", "\x01\x02 control"};
    for (int i = 0; i < 7; ++i)
        small.plain(lane, names[i], "cpu_op", i * 100, 90);
    m_trace = small.seal();
    m_session->setTraces(test::setOf(m_trace));
    for (int zoom = 0; zoom < 40; ++zoom) {
        QVERIFY(!m_view->canvas().grab().isNull());
        QTest::keyClick(m_view.get(), zoom < 20 ? Qt::Key_W : Qt::Key_S);
    }
    QCOMPARE(toUtf8(toQString(names[0])), std::string(names[0]));
}

void TimelineTest::copyTakesTheFullName()
{
    m_session->select(named("nn.Module: Linear_0"));
    QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("nn.Module: Linear_0"));
}

void TimelineTest::renderImageHasTheSizeAskedFor()
{
    const QImage image = m_view->renderImage(QSize(640, 360));
    QCOMPARE(image.size(), QSize(640, 360));
    QSet<QRgb> colours;
    for (int x = 0; x < 640; x += 2)
        for (int y = 0; y < 360; y += 2)
            colours.insert(image.pixel(x, y));
    QVERIFY(colours.size() > 10);
}

void TimelineTest::anEmptySessionTakesKeysAndMouseWithoutHarm()
{
    Session session;
    TimelineView view(&session);
    view.resize(600, 300);
    view.show();
    for (const Qt::Key key : {Qt::Key_W, Qt::Key_S, Qt::Key_F, Qt::Key_0, Qt::Key_M, Qt::Key_Period, Qt::Key_N, Qt::Key_BracketLeft})
        QTest::keyClick(&view, key);
    QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(50, 50));
    QTest::mouseClick(&view.ruler(), Qt::LeftButton, {}, QPoint(50, 5));
    QTest::mouseClick(&view.minimap(), Qt::LeftButton, {}, QPoint(50, 5));
    QVERIFY(session.marks().empty());
}

void TimelineTest::noInputMethodStandsBetween()
{
    QVERIFY(!m_view->testAttribute(Qt::WA_InputMethodEnabled));
    QVERIFY(!m_view->canvas().testAttribute(Qt::WA_InputMethodEnabled));
}

QTEST_MAIN(TimelineTest)
#include "timeline_test.moc"
