// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/summary/summary_pane.h"

#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/small_trace.h"

#include <QApplication>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

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
        QSignalSpy revealed(m_session.get(), &Session::revealRequested);
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
