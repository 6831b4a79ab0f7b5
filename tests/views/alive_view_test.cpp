// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_facts.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/support/chunked_source.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/chart/icicle_chart.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"
#include "views/memory/alive/alive_view.h"

#include <QComboBox>
#include <QTabWidget>
#include <QTest>

#include <numeric>

using namespace riffle;

class AliveViewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        test::SnapshotOptions options;
        options.entries = 5'000;
        options.stacks = 60;
        std::string bytes;
        test::generateSnapshot(options, [&](std::string_view part) { bytes += part; });
        test::ChunkedSource source(bytes);
        auto snapshot = readMemoryPickle(source, "generated.pickle", {});
        QVERIFY(snapshot);
        m_facts = std::make_shared<const SnapshotFacts>(*snapshot);
    }
    void init()
    {
        m_session = std::make_unique<Session>();
        m_session->memory()->setSnapshots({m_facts});
        m_view = std::make_unique<AliveView>(m_session.get());
        m_view->resize(1000, 420);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QTRY_VERIFY(m_view->settled() && !m_view->said().isEmpty());
    }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void rowsAddUpToTheLevelOfTheInstant()
    {
        for (const uint32_t event : {4'999u, 1u, 2'500u}) {
            memory()->setInstant(event);
            QTRY_VERIFY(m_view->settled() &&
                        sum() == memory()->device()->levelAfter(*memory()->snapshot(), event).active);
            QCOMPARE(m_view->sunburst()->tree().total(), sum());
            QVERIFY2(m_view->said().contains(QStringLiteral("device 0")), qPrintable(m_view->said()));
        }
    }

    void theNewestInstantWins()
    {
        for (uint32_t event = 0; event < 1000; event += 10)
            memory()->setInstant(event);
        QTRY_COMPARE(sum(), memory()->device()->levelAfter(*memory()->snapshot(), 990).active);
        QVERIFY(m_view->said().contains(QStringLiteral("event 990")));
    }

    void everyGroupingHasTheSameSum()
    {
        const int64_t level = sum();
        for (int index = 0; index < m_view->groupings()->count(); ++index) {
            m_view->groupings()->setCurrentIndex(index);
            QTRY_VERIFY(m_view->table()->table().view.find(memoryGroupingWord(static_cast<MemoryGrouping>(
                            m_view->groupings()->currentData().toInt()))) != std::string::npos);
            QCOMPARE(sum(), level);
        }
    }

    void aRowIsTheCurrentNodeOfThePicturesAndSelectsItsLargestAllocation()
    {
        m_view->table()->setCurrentRow(1);
        QCOMPARE(m_view->icicle()->current(), 1u);
        QCOMPARE(m_view->sunburst()->current(), 1u);
        const uint32_t selected = memory()->selected();
        QVERIFY(selected != MemorySession::kNone);
        QVERIFY(m_facts->alive(0).isAlive(selected, memory()->instant()));
    }

    void keysInAPictureMoveTheRow()
    {
        m_view->pictures()->setCurrentWidget(m_view->sunburst());
        m_view->table()->setCurrentRow(0); // the table may have done so itself when it got the focus
        QCOMPARE(m_view->sunburst()->current(), 0u);
        QTest::keyClick(m_view->sunburst(), Qt::Key_Down);
        QCOMPARE(m_view->table()->currentRow(), std::optional<uint32_t>(1));
        QCOMPARE(m_view->icicle()->current(), 1u);
    }

    void aSelectedAllocationIsShown()
    {
        m_view->setGrouping(MemoryGrouping::Size);
        QTRY_VERIFY(m_view->settled() && m_view->table()->table().view == "memory_by_size");
        const MemoryInstant instant = memoryInstant(*m_facts, 0, memory()->instant());
        const uint32_t last = instant.rows.back();
        memory()->select(last);
        const MemoryTree tree = groupMemory(*m_facts, {&instant, 1}, MemoryGrouping::Size);
        QTRY_COMPARE(m_view->table()->currentRow(), std::optional<uint32_t>(tree.leaves.back()));
        QCOMPARE(m_view->sunburst()->current(), tree.leaves.back());
        QCOMPARE(memory()->selected(), last);
    }

    void nothingOpenIsSaid()
    {
        memory()->setSnapshots({});
        QTRY_VERIFY(m_view->table()->table().rows() == 0);
        QCOMPARE(m_view->sunburst()->tree().size(), size_t(0));
    }

private:
    MemorySession *memory() const { return m_session->memory(); }
    int64_t sum() const
    {
        const ResultTable &table = m_view->table()->table();
        int64_t total = 0;
        for (size_t row = 0; row < table.rows(); ++row)
            if (table.depth[row] == 0)
                total += table.column("bytes")->integers[row];
        return total;
    }

    std::shared_ptr<const SnapshotFacts> m_facts;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<AliveView> m_view;
};

RIFFLE_WIDGET_TEST(AliveViewTest)
#include "alive_view_test.moc"
