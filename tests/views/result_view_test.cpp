// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/table/result_view.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/model/analysis/table/small_table.h"
#include "views/common/session/empty_notice.h"

#include <QProgressBar>
#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <new>

using namespace riffle;

class ResultViewTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_hold = m_fails = false;
        m_session = std::make_unique<Session>();
        m_view = std::make_unique<ResultView>(m_session.get(), Session::Area,
                                              [this](const Session &session) -> ResultView::Work {
                                                  if (session.traces().empty())
                                                      return {};
                                                  const Ns begin = session.area() ? session.area()->span.begin : -1;
                                                  return [this, begin](std::stop_token stop) {
                                                      ++m_asked;
                                                      while (m_hold && !stop.stop_requested())
                                                          QThread::msleep(1);
                                                      if (m_fails)
                                                          throw std::bad_alloc();
                                                      ResultTable table;
                                                      table.add("name", "Name", CellKind::Text).texts = {"row"};
                                                      table.add("begin_ns", "Begin", CellKind::Time).integers = {begin};
                                                      return table;
                                                  };
                                              });
        m_view->resize(600, 200);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_hold = false;
        m_view.reset();
        m_session.reset();
    }

    void withoutAQuestionItSaysWhy()
    {
        QVERIFY(m_view->settled());
        QCOMPARE(m_view->findChild<EmptyNotice *>()->text(), QStringLiteral("No trace is open."));
    }

    void theNewestQuestionIsAnswered()
    {
        m_session->setTraces(test::setOf(test::trainingTrace()));
        for (Ns begin = 1; begin <= 50; ++begin) {
            m_session->setArea(AreaSelection{{begin, 100}, {}});
            m_view->refreshNow();
        }
        QTRY_VERIFY(m_view->settled());
        QCOMPARE(m_view->table()->table().columns[1].integers[0], Ns(50));
    }

    void oldRowsStayUntilTheNewOnesAreThereAndALineSaysSo()
    {
        m_session->setTraces(test::setOf(test::trainingTrace()));
        QTRY_COMPARE(m_view->table()->rows().rowCount(), 1);
        auto *busy = m_view->findChild<QProgressBar *>();
        QVERIFY(!busy->isVisible());
        m_hold = true;
        m_session->setArea(AreaSelection{{5, 100}, {}});
        QTRY_VERIFY(busy->isVisible());
        QCOMPARE(m_view->table()->table().columns[1].integers[0], Ns(-1));
        m_hold = false;
        QTRY_COMPARE(m_view->table()->table().columns[1].integers[0], Ns(5));
        QVERIFY(!busy->isVisible());
    }

    void aQuestionThatFailsSaysWhyAndTheNextIsAnswered()
    {
        m_session->setTraces(test::setOf(test::trainingTrace()));
        QTRY_COMPARE(m_view->table()->rows().rowCount(), 1);
        m_fails = true;
        m_session->setArea(AreaSelection{{5, 100}, {}});
        QTRY_COMPARE(m_view->table()->rows().rowCount(), 0);
        QCOMPARE(m_view->findChild<EmptyNotice *>()->text(),
                 QStringLiteral("This view could not be computed. There is not enough memory."));
        QVERIFY(m_view->settled());
        m_fails = false;
        m_session->setArea(AreaSelection{{6, 100}, {}});
        QTRY_COMPARE(m_view->table()->rows().rowCount(), 1);
        QCOMPARE(m_view->table()->table().columns[1].integers[0], Ns(6));
    }

    void aHiddenViewAsksNothing()
    {
        m_session->setTraces(test::setOf(test::trainingTrace()));
        QTRY_COMPARE(m_view->table()->rows().rowCount(), 1);
        m_view->hide();
        const int before = m_asked;
        m_session->setArea(AreaSelection{{5, 100}, {}});
        QTest::qWait(20);
        QCOMPARE(m_asked.load(), before);
        m_view->show();
        QTRY_COMPARE(m_view->table()->table().columns[1].integers[0], Ns(5));
    }

private:
    std::atomic<bool> m_hold = false, m_fails = false;
    std::atomic<int> m_asked = 0;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<ResultView> m_view;
};

RIFFLE_WIDGET_TEST(ResultViewTest)
#include "result_view_test.moc"
