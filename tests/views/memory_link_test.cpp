// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A snapshot beside its trace: they share the cursor and the instant.
#include "tests/support/qt/widget_tests.h"
#include "views/common/memory/memory_link.h"

#include "model/analysis/memory/snapshot_facts.h"
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/small_trace.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/session.h"
#include "views/timeline/timeline_state.h"

#include <QSignalSpy>
#include <QTest>

using namespace riffle;

class MemoryLinkTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        const auto trace = std::make_shared<Trace>(*test::trainingTrace());
        trace->info.baseTimeNs = kUnix;
        test::SmallSnapshot small;
        for (int at = 0; at < 4; ++at)
            small.add(MemoryAction::Alloc, uint64_t(512 * (at + 1)), 100);
        small.segment(0, 4096,
                      {test::SmallSnapshot::block(512, 100), test::SmallSnapshot::block(1024, 100),
                       test::SmallSnapshot::block(1536, 100), test::SmallSnapshot::block(2048, 100)});
        small.times({kUnix + 1'000'000, kUnix + 1'050'000, kUnix + 1'100'000, kUnix + 1'150'000});
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(trace));
        memory()->setSnapshots(
            {std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(small.take()))});
        m_link = m_session->findChild<MemoryLink *>();
        QVERIFY(m_link);
        QVERIFY(QTest::qWaitFor([this] { return m_link->settled(); }));
        QVERIFY(m_link->alignment());
    }
    void cleanup() { m_session.reset(); }

    void theCursorOfTheTimelineIsThatOfTheSnapshot()
    {
        m_session->pane()->setHover({}, 1'040'000);
        QCOMPARE(memory()->cursor(), std::optional<int64_t>(kUnix + 1'040'000));
        m_session->pane()->setHover({}, std::nullopt);
        QVERIFY(!memory()->cursor());
    }
    void stepsOfTheTraceAreThoseOfTheSnapshot()
    {
        const auto &steps = m_session->traces().loaded()[0].trace->steps;
        QCOMPARE(memory()->steps().size(), steps.size());
        QCOMPARE(memory()->steps().at(1),
                 (MemorySession::Step{steps[1].number, kUnix + steps[1].span.begin, kUnix + steps[1].span.end}));
        m_session->setTraces({});
        QVERIFY(QTest::qWaitFor([this] { return m_link->settled(); }));
        QVERIFY(memory()->steps().empty());
    }
    void theCursorOfTheSnapshotIsThatOfTheTimeline()
    {
        memory()->setCursor(kUnix + 1'100'000);
        QCOMPARE(m_session->pane()->cursor(), std::optional<Ns>(1'100'000));
        QCOMPARE(memory()->cursor(), std::optional<int64_t>(kUnix + 1'100'000));
    }
    void aSelectedSliceSetsTheInstantAndStaysWhereItIs()
    {
        const TimeSpan visible{1'100'000, 1'101'000};
        m_session->pane()->setVisibleRange(visible);
        const auto &trace = *m_session->traces().loaded()[0].trace;
        for (uint32_t id = 0; id < trace.sliceCount(); ++id)
            if (trace.slice(SliceId(id))->data.start == 1'054'000 - 50'000) // aten::linear in the first step
                m_session->select({TraceId(0), SliceId(id)});
        QVERIFY(m_session->selected().valid());
        QCOMPARE(memory()->instant(), 0u);
        QCOMPARE(m_session->pane()->visibleRange(), visible);
    }
    /// Events of several threads are not in order of time. The latest event that is not after the slice's start counts,
    /// wherever it is in the list.
    void timesThatAreNotSortedAreSearchedAll()
    {
        test::SmallSnapshot small;
        std::vector<int64_t> times{kUnix + 1'150'000, kUnix + 1'001'000, kUnix + 1'100'000, kUnix + 1'003'000,
                                   kUnix + 1'003'000};
        std::vector<MemoryBlock> blocks;
        for (size_t at = 0; at < times.size(); ++at) {
            small.add(MemoryAction::Alloc, 512 * (at + 1), 100);
            blocks.push_back(test::SmallSnapshot::block(512 * (at + 1), 100));
        }
        small.segment(0, 4096, blocks);
        small.times(times);
        memory()->setSnapshots(
            {std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(small.take()))});
        QVERIFY(QTest::qWaitFor([this] { return m_link->settled(); }));
        QVERIFY(m_link->alignment());
        const auto &trace = *m_session->traces().loaded()[0].trace;
        for (uint32_t id = 0; id < trace.sliceCount(); ++id) {
            const int64_t start = m_link->alignment()->toUnix(trace.slice(SliceId(id))->data.start);
            uint32_t last = MemorySession::kNone;
            for (uint32_t event = 0; event < times.size(); ++event)
                if (times[event] <= start && (last == MemorySession::kNone || times[event] >= times[last]))
                    last = event;
            m_session->select({});
            m_session->select({TraceId(0), SliceId(id)});
            QCOMPARE(memory()->instant(), last);
        }
    }
    void timesThatHaveNothingInCommonAreSaid()
    {
        QSignalSpy said(m_link, &MemoryLink::unaligned);
        test::SmallSnapshot small;
        small.add(MemoryAction::Alloc, 512, 100);
        small.times({kUnix + 3'600'000'000'000});
        memory()->setSnapshots(
            {std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(small.take()))});
        QVERIFY(QTest::qWaitFor([this] { return m_link->settled(); }));
        QVERIFY(!m_link->alignment());
        QCOMPARE(said.count(), 1);
    }
    void anInstantOutOfSightIsBroughtIntoSight()
    {
        m_session->pane()->setVisibleRange({1'000'000, 1'010'000});
        Pane *pane = m_session->pane();
        connect(pane, &Pane::rangeRequested, pane, [pane](TimeSpan range) { pane->setVisibleRange(range); });
        memory()->setInstant(2);
        QVERIFY(m_session->pane()->visibleRange().contains(1'100'000));
        const TimeSpan there = m_session->pane()->visibleRange();
        memory()->setCursor(kUnix + 1'000'000); // hovering does not move the range
        QCOMPARE(m_session->pane()->visibleRange(), there);
    }

    void theSnapshotBelongsToTheTraceWithItsRank()
    {
        TraceSet set;
        for (int64_t rank = 0; rank < 3; ++rank) {
            const auto trace = std::make_shared<Trace>(*test::trainingTrace());
            trace->info.baseTimeNs = kUnix;
            trace->info.rank = rank;
            set.add(trace);
        }
        set.setTime(TraceId(1), TimeMap({{0, 500}}));
        set.setTime(TraceId(2), TimeMap({{0, 9000}}));
        m_session->setTraces(set);
        TimelineState timeline(m_session->pane(), nullptr);
        timeline.setViewHeight(5000); // so that the lanes of all ranks are seen
        const auto cursorOf = [this](Ns setTime) {
            m_session->pane()->setHover({}, setTime);
            return memory()->cursor();
        };
        const auto ranksWithLevels = [&timeline] {
            std::vector<uint32_t> ids;
            for (uint32_t id = 0; id < 3; ++id)
                if (const auto graphs = timeline.graphs()[TraceId(id)]; graphs && !graphs->empty())
                    ids.push_back(id);
            return ids;
        };
        memory()->setSnapshots({named("rank1_snapshot.pickle")});
        QTRY_VERIFY(m_link->settled() && m_link->alignment());
        QCOMPARE(cursorOf(1'040'500), std::optional<int64_t>(kUnix + 1'040'000));
        QTRY_COMPARE(ranksWithLevels(), (std::vector<uint32_t>{1}));

        memory()->setSnapshots({named("runs/rank64/rank2.pickle")}); // no trace has the rank of the folder
        QTRY_VERIFY(m_link->settled() && m_link->alignment());
        QTRY_COMPARE(ranksWithLevels(), (std::vector<uint32_t>{2}));

        memory()->setSnapshots({named("snapshot.pickle")}); // the first one counts
        QTRY_VERIFY(m_link->settled() && m_link->alignment());
        QCOMPARE(cursorOf(1'040'000), std::optional<int64_t>(kUnix + 1'040'000));
        QTRY_COMPARE(ranksWithLevels(), (std::vector<uint32_t>{0}));

        memory()->setChosenTraces({TraceId(2)});
        QTRY_VERIFY(m_link->settled() && m_link->alignment());
        QCOMPARE(cursorOf(1'049'000), std::optional<int64_t>(kUnix + 1'040'000));
        QTRY_COMPARE(ranksWithLevels(), (std::vector<uint32_t>{2}));

        set.unload(TraceId(2));
        m_session->changeTraces(set);
        QTRY_VERIFY(m_link->settled());
        QVERIFY(!m_link->alignment() && memory()->steps().empty());
    }

    void theSnapshotsLevelsAreLanesOfTheTrace()
    {
        TimelineState timeline(m_session->pane(), nullptr);
        timeline.setViewHeight(500); // so that the lanes of the trace are seen
        QTRY_VERIFY(!timeline.graphs().empty());
        const std::vector<TraceGraph> &graphs = *timeline.graphs()[TraceId(0)];
        QCOMPARE(graphs.size(), size_t(2));
        QCOMPARE(graphs[0].title, std::string("Snapshot: allocated"));
        QCOMPARE(graphs[0].graph.valueAt(1'060'000), 200.0); // two allocations have started
        QCOMPARE(graphs[0].graph.valueAt(1'160'000), 400.0);
        memory()->setSnapshots({});
        QTRY_VERIFY(timeline.graphs().empty() || timeline.graphs()[TraceId(0)]->empty());
    }

private:
    static constexpr int64_t kUnix = 1'700'000'000'000'000'000;
    static std::shared_ptr<const SnapshotFacts> named(const char *path)
    {
        test::SmallSnapshot small;
        small.add(MemoryAction::Alloc, 512, 100);
        small.segment(0, 4096, {test::SmallSnapshot::block(512, 100)});
        small.times({kUnix + 1'050'000});
        MemorySnapshot snapshot = small.take();
        snapshot.path = path;
        return std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    }
    MemorySession *memory() { return m_session->memory(); }
    std::unique_ptr<Session> m_session;
    MemoryLink *m_link = nullptr;
};

RIFFLE_WIDGET_TEST(MemoryLinkTest)
#include "memory_link_test.moc"
