// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/session.h"

#include "model/analysis/summary/summary.h"
#include "model/layout/time_scale.h"
#include "tests/model/analysis/small_trace.h"

#include <QSignalSpy>
#include <QtTest>

using namespace riffle;

namespace {

/// A recording of two threads, of which the second one goes on.
std::shared_ptr<const Trace> recordedUpTo(int slices)
{
    test::SmallTrace small;
    const uint32_t done = small.thread(1, "done"), on = small.thread(2, "on");
    small.plain(done, "only", "c", 1'000'000, 50'000);
    for (int at = 0; at < slices; ++at)
        small.plain(on, "turn", "c", 1'000'000 + at * 10'000, 5'000);
    return small.seal();
}

} // namespace

class SessionTest : public QObject {
    Q_OBJECT
private slots:
    void newTracesAreShownWhole();
    void theRangeSurvivesWhenAStoreTakesOver();
    void membersComeAndGoAndTheRestStays();
    void whatIsNoMemberIsLeftOut();
    void aRunFromAnotherTimeInTheSameFileIsShownWhole();
    void aTraceThatGrowsLeavesEverythingInPlace();
    void theRangeFollowsTheEndOfATraceThatGrows();
    void answersFollowATraceThatGrowsMoreSlowly();
    void anotherClockMovesOnlyPositions();
    void theClockOfAnUnloadedTraceIsTold();
    void stepsAreFoundOfAllTracesThatCome();
    void theRangeStaysNearTheTraces();
    void twoPanesShowDifferentPartsOfTheSameTraces();
    void aPaneCanShowSomeOfTheTraces();
    void aPaneFollowsTheEndOfTheTracesThatItShows();
    void settersAreQuietWhenNothingChanges();
    void anInvalidSliceIsNoSelection();
};

void SessionTest::newTracesAreShownWhole()
{
    Session session;
    QSignalSpy changed(&session, &Session::changed);
    session.setTraces(test::setOf(test::trainingTrace()));
    QCOMPARE(changed.count(), 1);
    const TimeSpan span = session.traces().span();
    QVERIFY(session.pane()->visibleRange().begin <= span.begin && session.pane()->visibleRange().end >= span.end);
    QVERIFY(session.pane()->visibleRange().duration() < span.duration() * 11 / 10);
}

void SessionTest::theRangeSurvivesWhenAStoreTakesOver()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    session.pane()->setVisibleRange({1'010'000, 1'020'000});
    session.select({TraceId(0), SliceId(3)});
    session.changeTraces(test::setOf(test::trainingTrace()));
    QCOMPARE(session.pane()->visibleRange(), (TimeSpan{1'010'000, 1'020'000}));
    QVERIFY(session.selected().valid());
    test::SmallTrace other;
    other.plain(other.thread(1), "x", "c", 5, 1000);
    session.setTraces(test::setOf(other.seal()));
    QVERIFY(session.pane()->visibleRange().contains(5));
    QVERIFY(!session.selected().valid());
}

void SessionTest::membersComeAndGoAndTheRestStays()
{
    Session session;
    TraceSet set;
    for (int rank = 0; rank < 3; ++rank)
        set.add(test::trainingTrace());
    session.setTraces(set);
    session.pane()->setVisibleRange({1'010'000, 1'020'000});
    const SliceRef selected{TraceId(1), SliceId(3)};
    session.select(selected);
    session.setArea(AreaSelection{{1'010'000, 1'030'000}, {{TraceId(0), LaneId(0)}, {TraceId(2), LaneId(0)}}});
    Filters filters;
    filters.traces = {TraceId(0), TraceId(1)};
    session.setFilters(filters);
    PerTrace<std::vector<uint32_t>> names;
    names[TraceId(0)] = {1};
    names[TraceId(2)] = {2};
    session.setHighlight(names);
    session.setMarks({Mark{{1'015'000, 1'015'000}, QStringLiteral("here")}});
    const auto facts = session.facts();

    QSignalSpy changed(&session, &Session::changed);
    set.remove(TraceId(0));
    session.changeTraces(set);
    QCOMPARE(changed.count(), 1);
    const auto changes = changed.at(0).at(0).value<Session::Changes>();
    QVERIFY(changes & Session::Members);
    QVERIFY(!(changes & (Session::Traces | Session::Selection | Session::Clock)));
    QCOMPARE(session.pane()->visibleRange(), (TimeSpan{1'010'000, 1'020'000}));
    QCOMPARE(session.selected(), selected);
    QCOMPARE(session.area()->lanes, (std::vector<LaneRef>{{TraceId(2), LaneId(0)}}));
    QCOMPARE(session.filters().traces, (std::vector<TraceId>{TraceId(1)}));
    QVERIFY(session.highlight()[TraceId(0)].empty());
    QCOMPARE(session.highlight()[TraceId(2)], (std::vector<uint32_t>{2}));
    QCOMPARE(session.marks().size(), size_t(1));
    QCOMPARE(&session.facts()->of(TraceId(1)), &facts->of(TraceId(1))); // nothing is computed again

    set.unload(TraceId(1));
    session.changeTraces(set);
    QCOMPARE(session.selected(), selected); // it is there again once the member is loaded
    set.load(TraceId(1), test::trainingTrace());
    set.add(test::trainingTrace());
    session.changeTraces(set);
    QCOMPARE(session.selected(), selected);
    set.remove(TraceId(1));
    session.changeTraces(set);
    QVERIFY(!session.selected().valid());
    QVERIFY(session.filters().traces.empty());
}

