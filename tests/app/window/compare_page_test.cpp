// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: what is compared, two panes that move together or alone, and its tables.
#include "tests/app/window_case.h"

#include "app/window/compare_page.h"
#include "app/window/shell/tab_dock.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"
#include "views/compare/comparison_table.h"
#include "views/compare/side_chooser.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/navigation.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_state.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <memory>

using namespace riffle;

class ComparePageTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-compare-page-test"));
        for (const QString &name : {kRank0, kRank1})
            QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_") + name, path(name)));
    }
    void cleanup() { closeWindow(); }

    void panesMoveTogetherOrAlone()
    {
        show({kRank0, kRank1});
        QCOMPARE(page()->pane(0)->shownOnly(), (std::vector<TraceId>{TraceId(0)}));
        QCOMPARE(page()->pane(1)->shownOnly(), (std::vector<TraceId>{TraceId(1)}));
        const ComparedParts parts = *page()->state()->parts();
        for (const size_t side : {size_t{0}, size_t{1}}) {
            const TimeMap &time = session()->traces().time(TraceId(static_cast<uint32_t>(side)));
            QCOMPARE(page()->pane(side)->origin(), time.toSet(parts.spans[side]).begin);
        }
        QCOMPARE(after(0), after(1));
        const Ns length = after(0).duration();

        wheel(0, QPoint(300, 30), QPoint(0, 240)); // zoom at the pointer
        QVERIFY(after(0).duration() < length);
        QCOMPARE(after(0), after(1));
        timeline(1)->setFocus();
        QTest::keyClick(timeline(1), Qt::Key_F, Qt::NoModifier); // nothing is selected: everything of B
        QCOMPARE(page()->pane(1)->visibleRange(), page()->pane(1)->wholeRange());
        QCOMPARE(after(0), after(1));
        QTest::mouseMove(&timeline(0)->canvas(), QPoint(120, 40));
        QTRY_VERIFY(page()->pane(0)->cursor());
        QCOMPARE(*page()->pane(1)->cursor() - page()->pane(1)->origin(),
                 *page()->pane(0)->cursor() - page()->pane(0)->origin());
        QVERIFY(!page()->pane(1)->hovered().valid());

        QTest::mouseClick(button("Linked"), Qt::LeftButton);
        QVERIFY(!page()->isLinked());
        const TimeSpan kept = page()->pane(1)->visibleRange();
        wheel(0, QPoint(300, 30), QPoint(0, 240));
        QCOMPARE(page()->pane(1)->visibleRange(), kept);
        QVERIFY(after(0) != after(1));
        QVERIFY(timeline(1)->ruler().isVisible()); // its times are its own
        QTest::mouseClick(button("Linked"), Qt::LeftButton);
        QCOMPARE(after(0), after(1));
        QVERIFY(!timeline(1)->ruler().isVisible());
        QTest::mouseClick(button("Side by side"), Qt::LeftButton);
        QVERIFY(timeline(0)->mapTo(page(), QPoint()).x() < timeline(1)->mapTo(page(), QPoint()).x());
        QVERIFY(timeline(1)->ruler().isVisible());
    }

    void partsAreChosenInBoxesOrTyped()
    {
        show({kRank0, kRank1});
        QComboBox *member = page()->chooser(1)->memberBox(), *part = page()->chooser(0)->partBox();
        QCOMPARE(member->currentText(), QStringLiteral("Rank 1"));
        QCOMPARE(part->currentText(), QStringLiteral("Median step"));
        part->setFocus();
        part->lineEdit()->selectAll();
        QTest::keyClicks(part, QStringLiteral("0")); // the window's keys do not take the 0
        QTest::keyClick(part, Qt::Key_Return);
        settle();
        QCOMPARE(*page()->state()->choice(0).request.steps, (TimeSpan{0, 0}));
        QCOMPARE(part->currentText(), QStringLiteral("Step 0"));
        QVERIFY2(page()->chooser(0)->description().contains(QStringLiteral("step 0")),
                 qPrintable(page()->chooser(0)->description()));
        QVERIFY(timeline(0)->hasFocus()); // back to the lanes
        QTest::keyClick(m_window.get(), Qt::Key_PageDown, Qt::ShiftModifier);
        settle();
        QCOMPARE(part->currentText(), QStringLiteral("Step 1"));
        QTest::keyClick(m_window.get(), Qt::Key_PageUp, Qt::ShiftModifier);
        settle();
        QCOMPARE(part->currentText(), QStringLiteral("Step 0"));
        QTest::keyClick(m_window.get(), Qt::Key_PageUp, Qt::ShiftModifier);
        QVERIFY(m_window->noticeText().contains(QStringLiteral("no further step")));
        part->setFocus();
        part->lineEdit()->selectAll();
        QTest::keyClicks(part, QStringLiteral("999"));
        QTest::keyClick(part, Qt::Key_Return);
        settle();
        QCOMPARE(page()->summary(), QStringLiteral("A has none of these steps."));
        QVERIFY(!hasLane(1, "Longer in B") && !hasLane(1, "Shorter in B")); // they were about other parts
        QVERIFY(table()->table()->table().rows() == 0);
        QCOMPARE(table()->table()->table().absence, std::string("A has none of these steps."));
        QTest::keyClick(member, Qt::Key_Up); // Rank 0 on both sides
        settle();
        QCOMPARE(page()->state()->choice(1).trace, TraceId(0));
        QTest::mouseClick(button("Swap"), Qt::LeftButton);
        settle();
        QCOMPARE(*page()->state()->choice(1).request.steps, (TimeSpan{999, 999}));
        m_window->compareMembers(TraceId(1), TraceId(0));
        settle();
        QCOMPARE(page()->state()->choice(0).trace, TraceId(1));
        QVERIFY(page()->state()->parts());
    }

    void rowsLeadToBothPanes()
    {
        show({kRank0, kRank1});
        QVERIFY(m_window->isInFront(QStringLiteral("comparison")));
        // The figures are those that the model has for these sides.
        const SetFacts facts(session()->traces());
        const ComparedParts &parts = *page()->state()->parts();
        Comparison comparison(facts, parts.sides[0], parts.sides[1]);
        for (const CompareView &view : compareViews()) {
            table()->choose(QString::fromLatin1(view.word));
            settle();
            const ResultTable &shown = table()->table()->table(), wanted = *comparison.table(view, {});
            QCOMPARE(shown.rows(), wanted.rows());
            QVERIFY2(shown.rows() > 0 || !shown.absence.empty(), view.word);
            for (size_t column = 0; column < wanted.columns.size(); ++column) {
                QCOMPARE(shown.columns[column].texts, wanted.columns[column].texts);
                QCOMPARE(shown.columns[column].integers, wanted.columns[column].integers);
            }
        }
        table()->choose(QStringLiteral("kernels"));
        settle();
        const ResultTable &kernels = table()->table()->table();
        // The first row below the total of which all pieces are paired.
        uint32_t row = 1;
        while (row < kernels.rows() &&
               (kernels.column("gone_ns")->integers[row] != 0 || kernels.column("new_ns")->integers[row] != 0 ||
                kernels.column("time_delta_ns")->integers[row] == 0))
            ++row;
        QVERIFY(row < kernels.rows());
        table()->table()->setCurrentRow(row);
        table()->table()->view()->setFocus();
        QTest::keyClick(table()->table()->view(), Qt::Key_Return);
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("compare"));
        const SliceRef selected = session()->selected();
        QVERIFY(selected.valid());
        QCOMPARE(selected.trace, TraceId(1));
        const SliceRef partner = page()->pane(0)->partner();
        QVERIFY(partner.valid());
        QCOMPARE(partner.trace, TraceId(0));
        QVERIFY(isSeen(1, selected));
        QVERIFY(isSeen(0, partner));
        QVERIFY(page()->summary().contains(QStringLiteral("selected, ")));
        for (const size_t side : {size_t{0}, size_t{1}})
            QVERIFY(hasLane(side, "Longer in B") || hasLane(side, "Shorter in B"));
        QVERIFY(!std::ranges::any_of(m_window->timeline()->state().layout().items(),
                                     [](const LaneItem &item) { return item.title == "Longer in B"; }));

        // One key leads to the partner and back.
        QTest::keyClick(table()->table()->view(), Qt::Key_X); // in the table; the lanes that get it are those of A
        QCOMPARE(session()->selected(), partner);
        QVERIFY(timeline(0)->hasFocus());
        QCOMPARE(page()->pane(1)->partner(), selected);
        QTest::keyClick(timeline(0), Qt::Key_X);
        QCOMPARE(session()->selected(), selected);
        // Other jumps stay in the panes, too.
        session()->pane()->reveal(partner);
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("compare"));
        QCOMPARE(session()->selected(), partner);
    }

    void aKeyFindsTheSameSliceInTheTimeline()
    {
        open(request({kRank0, kRank1}));
        m_window->showPage(QStringLiteral("timeline"));
        const Trace &first = *session()->traces().trace(TraceId(0));
        const SliceRef slice{TraceId(0), first.steps[1].slice};
        session()->select(slice);
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_X);
        QTRY_VERIFY(session()->selected().trace == TraceId(1));
        QCOMPARE(session()->selected().slice, session()->traces().trace(TraceId(1))->steps[1].slice);
        QTest::keyClick(m_window->timeline(), Qt::Key_X, Qt::ShiftModifier);
        QTRY_COMPARE(session()->selected(), slice);
        // With one trace, it is the next step.
        TraceSet set = session()->traces();
        set.remove(TraceId(1));
        session()->changeTraces(set);
        QTest::keyClick(m_window->timeline(), Qt::Key_X);
        QTRY_COMPARE(session()->selected().slice, first.steps[2].slice);
        QTest::keyClick(m_window->timeline(), Qt::Key_X);
        QTRY_VERIFY(m_window->noticeText().contains(QStringLiteral("in the last step")));
        session()->select({});
        QTest::keyClick(m_window->timeline(), Qt::Key_X);
        QTRY_VERIFY(m_window->noticeText().contains(QStringLiteral("Select a slice first")));
    }

    void aTraceThatGoesIsReplacedOrAskedFor()
    {
        show({kRank0, kRank1});
        TraceSet set = session()->traces();
        const std::weak_ptr<SharedComparison> before = page()->state()->comparison();
        set.unload(TraceId(1));
        session()->changeTraces(set);
        set = {};
        settle();
        QCOMPARE(page()->summary(), QStringLiteral("B is not loaded."));
        QVERIFY(page()->chooser(1)->memberBox()->currentText().contains(QStringLiteral("not loaded")));
        QTRY_VERIFY(before.expired()); // it holds the facts of the trace
        set = session()->traces();
        set.remove(TraceId(1));
        session()->changeTraces(set);
        settle();
        // The only trace is compared with itself: the median step with the slowest one after the first.
        QCOMPARE(page()->state()->choice(0).trace, TraceId(0));
        QCOMPARE(page()->state()->choice(1).trace, TraceId(0));
        QVERIFY(page()->state()->choice(0) != page()->state()->choice(1));
        QVERIFY(page()->state()->parts());
        QVERIFY(page()->pane(0)->origin() != page()->pane(1)->origin());
        QCOMPARE(after(0), after(1));
        // A slice of a step belongs to the pane of the step.
        const Trace &trace = *session()->traces().trace(TraceId(0));
        const int64_t ofB = page()->state()->choice(1).request.steps->begin;
        const auto step = std::ranges::find(trace.steps, ofB, &Step::number);
        QVERIFY(page()->reveal({TraceId(0), step->slice}));
        QVERIFY(page()->pane(0)->partner().valid());
        QVERIFY(!page()->pane(1)->partner().valid());
    }

    void otherMembersDoNotRestartAComparison()
    {
        show({kRank0});
        const auto trace = session()->traces().find(TraceId(0))->trace;
        Session session;
        session.setTraces(TraceSet::of({trace}));
        ComparisonState state(&session);
        state.findParts();
        QTRY_VERIFY(state.parts());
        QCOMPARE(state.choice(1).trace, TraceId(0));
        TraceSet set = session.traces();
        set.add(trace);
        session.changeTraces(set);
        QCOMPARE(state.choice(1).trace, TraceId(1)); // as if both had been there at once
        set.add(trace);
        session.changeTraces(set);
        QCOMPARE(state.choice(1).trace, TraceId(1));
        state.findParts();
        QTRY_VERIFY(state.parts());
        QTRY_VERIFY(state.settled());

        const std::weak_ptr<SharedComparison> before = state.comparison();
        QSignalSpy changed(&state, &ComparisonState::changed);
        set.unload(TraceId(2));
        session.changeTraces(set);
        QCOMPARE(changed.count(), 0);
        QVERIFY(state.parts());
        QTRY_VERIFY(before.expired()); // it held the trace

        QSignalSpy wanted(&session, &Session::memberRequested);
        set.unload(TraceId(1));
        session.changeTraces(set);
        QVERIFY(!state.parts());
        state.choose({state.choice(0), state.choice(1)}); // the same again
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.front().front().value<TraceId>(), TraceId(1));
        state.requestUnloaded();
        QCOMPARE(wanted.count(), 2);
        set.fail(TraceId(1), "It is no trace.");
        session.changeTraces(set);
        state.findParts();
        QTRY_COMPARE(state.problem(), QStringLiteral("B could not be read. It is no trace."));
        state.requestUnloaded();
        QCOMPARE(wanted.count(), 2);
    }

    void aComparisonStartsInTheTimelineAndIsKeptInSessions()
    {
        open(request({kRank0, kRank1}));
        const Trace &first = *session()->traces().trace(TraceId(0));
        emit m_window->timeline()->comparisonRequested({TraceId(0), first.steps[2].slice});
        settle();
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("compare"));
        const int64_t number = first.steps[2].number;
        QCOMPARE(*page()->state()->choice(0).request.steps, (TimeSpan{number, number}));
        QCOMPARE(*page()->state()->choice(1).request.steps, (TimeSpan{number, number}));
        QCOMPARE(page()->state()->choice(1).trace, TraceId(1));
        page()->setSideBySide(true);
        page()->setLinked(false);
        table()->choose(QStringLiteral("operators"));
        settle();
        QVERIFY(m_window->sessionNow().write(path(QStringLiteral("kept.riffle"))));
        m_window->showPage(QStringLiteral("timeline"));
        QVERIFY(!m_window->isInFront(QStringLiteral("comparison"))); // it came with the page
        makeWindow();
        m_window->openSession(path(QStringLiteral("kept.riffle")));
        QTRY_VERIFY(m_window->workspace()->page() == QLatin1String("compare"));
        settle();
        QCOMPARE(*page()->state()->choice(0).request.steps, (TimeSpan{number, number}));
        QCOMPARE(page()->state()->choice(1).trace, TraceId(1));
        QVERIFY(page()->isSideBySide() && !page()->isLinked());
        QCOMPARE(table()->word(), QStringLiteral("operators"));
        QVERIFY(page()->state()->parts());
    }

    void aRecordingThatGrowsStaysWhereItIs()
    {
        show({kRank0});
        const std::array<TimeSpan, 2> before{page()->pane(0)->visibleRange(), page()->pane(1)->visibleRange()};
        const auto trace = session()->traces().find(TraceId(0))->trace;
        session()->growTrace(TraceId(0), trace, Growing{});
        QTest::qWait(150);
        session()->growTrace(TraceId(0), trace, std::nullopt);
        QTest::qWait(150);
        settle();
        for (const size_t side : {size_t{0}, size_t{1}})
            QCOMPARE(page()->pane(side)->visibleRange(), before[side]);
        QVERIFY(page()->state()->parts());
    }

    void withoutStepsAllOfItIsCompared()
    {
        QFile file(path(QStringLiteral("plain.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 100,
             "args": {"External id": 1}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
             "args": {"correlation": 1, "External id": 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 50,
             "args": {"correlation": 1, "device": 0, "stream": 7, "External id": 1}}]})");
        file.close();
        show({QStringLiteral("plain.json")});
        QVERIFY2(page()->summary().contains(QStringLiteral("same part of the same trace")),
                 qPrintable(page()->summary()));
        QComboBox *part = page()->chooser(1)->partBox();
        QCOMPARE(part->currentText(), QStringLiteral("All of it"));
        part->setFocus();
        part->lineEdit()->selectAll();
        QTest::keyClicks(part, QStringLiteral("0us:60us"));
        QTest::keyClick(part, Qt::Key_Return);
        settle();
        QCOMPARE(page()->state()->parts()->spans[1].duration(), Ns(60'000));
        QCOMPARE(part->currentText(), QStringLiteral("0ns:60us"));
    }

private:
    static inline const QString kRank0 = QStringLiteral("rank0.pt.trace.json.gz"),
                                kRank1 = QStringLiteral("rank1.pt.trace.json.gz");

    OpenRequest request(const QStringList &names) const
    {
        OpenRequest request;
        for (const QString &name : names)
            request.files += path(name);
        return request;
    }
    /// Opens files in a window without earlier settings, and shows the page.
    void show(const QStringList &names)
    {
        m_settings.reset();
        QFile::remove(path(QStringLiteral("settings.ini")));
        open(request(names));
        QTest::keyClick(m_window.get(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("compare"));
        settle();
    }
    void open(const OpenRequest &request)
    {
        makeWindow();
        WindowCase::open(request);
    }
    void settle()
    {
        QCoreApplication::processEvents();
        QTRY_VERIFY(m_window->settled());
        QCoreApplication::processEvents();
        QTRY_VERIFY(m_window->settled());
    }
    ComparePage *page() const { return m_window->comparePage(); }
    TimelineView *timeline(size_t side) const { return page()->timeline(side); }
    ComparisonTable *table() const
    {
        return static_cast<ComparisonTable *>(m_window->view(QStringLiteral("comparison")));
    }
    QToolButton *button(const char *text) const
    {
        for (auto *one : page()->findChildren<QToolButton *>())
            if (one->text() == QLatin1String(text))
                return one;
        return nullptr;
    }
    /// The range of a pane after its origin.
    TimeSpan after(size_t side) const
    {
        const Pane *pane = page()->pane(side);
        return {pane->visibleRange().begin - pane->origin(), pane->visibleRange().end - pane->origin()};
    }
    void wheel(size_t side, QPoint at, QPoint angle) const
    {
        LanesCanvas &canvas = timeline(side)->canvas();
        QWheelEvent event(at, canvas.mapToGlobal(QPointF(at)), {}, angle, Qt::NoButton, Qt::ControlModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&canvas, &event);
    }
    bool isSeen(size_t side, SliceRef slice) const
    {
        LanesCanvas &canvas = timeline(side)->canvas();
        const auto box = canvas.rectOf(slice);
        return box && box->intersects(QRectF(canvas.rect()));
    }
    bool hasLane(size_t side, const char *title) const
    {
        return std::ranges::any_of(timeline(side)->state().layout().items(),
                                   [&](const LaneItem &item) { return item.title == title; });
    }
};

RIFFLE_WIDGET_TEST(ComparePageTest)
#include "compare_page_test.moc"
