// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/search/find_bar.h"
#include "views/search/search_words.h"

#include "tests/model/analysis/small_trace.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace riffle;

class FindBarTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_trace = test::trainingTrace();
        m_session = std::make_unique<Session>();
        m_session->setTraces(test::setOf(m_trace));
        // Select a slice that is to be revealed, like the timeline.
        connect(m_session->pane(), &Pane::revealRequested, m_session.get(), &Session::select);
        m_bar = std::make_unique<FindBar>(m_session.get());
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
        type(QStringLiteral("/^aten::(mm|linear)$/"));
        QCOMPARE(count(), QStringLiteral("4 found"));
        field()->clear();
        type(QStringLiteral("/(/"));
        QCOMPARE(count(), QStringLiteral("invalid expression"));
        QVERIFY(m_session->highlight().empty());
        QVERIFY(!m_bar->rows().first().isPossible);
    }

    void wordsInFrontSayWhatIsSearched()
    {
        type(QStringLiteral("category:kernel"));
        QCOMPARE(count(), QStringLiteral("4 found"));
        QVERIFY(!titles().contains(QStringLiteral("Show only “category:kernel”"))); // filters know names alone
        field()->clear();
        type(QStringLiteral("case:SGEMM"));
        QCOMPARE(count(), QStringLiteral("nothing found"));
        field()->clear();
        type(QStringLiteral("SGEMM"));
        QCOMPARE(count(), QStringLiteral("4 found"));
        const SearchQuery query = searchQueryOf(QStringLiteral(" args:case: /a|b/ "));
        QVERIFY(query.arguments && query.caseSensitive);
        QVERIFY(query.mode == SearchQuery::Mode::Regex);
        QCOMPARE(query.text, std::string("a|b"));
    }

    void whatTheLettersMeanIsOffered()
    {
        QVERIFY(titles().contains(QStringLiteral("category:")));
        QVERIFY(m_bar->list()->isVisible());
        QTest::keyClicks(field(), QStringLiteral("ca"));
        QCOMPARE(titles().mid(titles().size() - 2), (QStringList{"category:", "case:"}));
        QTRY_VERIFY(m_bar->settled());
        const int row = static_cast<int>(titles().indexOf(QStringLiteral("case:")));
        while (m_bar->list()->current() < row)
            QTest::keyClick(field(), Qt::Key_Down);
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(field()->text(), QStringLiteral("case:"));
    }

    void aClickThatReplacesTheListIsHarmless()
    {
        const int last = static_cast<int>(titles().size()) - 1;
        ChoiceList *list = m_bar->list();
        list->scrollToBottom();
        const QPoint at = list->visualRect(list->model()->index(last, 0)).center();
        QTest::mousePress(list->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseRelease(list->viewport(), Qt::LeftButton, {}, at);
        QVERIFY(titles().size() <= last); // the hints that remain
        QCOMPARE(list->model()->flags(list->model()->index(last, 0)), Qt::ItemFlags());
    }

    void enterInTheEmptyBoxDoesNothing()
    {
        m_bar->activate();
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(field()->text(), QString());
    }

    void threeRowsComeBeforeTheResults()
    {
        type(QStringLiteral("step#1"));
        QCOMPARE(titles().mid(0, 3), (QStringList{"Find “step#1” (1)", "Show only “step#1”", "Go to “step 1”"}));
        QCOMPARE(titles()[3], QStringLiteral("ProfilerStep#1"));
        const Choice &hit = m_bar->rows()[3];
        QCOMPARE(hit.details.size(), 3); // lane, time, duration
        QCOMPARE(hit.details[0], QStringLiteral("python"));
    }

    void downAndEnterGoToAResult()
    {
        QSignalSpy left(m_bar.get(), &FindBar::left);
        type(QStringLiteral("gemm"));
        QCOMPARE(titles().size(), 6);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(field(), Qt::Key_Down);
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(selected(), QStringLiteral("sgemm_bwd")); // the second of the four
        QVERIFY(!m_bar->list()->isVisible());
        QCOMPARE(left.size(), 1);
    }

    void showOnlyFilters()
    {
        m_bar->activate(FindBar::Wish::Filter);
        QTest::keyClicks(field(), QStringLiteral("gemm"));
        QTest::keyClick(field(), Qt::Key_Return); // before the answer is there
        QTRY_COMPARE(m_session->filters().text, std::string("gemm"));
        QVERIFY(field()->text().isEmpty());
    }

    void goesToStepsTimesRangesAndLanes()
    {
        const Step step = m_trace->steps.at(1);
        go(QStringLiteral("step 1"));
        QVERIFY(m_session->pane()->visibleRange().begin <= step.span.begin);
        QVERIFY(m_session->pane()->visibleRange().end >= step.span.end);
        QVERIFY(m_session->pane()->visibleRange().duration() < step.span.duration() * 2);
        const Ns origin = m_session->traces().origin();
        go(QStringLiteral("10us:20us"));
        QVERIFY(m_session->pane()->visibleRange().contains(origin + 15'000));
        QVERIFY(m_session->pane()->visibleRange().duration() < 12'000);
        QSignalSpy lanes(m_bar.get(), &FindBar::laneRequested);
        go(QStringLiteral("stream 7"));
        QCOMPARE(lanes.size(), 1);
        const auto lane = lanes[0][0].value<LaneRef>();
        QCOMPARE(m_trace->laneName(lane.lane), std::string("stream 7"));
    }

    void goesToALineOfPython()
    {
        test::SmallTrace trace;
        const uint32_t main = trace.thread(1);
        trace.plain(main, "train.py(12): forward", "python_function", 0, 1000);
        trace.plain(main, "train.py(125): backward", "python_function", 2000, 1000);
        m_trace = trace.seal();
        m_session->setTraces(test::setOf(m_trace));
        go(QStringLiteral("train.py:12"));
        QCOMPARE(selected(), QStringLiteral("train.py(12): forward"));
    }

    void ticksAreThoseOfWhatIsEmphasised()
    {
        QList<std::vector<bool>> said;
        connect(m_bar.get(), &FindBar::ticksChanged, this, [&said](const std::vector<bool> &ticks) { said += ticks; });
        type(QStringLiteral("sgemm_bwd"));
        const TimeSpan whole = m_session->pane()->wholeRange();
        const std::vector<bool> &ticks = said.last();
        QCOMPARE(std::ranges::count(ticks, true), 2);
        const Ns start = m_trace->slice(test::sliceNamed(*m_trace, "sgemm_bwd"))->data.start;
        const auto part =
            static_cast<size_t>(double(start - whole.begin) * double(ticks.size()) / double(whole.duration()));
        QVERIFY(ticks.at(part));
        m_session->escape();
        QVERIFY(said.last().empty());
        QVERIFY(m_session->highlight().empty());
        m_bar->next(); // the slices are emphasised again
        QTRY_VERIFY(!m_session->highlight().empty());
        QVERIFY(!said.last().empty());
    }

    void escapeClosesTheListAndKeepsWhatWasFound()
    {
        QSignalSpy left(m_bar.get(), &FindBar::left);
        type(QStringLiteral("gemm"));
        QVERIFY(m_bar->list()->isVisible());
        QTest::keyClick(field(), Qt::Key_Escape);
        QVERIFY(!m_bar->list()->isVisible());
        QCOMPARE(left.size(), 1);
        QVERIFY(!m_session->highlight().empty());
        field()->clear();
        QVERIFY(m_session->highlight().empty());
    }

    void aHiddenBarKeepsNoTraceAndStepsThroughThoseThatAreOpen()
    {
        type(QStringLiteral("gemm"));
        m_session->escape();
        m_bar->hide();
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
    QStringList titles() const
    {
        QStringList titles;
        for (const Choice &row : m_bar->rows())
            titles += row.title;
        return titles;
    }
    void go(const QString &text)
    {
        m_bar->activate(FindBar::Wish::Go);
        type(text);
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(field()->text().isEmpty());
    }
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
    std::unique_ptr<FindBar> m_bar;
};

RIFFLE_WIDGET_TEST(FindBarTest)
#include "find_bar_test.moc"