void SessionTest::whatIsNoMemberIsLeftOut()
{
    Session session;
    TraceSet set;
    for (int rank = 0; rank < 2; ++rank)
        set.add(test::trainingTrace());
    set.remove(TraceId(0));
    session.setTraces(set);
    session.select({TraceId(0), SliceId(3)}); // as a row of a table from before would
    session.pane()->setHover({TraceId(0), SliceId(3)}, 1'000'000);
    QVERIFY(!session.selected().valid() && !session.pane()->hovered().valid());
    session.setArea(AreaSelection{{1'000'000, 1'001'000}, {{TraceId(0), LaneId(0)}}});
    QVERIFY(!session.area());
    Filters filters;
    filters.traces = {TraceId(0), TraceId(1)};
    filters.lanes = {{TraceId(0), LaneId(0)}, {TraceId(7), LaneId(0)}};
    session.setFilters(filters);
    QCOMPARE(session.filters().traces, std::vector{TraceId(1)});
    QVERIFY(session.filters().lanes.empty());
    PerTrace<BigVector<uint32_t>> slices;
    slices[TraceId(0)] = slices[TraceId(1)] = slices[TraceId(7)] = BigVector<uint32_t>(1, 3);
    session.setHighlightedSlices(slices);
    QVERIFY(session.highlightedSlices()[TraceId(0)].empty() && session.highlightedSlices()[TraceId(7)].empty());
    QCOMPARE(session.highlightedSlices()[TraceId(1)].size(), size_t(1));
    QSignalSpy revealed(session.pane(), &Pane::revealRequested);
    session.pane()->reveal({TraceId(0), SliceId(3)});
    QCOMPARE(revealed.count(), 0);
}

