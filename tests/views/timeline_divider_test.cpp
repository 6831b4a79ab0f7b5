// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/lane_divider.h"
#include "views/timeline/lane_labels.h"

#include <QtTest>

using namespace riffle;

namespace {

using Part = LaneWindow::Part;

/// Forty streams and forty threads; the last thread launches the work of the first stream.
std::shared_ptr<const Trace> longTrace()
{
    test::SmallTrace trace;
    std::vector<uint32_t> streams;
    for (int i = 0; i < 40; ++i)
        streams.push_back(trace.stream(7 + i));
    for (int i = 0; i < 40; ++i)
        trace.kernel(streams[static_cast<size_t>(i)], i == 0 ? "launched" : "other", 20'000, 10'000, i == 0 ? 1 : 0);
    uint32_t last = 0;
    for (int i = 0; i < 40; ++i)
        trace.operation(last = trace.thread(100 + i), "aten::mm", 1'000, 9'000);
    trace.launch(last, 2'000, 2'000, 1);
    return trace.seal();
}

} // namespace

/// The lanes of the device and the others, which scroll apart.
class TimelineDividerTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init()
    {
        showTimeline(longTrace());
        QVERIFY(m_view->divider().isVisible());
    }
    void cleanup() { closeTimeline(); }

    void theWheelScrollsThePartUnderThePointer()
    {
        wheel({300, viewport().divider() - 10}, {0, -240}, {});
        const int device = viewport().scroll(Part::Device);
        QVERIFY(device > 0);
        QCOMPARE(viewport().scroll(Part::Main), 0);
        wheel({300, viewport().divider() + 30}, {0, -360}, {});
        QCOMPARE(viewport().scroll(Part::Device), device);
        QVERIFY(viewport().scroll(Part::Main) > 0);
    }

    void keysScrollThePartUnderThePointer()
    {
        QTest::mouseMove(&m_view->canvas(), QPoint(300, viewport().divider() - 10));
        QTest::keyClick(m_view.get(), Qt::Key_PageDown);
        QVERIFY(viewport().scroll(Part::Device) > 0);
        QCOMPARE(viewport().scroll(Part::Main), 0);
        QTest::mouseMove(&m_view->canvas(), QPoint(300, viewport().divider() + 30));
        QTest::keyClick(m_view.get(), Qt::Key_Down);
        QCOMPARE(viewport().scroll(Part::Main), 48);
    }

    void aPartThatIsWhollyInViewPassesTheWheelOn()
    {
        showTimeline(); // one stream, two threads
        m_view->resize(1100, 240);
        QCoreApplication::processEvents();
        QVERIFY(viewport().maximumScroll(Part::Main) > 0);
        QCOMPARE(viewport().maximumScroll(Part::Device), 0);
        wheel({300, 10}, {0, -120}, {});
        QVERIFY(viewport().scroll(Part::Main) > 0);
    }

    void theDividerIsDragged()
    {
        const int before = viewport().divider();
        LaneDivider &divider = m_view->divider();
        QCOMPARE(divider.mapTo(m_view.get(), QPoint()).y(), m_view->canvas().y() + before);
        const QPoint middle = divider.rect().center();
        QTest::mousePress(&divider, Qt::LeftButton, {}, middle);
        QTest::mouseMove(&divider, middle - QPoint(0, 60));
        QTest::mouseRelease(&divider, Qt::LeftButton, {}, middle);
        QCOMPARE(viewport().divider(), before - 60);
        QCOMPARE(divider.mapTo(m_view.get(), QPoint()).y(), m_view->canvas().y() + before - 60);
        const QJsonObject saved = m_view->saveState();
        QTest::mouseDClick(&divider, Qt::LeftButton, {}, middle);
        QCOMPARE(viewport().divider(), before);
        m_view->restoreState(saved);
        QCOMPARE(viewport().divider(), before - 60);
    }

    void theOtherEndOfALaunchStaysInSight()
    {
        QVERIFY(!isSeen("cudaLaunchKernel"));
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("launched"));
        QCOMPARE(selectedName(), QStringLiteral("launched"));
        QVERIFY(isSeen("launched"));
        QVERIFY(isSeen("cudaLaunchKernel"));
        m_session->select({});
        wheel({300, 100}, {0, -2400}, {});
        QVERIFY(!isSeen("launched"));
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("cudaLaunchKernel"));
        QVERIFY(isSeen("launched"));
        QVERIFY(isSeen("cudaLaunchKernel"));
    }

    void aSelectedSliceStaysInViewWhenTheLanesGetLessRoom()
    {
        wheel({300, viewport().divider() + 30}, {0, -24'000}, {});
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("cudaLaunchKernel"));
        QVERIFY(isSeen("cudaLaunchKernel") && isSeen("launched"));
        m_view->resize(1100, 320);
        QCoreApplication::processEvents();
        QVERIFY(isSeen("cudaLaunchKernel"));
        m_view->resize(1100, 500);
    }

    void anAreaReachesOverTheDivider()
    {
        const int middle = viewport().divider();
        QTest::mousePress(&m_view->canvas(), Qt::LeftButton, {}, QPoint(300, middle - 30));
        QTest::mouseMove(&m_view->canvas(), QPoint(400, middle + 10));
        QTest::mouseMove(&m_view->canvas(), QPoint(400, middle + 60));
        QTest::mouseRelease(&m_view->canvas(), Qt::LeftButton, {}, QPoint(400, middle + 60));
        QVERIFY(m_session->area());
        const auto isStream = [this](const LaneRef &lane) {
            return m_trace->lanes[lane.lane.value].kind == LaneKind::Stream;
        };
        const std::vector<LaneRef> lanes = m_session->area()->lanes;
        QVERIFY(std::ranges::any_of(lanes, isStream));
        QVERIFY(!std::ranges::all_of(lanes, isStream));
    }

    void nothingIsOnTheDivider()
    {
        QCOMPARE(m_view->canvas().itemAt(viewport().divider() + 2), nullptr);
        QVERIFY(!m_view->canvas().hitAt(QPoint(300, viewport().divider() + 2)).item);
        QVERIFY(m_view->canvas().itemAt(viewport().divider() - 1)->gpu);
        QVERIFY(!m_view->canvas().itemAt(viewport().divider() + LaneViewport::kDivider)->gpu);
    }

private:
    const LaneViewport &viewport() const { return m_view->state().viewport(); }
    bool isSeen(const char *name) const
    {
        const auto slice = m_trace->slice(named(name).slice);
        const LaneItem *lane = m_view->state().layout().find({TraceId(0), slice->lane});
        const LaneWindow &window = viewport().of(*lane);
        const QRectF box = *m_view->canvas().rectOf(named(name));
        return box.top() >= window.top && box.bottom() <= window.bottom;
    }
};

RIFFLE_WIDGET_TEST(TimelineDividerTest)
#include "timeline_divider_test.moc"
