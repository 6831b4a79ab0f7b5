// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/area/area_view.h"

#include "tests/model/analysis/small_trace.h"
#include "views/area/area_row_model.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
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
        QCOMPARE(cell(0, AreaRowModel::Name), QStringLiteral("train.py(20): train"));
        QCOMPARE(cell(rowOf(QStringLiteral("sgemm")), AreaRowModel::Count), QStringLiteral("2"));
        QCOMPARE(cell(rowOf(QStringLiteral("sgemm")), AreaRowModel::Category), QStringLiteral("kernel"));
    }

    void aClickOnAHeadingSorts()
    {
        select(m_trace->span);
        QHeaderView *header = table()->header();
        const QPoint at(header->sectionViewportPosition(AreaRowModel::Count) + 20, header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        const auto count = [this](int row) { return m_view->rows().row(row).count; };
        const int rows = m_view->rows().rowCount();
        const bool ascending = header->sortIndicatorOrder() == Qt::AscendingOrder;
        for (int row = 1; row < rows; ++row)
            QVERIFY(ascending ? count(row - 1) <= count(row) : count(row - 1) >= count(row));
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
        QVERIFY((header->sortIndicatorOrder() == Qt::AscendingOrder) != ascending);
    }

    void ctrlCCopiesTheSelectedRows()
    {
        select(m_trace->span);
        table()->setFocus();
        table()->setCurrentIndex(table()->model()->index(rowOf(QStringLiteral("sgemm")), 0));
        QTest::keyClick(table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QVERIFY(lines[0].startsWith(QLatin1String("Name\tCount\tSum")));
        QVERIFY(lines[1].startsWith(QLatin1String("sgemm\t2\t")));
    }

    void csvHasWholeNanosecondsAndQuotes()
    {
        test::SmallTrace small;
        small.operation(small.thread(1), "f<a, b>", 100, 50);
        m_trace = small.seal();
        m_session->setTraces(test::setOf(m_trace));
        select({0, 200});
        QSignalSpy saved(m_view.get(), &AreaView::exportRequested);
        for (QToolButton *button : m_view->findChildren<QToolButton *>()) {
            if (button->text().contains(QLatin1String("CSV")))
                QTest::mouseClick(button, Qt::LeftButton);
        }
        QCOMPARE(saved.size(), 1);
        QCOMPARE(saved.at(0).at(1).toString(),
                 QStringLiteral("name,category,count,cut,sum_ns,average_ns,minimum_ns,maximum_ns,self_ns,share\n"
                                "\"f<a, b>\",cpu_op,1,0,50,50,50,50,50,0.25\n"));
    }

    void theNewestAreaWins()
    {
        for (Ns end = m_trace->span.begin + 1000; end <= m_trace->span.end; end += 1000)
            m_session->setArea(AreaSelection{{m_trace->span.begin, end}, {}});
        select({1'009'000, 1'021'000});
        QCOMPARE(m_view->rows().summary().span, (TimeSpan{1'009'000, 1'021'000}));
    }

    void noAreaNoRows()
    {
        select(m_trace->span);
        QVERIFY(m_view->rows().rowCount() > 0);
        m_session->setArea(std::nullopt);
        QTRY_COMPARE(m_view->rows().rowCount(), 0);
    }

    void enterOnARowGoesToItsLongestSlice()
    {
        select(m_trace->span);
        QSignalSpy revealed(m_session.get(), &Session::revealRequested);
        table()->setFocus();
        table()->setCurrentIndex(table()->model()->index(rowOf(QStringLiteral("sgemm")), 0));
        QTest::keyClick(table(), Qt::Key_Return);
        QCOMPARE(revealed.size(), 1);
    }

private:
    QTreeView *table() const { return m_view->findChild<QTreeView *>(); }
    QString cell(int row, int column) const { return m_view->rows().index(row, column).data().toString(); }
    int rowOf(const QString &name) const
    {
        for (int row = 0; row < m_view->rows().rowCount(); ++row) {
            if (cell(row, AreaRowModel::Name) == name)
                return row;
        }
        return -1;
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

QTEST_MAIN(AreaTest)
#include "area_test.moc"
