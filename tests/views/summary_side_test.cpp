// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/summary/summary_side.h"

#include "tests/model/analysis/small_trace.h"
#include "views/common/chart/bar_chart.h"
#include "views/common/chart/histogram_chart.h"
#include "views/common/chart/icicle_chart.h"
#include "views/summary/summary_pane.h"

#include <QApplication>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <QTreeView>

#include <numeric>

using namespace riffle;

class SummarySideTest : public QObject {
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
        QVERIFY(bars->said(1).startsWith(
            QStringLiteral("Step 1: 90.00\u00a0µs · Kernel 36.00\u00a0µs (40.0\u00a0%)"))); // 12 + 24 of 90 µs
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        QTest::mouseClick(bars, Qt::LeftButton, {}, bars->itemRect(1).center().toPoint());
        QCOMPARE(m_pane->table()->currentRow(), std::optional(1u));
        QCOMPARE(revealed.size(), 1);
        QTest::keyClick(bars, Qt::Key_Left);
        QCOMPARE(m_pane->table()->currentRow(), std::optional(0u));
        QCOMPARE(revealed.size(), 1); // the arrow keys reveal nothing; Return does
        QTest::keyClick(bars, Qt::Key_Return);
        QCOMPARE(revealed.size(), 2);
    }

    void rowsLeadToTheirBars()
    {
        show({"steps"});
        auto *bars = m_pane->findChild<BarChart *>();
        QTreeView *rows = m_pane->table()->view();
        clickRow(0);
        QCOMPARE(bars->currentItem(), 0);
        QTest::keyClick(rows, Qt::Key_Down);
        QCOMPARE(bars->currentItem(), 1);
        QCOMPARE(bars->accessibleDescription(), bars->said(1));
    }

    void theCurrentKernelsDurationsAreCounted()
    {
        show({"kernels"});
        auto *durations = m_pane->findChild<HistogramChart *>();
        QVERIFY(durations->isVisible());
        clickRow(1);
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
        clickRow(0);
        QCOMPARE(tree->current(), 0u);
        QVERIFY(tree->said(0).startsWith(QLatin1String("train.py(20): train: ")));
        QTest::keyClick(tree, Qt::Key_Down);
        QCOMPARE(m_pane->table()->currentRow(), std::optional(1u));
        QTest::mouseClick(tree, Qt::LeftButton, {}, tree->rectOf(2).center().toPoint());
        QCOMPARE(m_pane->table()->currentRow(), std::optional(2u));
        QCOMPARE(tree->root(), 2u);
    }

    void findingsAreToldInFull()
    {
        show({"findings"});
        auto *sentences = m_pane->findChild<QTextBrowser *>();
        QVERIFY(sentences->isVisible());
        const ResultTable &table = m_pane->table()->table();
        QVERIFY(table.rows() > 1);
        clickRow(0);
        for (const uint32_t row : {0u, 1u}) {
            QCOMPARE(m_pane->table()->currentRow(), std::optional(row));
            for (const char *key : {"title", "text", "rule", "suggestion"})
                QVERIFY2(
                    sentences->toPlainText().contains(
                        QString::fromStdString(table.column(key)->texts[row]).replace(QChar::Nbsp, QLatin1Char(' '))),
                    key);
            QTest::keyClick(m_pane->table()->view(), Qt::Key_Down);
        }
    }

    void otherTablesStandAlone()
    {
        show({"operators"});
        QVERIFY(!m_pane->findChild<SummarySide *>()->isVisible());
    }

private:
    void show(const std::vector<const char *> &words)
    {
        m_pane = std::make_unique<SummaryPane>(m_session.get(), words);
        m_pane->resize(1200, 260);
        m_pane->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pane.get()));
        QTRY_VERIFY(m_pane->table()->rows().rowCount() > 0 && m_pane->settled());
        QApplication::processEvents(); // so that the charts are laid out
    }

    void clickRow(uint32_t row)
    {
        QTreeView *view = m_pane->table()->view();
        const QModelIndex index = m_pane->table()->rows().indexOf(row);
        const QRect cell =
            view->visualRect(index.siblingAtColumn(view->header()->logicalIndexAt(20))); // some columns may be hidden
        QVERIFY(!cell.isEmpty());
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(20, cell.center().y()));
    }

    std::unique_ptr<Session> m_session;
    std::unique_ptr<SummaryPane> m_pane;
};

RIFFLE_WIDGET_TEST(SummarySideTest)
#include "summary_side_test.moc"
