// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/history.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"

#include <QSignalSpy>
#include <QTest>

using namespace riffle;

class HistoryTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(test::trainingTrace()));
        m_history = std::make_unique<History>(m_session.get());
        m_history->settle();
    }

    void backAndForwardThroughRangesAndSelections()
    {
        const TimeSpan first = m_session->pane()->visibleRange();
        m_session->pane()->setVisibleRange({1'010'000, 1'020'000});
        m_history->settle();
        m_session->select({TraceId(0), SliceId(3)});
        m_history->settle();
        m_history->back();
        QVERIFY(!m_session->selected().valid());
        QCOMPARE(m_session->pane()->visibleRange(), (TimeSpan{1'010'000, 1'020'000}));
        m_history->back();
        QCOMPARE(m_session->pane()->visibleRange(), first);
        QVERIFY(!m_history->canGoBack());
        m_history->back();
        QCOMPARE(m_session->pane()->visibleRange(), first);
        m_history->forward();
        m_history->forward();
        QCOMPARE(m_session->selected().slice, SliceId(3));
        QVERIFY(!m_history->canGoForward());
    }

    void aHeldKeyLeavesOnePlace()
    {
        const TimeSpan first = m_session->pane()->visibleRange();
        for (int i = 0; i < 100; ++i)
            m_session->pane()->setVisibleRange({1'000'000 + i * 100, 1'050'000 + i * 100});
        m_history->back(); // before the pause that ends a movement
        QCOMPARE(m_session->pane()->visibleRange(), first);
        m_history->forward();
        QCOMPARE(m_session->pane()->visibleRange(), (TimeSpan{1'009'900, 1'059'900}));
    }

    void aRangeThatFollowsTheEndOfARecordingIsOnePlace()
    {
        const auto recorded = [](int slices) {
            test::SmallTrace small;
            const uint32_t thread = small.thread(1);
            for (int at = 0; at < slices; ++at)
                small.plain(thread, "turn", "c", 1'000'000 + at * 10'000, 5'000);
            return small.seal();
        };
        m_session->setTraces(test::setOf(recorded(10)));
        m_history->clear();
        m_history->settle();
        const TimeSpan first = m_session->pane()->visibleRange();
        m_session->pane()->setVisibleRange({1'060'000, 1'096'000});
        m_history->settle();
        for (const int slices : {20, 30}) {
            m_session->growTrace(TraceId(0), recorded(slices), Growing{});
            QTRY_COMPARE(m_session->traces().trace(TraceId(0))->sliceCount(), uint64_t(slices));
        }
        const TimeSpan moved = m_session->pane()->visibleRange();
        QCOMPARE(moved, (TimeSpan{1'260'000, 1'296'000}));
        m_history->back();
        QCOMPARE(m_session->pane()->visibleRange(), first);
        m_history->forward();
        QCOMPARE(m_session->pane()->visibleRange(), moved);
    }

    void aNewPlaceForgetsWhatLayAhead()
    {
        m_session->pane()->setVisibleRange({1'010'000, 1'020'000});
        m_history->settle();
        m_history->back();
        m_session->pane()->setVisibleRange({1'030'000, 1'040'000});
        m_history->settle();
        QVERIFY(!m_history->canGoForward());
    }

    void areasComeBackToo()
    {
        m_session->setArea(AreaSelection{{1'000'000, 1'001'000}, {}});
        m_history->settle();
        m_session->setArea(std::nullopt);
        m_history->settle();
        m_history->back();
        QVERIFY(m_session->area());
        m_history->back();
        QVERIFY(!m_session->area());
    }

    void filtersComeBackToo()
    {
        Filters filters;
        filters.name = "sgemm";
        m_session->setFilters(filters);
        m_history->settle();
        filters.steps = {1};
        m_session->setFilters(filters);
        m_history->settle();
        m_history->back();
        QCOMPARE(m_session->filters().name, std::string("sgemm"));
        QVERIFY(m_session->filters().steps.empty());
        m_history->back();
        QVERIFY(m_session->filters().empty());
        m_history->forward();
        m_history->forward();
        QCOMPARE(m_session->filters(), filters);
    }

    void theWindowComesBackToo()
    {
        QString page = QStringLiteral("overview");
        m_history->setWindow(
            [&page] {
                return QJsonObject{{QStringLiteral("page"), page}};
            },
            [&](const QJsonObject &look) {
                page = look[QStringLiteral("page")].toString();
                m_history->noteMove(); // which must not make a place of what is being shown
            });
        m_history->settle();
        page = QStringLiteral("timeline");
        QSignalSpy changed(m_history.get(), &History::changed);
        m_history->noteMove();
        QCOMPARE(changed.size(), 1);
        QVERIFY(m_history->canGoBack());
        m_history->back();
        QCOMPARE(page, QStringLiteral("overview"));
        QVERIFY(m_history->canGoForward());
        m_history->forward();
        QCOMPARE(page, QStringLiteral("timeline"));
    }

    void placesPointAtMembersThatAreStillThere()
    {
        TraceSet set;
        for (int rank = 0; rank < 3; ++rank)
            set.add(test::trainingTrace());
        m_session->setTraces(set);
        m_history->clear();
        const LaneRef gone{TraceId(0), LaneId(0)}, stays{TraceId(1), LaneId(0)};
        m_session->select({TraceId(0), SliceId(3)});
        m_session->setArea(AreaSelection{{1'000'000, 1'001'000}, {gone, stays}});
        m_history->settle();
        m_session->select({TraceId(1), SliceId(4)});
        m_session->setArea(AreaSelection{{1'000'000, 1'001'000}, {gone}});
        m_history->settle();
        m_session->select({TraceId(2), SliceId(4)});
        m_history->settle();
        set.remove(TraceId(0));
        m_session->changeTraces(set);
        m_history->back();
        QCOMPARE(m_session->selected(), (SliceRef{TraceId(1), SliceId(4)}));
        QVERIFY(!m_session->area());
        m_history->back();
        QVERIFY(!m_session->selected().valid());
        QCOMPARE(m_session->area()->lanes, std::vector{stays});
    }

    void anAreaOnARankComesBackWhereTheRankIs()
    {
        m_session->setArea(AreaSelection::of(m_session->traces(), {1'000'000, 1'001'000}, {{TraceId(0), LaneId(0)}}));
        m_history->settle();
        m_session->setArea(std::nullopt);
        m_history->settle();
        TraceSet set = m_session->traces();
        set.setTime(TraceId(0), TimeMap({{0, 250}}));
        m_session->changeTraces(set);
        m_history->back(); // to the range before the clock was shifted
        m_history->back();
        QVERIFY(m_session->area());
        QCOMPARE(m_session->area()->in(m_session->traces()), (TimeSpan{1'000'250, 1'001'250}));
    }

private:
    std::unique_ptr<Session> m_session;
    std::unique_ptr<History> m_history;
};

RIFFLE_WIDGET_TEST(HistoryTest)
#include "history_test.moc"
