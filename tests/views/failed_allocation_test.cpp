// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/findings/kineto_text.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "views/common/look/palette.h"
#include "views/timeline/hover_card.h"

#include <QtTest>

using namespace riffle;

/// Failed allocations in the timeline.
class FailedAllocationTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { closeTimeline(); }

    void theyStandOnTheGraphsOfTheirDevice();
    void theyStandAmongTheEventsOfTheirThread();
    void thePointerNearOneTellsOfIt();

private:
    static constexpr Ns kFailed = 30'000'000;

    int columnOf(Ns time) const
    {
        const TimeSpan range = m_session->pane()->visibleRange();
        return static_cast<int>((time - range.begin) * m_view->canvas().width() / range.duration());
    }
    /// The number of pixels in the colour of marks, in a lane between two columns.
    int marked(const char *title, int from, int to) const
    {
        const LaneItem &lane = item(title);
        const QImage picture = m_view->canvas().grab().toImage();
        int found = 0;
        for (int y = yOf(lane); y < yOf(lane) + lane.height; ++y)
            for (int x = std::max(0, from); x < std::min(picture.width(), to); ++x)
                found += picture.pixel(x, y) == Palette::fitting(m_view->palette()).odd;
        return found;
    }
};

void FailedAllocationTest::init()
{
    test::KinetoText text;
    text.device(0, int64_t(80) << 30, 9);
    text.operation("aten::linear", 0, 100'000'000);
    text.kernel("gemm", 7, 1'000'000, 90'000'000, 0);
    for (Ns time = 1'000'000; time < 90'000'000; time += 300'000)
        text.memory(time, time, 2 * time);
    text.outOfMemory(kFailed, int64_t(12) << 30, kFailed, 2 * kFailed);
    showTimeline(text.trace());
}

void FailedAllocationTest::theyStandOnTheGraphsOfTheirDevice()
{
    const int at = columnOf(kFailed), height = item("Memory allocated").height;
    for (const char *title : {"Memory allocated", "Memory reserved"}) {
        QVERIFY2(marked(title, at - 1, at + 2) >= height - 2, title);
        QVERIFY2(marked(title, at - 8, at + 9) > height, title); // includes the arrow above it
        QCOMPARE(marked(title, 0, at - 8), 0);
        QCOMPARE(marked(title, at + 9, m_view->canvas().width()), 0);
    }
    QCOMPARE(marked("stream 7", 0, m_view->canvas().width()), 0);
}

void FailedAllocationTest::theyStandAmongTheEventsOfTheirThread()
{
    const int at = columnOf(kFailed);
    const char *thread = "thread 100";
    QVERIFY(marked(thread, at - 6, at + 7) > 10);
    QCOMPARE(marked(thread, 0, at - 6), 0);
    QCOMPARE(marked(thread, at + 7, m_view->canvas().width()), 0);
}

void FailedAllocationTest::thePointerNearOneTellsOfIt()
{
    const LaneItem &lane = item("Memory allocated");
    const auto textAt = [&](int x) {
        QTest::mouseMove(&m_view->canvas(), QPoint(x, yOf(lane) + lane.height / 2));
        return m_view->hoverCard().lines().join(QLatin1Char('|')).replace(QChar(0xa0), QLatin1Char(' '));
    };
    const int at = columnOf(kFailed);
    QVERIFY2(textAt(at + 2).startsWith(QLatin1String("Out of memory: requested 12.0 GiB|")),
             qPrintable(textAt(at + 2)));
    QVERIFY(textAt(at - 2).endsWith(QLatin1String("|Memory allocated")));
    QVERIFY(!textAt(at + 20).contains(QLatin1String("Out of memory")));
    QVERIFY(textAt(at + 20).endsWith(QLatin1String("|Memory allocated")));
}

RIFFLE_WIDGET_TEST(FailedAllocationTest)
#include "failed_allocation_test.moc"
