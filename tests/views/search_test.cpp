// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/search/search_bar.h"

#include "tests/model/analysis/small_trace.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace riffle;

class SearchTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(m_trace));
        // Select a slice that is to be revealed, like the timeline.
        connect(m_session->pane(), &Pane::revealRequested, m_session.get(), &Session::select);
        m_bar = std::make_unique<SearchBar>(m_session.get());
        m_bar->resize(900, 40);
        m_bar->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_bar.get()));
        m_bar->activate();
    }
    void cleanup()
    {
        m_bar.reset();
        m_session.reset();
    }

    void typingCountsAndEmphasises()
    {
        type(QStringLiteral("gemm"));
        QCOMPARE(count(), QStringLiteral("4 found"));
        QCOMPARE(m_session->highlight()[TraceId(0)].size(), size_t(2));
    }

    void enterAndShiftEnterStepThroughTheHits()
    {
        type(QStringLiteral("gemm"));
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(selected(), QStringLiteral("sgemm"));
        QCOMPARE(shownCount(), QStringLiteral("1 of 4"));
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(selected(), QStringLiteral("sgemm_bwd"));
        QCOMPARE(shownCount(), QStringLiteral("2 of 4"));
        QTest::keyClick(field(), Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(field(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(shownCount(), QStringLiteral("4 of 4")); // wraps around
    }

    void enterBeforeTheAnswerIsThereIsNotLost()
    {
        QTest::keyClicks(field(), QStringLiteral("aten::mm"));
        QTest::keyClick(field(), Qt::Key_Return);
        QTRY_COMPARE(selected(), QStringLiteral("aten::mm"));
    }

    void expressionsAndTheirMistakes()
    {
        mode()->setCurrentIndex(1);
        type(QStringLiteral("^aten::(mm|linear)$"));
        QCOMPARE(count(), QStringLiteral("4 found"));
        field()->clear();
        type(QStringLiteral("("));
        QCOMPARE(count(), QStringLiteral("invalid expression"));
        QVERIFY(m_session->highlight().empty());
    }

    void categories()
    {
        mode()->setCurrentIndex(2);
        type(QStringLiteral("kernel"));
        QCOMPARE(count(), QStringLiteral("4 found"));
    }

    void escapeHidesAndEndsTheEmphasis()
    {
        QSignalSpy closed(m_bar.get(), &SearchBar::closed);
        type(QStringLiteral("gemm"));
        QTest::keyClick(field(), Qt::Key_Escape);
        QVERIFY(m_bar->isHidden());
        QVERIFY(m_session->highlight().empty());
        QCOMPARE(closed.size(), 1);
        m_bar->activate(); // the text and its highlight are back
        QTRY_VERIFY(!m_session->highlight().empty());
    }

    void aHiddenBarKeepsNoTraceAndStepsThroughThoseThatAreOpen()
    {
        type(QStringLiteral("gemm"));
        m_bar->dismiss();
        const std::weak_ptr<const Trace> before = m_trace;
        m_trace = test::trainingTrace();
        TraceSet set = test::setOf(m_trace);
        set.add(test::trainingTrace());
        set.remove(TraceId(0));
        m_trace = set.loaded()[0].trace;
        m_session->changeTraces(std::move(set));
        QVERIFY(before.expired());
        m_bar->next();
        QTRY_VERIFY(m_session->selected().valid());
        QCOMPARE(m_session->selected().trace, TraceId(1));
        QCOMPARE(selected(), QStringLiteral("sgemm"));
        QVERIFY(m_session->highlight().empty());
    }

    void nothingFoundIsSaid()
    {
        type(QStringLiteral("no such thing"));
        QCOMPARE(count(), QStringLiteral("nothing found"));
    }

    void whatThereIsNotToSearchIsSaid()
    {
        type(QStringLiteral("no such thing"));
        m_session->setLoading(QStringLiteral("big.json"));
        m_session->setTraces({});
        QTRY_COMPARE(shownCount(), QStringLiteral("Riffle is reading big.json."));
        m_session->setLoading({});
        QTRY_COMPARE(shownCount(), QStringLiteral("No trace is open."));
        auto part = std::make_shared<Trace>(*test::trainingTrace());
        part->info.part = part->span;
        m_session->setTraces(test::setOf(part));
        QTRY_COMPARE(shownCount(), QStringLiteral("nothing found in the part that was read"));
    }

private:
    QLineEdit *field() const { return m_bar->findChild<QLineEdit *>(); }
    QComboBox *mode() const { return m_bar->findChild<QComboBox *>(); }
    QString count() const { return m_bar->findChild<QLabel *>()->text(); }
    QString shownCount()
    {
        QApplication::processEvents();
        return count();
    }
    void type(const QString &text)
    {
        QTest::keyClicks(field(), text);
        QVERIFY(QTest::qWaitFor([this] { return m_bar->settled(); }));
        QApplication::processEvents();
    }
    QString selected() const
    {
        const auto slice = m_trace->slice(m_session->selected().slice);
        return slice ? QString::fromUtf8(m_trace->string(slice->data.name).data(),
                                         static_cast<qsizetype>(m_trace->string(slice->data.name).size()))
                     : QString();
    }

    std::shared_ptr<const Trace> m_trace;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<SearchBar> m_bar;
};

RIFFLE_WIDGET_TEST(SearchTest)
#include "search_test.moc"
