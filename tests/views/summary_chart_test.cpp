// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/summary_chart.h"

#include "tests/model/analysis/small_trace.h"
#include "views/common/chart/bar_chart.h"
#include "views/common/chart/histogram_chart.h"
#include "views/common/chart/icicle_chart.h"
#include "views/summary/summary_pane.h"

#include <QSignalSpy>
#include <QTest>

#include <numeric>

using namespace riffle;

class SummaryChartTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(test::trainingTrace()));
    }
    void cleanup()
    {
        m_pane.reset();
        m_session.reset();
    }

    void stepsAreBarsThatLeadToTheirRows()
    {
        show({"steps"});
        auto *bars = m_pane->findChild<BarChart *>();
        QVERIFY(bars->isVisible());
        QCOMPARE(bars->itemCount(), 2);
        QVERIFY(bars->said(1).startsWith(QStringLiteral("Step 1: 90.00\u00a0µs · Kernel 36.00\u00a0µs (40.0\u00a0%)"))); // 12 + 24 of 90 µs
        QSignalSpy revealed(m_session.get(), &Session::revealRequested);
        QTest::mouseClick(bars, Qt::LeftButton, {}, bars->itemRect(1).center().toPoint());
        QCOMPARE(m_pane->table()->currentRow(), std::optional(1u));
        QCOMPARE(revealed.size(), 1);
        m_pane->table()->setCurrentRow(0);
        QCOMPARE(bars->currentItem(), 0);
    }

    void theCurrentKernelsDurationsAreCounted()
    {
        show({"kernels"});
        auto *durations = m_pane->findChild<HistogramChart *>();
        QVERIFY(durations->isVisible());
        m_pane->table()->setCurrentRow(1);
        QTRY_VERIFY(m_pane->settled());
        const auto &counts = durations->histogram().counts;
        QCOMPARE(std::accumulate(counts.begin(), counts.end(), uint64_t(0)), uint64_t(2)); // one in each step
    }

    void stacksAreAnIcicle()
    {
        show({"modules"});
        m_pane->choose(QStringLiteral("modules"), QStringLiteral("stack"));
        QTRY_VERIFY(m_pane->settled());
        auto *tree = m_pane->findChild<IcicleChart *>();
        QTRY_VERIFY(tree->isVisible());
        m_pane->table()->setCurrentRow(0);
        QCOMPARE(tree->current(), 0u);
        QVERIFY(!tree->rectOf(0).isEmpty());
        QVERIFY(tree->said(0).startsWith(QLatin1String("train.py(20): train: ")));
    }

    void otherTablesStandAlone()
    {
        show({"operators"});
        QVERIFY(!m_pane->findChild<SummaryChart *>()->isVisible());
    }

private:
    void show(const std::vector<const char *> &words)
    {
        m_pane = std::make_unique<SummaryPane>(m_session.get(), words);
        m_pane->resize(1200, 260);
        m_pane->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pane.get()));
        QTRY_VERIFY(m_pane->table()->rows().rowCount() > 0 && m_pane->settled());
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<SummaryPane> m_pane;
};

QTEST_MAIN(SummaryChartTest)
#include "summary_chart_test.moc"
