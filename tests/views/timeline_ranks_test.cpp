// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"
#include "tests/support/import_text.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "views/timeline/lane_labels.h"

#include <QHelpEvent>
#include <QJsonObject>
#include <QToolTip>

#include <algorithm>

using namespace riffle;

/// Many ranks in the timeline: what is computed for them only when they are seen, and folding all of them.
class TimelineRanksTest : public TimelineCase {
    Q_OBJECT

private slots:
    void init()
    {
        showTimeline();
        TraceSet set;
        for (uint32_t rank = 0; rank < kRanks; ++rank)
            set.add(rankTrace());
        m_session->setTraces(std::move(set));
        m_view->finishJobs();
    }
    void cleanup() { closeTimeline(); }

    void graphsAndIdleTimesAreMadeForRanksThatAreSeen()
    {
        QVERIFY(state().viewport().height() < state().layout().height() / 2);
        for (const uint32_t rank : seen())
            QVERIFY(hasGraphs(rank));
        QVERIFY(!hasGraphs(kRanks - 1));
        QCOMPARE(bands(0), 1);
        QCOMPARE(bands(kRanks - 1), 0);

        scrollTo(state().viewport().maximumScroll(LaneWindow::Part::Main));
        m_view->finishJobs();
        for (const uint32_t rank : seen())
            QVERIFY(hasGraphs(rank));
        QCOMPARE(bands(kRanks - 1), 1);
        QVERIFY(!hasGraphs(kRanks / 2));
        QCOMPARE(bands(kRanks / 2), 0);
    }

    void aFoldedRankHasNone()
    {
        m_session->setTraces(TraceSet::of({rankTrace(), rankTrace()}));
        state().foldAll();
        // The jobs for the rank that was seen may have ended already, so the traces are read again.
        TraceSet again = m_session->traces();
        again.load(TraceId(0), rankTrace());
        again.load(TraceId(1), rankTrace());
        m_session->changeTraces(std::move(again));
        m_view->finishJobs();
        QVERIFY(!hasGraphs(0) && !hasGraphs(1));
        state().toggleFold(LaneItem(state().layout().items()[1]));
        m_view->finishJobs();
        QVERIFY(!hasGraphs(0) && hasGraphs(1));
        QCOMPARE(bands(1), 1);
    }

    void theToolTipOfARankTellsTheCoordinatesInItsName()
    {
        TraceSet set = m_session->traces();
        const TraceId id = set.expect("run/rank9_dp1_tp3.json");
        m_session->changeTraces(std::move(set));
        scrollTo(state().viewport().maximumScroll(LaneWindow::Part::Main));
        const auto heading = std::ranges::find(state().layout().items(), id, &LaneItem::trace);
        QVERIFY(heading != state().layout().items().end());
        const QPoint at = m_view->labels().rectOf(*heading).center();
        QHelpEvent help(QEvent::ToolTip, at, m_view->labels().mapToGlobal(at));
        QApplication::sendEvent(&m_view->labels(), &help);
        QVERIFY2(QToolTip::text().endsWith(QStringLiteral("\ndp 1, tp 3")), qPrintable(QToolTip::text()));
    }

    void aPinnedLaneOfARankThatIsNotSeenIsShown()
    {
        const uint32_t last = kRanks - 1;
        LaneState lanes;
        for (const LaneItem &item : state().layout().items())
            if (item.kind == LaneItem::Kind::Bands && item.trace == TraceId(0))
                lanes.pinned.push_back(laneKeyPrefix(m_session->traces(), TraceId(last)) +
                                       item.key.substr(laneKeyPrefix(m_session->traces(), TraceId(0)).size()));
        QCOMPARE(lanes.pinned.size(), size_t{1});
        m_session->pane()->setLanes(lanes);
        m_view->finishJobs();
        QCOMPARE(state().layout().pinned().size(), size_t{1});
        QCOMPARE(state().layout().pinned()[0].trace, TraceId(last));
    }

    void lanesThatComeDoNotMoveWhatIsInView()
    {
        const auto &items = state().layout().items();
        const auto heading = std::ranges::find_if(items, [](const LaneItem &item) {
            return item.kind == LaneItem::Kind::TraceHeading && item.trace == TraceId(kRanks / 2);
        });
        const std::string key = (heading - 1)->key; // the last lane of the rank before
        const int below = (heading - 1)->height - 5;
        scrollTo(heading->y - 5);
        m_view->finishJobs();
        QCOMPARE(bands(kRanks / 2 - 1), 1);
        const auto now = std::ranges::find(state().layout().items(), key, &LaneItem::key);
        QVERIFY(now != state().layout().items().end());
        QCOMPARE(scroll(), now->y + below);
    }

