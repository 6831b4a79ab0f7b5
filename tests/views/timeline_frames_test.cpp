// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Lanes with Python frames hide their plumbing and show it when it is asked for or needed.
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/lane_labels.h"

#include <QTest>

using namespace riffle;

class TimelineFramesTest : public TimelineCase {
    Q_OBJECT

private slots:
    void init()
    {
        test::SmallTrace small;
        const uint32_t main = small.thread(1);
        small.frame(main, "train.py(1): main", 0, 1000);
        small.frame(main, "nn.Module: Net_0", 100, 400);
        small.frame(main, "torch/nn/modules/module.py(1751): _call_impl", 110, 380);
        small.frame(main, "torch/nn/modules/linear.py(125): forward", 120, 360);
        small.operation(main, "aten::linear", 200, 200);
        small.operation(main, "aten::add", 600, 100);
        small.operation(main, "aten::mul", 800, 100);
        showTimeline(small.seal());
        QCOMPARE(thread().rows, 3u);
        QCOMPARE(thread().allRows, 5u);
    }
    void cleanup() { closeTimeline(); }

    void whatLiesInPlumbingMovesUp()
    {
        QCOMPARE(rowOf("nn.Module: Net_0"), 1);
        QCOMPARE(rowOf("aten::linear"), 2);
        QVERIFY(!m_view->canvas().rectOf(named(kPlumbing)));
    }

    void aClickSelectsTheSliceThatIsDrawnThere()
    {
        for (const char *name : {"train.py(1): main", "nn.Module: Net_0", "aten::linear", "aten::add"}) {
            const QRectF box = *m_view->canvas().rectOf(named(name));
            QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {},
                              QPointF(box.left() + 3, box.center().y()).toPoint());
            QCOMPARE(selectedName(), QString::fromUtf8(name));
        }
    }

    void keysStepAlongTheRowsThatAreDrawn()
    {
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("nn.Module: Net_0"));
        QTest::keyClick(m_view.get(), Qt::Key_Period);
        QCOMPARE(selectedName(), QStringLiteral("aten::add"));
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QCOMPARE(selectedName(), QStringLiteral("nn.Module: Net_0"));
    }

    void aClickOnTheNumberOfRowsShowsAllFramesAndAnotherOneHidesPlumbing()
    {
        clickOnRows();
        QCOMPARE(thread().rows, 5u);
        QCOMPARE(rowOf("aten::linear"), 4);
        QCOMPARE(rowOf(kPlumbing), 2);
        clickOnRows();
        QCOMPARE(thread().rows, 3u);
    }

    void plumbingIsShownWhenItIsRevealed()
    {
        m_session->pane()->reveal(named("aten::linear"));
        QCOMPARE(thread().rows, 3u);
        m_session->pane()->reveal(named(kPlumbing));
        QCOMPARE(thread().rows, 5u);
        QCOMPARE(selectedName(), QString::fromUtf8(kPlumbing));
        QVERIFY(m_view->canvas().rect().contains(pointOf(kPlumbing)));
    }

    void plumbingThatWasRevealedBeforeItsLaneHidItStaysShown()
    {
        m_session->setTraces(test::setOf(std::make_shared<Trace>(*m_trace)));
        QVERIFY(!m_view->settled());
        m_session->pane()->reveal(named(kPlumbing));
        m_view->finishJobs();
        QCOMPARE(thread().rows, 5u);
        QVERIFY(m_view->canvas().rectOf(named(kPlumbing)));
    }

    void plumbingOfAFoldedLaneIsShownWhenItIsRevealed()
    {
        m_view->state().toggleFold(LaneItem(thread()));
        QCOMPARE(thread().rows, 1u);
        m_session->pane()->reveal(named(kPlumbing));
        QCOMPARE(thread().rows, 5u);
    }

    void allLanesAreSwitchedTogether()
    {
        clickOnRows();
        m_view->showAllFrames(true);
        QVERIFY(m_view->showsAllFrames());
        QCOMPARE(thread().rows, 5u);
        m_view->showAllFrames(false);
        QCOMPARE(thread().rows, 3u);
    }

    void theSwitchesAreSaved()
    {
        clickOnRows();
        const QJsonObject one = m_view->saveState();
        m_view->showAllFrames(true);
        clickOnRows();
        const QJsonObject other = m_view->saveState();
        m_view->restoreState(one);
        QCOMPARE(thread().rows, 5u);
        QVERIFY(!m_view->showsAllFrames());
        m_view->restoreState(other);
        QCOMPARE(thread().rows, 3u);
        QVERIFY(m_view->showsAllFrames());
    }

    /// A slice that is selected when its lane hides it stays selected, and has no place.
    void aSelectedFrameMayBeHidden()
    {
        m_session->pane()->reveal(named(kPlumbing));
        clickOnRows();
        QCOMPARE(selectedName(), QString::fromUtf8(kPlumbing));
        QVERIFY(!m_view->canvas().rectOf(named(kPlumbing)));
        m_view->renderImage(QSize(600, 300));
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QCOMPARE(thread().rows, 5u);
    }

    /// A highlighted slice shows even where a longer one of the row shares its pixel.
    void aHighlightIsFoundInSqueezedLanes()
    {
        m_view->state().highlightName("aten::linear");
        m_view->finishJobs();
        QCOMPARE(m_view->state().hits()[TraceId(0)].size(), size_t{1});
        const auto &numbers = m_view->state().squeezedHits()[TraceId(0)];
        QCOMPARE(numbers.size(), size_t{1});
        QCOMPARE(thread().squeezed->sliceOf(numbers[0]), named("aten::linear").slice);
        m_session->setHighlight({});
        m_view->finishJobs();
        QVERIFY(m_view->state().hits().empty());
        QVERIFY(m_view->state().squeezedHits().empty());
    }

    /// A trace that is read again is squeezed anew.
    void anotherTraceIsSqueezed()
    {
        test::SmallTrace small;
        const uint32_t main = small.thread(1);
        small.frame(main, "runpy.py(1): run", 0, 1000);
        small.frame(main, "train.py(1): main", 10, 900);
        small.operation(main, "aten::mm", 20, 800);
        m_session->setTraces(test::setOf(small.seal()));
        m_view->finishJobs();
        QCOMPARE(thread().rows, 2u);
        QCOMPARE(thread().allRows, 3u);
    }

private:
    static constexpr const char *kPlumbing = "torch/nn/modules/module.py(1751): _call_impl";

    const LaneItem &thread() const { return item("thread 1"); }
    /// The row in which a slice is drawn.
    int rowOf(const char *name) const
    {
        const double top = m_view->canvas().rectOf(named(name))->top() - yOf(thread()) - LaneLayout::kPadding;
        return static_cast<int>(top) / thread().rowHeight;
    }
    void clickOnRows()
    {
        const QRect cell = m_view->labels().rectOf(thread());
        QTest::mouseClick(&m_view->labels(), Qt::LeftButton, {}, QPoint(40, cell.top() + 30));
    }
};

RIFFLE_WIDGET_TEST(TimelineFramesTest)
#include "timeline_frames_test.moc"
