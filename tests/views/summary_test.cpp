// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/summary/summary_pane.h"

#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/small_trace.h"

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace riffle;

class SummaryTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(m_trace));
    }
    void cleanup()
    {
        m_pane.reset();
        m_session.reset();
    }

    void operatorsAndTheirTimes()
    {
        show({"operators"});
        const uint32_t mm = rowOf("aten::mm");
        QCOMPARE(cell(mm, "calls"), QStringLiteral("2"));
        QCOMPARE(cell(mm, "host_self_ns"), QStringLiteral("16000")); // two calls of 10 µs with a launch of 2 µs in each
        QCOMPARE(cell(mm, "device_self_ns"), QStringLiteral("24000"));
        QCOMPARE(cell(rowOf("aten::linear"), "device_total_ns"), QStringLiteral("24000"));
    }

    void anAreaNarrowsTheTable()
    {
        show({"operators"});
        m_session->setArea(AreaSelection{{1'000'000, 1'090'000}, {}});
        settle();
        QCOMPARE(cell(rowOf("aten::mm"), "calls"), QStringLiteral("1"));
        m_session->setArea(std::nullopt);
        settle();
        QCOMPARE(cell(rowOf("aten::mm"), "calls"), QStringLiteral("2"));
    }

    void aSelectedSliceIsFoundInTheTable()
    {
        show({"kernels"});
        m_session->select({TraceId(0), test::sliceNamed(*m_trace, "sgemm_bwd")});
        settle();
        const auto row = m_pane->table()->currentRow();
        QVERIFY(row.has_value());
        QCOMPARE(*row, rowOf("sgemm_bwd"));
    }

    void aRowLeadsToItsSlice()
    {
        show({"kernels"});
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        m_pane->table()->setCurrentRow(rowOf("sgemm"));
        QTest::keyClick(m_pane->table()->view(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
        const auto slice = m_trace->slice(revealed[0][0].value<SliceRef>().slice);
        QVERIFY(slice.has_value());
        QCOMPARE(QString::fromUtf8(m_trace->string(slice->data.name).data()).left(5), QStringLiteral("sgemm"));
    }

    void groupingsAndTablesAreChosen()
    {
        show({"kernels", "memcpy"});
        QCOMPARE(m_pane->table()->table().view, std::string("kernels"));
        m_pane->choose(QStringLiteral("kernels"), QStringLiteral("properties"));
        settle();
        QVERIFY(m_pane->table()->table().column("grid"));
        m_pane->choose(QStringLiteral("memcpy"));
        settle();
        QCOMPARE(m_pane->table()->table().view, std::string("memcpy"));
        QVERIFY2(!m_pane->table()->table().absence.empty(), "the table must say that nothing was copied");
    }

    void severalTracesAreMerged()
    {
        m_session->setTraces(TraceSet::of({rankWith(60), rankWith(90), rankWith(80)}));
        show({"kernels", "steps"});
        const uint32_t gemm = rowOf("gemm");
        QCOMPARE(cell(gemm, "traces"), QStringLiteral("3"));
        QCOMPARE(cell(gemm, "total_ns"), QStringLiteral("160"));
        QCOMPARE(cell(gemm, "total_max_trace"), QStringLiteral("Rank 1"));
        m_pane->choose(RankLayout::Columns);
        settle();
        QCOMPARE(cell(rowOf("gemm"), "rank_2"), QStringLiteral("160"));
        m_pane->choose(RankLayout::RankByRank);
        settle();
        QCOMPARE(cell(2, "trace"), QStringLiteral("Rank 2"));
        QVERIFY(layouts()->isVisibleTo(m_pane.get()));
        m_pane->choose(QStringLiteral("steps"));
        settle();
        QVERIFY2(!layouts()->isVisibleTo(m_pane.get()), "steps always stand trace by trace");
        m_pane->choose(QStringLiteral("kernels"));
        m_session->setTraces(TraceSet::of({rankWith(60)}));
        settle();
        QVERIFY(!layouts()->isVisibleTo(m_pane.get()));
    }

    void mergedRowsCompareTheSortedColumn()
    {
        m_session->setTraces(TraceSet::of({rankWith(60), rankWith(90)}));
        show({"kernels"});
        QVERIFY(m_pane->table()->table().column("total_spread_ns"));
        const auto &columns = m_pane->table()->table().columns;
        const auto mean = std::find_if(columns.begin(), columns.end(),
                                       [](const ResultColumn &column) { return column.key == "mean_ns"; });
        emit m_pane->table()->view()->header()->sectionClicked(static_cast<int>(mean - columns.begin()));
        settle();
        QVERIFY(!m_pane->table()->table().column("total_spread_ns"));
        QCOMPARE(cell(rowOf("gemm"), "mean_spread_ns"), QStringLiteral("30"));
        emit m_pane->table()->view()->header()->sectionClicked(0); // a name is not compared
        settle();
        QCOMPARE(cell(rowOf("gemm"), "mean_spread_ns"), QStringLiteral("30"));
        m_pane->choose(RankLayout::Columns);
        settle();
        QCOMPARE(cell(rowOf("gemm"), "rank_1"), QStringLiteral("90"));
        emit m_pane->table()->view()->header()->sectionClicked(3); // neither is a trace
        settle();
        QCOMPARE(cell(rowOf("gemm"), "rank_1"), QStringLiteral("90"));
    }

    void instancesOfTheWorstRankComeFirst()
    {
        m_session->setTraces(TraceSet::of({rankWith(60), rankWith(90), rankWith(80)}));
        show({"kernels"});
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        connect(m_session->pane(), &Pane::revealRequested, m_session.get(), &Session::select);
        m_pane->table()->setCurrentRow(rowOf("gemm"));
        for (int at = 0; at < 6; ++at)
            QTest::keyClick(m_pane->table()->view(), Qt::Key_BracketRight);
        QList<uint32_t> traces;
        for (const QList<QVariant> &one : revealed)
            traces += one[0].value<SliceRef>().trace.value;
        QCOMPARE(traces, (QList<uint32_t>{1, 1, 2, 2, 0, 0}));
        QTest::keyClick(m_pane->table()->view(), Qt::Key_BracketLeft);
        QCOMPARE(m_session->selected().trace, TraceId(0));
        QCOMPARE(m_pane->table()->currentRow(), std::optional(rowOf("gemm")));
    }

private:
    void show(const std::vector<const char *> &words)
    {
        m_pane = std::make_unique<SummaryPane>(m_session.get(), words);
        m_pane->resize(1000, 300);
        m_pane->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_pane.get()));
        settle();
    }
    void settle()
    {
        QApplication::processEvents();
        m_pane->refreshNow();
        QTRY_VERIFY(m_pane->settled());
    }
    /// A trace with two calls of a kernel of this length.
    static std::shared_ptr<const Trace> rankWith(Ns kernel)
    {
        test::SmallTrace small;
        const uint32_t thread = small.thread(1), stream = small.stream(7);
        small.step(thread, 1, 0, 1000);
        for (int call = 0; call < 2; ++call) {
            small.launch(thread, 10 + 200 * call, 5, call + 1);
            small.kernel(stream, "gemm", 20 + 200 * call, kernel, call + 1);
        }
        return small.seal();
    }
    QComboBox *layouts() const
    {
        for (QComboBox *box : m_pane->findChildren<QComboBox *>())
            if (box->accessibleName() == QStringLiteral("Several traces"))
                return box;
        return nullptr;
    }
    uint32_t rowOf(std::string_view name) const
    {
        const ResultColumn *names = m_pane->table()->table().column("name");
        const auto found = names ? std::find(names->texts.begin(), names->texts.end(), name)
                                 : std::vector<std::string>::const_iterator();
        return names && found != names->texts.end() ? static_cast<uint32_t>(found - names->texts.begin()) : UINT32_MAX;
    }
    QString cell(uint32_t row, std::string_view key) const
    {
        const ResultColumn *column = m_pane->table()->table().column(key);
        return column && row < column->size() ? QString::fromStdString(cellValue(*column, row))
                                              : QStringLiteral("no such cell");
    }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<SummaryPane> m_pane;
};

RIFFLE_WIDGET_TEST(SummaryTest)
#include "summary_test.moc"
