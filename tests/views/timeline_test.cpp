// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/import_text.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/minimap.h"
#include "views/timeline/navigation.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_state.h"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QtTest>

#include <algorithm>
#include <set>
#include <vector>

using namespace riffle;

class TimelineTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void theFilterKeepsMatchingLanesAndEscapeClearsIt();
    void revealUnfoldsScrollsAndZooms();
    void theStateComesBack();
    void aTickIsPaintedForAShortKernel();
    void aFoldedGroupShowsASummary();
    void crossingAndUnfinishedSlicesAreMarked();
    void aJumpGlidesAndAKeyTakesOver();
    void aLeapAskedForTwiceEndsWhereTheLastLeads();
    void highlightDimsTheRest();
    void whatFiltersExcludeIsDimmed();
    void aPreviewIsShownUntilTheTraceIsThere();
    void namesInEveryScriptAreDrawn();
    void copyTakesTheFullName();
    void renderImageHasTheSizeAskedFor();
    void anEmptySessionTakesKeysAndMouseWithoutHarm();
    void noInputMethodStandsBetween();
    void theMinimapShowsTheTracesOfNow();
};

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
    for (const std::string &key : laneKeys(m_session->traces(), {TraceId(0), item("thread 101").lane}))
        lanes.folded.insert(key);
    m_session->pane()->setLanes(lanes);
    m_session->pane()->setVisibleRange({1'180'000, 1'190'000});
    m_session->pane()->reveal(named("MmBackward0"));
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
    Pane elsewhere(m_session.get());
    TimelineView other(&elsewhere);
    other.restoreState(saved);
    QCOMPARE(elsewhere.lanes(), m_session->pane()->lanes());
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
    m_session->pane()->setHover({}, std::nullopt);
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
    QCoreApplication::processEvents(); // the new trace has no steps, so the ribbon disappears
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
    QVERIFY2(card.contains(QStringLiteral("without an end")), qPrintable(card));
}

