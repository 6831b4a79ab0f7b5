// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/session.h"

#include "model/layout/time_scale.h"
#include "tests/model/analysis/small_trace.h"

#include <QSignalSpy>
#include <QtTest>

using namespace riffle;

class SessionTest : public QObject {
    Q_OBJECT
private slots:
    void newTracesAreShownWhole();
    void theRangeSurvivesWhenAStoreTakesOver();
    void theRangeStaysNearTheTraces();
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
    QVERIFY(session.visibleRange().begin <= span.begin && session.visibleRange().end >= span.end);
    QVERIFY(session.visibleRange().duration() < span.duration() * 11 / 10);
}

void SessionTest::theRangeSurvivesWhenAStoreTakesOver()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    session.setVisibleRange({1'010'000, 1'020'000});
    session.select({0, SliceId(3)});
    session.setTraces(test::setOf(test::trainingTrace()));
    QCOMPARE(session.visibleRange(), (TimeSpan{1'010'000, 1'020'000}));
    QVERIFY(session.selected().valid());
    test::SmallTrace other;
    other.plain(other.thread(1), "x", "c", 5, 1000);
    session.setTraces(test::setOf(other.seal()));
    QVERIFY(session.visibleRange().contains(5));
    QVERIFY(!session.selected().valid());
}

void SessionTest::theRangeStaysNearTheTraces()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    const TimeSpan span = session.traces().span();
    session.setVisibleRange({span.begin - 1'000'000'000, span.begin - 999'990'000});
    QVERIFY(session.visibleRange().overlaps(padded(span, 0.06)));
    QCOMPARE(session.visibleRange().duration(), Ns{10'000});
    session.setVisibleRange({span.begin, span.begin});
    QCOMPARE(session.visibleRange().duration(), kNarrowestRange);
    session.setVisibleRange({INT64_MIN / 4, INT64_MAX / 4});
    QVERIFY(session.visibleRange().duration() <= padded(span, 0.05).duration());
}

void SessionTest::settersAreQuietWhenNothingChanges()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    session.select({0, SliceId(1)});
    session.setHover({0, SliceId(1)}, 5);
    session.setMarks({{{1, 2}, QStringLiteral("note")}});
    QSignalSpy changed(&session, &Session::changed);
    session.select({0, SliceId(1)});
    session.setHover({0, SliceId(1)}, 5);
    session.setMarks({{{1, 2}, QStringLiteral("note")}});
    session.setVisibleRange(session.visibleRange());
    session.setArea(std::nullopt);
    session.setHighlight({});
    QCOMPARE(changed.count(), 0);
}

void SessionTest::anInvalidSliceIsNoSelection()
{
    Session session;
    session.setTraces(test::setOf(test::trainingTrace()));
    session.select({0, SliceId(1)});
    session.select({0, SliceId()});
    QCOMPARE(session.selected(), SliceRef{});
}

RIFFLE_WIDGET_TEST(SessionTest)
#include "session_test.moc"
