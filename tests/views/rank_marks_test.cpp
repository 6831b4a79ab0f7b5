// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "model/analysis/summary/summary.h"
#include "views/common/look/chip_bar.h"
#include "views/common/look/palette.h"
#include "views/marks/marks_view.h"
#include "views/timeline/time_ruler.h"

#include <QTest>
#include <QTreeWidget>

#include <algorithm>

using namespace riffle;

namespace {

constexpr TraceId kFirst(0), kSecond(1);
constexpr Ns kShift = 5'000, kLaterShift = 20'000;

} // namespace

/// Marks and areas on a rank move with its clock and say on which rank they are.
class RankMarksTest : public TimelineCase {
    Q_OBJECT

private slots:
    void init()
    {
        showTimeline();
        TraceSet set;
        for (const TraceId rank : {kFirst, kSecond})
            QCOMPARE(set.add(test::trainingTrace()), rank);
        set.setTime(kSecond, TimeMap({{0, kShift}}));
        m_session->setTraces(std::move(set));
        m_view->resize(1100, 1200);
        m_view->finishJobs();
        QVERIFY(boxOf(kSecond, "sgemm").bottom() < m_view->canvas().height());
    }
    void cleanup() { closeTimeline(); }

    void aMarkOnASliceMovesWithItsRank()
    {
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, boxOf(kSecond, "sgemm").center().toPoint());
        QTest::keyClick(m_view.get(), Qt::Key_M);
        const Mark mark{{1'009'000, 1'021'000}, {}, kSecond};
        QCOMPARE(m_session->marks(), std::vector<Mark>{mark});
        QCOMPARE(placeOfMark(0), (TimeSpan{1'009'000 + kShift, 1'021'000 + kShift}));
        shiftSecond();
        QCOMPARE(m_session->marks(), std::vector<Mark>{mark});
        QCOMPARE(placeOfMark(0), (TimeSpan{1'009'000 + kLaterShift, 1'021'000 + kLaterShift}));
        QTest::keyClick(m_view.get(), Qt::Key_M); // the slice is still selected
        QVERIFY(m_session->marks().empty());
    }

    void aMarkUnderThePointerIsOnTheRankUnderIt()
    {
        for (const TraceId rank : {kSecond, kFirst}) {
            QTest::mouseMove(&m_view->canvas(), besideSlices(rank));
            QVERIFY(!m_session->pane()->hovered().valid());
            QTest::keyClick(m_view.get(), Qt::Key_M);
            QCOMPARE(m_session->marks().back().trace, rank);
        }
        QTest::mouseMove(&m_view->ruler(), QPoint(600, 10));
        QTest::keyClick(m_view.get(), Qt::Key_M);
        QVERIFY(!m_session->marks().back().trace.valid());
        QCOMPARE(m_session->marks().size(), size_t(3));
        std::vector<TimeSpan> before;
        for (size_t at = 0; at < 3; ++at)
            before.push_back(placeOfMark(at));
        QVERIFY(std::abs(m_view->canvas().xAt(before[0].begin) - besideSlices(kSecond).x()) < 1.5);
        shiftSecond();
        QCOMPARE(placeOfMark(0).begin, before[0].begin + kLaterShift - kShift);
        QCOMPARE(placeOfMark(1), before[1]);
        QCOMPARE(placeOfMark(2), before[2]);
    }

    void anAreaOnARankMovesWithIt()
    {
        const int y = static_cast<int>(boxOf(kSecond, "sgemm").center().y());
        drag({300, y}, {500, y + 2});
        QCOMPARE(m_session->area()->trace, kSecond);
        const TimeSpan before = *m_session->request().scope.range;
        QVERIFY(std::abs(m_view->canvas().xAt(before.begin) - 300) < 1.5);
        QVERIFY(std::abs(m_view->canvas().xAt(before.end) - 500) < 1.5);
        QCOMPARE(m_session->area()->span, (TimeSpan{before.begin - kShift, before.end - kShift}));
        shiftSecond();
        const Ns by = kLaterShift - kShift;
        QCOMPARE(*m_session->request().scope.range, (TimeSpan{before.begin + by, before.end + by}));
        QTest::keyClick(m_view.get(), Qt::Key_M);
        QCOMPARE(m_session->marks().at(0), (Mark{m_session->area()->span, {}, kSecond}));
        m_session->widen(narrowed_by::Lanes);
        QCOMPARE(*m_session->area(), (AreaSelection{{before.begin + by, before.end + by}, {}}));
    }

    void anAreaOverSeveralRanksStaysInSetTime()
    {
        const int top = static_cast<int>(boxOf(kFirst, "sgemm").center().y());
        const int bottom = static_cast<int>(boxOf(kSecond, "sgemm").center().y());
        drag({300, top}, {500, bottom});
        QVERIFY(m_session->area()->lanes.size() > 2);
        QVERIFY(!m_session->area()->trace.valid());
        const TimeSpan before = *m_session->request().scope.range;
        QCOMPARE(m_session->area()->span, before);
        shiftSecond();
        QCOMPARE(*m_session->request().scope.range, before);
    }

    void theRankIsNamed()
    {
        MarksView list(m_session.get());
        list.resize(400, 200);
        list.show();
        ChipBar chips(m_session.get());
        const auto texts = [&] {
            QStringList all;
            for (const QTreeWidgetItem *row : list.findChild<QTreeWidget *>()->findItems({}, Qt::MatchContains))
                all += row->text(2);
            return all;
        };
        const int y = static_cast<int>(boxOf(kSecond, "sgemm").center().y());
        drag({300, y}, {500, y + 2});
        QTest::keyClick(m_view.get(), Qt::Key_M);
        std::vector<Mark> marks = m_session->marks();
        marks.push_back({{1'000'000, 1'000'000}, QStringLiteral("in set time")});
        m_session->setMarks(marks);
        QTRY_COMPARE(texts(), (QStringList{QStringLiteral("Rank 1"), QString()}));
        const TimeRuler &ruler = m_view->ruler();
        QVERIFY(ruler.describe(marks[0]).at(0).endsWith(QStringLiteral(" on rank 1")));
        QCOMPARE(ruler.describe(marks[1]).back(), QStringLiteral("in set time"));
        QVERIFY(!ruler.describe(marks[1]).at(0).contains(QStringLiteral("rank")));
        QVERIFY2(chips.chips().at(0).contains(QStringLiteral(" on rank 1 · 1 lane")), qPrintable(chips.chips().at(0)));

        TraceSet one = m_session->traces();
        one.remove(kFirst);
        m_session->changeTraces(one);
        QCOMPARE(m_session->marks(), marks);
        QVERIFY(!ruler.describe(marks[0]).at(0).contains(QStringLiteral("rank")));
        QVERIFY(!chips.chips().at(0).contains(QStringLiteral("rank")));
    }

    void aMarkIsStrongOverItsRankOnly()
    {
        const Ns time = m_view->canvas().timeAt(besideSlices(kSecond).x());
        m_session->setMarks({{{time - kShift, time - kShift}, {}, kSecond}});
        const QImage image = m_view->canvas().grab().toImage();
        const QRgb colour = Palette::fitting(m_view->palette()).mark | 0xff000000;
        const auto x = static_cast<int>(std::floor(m_view->canvas().xAt(time)));
        QCOMPARE(image.pixel(x, besideSlices(kSecond).y()), colour);
        QVERIFY(image.pixel(x, besideSlices(kFirst).y()) != colour);
        QVERIFY(image.pixel(x, besideSlices(kFirst).y()) != image.pixel(x - 2, besideSlices(kFirst).y()));
    }

    void aMarkStaysWhereItWasWhenItsRankGoes()
    {
        m_session->setMarks({{{1'009'000, 1'021'000}, QStringLiteral("note"), kSecond}});
        const TimeSpan before = placeOfMark(0);
        TraceSet set = m_session->traces();
        set.unload(kSecond);
        m_session->changeTraces(set);
        QCOMPARE(placeOfMark(0), before);
        QCOMPARE(m_session->marks().at(0).trace, kSecond); // the rank may be loaded again
        set.remove(kSecond);
        m_session->changeTraces(set);
        QCOMPARE(m_session->marks(), (std::vector<Mark>{{before, QStringLiteral("note")}}));
        m_session->setTraces(test::setOf(test::trainingTrace()));
        QVERIFY(m_session->marks().empty());
    }

    void aMarkStaysOnItsRankIfTheFileThatWasReadAgainHasItsTime()
    {
        m_session->setMarks({{{1'009'000, 1'021'000}, QStringLiteral("inside"), kSecond},
                             {{1'009'000, 1'021'000}, QStringLiteral("first"), kFirst}});
        const TimeSpan before = placeOfMark(0);
        test::SmallTrace longer, shorter;
        longer.plain(longer.thread(1), "x", "c", 1'000'000, 30'000);
        shorter.plain(shorter.thread(1), "x", "c", 1'000'000, 10'000);
        for (const bool isLonger : {true, false}) {
            TraceSet set = m_session->traces();
            set.load(kSecond, isLonger ? longer.seal() : shorter.seal());
            m_session->changeTraces(set);
            QCOMPARE(m_session->marks().at(0).trace, isLonger ? kSecond : TraceId());
            QCOMPARE(placeOfMark(0), before);
            QCOMPARE(m_session->marks().at(1).trace, kFirst);
        }
    }

private:
    QRectF boxOf(TraceId rank, const char *name) const
    {
        return *m_view->canvas().rectOf({rank, test::sliceNamed(*m_trace, name)});
    }
    /// A point in the lane of a rank's kernels at which no slice is.
    QPoint besideSlices(TraceId rank) const
    {
        const QRectF box = boxOf(rank, "sgemm");
        return {static_cast<int>(box.left()) - 20, static_cast<int>(box.center().y())};
    }
    TimeSpan placeOfMark(size_t at) const { return m_session->marks().at(at).in(m_session->traces()); }
    void shiftSecond()
    {
        TraceSet set = m_session->traces();
        set.setTime(kSecond, TimeMap({{0, kLaterShift}}));
        m_session->changeTraces(std::move(set));
    }
    void drag(QPoint from, QPoint to)
    {
        LanesCanvas &canvas = m_view->canvas();
        QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(&canvas, from + QPoint(30, 0));
        QTest::mouseMove(&canvas, to);
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, to);
        QVERIFY(m_session->area());
    }
};

RIFFLE_WIDGET_TEST(RankMarksTest)
#include "rank_marks_test.moc"
