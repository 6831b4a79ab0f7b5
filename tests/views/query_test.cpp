// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/query/query_view.h"

#include "tests/views/view_case.h"
#include "views/common/table/summary_table.h"
#include "views/query/query_editor.h"
#include "views/query/query_examples.h"

#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace riffle;

class QueryTest : public ViewCase<QueryView> {
    Q_OBJECT

private slots:
    void init() { showView({900, 500}); }
    void cleanup() { closeView(); }

    void ctrlEnterRunsAndShowsRows()
    {
        write(QStringLiteral("select name, sum(dur) as total from kernels group by name"));
        QTest::keyClick(m_view->editor(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(m_view->settled());
        QCOMPARE(table().rows(), size_t{2});
        QCOMPARE(table().column("total")->integers, (std::vector<int64_t>{24'000, 48'000}));
        QVERIFY2(m_view->message().startsWith(QLatin1String("2 rows in ")), qPrintable(m_view->message()));
        QTest::keyClick(m_view->editor(), Qt::Key_Return); // starts a new line and does not run the query
        QVERIFY(m_view->settled());
        QVERIFY(m_view->editor()->toPlainText().contains(QLatin1Char('\n')));
    }

    void whatIsWrongIsSaidAndTheCursorStandsThere()
    {
        ask(QStringLiteral("select 'é', nam from slices"));
        QCOMPARE(m_view->message(), QStringLiteral("no such column: nam"));
        QCOMPARE(m_view->editor()->textCursor().position(), 12);
        ask(QStringLiteral("delete from slices"));
        QCOMPARE(m_view->message(), QStringLiteral("table slices may not be modified"));
        ask(QStringLiteral("attach 'other.db' as other"));
        QVERIFY2(m_view->message().startsWith(QLatin1String("A query can only read")), qPrintable(m_view->message()));
    }

    void aFailedQueryLeavesNoRowsOfAnEarlierOne()
    {
        ask(QStringLiteral("select 1 as one"));
        QCOMPARE(table().rows(), size_t{1});
        ask(QStringLiteral("select nam from slices"));
        QCOMPARE(table().rows(), size_t{0});
        QVERIFY(!table().absence.empty());
        QVERIFY(!button(QStringLiteral("Highlight"))->isEnabled());
        ask(QStringLiteral("select 2 as two"));
        QCOMPARE(table().column("two")->integers, (std::vector<int64_t>{2}));
    }

    void aRunawayQueryIsStoppedByItsButton()
    {
        runAway();
        QTRY_VERIFY(button(QStringLiteral("Stop"))->isEnabled());
        QTest::qWait(150);
        QVERIFY(!m_view->settled());
        QTest::mouseClick(button(QStringLiteral("Stop")), Qt::LeftButton);
        QVERIFY(m_view->settled());
        QCOMPARE(m_view->message(), QStringLiteral("Stopped"));
        QVERIFY(!button(QStringLiteral("Stop"))->isEnabled());
        ask(QStringLiteral("select 1"));
        QCOMPARE(table().rows(), size_t{1});
    }

    void escapeStopsARunawayQueryAndNothingElse()
    {
        m_session->select({TraceId(0), test::sliceNamed(*m_trace, "sgemm")});
        runAway();
        QTest::keyClick(m_view->editor(), Qt::Key_Escape);
        QVERIFY(m_view->settled());
        QCOMPARE(m_view->message(), QStringLiteral("Stopped"));
        QVERIFY(m_session->selected().valid());
    }

    void theNewestQueryWins()
    {
        runAway();
        write(QStringLiteral("select 7 as seven"));
        QTest::keyClick(m_view->editor(), Qt::Key_Enter, Qt::ControlModifier | Qt::KeypadModifier);
        QTRY_VERIFY(m_view->settled());
        QCOMPARE(table().column("seven")->integers, (std::vector<int64_t>{7}));
    }

    void aRowWithASliceLeadsThere()
    {
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        ask(QStringLiteral("select name, id from kernels where name = 'sgemm_bwd' order by ts"));
        activate(1);
        QCOMPARE(revealed.size(), 1);
        const auto slice = m_trace->slice(revealed[0][0].value<SliceRef>().slice);
        QVERIFY(slice);
        QCOMPARE(m_trace->string(slice->data.name), std::string_view("sgemm_bwd"));
        QCOMPARE(slice->data.start, Ns{1'160'000});
    }

    void aRowWithATimeLeadsThere()
    {
        QSignalSpy moved(m_session->pane(), &Pane::rangeRequested);
        ask(QStringLiteral("select ts, dur from kernels where ts = 1060000"));
        activate(0);
        QCOMPARE(moved.size(), 1);
        const auto range = moved[0][0].value<TimeSpan>();
        QCOMPARE(range, (TimeSpan{1'057'600, 1'086'400})); // 24,000 ns, and a tenth of it on each side
    }

    void theSlicesOfAllRowsAreHighlighted()
    {
        ask(QStringLiteral("select id from kernels where name = 'sgemm'"));
        QTest::mouseClick(button(QStringLiteral("Highlight")), Qt::LeftButton);
        const auto marked = m_session->highlightedSlices();
        QCOMPARE(marked[TraceId(0)].size(), size_t{2});
        for (const uint32_t id : marked[TraceId(0)])
            QCOMPARE(m_trace->string(m_trace->slice(SliceId(id))->data.name), std::string_view("sgemm"));
        QTest::mouseClick(button(QStringLiteral("Highlight")), Qt::LeftButton);
        QVERIFY(m_session->highlightedSlices().empty());
        ask(QStringLiteral("select 1"));
        QVERIFY(!button(QStringLiteral("Highlight"))->isEnabled());
    }

    void rowsBecomeALaneAndNoLonger()
    {
        ask(QStringLiteral("select id, name, ts, dur\nfrom kernels where name = 'sgemm'"));
        QTest::mouseClick(button(QStringLiteral("As lane")), Qt::LeftButton);
        QTRY_VERIFY(m_view->settled());
        QVERIFY(button(QStringLiteral("As lane"))->isChecked());
        QCOMPARE(m_session->bands()[TraceId(0)].size(), size_t{1});
        const BandTrack &lane = *m_session->bands()[TraceId(0)][0];
        QCOMPARE(lane.title, std::string("SQL 1"));
        QCOMPARE(lane.note, std::string("select id, name, ts, dur from kernels where name = 'sgemm'"));
        QCOMPARE(lane.bands->size(), 2u);
        QCOMPARE(lane.bands->slices.start[1], Ns{1'109'000});
        QCOMPARE(lane.bands->slices.duration[1], Ns{12'000});
        QCOMPARE(m_trace->string(m_trace->slice(lane.slices[1])->data.name), std::string_view("sgemm"));

        // Another result has its own lane, and removing it leaves the other lane.
        ask(QStringLiteral("select ts, dur from slices"));
        QVERIFY(!button(QStringLiteral("As lane"))->isChecked());
        QTest::mouseClick(button(QStringLiteral("As lane")), Qt::LeftButton);
        QTRY_VERIFY(m_view->settled());
        QCOMPARE(m_session->bands()[TraceId(0)].size(), size_t{2});
        QVERIFY(m_session->bands()[TraceId(0)][1]->bands->rows() > 1);
        QTest::mouseClick(button(QStringLiteral("As lane")), Qt::LeftButton);
        QCOMPARE(m_session->bands()[TraceId(0)].size(), size_t{1});
        QVERIFY(!button(QStringLiteral("As lane"))->isChecked());

        ask(QStringLiteral("select count(*) from slices"));
        QVERIFY(!button(QStringLiteral("As lane"))->isEnabled());
    }

    void theHistoryIsGoneThroughAndKept()
    {
        QSignalSpy changed(m_view.get(), &QueryView::stateChanged);
        ask(QStringLiteral("select 1"));
        ask(QStringLiteral("select 2"));
        QVERIFY(changed.size() >= 2);
        write(QStringLiteral("being written"));
        const auto press = [this](Qt::Key key) {
            QTest::keyClick(m_view->editor(), key, Qt::AltModifier);
            return m_view->editor()->toPlainText();
        };
        QCOMPARE(press(Qt::Key_Up), QStringLiteral("select 2"));
        QCOMPARE(press(Qt::Key_Up), QStringLiteral("select 1"));
        QCOMPARE(press(Qt::Key_Up), QStringLiteral("select 1"));
        QCOMPARE(press(Qt::Key_Down), QStringLiteral("select 2"));
        QCOMPARE(press(Qt::Key_Down), QStringLiteral("being written"));
        QMenu *past = button(QStringLiteral("History"))->menu();
        emit past->aboutToShow();
        QCOMPARE(past->actions().size(), 2);
        past->actions()[1]->trigger(); // the newest is first
        QCOMPARE(m_view->editor()->toPlainText(), QStringLiteral("select 1"));
        write(QStringLiteral("being written"));
        QueryView other(m_session.get());
        other.restoreState(m_view->state());
        QCOMPARE(other.editor()->history(), (QStringList{"select 1", "select 2"}));
        QCOMPARE(other.editor()->toPlainText(), QStringLiteral("being written"));
    }

    void everyExampleAnswers()
    {
        for (const QueryExample &example : kQueryExamples) {
            ask(QString::fromUtf8(example.sql));
            QVERIFY2(m_view->message().contains(QLatin1String(" in ")), qPrintable(example.title + m_view->message()));
        }
    }

    void aStoreThatTakesOverLeavesTheRows()
    {
        ask(QStringLiteral("select name, id from kernels where name = 'sgemm_bwd' order by ts"));
        const QString said = m_view->message();
        m_session->changeTraces(test::setOf(test::trainingTrace())); // the same trace, read again
        QVERIFY(m_session->traces().loaded()[0].trace != m_trace);
        m_view->refreshNow();
        QCOMPARE(table().rows(), size_t{2});
        QCOMPARE(m_view->message(), said);
        QSignalSpy revealed(m_session->pane(), &Pane::revealRequested);
        activate(1);
        QCOMPARE(revealed.size(), 1);
        ask(QStringLiteral("select 1"));
        QCOMPARE(table().rows(), size_t{1});
    }

    void rowsOfAnEarlierSetSayIt()
    {
        for (const bool isClock : {false, true}) {
            ask(QStringLiteral("select name from kernels"));
            const size_t rows = table().rows();
            const QString said = m_view->message();
            TraceSet set = m_session->traces();
            if (isClock)
                set.setTime(TraceId(0), TimeMap({{0, 250}}));
            else
                set.add(test::trainingTrace());
            m_session->changeTraces(set);
            m_view->refreshNow();
            QCOMPARE(table().rows(), rows);
            QCOMPARE(m_view->message(), said + QStringLiteral(". The traces have changed since."));
            m_session->changeTraces(set); // it is said once
            QCOMPARE(m_view->message(), said + QStringLiteral(". The traces have changed since."));
            ask(QStringLiteral("select name from kernels"));
            QVERIFY(!m_view->message().contains(QLatin1String("changed")));
        }
    }

    void idsAreShownWithoutSeparators()
    {
        ask(QStringLiteral("select 1234567 as slice_id, 1234567 as ts, 1234567 as step"));
        QStringList shown;
        for (int column = 0; column < 3; ++column)
            shown += m_view->table()->view()->model()->index(0, column).data().toString();
        QCOMPARE(shown, (QStringList{"1234567", "1,234,567", "1234567"}));
    }

    void otherTracesBeginAnew()
    {
        ask(QStringLiteral("select name from slices"));
        test::SmallTrace small;
        small.operation(small.thread(1), "other", 0, 10);
        m_session->setTraces(test::setOf(small.seal()));
        m_view->refreshNow();
        QCOMPARE(table().rows(), size_t{0});
        ask(QStringLiteral("select name from slices"));
        QCOMPARE(table().column("name")->texts, (std::vector<std::string>{"other"}));
    }

private:
    void runAway()
    {
        write(QStringLiteral("with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"));
        QTest::keyClick(m_view->editor(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!m_view->settled());
    }
    void write(const QString &sql) { m_view->editor()->setText(sql); }
    void ask(const QString &sql)
    {
        write(sql);
        m_view->run();
        QTRY_VERIFY(m_view->settled());
    }
    void activate(int row)
    {
        QTreeView *rows = m_view->table()->view();
        rows->setCurrentIndex(rows->model()->index(row, 0));
        emit rows->activated(rows->currentIndex());
    }
    const ResultTable &table() const { return m_view->table()->table(); }
    QToolButton *button(const QString &text) const
    {
        for (QToolButton *each : m_view->findChildren<QToolButton *>())
            if (each->text() == text)
                return each;
        return nullptr;
    }
};

RIFFLE_WIDGET_TEST(QueryTest)
#include "query_test.moc"