void TimelineTest::aJumpGlidesAndAKeyTakesOver()
{
    m_view->navigation().setAnimated(true);
    const TimeSpan whole = m_session->pane()->visibleRange();
    m_session->select(named("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QVERIFY(m_view->navigation().gliding());
    QTRY_VERIFY(!m_view->navigation().gliding());
    QVERIFY(length() < 20'000);
    const TimeSpan fitted = m_session->pane()->visibleRange();
    QVERIFY(fitted.begin <= 1'009'000 && fitted.end >= 1'021'000);
    QTest::keyClick(m_view.get(), Qt::Key_0);
    QTRY_VERIFY(length() > fitted.duration() && m_view->navigation().gliding());
    QTest::keyClick(m_view.get(), Qt::Key_D);
    QVERIFY(!m_view->navigation().gliding());
    const TimeSpan stopped = m_session->pane()->visibleRange();
    QTest::qWait(250);
    QCOMPARE(m_session->pane()->visibleRange(), stopped);
    QVERIFY(stopped != whole);
}

void TimelineTest::aLeapAskedForTwiceEndsWhereTheLastLeads()
{
    m_view->navigation().setAnimated(true);
    const TimeSpan before = m_session->pane()->visibleRange();
    m_session->select(named("sgemm"));
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QTest::keyClick(m_view.get(), Qt::Key_F); // goes back during the animation
    QTRY_VERIFY(!m_view->navigation().gliding());
    QCOMPARE(m_session->pane()->visibleRange(), before);
    m_session->pane()->goTo({1'010'000, 1'020'000});
    m_session->pane()->goTo({1'060'000, 1'070'000});
    QTRY_COMPARE(m_session->pane()->visibleRange(), (TimeSpan{1'060'000, 1'070'000}));
}

void TimelineTest::highlightDimsTheRest()
{
    const QPoint kernel = m_view->canvas().rectOf(named("sgemm"))->toRect().bottomRight() - QPoint(4, 2);
    const QPoint other = m_view->canvas().rectOf(named("sgemm_bwd"))->toRect().bottomRight() - QPoint(4, 2);
    const QImage before = m_view->canvas().grab().toImage();
    m_view->state().highlightName("sgemm");
    m_view->finishJobs(); // finds the name
    QCOMPARE(m_session->highlight()[TraceId(0)],
             std::vector<uint32_t>{m_trace->slice(named("sgemm").slice)->data.name});
    m_view->finishJobs(); // finds its slices
    const QImage after = m_view->canvas().grab().toImage();
    QCOMPARE(after.pixel(kernel), before.pixel(kernel));
    QVERIFY(after.pixel(other) != before.pixel(other));

    m_session->setHighlightedSlices({{named("sgemm_bwd").slice.value}}); // replaces the highlighted names
    const QImage slices = m_view->canvas().grab().toImage();
    QVERIFY(slices.pixel(kernel) != before.pixel(kernel));
    QCOMPARE(slices.pixel(other), before.pixel(other));
    m_session->setHighlight({});
    QCOMPARE(m_view->canvas().grab().toImage(), before);
}

void TimelineTest::whatFiltersExcludeIsDimmed()
{
    m_session->setTraces(TraceSet::of({m_trace, test::trainingTrace()}));
    m_view->finishJobs();
    const auto spot = [this](const char *name) {
        return m_view->canvas().rectOf(named(name))->toRect().bottomRight() - QPoint(4, 2);
    };
    const QPoint kernel = spot("sgemm"), other = spot("sgemm_bwd"), host = spot("MmBackward0");
    const auto dimmed = [&, before = m_view->canvas().grab().toImage()](const Filters &filters) {
        m_session->setFilters(filters);
        m_view->finishJobs();
        const QImage after = m_view->canvas().grab().toImage();
        return std::array{after.pixel(kernel) != before.pixel(kernel), after.pixel(other) != before.pixel(other),
                          after.pixel(host) != before.pixel(host)};
    };
    Filters byName, byText, byLane, byRank, byStep;
    byName.name = "sgemm";
    QCOMPARE(dimmed(byName), (std::array{false, true, true}));
    byText.text = "/^sgemm/";
    QCOMPARE(dimmed(byText), (std::array{false, false, true}));
    byLane.lanes = {{TraceId(0), m_trace->slice(named("MmBackward0").slice)->lane}};
    QCOMPARE(dimmed(byLane), (std::array{true, true, false}));
    byRank.traces = {TraceId(1)};
    QCOMPARE(dimmed(byRank), (std::array{true, true, true}));
    byStep.steps = {1}; // the three slices are in step 0
    QCOMPARE(dimmed(byStep), (std::array{true, true, true}));
    byStep.steps = {0};
    QCOMPARE(dimmed(byStep), (std::array{false, false, false}));
}

void TimelineTest::aPreviewIsShownUntilTheTraceIsThere()
{
    Session session;
    TimelineView view(session.pane());
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
    const char *names[] = {
        "注意力机制前向传播",      "アテンション",    "어텐션", "внимание", "👩‍👩‍👧 emoji",
        "e\u0301\u0301 combining", "\x01\x02 control"};
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
    TimelineView view(session.pane());
    view.resize(600, 300);
    view.show();
    for (const Qt::Key key :
         {Qt::Key_W, Qt::Key_S, Qt::Key_F, Qt::Key_0, Qt::Key_M, Qt::Key_Period, Qt::Key_N, Qt::Key_BracketLeft})
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

/// After every change, the minimap looks like the one of a new timeline.
void TimelineTest::theMinimapShowsTheTracesOfNow()
{
    const auto picture = [](TimelineView &view) { return view.minimap().grab().toImage(); };
    const auto fresh = [&] {
        TimelineView view(m_session->pane());
        view.setPalette(m_view->palette());
        view.resize(m_view->size());
        view.show();
        view.finishJobs();
        return picture(view);
    };
    std::vector<QImage> seen{picture(*m_view)};
    QCOMPARE(seen.back(), fresh());
    const auto isNew = [&] {
        m_view->finishJobs();
        const QImage now = picture(*m_view);
        const bool known = std::find(seen.begin(), seen.end(), now) != seen.end();
        seen.push_back(now);
        return !known && now == fresh();
    };
    m_session->pane()->setVisibleRange({m_trace->span.begin, m_trace->span.begin + m_trace->span.duration() / 2});
    QVERIFY(isNew());
    m_view->setPalette(QPalette(QColor(20, 20, 20)));
    QVERIFY(isNew());
    m_view->resize(900, 400);
    QApplication::processEvents();
    QVERIFY(isNew());
    test::SmallTrace other;
    other.launch(other.thread(1), 0, 100, 1);
    other.kernel(other.stream(7), "gemm", 30'000, 20'000, 1);
    m_session->setTraces(test::setOf(other.seal()));
    QVERIFY(isNew());
}

RIFFLE_WIDGET_TEST(TimelineTest)
#include "timeline_test.moc"