    void allRanksAreFoldedAndUnfolded()
    {
        const size_t before = state().layout().items().size();
        state().foldAll();
        QCOMPARE(state().layout().items().size(), size_t{kRanks});
        QVERIFY(std::ranges::all_of(state().layout().items(), &LaneItem::folded));
        state().unfoldAll();
        QCOMPARE(state().layout().items().size(), before);

        showTimeline();
        state().foldAll();
        QVERIFY(std::ranges::all_of(state().layout().items(), [](const LaneItem &item) {
            return item.kind == LaneItem::Kind::GroupHeading && item.folded;
        }));
    }

    void ranksThatAreFoldedAtFirstAreOpenedByAClickAndByAKey()
    {
        LaneState lanes;
        lanes.ranksFolded = true;
        m_session->pane()->setLanes(lanes);
        QCOMPARE(state().layout().items().size(), size_t{kRanks});
        const auto isFolded = [this](uint32_t rank) {
            return std::ranges::find(state().layout().items(), TraceId(rank), &LaneItem::trace)->folded;
        };
        const LaneItem heading = state().layout().items()[2];
        const QPoint at(200, heading.y + heading.height / 2);
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, at);
        QVERIFY(!isFolded(2) && isFolded(1) && isFolded(3));
        QTest::keyClick(m_view.get(), Qt::Key_Return); // the pointer is over the rank
        QVERIFY(isFolded(2));
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QVERIFY(!isFolded(2));
        m_view->reveal({TraceId(5), SliceId(0)});
        QVERIFY(!isFolded(5) && isFolded(4));
        state().unfoldAll();
        for (uint32_t rank = 0; rank < kRanks; ++rank)
            QVERIFY(!isFolded(rank));
        state().foldAll();
        QCOMPARE(state().layout().items().size(), size_t{kRanks});
    }

    void aFoldedRankSaysHowBusyItWas()
    {
        const QString file = m_view->labels().noteOf(state().layout().items()[0]);
        state().foldAll();
        // Two kernels of 5 µs in 40 µs.
        const QString busy = toQString(formatShare(0.25)) + QStringLiteral(" busy");
        QTRY_COMPARE(m_view->labels().noteOf(state().layout().items()[0]), busy);
        QCOMPARE(m_view->labels().noteOf(state().layout().items()[kRanks - 1]), busy);
        state().toggleFold(LaneItem(state().layout().items()[0]));
        QCOMPARE(m_view->labels().noteOf(state().layout().items()[0]), file);
    }

    void ranksThatAreFoldedAtFirstAreSaved()
    {
        LaneState lanes;
        lanes.ranksFolded = true;
        m_session->pane()->setLanes(lanes);
        const QJsonObject saved = m_view->saveState();
        m_view->restoreState({});
        QVERIFY(!m_session->pane()->lanes().ranksFolded);
        m_view->restoreState(saved);
        QVERIFY(m_session->pane()->lanes() == lanes);
    }

private:
    static constexpr uint32_t kRanks = 12;

    /// A trace with a counter, and with a device that idles.
    static std::shared_ptr<const Trace> rankTrace()
    {
        const auto trace = test::importText(R"([{"ph":"C","name":"c","pid":1,"ts":2,"args":{"v":3}},
            {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":40},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1,"args":{"correlation":1}},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":30,"dur":1,"args":{"correlation":2}},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":5,"args":{"device":0,"stream":7,"correlation":1}},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":35,"dur":5,"args":{"device":0,"stream":7,"correlation":2}}])");
        return trace ? *trace : nullptr;
    }
    TimelineState &state() const { return m_view->state(); }
    bool hasGraphs(uint32_t rank) const { return std::as_const(state().graphs())[TraceId(rank)] != nullptr; }
    /// The number of a rank's strips of bands.
    int bands(uint32_t rank) const
    {
        return static_cast<int>(std::ranges::count_if(state().layout().items(), [rank](const LaneItem &item) {
            return item.trace == TraceId(rank) && item.kind == LaneItem::Kind::Bands;
        }));
    }
    int scroll() const { return state().viewport().scroll(LaneWindow::Part::Main); }
    void scrollTo(int y) { state().setScroll(LaneWindow::Part::Main, y); }
    /// The ranks with a strip in view.
    std::vector<uint32_t> seen() const
    {
        std::vector<uint32_t> ranks;
        for (const LaneItem &item : state().layout().items())
            if (item.y < scroll() + state().viewport().height() && item.y + item.height > scroll() &&
                (ranks.empty() || ranks.back() != item.trace.value))
                ranks.push_back(item.trace.value);
        return ranks;
    }
};

RIFFLE_WIDGET_TEST(TimelineRanksTest)
#include "timeline_ranks_test.moc"