void SessionTest::aRunFromAnotherTimeInTheSameFileIsShownWhole()
{
    Session session;
    TraceSet set = test::setOf(test::trainingTrace());
    session.setTraces(set);
    session.pane()->setVisibleRange({1'010'000, 1'020'000});
    test::SmallTrace other;
    other.plain(other.thread(1), "x", "c", 900'000'000, 1000);
    set.load(TraceId(0), other.seal());
    session.changeTraces(set);
    QVERIFY(session.pane()->visibleRange().begin <= 900'000'000 && session.pane()->visibleRange().end >= 900'001'000);
    QVERIFY(session.pane()->visibleRange().duration() < 2'000);
}

void SessionTest::aTraceThatGrowsLeavesEverythingInPlace()
{
    Session session;
    TraceSet set;
    const TraceId live = set.add(recordedUpTo(5)), other = set.add(test::trainingTrace());
    session.setTraces(set);
    session.pane()->setVisibleRange({1'010'000, 1'020'000});
    session.select({live, SliceId(3)});
    session.setArea(AreaSelection{{1'010'000, 1'030'000}, {{live, LaneId(1)}}});
    Filters filters;
    filters.lanes = {{live, LaneId(1)}, {other, LaneId(0)}};
    filters.stepMark = "turn";
    session.setFilters(filters);
    PerTrace<BigVector<uint32_t>> slices;
    slices[live] = {1, 4};
    session.setHighlightedSlices(slices);
    BandTrack track;
    track.key = track.title = "mine";
    track.names = {"band"};
    SetBands bands;
    bands[live] = {bandTrack(std::move(track), {Band{{1'000'000, 1'001'000}, 0, SliceId(2)}})};
    session.addBands(bands);
    session.setMarks({Mark{{1'015'000, 1'015'000}, QStringLiteral("here")}});
    QTRY_COMPARE(session.stepsOf(live).size(), size_t(5));
    const auto facts = session.facts();
    const uint64_t opening = session.opening();

    QSignalSpy changed(&session, &Session::changed), moved(session.pane(), &Pane::changed);
    session.growTrace(live, recordedUpTo(9), Growing{});
    QCOMPARE(changed.count(), 1);
    QVERIFY(session.grows());
    const auto changes = changed.at(0).at(0).value<Session::Changes>();
    QCOMPARE(changes & ~Session::Changes(Session::Renewed), Session::Changes(Session::Grown));
    QCOMPARE(moved.count(), 0);
    QCOMPARE(session.pane()->visibleRange(), (TimeSpan{1'010'000, 1'020'000}));
    QCOMPARE(session.selected(), (SliceRef{live, SliceId(3)}));
    QCOMPARE(session.area()->lanes, (std::vector<LaneRef>{{live, LaneId(1)}}));
    QCOMPARE(session.filters(), filters);
    QCOMPARE(session.highlightedSlices(), slices);
    QVERIFY(session.hasBands("mine"));
    QCOMPARE(session.marks().size(), size_t(1));
    QCOMPARE(session.opening(), opening);
    QCOMPARE(&session.facts()->of(other), &facts->of(other));
    QCOMPARE(session.stepsOf(live).size(), size_t(5)); // until those of the longer trace are found
    QTRY_VERIFY(&session.facts()->of(live) != &facts->of(live));
    QTRY_COMPARE(session.stepsOf(live).size(), size_t(9));

    set = session.traces();
    set.remove(other);
    session.changeTraces(set);
    session.growTrace(live, recordedUpTo(199), std::nullopt);
    QTRY_COMPARE(session.traces().trace(live)->sliceCount(), uint64_t(200));
    QVERIFY(!session.grows());
    QCOMPARE(session.facts()->set().trace(live), session.traces().trace(live)); // at the end, answers do not wait
    QCOMPARE(session.selected(), (SliceRef{live, SliceId(3)}));
}

/// Everything stays visible, and a range at the end moves along with it; any other one stays.
void SessionTest::theRangeFollowsTheEndOfATraceThatGrows()
{
    Session session;
    const TraceId live(0);
    session.setTraces(test::setOf(recordedUpTo(5)));
    Pane *pane = session.pane();
    const auto grow = [&](int slices) {
        session.growTrace(live, recordedUpTo(slices), Growing{});
        return QTest::qWaitFor([&] { return session.traces().trace(live)->sliceCount() == uint64_t(slices) + 1; });
    };
    QVERIFY(pane->followsEnd());
    QVERIFY(grow(9));
    QCOMPARE(pane->visibleRange(), pane->wholeRange());
    QVERIFY(pane->visibleRange().contains(1'085'000));

    pane->setVisibleRange({1'060'000, 1'086'000});
    QVERIFY(pane->followsEnd());
    QSignalSpy moved(pane, &Pane::changed);
    QVERIFY(grow(12));
    QCOMPARE(pane->visibleRange(), (TimeSpan{1'090'000, 1'116'000}));
    QCOMPARE(moved.last().at(0).value<Pane::Changes>(), Pane::Changes(Pane::VisibleRange | Pane::Along));

    pane->setVisibleRange({1'020'000, 1'046'000});
    QVERIFY(!pane->followsEnd());
    QVERIFY(grow(20));
    QCOMPARE(pane->visibleRange(), (TimeSpan{1'020'000, 1'046'000}));

    pane->setFollowsEnd(true); // goes there, as wide as before
    QVERIFY(pane->visibleRange().contains(1'195'000) && !pane->visibleRange().contains(1'160'000));
    QCOMPARE(pane->visibleRange().duration(), Ns{26'000});
    pane->setFollowsEnd(false);
    const TimeSpan seen = pane->visibleRange();
    QVERIFY(grow(30));
    QCOMPARE(pane->visibleRange(), seen);
}

/// Generations are told together, and answers are made anew only when those of the last time are there.
void SessionTest::answersFollowATraceThatGrowsMoreSlowly()
{
    Session session;
    const TraceId live(0);
    session.setTraces(test::setOf(recordedUpTo(1)));
    QSignalSpy changed(&session, &Session::changed);
    for (int slices = 2; slices < 50; ++slices)
        session.growTrace(live, recordedUpTo(slices), Growing{});
    QVERIFY(changed.count() <= 2);
    QTRY_COMPARE(session.traces().trace(live)->sliceCount(), uint64_t(50));
    QTRY_COMPARE(session.facts()->set().trace(live), session.traces().trace(live));

    const auto facts = session.facts();
    auto work = session.inTurn([](const std::stop_token &) { return true; }); // not done yet
    session.growTrace(live, recordedUpTo(60), Growing{});
    QTest::qWait(1300);
    QCOMPARE(session.traces().trace(live)->sliceCount(), uint64_t(61));
    QCOMPARE(session.facts(), facts);
    QVERIFY(work({}));
    {
        const auto done = std::move(work);
    }
    QTRY_VERIFY(session.facts() != facts);
}

void SessionTest::anotherClockMovesOnlyPositions()
{
    Session session;
    TraceSet set;
    set.add(test::trainingTrace());
    set.add(test::trainingTrace());
    session.setTraces(set);
    session.select({TraceId(1), SliceId(3)});
    const auto facts = session.facts();
    QSignalSpy changed(&session, &Session::changed);
    set.setTime(TraceId(1), TimeMap({{0, 250}}));
    session.changeTraces(set);
    const auto changes = changed.at(0).at(0).value<Session::Changes>();
    QVERIFY(changes & Session::Clock);
    QVERIFY(!(changes & (Session::AnyTraces | Session::Selection)));
    QCOMPARE(&session.facts()->of(TraceId(1)), &facts->of(TraceId(1)));
    QCOMPARE(session.facts()->set().time(TraceId(1)).toSet(Ns{0}), Ns{250});
}

void SessionTest::theClockOfAnUnloadedTraceIsTold()
{
    Session session;
    TraceSet set;
    set.add(test::trainingTrace());
    const TraceId other = set.add(test::trainingTrace());
    set.unload(other);
    session.setTraces(set);
    session.setMarks({Mark{{1'015'000, 1'015'000}, {}, other}});
    QSignalSpy changed(&session, &Session::changed);
    set.setTime(other, TimeMap({{0, 250}}));
    session.changeTraces(set);
    QCOMPARE(changed.at(0).at(0).value<Session::Changes>(), Session::Changes(Session::Clock));
}

void SessionTest::stepsAreFoundOfAllTracesThatCome()
{
    Session session;
    TraceSet set = test::setOf(recordedUpTo(3));
    session.setTraces(set);
    Filters filters;
    filters.stepMark = "turn";
    session.setFilters(filters);
    for (int rank = 1; rank < 4; ++rank) { // while the steps of those before are being found
        set.add(recordedUpTo(3 + rank));
        session.changeTraces(set);
    }
    set.load(TraceId(1), recordedUpTo(9));
    set.remove(TraceId(2));
    session.changeTraces(set);
    QTRY_COMPARE(session.stepsOf(TraceId(3)).size(), size_t(6));
    QTRY_COMPARE(session.stepsOf(TraceId(1)).size(), size_t(9));
    QCOMPARE(session.stepsOf(TraceId(0)).size(), size_t(3));
    filters.stepMark = "only";
    session.setFilters(filters);
    QVERIFY(session.stepsOf(TraceId(0)).empty()); // those of the other name do not stay
    QTRY_COMPARE(session.stepsOf(TraceId(3)).size(), size_t(1));
}

void SessionTest::theRangeStaysNearTheTraces()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    const TimeSpan span = session.traces().span();
    session.pane()->setVisibleRange({span.begin - 1'000'000'000, span.begin - 999'990'000});
    QVERIFY(session.pane()->visibleRange().overlaps(padded(span, 0.06)));
    QCOMPARE(session.pane()->visibleRange().duration(), Ns{10'000});
    session.pane()->setVisibleRange({span.begin, span.begin});
    QCOMPARE(session.pane()->visibleRange().duration(), kNarrowestRange);
    session.pane()->setVisibleRange({INT64_MIN / 4, INT64_MAX / 4});
    QVERIFY(session.pane()->visibleRange().duration() <= padded(span, 0.05).duration());
}

void SessionTest::twoPanesShowDifferentPartsOfTheSameTraces()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    Pane other(&session);
    const TimeSpan whole = other.visibleRange();
    QCOMPARE(whole, session.pane()->wholeRange());
    QSignalSpy first(session.pane(), &Pane::changed), second(&other, &Pane::changed);
    session.pane()->setVisibleRange({1'010'000, 1'020'000});
    LaneState lanes;
    lanes.folded = {"python"};
    other.setLanes(lanes);
    QCOMPARE(first.count(), 1);
    QCOMPARE(second.count(), 1);
    QCOMPARE(other.visibleRange(), whole);
    QVERIFY(session.pane()->lanes().folded.empty());

    TraceSet set = session.traces();
    test::SmallTrace later;
    later.plain(later.thread(1), "x", "c", 1'500'000, 1000);
    set.add(later.seal());
    session.changeTraces(set);
    QCOMPARE(session.pane()->visibleRange(), (TimeSpan{1'010'000, 1'020'000}));
    QVERIFY(other.visibleRange().contains(1'500'500)); // all was visible there
    session.setTraces(test::setOf(test::trainingTrace()));
    QCOMPARE(session.pane()->visibleRange(), whole);
    QCOMPARE(other.visibleRange(), whole);
    QCOMPARE(other.lanes(), lanes);
}

void SessionTest::aPaneCanShowSomeOfTheTraces()
{
    Session session;
    TraceSet set = test::setOf(test::trainingTrace());
    test::SmallTrace later;
    later.plain(later.thread(1), "x", "c", 1'500'000, 1000);
    const std::shared_ptr<const Trace> sealed = later.seal();
    const TraceId second = set.add(sealed);
    session.setTraces(set);
    Pane &pane = *session.pane();
    QSignalSpy changed(&pane, &Pane::changed);
    pane.showOnly({second});
    QCOMPARE(changed.count(), 1);
    QCOMPARE(pane.traces().size(), size_t(1));
    QCOMPARE(pane.traces().title(second), session.traces().title(second));
    QCOMPARE(pane.origin(), session.traces().origin());
    QVERIFY(pane.visibleRange().contains(1'500'500));
    QVERIFY(!pane.visibleRange().contains(1'010'000));
    QVERIFY(!pane.shows(Mark{{1'010'000, 1'010'000}, {}, TraceId(0)}));
    QVERIFY(pane.shows(Mark{{1'010'000, 1'010'000}, {}, second}));
    const AreaSelection area = pane.areaOf({1'500'100, 1'500'200}, {});
    QCOMPARE(area.trace, second);
    QCOMPARE(area.lanes, (std::vector<LaneRef>{{second, LaneId(0)}}));
    pane.setOrigin(1'500'000);
    QCOMPARE(pane.origin(), Ns(1'500'000));

    set.unload(second);
    session.changeTraces(set);
    QVERIFY(pane.traces().empty());
    pane.showOnly({});
    QCOMPARE(pane.traces().size(), size_t(1));
    pane.showOnly({TraceId(0)});
    set.remove(TraceId(0));
    set.load(second, sealed);
    session.changeTraces(set);
    QVERIFY(pane.traces().trace(second)); // rather than nothing
    session.setTraces(test::setOf(test::trainingTrace()));
    QVERIFY(pane.shownOnly().empty());
    QCOMPARE(pane.origin(), session.traces().origin());
}

void SessionTest::aPaneFollowsTheEndOfTheTracesThatItShows()
{
    Session session;
    test::SmallTrace longer;
    longer.plain(longer.thread(1), "x", "c", 1'000'000, 900'000);
    TraceSet set = test::setOf(recordedUpTo(10));
    set.add(longer.seal());
    const TraceId grows(0);
    set.grow(grows, recordedUpTo(10), Growing{});
    session.setTraces(set);
    Pane &pane = *session.pane();
    pane.showOnly({grows});
    pane.setVisibleRange({1'060'000, 1'096'000});
    QVERIFY(pane.followsEnd());
    session.growTrace(grows, recordedUpTo(12), Growing{});
    QCOMPARE(pane.visibleRange(), (TimeSpan{1'080'000, 1'116'000})); // two turns of 10 µs
}

void SessionTest::settersAreQuietWhenNothingChanges()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    session.select({TraceId(0), SliceId(1)});
    session.pane()->setHover({TraceId(0), SliceId(1)}, 5);
    session.setMarks({{{1, 2}, QStringLiteral("note")}});
    QSignalSpy changed(&session, &Session::changed);
    session.select({TraceId(0), SliceId(1)});
    session.pane()->setHover({TraceId(0), SliceId(1)}, 5);
    session.setMarks({{{1, 2}, QStringLiteral("note")}});
    session.pane()->setVisibleRange(session.pane()->visibleRange());
    session.setArea(std::nullopt);
    session.setHighlight({});
    QCOMPARE(changed.count(), 0);
}

void SessionTest::anInvalidSliceIsNoSelection()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    session.select({TraceId(0), SliceId(1)});
    session.select({TraceId(0), SliceId()});
    QCOMPARE(session.selected(), SliceRef{});
}

RIFFLE_WIDGET_TEST(SessionTest)
#include "session_test.moc"
