// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/area/area_view.h"

#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/small_trace.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace riffle;

class AreaTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<AreaView>(m_session.get());
        m_view->resize(1000, 300);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        m_session->setTraces(test::setOf(m_trace));
    }
    void cleanup()
    {
        m_view.reset();
        m_session.reset();
    }

    void oneRowPerNameByDescendingSum()
    {
        select(m_trace->span);
        QCOMPARE(cell(0, "name"), QStringLiteral("train.py(20): train"));
        QCOMPARE(cell(rowOf("sgemm"), "count"), QStringLiteral("2"));
        QCOMPARE(cell(rowOf("sgemm"), "category"), QStringLiteral("kernel"));
    }

    void aLineSaysWhatIsSummedUp()
    {
        select({1'009'000, 1'021'000});
        const std::vector<std::string> &notes = m_view->table()->table().notes;
        QCOMPARE(notes.size(), size_t(1));
        QVERIFY(notes[0].starts_with("12.00\u00a0µs starting at 9.000\u00a0µs · "));
    }

    void csvHasWholeNanosecondsAndQuotes()
    {
        test::SmallTrace small;
        small.operation(small.thread(1), "f<a, b>", 100, 50);
        m_trace = small.seal();
        m_session->setTraces(test::setOf(m_trace));
        select({0, 200});
        QSignalSpy saved(m_view.get(), &AreaView::exportRequested);
        m_view->table()->exportAs(QStringLiteral("csv"));
        QCOMPARE(saved.size(), 1);
        QCOMPARE(saved.at(0).at(0).toString(), QStringLiteral("area.csv"));
        QCOMPARE(saved.at(0).at(1).toString(),
                 QStringLiteral("name,category,count,cut,sum_ns,average_ns,minimum_ns,maximum_ns,self_ns,share\n"
                                "\"f<a, b>\",cpu_op,1,0,50,50,50,50,50,0.25\n"));
    }

    void theNewestAreaWins()
    {
        for (Ns end = m_trace->span.begin + 1000; end <= m_trace->span.end; end += 1000)
            m_session->setArea(AreaSelection{{m_trace->span.begin, end}, {}});
        select({1'009'000, 1'021'000});
        QCOMPARE(cell(rowOf("sgemm"), "sum_ns"), QStringLiteral("12.00\u00a0µs"));
        QCOMPARE(cell(rowOf("sgemm"), "share"), QStringLiteral("100\u00a0%"));
    }

    void theVisibleRangeIsSummedUpOnAClick()
    {
        m_session->pane()->setVisibleRange({1'009'000, 1'021'000});
        for (QToolButton *button : m_view->findChildren<QToolButton *>())
            if (button->text().contains(QLatin1String("visible")))
                QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(m_session->area(), (AreaSelection{{1'009'000, 1'021'000}, {}}));
    }

    void filtersCountToo()
    {
        Filters filters;
        filters.text = "sgemm";
        m_session->setFilters(filters);
        select(m_trace->span);
        QCOMPARE(m_view->table()->table().rows(), size_t(2));
        filters.lanes = {{TraceId(0), m_trace->slice(test::sliceNamed(*m_trace, "MmBackward0"))->lane}};
        m_session->setFilters(filters);
        QTRY_COMPARE(m_view->table()->table().rows(), size_t(0));
    }

    void noAreaNoRows()
    {
        select(m_trace->span);
        QVERIFY(m_view->table()->rows().rowCount() > 0);
        m_session->setArea(std::nullopt);
        QTRY_COMPARE(m_view->table()->rows().rowCount(), 0);
    }

    void enterOnARowGoesToItsLongestSlice()
    {
        select(m_trace->span);
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        m_view->table()->setCurrentRow(rowOf("sgemm"));
        m_view->table()->view()->setFocus();
        QTest::keyClick(m_view->table()->view(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
    }

private:
    QString cell(uint32_t row, std::string_view key) const
    {
        const ResultColumn *column = m_view->table()->table().column(key);
        return QString::fromStdString(cellText(*column, row));
    }
    uint32_t rowOf(std::string_view name) const
    {
        const auto &names = m_view->table()->table().column("name")->texts;
        return static_cast<uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
    }
    void select(TimeSpan span)
    {
        m_session->setArea(AreaSelection{span, {}});
        QApplication::processEvents();
        QVERIFY(QTest::qWaitFor([this] { return m_view->settled(); }));
    }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<AreaView> m_view;
};

RIFFLE_WIDGET_TEST(AreaTest)
#include "area_test.moc"
