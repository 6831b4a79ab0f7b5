// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/snapshot_facts.h"
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"
#include "views/memory/alive/difference_view.h"

#include <QComboBox>
#include <QPushButton>
#include <QTest>

using namespace riffle;

class DifferenceViewTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<DifferenceView>(m_session.get());
        m_view->resize(900, 300);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void withoutASnapshotItSaysSo()
    {
        QVERIFY(!m_view->table()->table().absence.empty());
        QVERIFY(!m_view->keepButton()->isEnabled());
    }
    /// 100 bytes exist throughout, 300 from event 0 to event 1, and 700 from event 2 on.
    void theHistorysBeginIsComparedWithTheInstant()
    {
        memory()->setSnapshots({snapshot(300, 700)});
        bySize();
        memory()->setInstant(0);
        QTRY_COMPARE(rows(), QString("up to 512 B grown 300"));
    }
    void whatIsNeverThereInBothIsNoRow()
    {
        memory()->setSnapshots({snapshot(600, 1500)});
        bySize();
        memory()->setInstant(1);
        QTRY_COMPARE(rows(), QString("up to 512 B unchanged 0"));
    }
    void aKeptInstantIsComparedWithOthers()
    {
        memory()->setSnapshots({snapshot(600, 1500)});
        bySize();
        memory()->setInstant(0);
        QTRY_VERIFY(m_view->keepButton()->isEnabled());
        QTest::mouseClick(m_view->keepButton(), Qt::LeftButton);
        memory()->setInstant(2);
        QTRY_COMPARE(rows(), QString("up to 2 KiB new 1500; up to 1 KiB gone -600; up to 512 B unchanged 0"));
        QVERIFY2(m_view->said().contains(QStringLiteral("after event 0")) &&
                     m_view->said().contains(QStringLiteral("after event 2")),
                 qPrintable(m_view->said()));
    }
    void twoSnapshotsAreComparedAtTheirPeaks()
    {
        memory()->setSnapshots({snapshot(600, 1500), snapshot(600, 5000)});
        bySize();
        memory()->setPlace({1, 0});
        QTRY_COMPARE(rows(), QString("up to 8 KiB new 5000; up to 2 KiB gone -1500; up to 512 B unchanged 0"));
    }

private:
    static std::shared_ptr<const SnapshotFacts> snapshot(int64_t first, int64_t second)
    {
        test::SmallSnapshot small;
        small.add(MemoryAction::Alloc, 1 << 20, first);
        small.add(MemoryAction::FreeCompleted, 1 << 20, first);
        small.add(MemoryAction::Alloc, 2 << 20, second);
        small.segment(0, 8 << 20, {test::SmallSnapshot::block(512, 100), test::SmallSnapshot::block(2 << 20, second)});
        return std::make_shared<const SnapshotFacts>(std::make_shared<const MemorySnapshot>(small.take()));
    }
    MemorySession *memory() { return m_session->memory(); }
    void bySize()
    {
        m_view->groupings()->setCurrentIndex(m_view->groupings()->findData(static_cast<int>(MemoryGrouping::Size)));
    }
    /// The rows as "name state change; …".
    QString rows()
    {
        const ResultTable &table = m_view->table()->table();
        QStringList all;
        for (size_t row = 0; m_view->settled() && row < table.rows(); ++row)
            all += QString::fromStdString(table.columns[0].texts[row]) + ' ' +
                   QString::fromStdString(table.column("state")->texts[row]) + ' ' +
                   QString::number(table.column("change_bytes")->integers[row]);
        return all.join(QStringLiteral("; "));
    }
    std::unique_ptr<Session> m_session;
    std::unique_ptr<DifferenceView> m_view;
};

RIFFLE_WIDGET_TEST(DifferenceViewTest)
#include "difference_view_test.moc"
