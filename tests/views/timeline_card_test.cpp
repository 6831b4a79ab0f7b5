// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/hover_card.h"

#include <QtTest>

using namespace riffle;

/// The cards beside the pointer over the lanes.
class TimelineCardTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void moreFollowsWhenThePointerRests()
    {
        pointAt("sgemm");
        QCOMPARE(textOf(card()), QStringLiteral("sgemm|Duration  12.00 µs, 13.3 % of step 0|Lane  stream 7"));
        QTRY_VERIFY(!card().isWaiting());
        QCOMPARE(textOf(card()), QStringLiteral("sgemm|Duration  12.00 µs, 13.3 % of step 0|Launch delay  1.000 µs|"
                                                "Operator  aten::mm|Module  Linear_0|Lane  stream 7"));
        QVERIFY(!card().geometry().contains(m_view->canvas().mapTo(m_view.get(), pointOf("sgemm"))));
    }

    void aKeyTheWheelAndAClickEndIt()
    {
        const auto isGone = [this] { return !card().isVisible(); };
        pointAt("sgemm");
        QVERIFY(!isGone());
        QTest::keyClick(m_view.get(), Qt::Key_M);
        QVERIFY(isGone());
        pointAt("sgemm_bwd");
        QVERIFY(!isGone());
        wheel(pointOf("sgemm_bwd"), {0, 120}, Qt::ShiftModifier);
        QVERIFY(isGone());
        pointAt("sgemm");
        QVERIFY(!isGone());
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointOf("sgemm"));
        QVERIFY(isGone());
        QCOMPARE(m_session->selected(), named("sgemm"));
    }

    void altHoldsItAndTheNextOneShowsDifferences()
    {
        pointAt("sgemm");
        QTRY_VERIFY(!card().isWaiting());
        QTest::keyPress(m_view.get(), Qt::Key_Alt);
        QVERIFY(held().isVisible());
        pointAt("sgemm_bwd");
        QTRY_VERIFY(!card().isWaiting());
        QVERIFY(held().isVisible());
        QCOMPARE(held().slice(), named("sgemm"));
        QVERIFY2(textOf(card()).contains(QStringLiteral("24.00 µs, 26.7 % of step 0  +12.00 µs (+100 %)")),
                 qPrintable(textOf(card())));
        QVERIFY(!card().geometry().intersects(held().geometry()));
        QTest::keyRelease(m_view.get(), Qt::Key_Alt);
        QVERIFY(!held().isVisible());
        pointAt("sgemm");
        QVERIFY(!textOf(card()).contains(QLatin1Char('+')));
    }

    void altDoesNotOpenTheMenuWhileACardIsShown()
    {
        QKeyEvent without(QEvent::ShortcutOverride, Qt::Key_Alt, Qt::AltModifier);
        without.ignore();
        QApplication::sendEvent(m_view.get(), &without);
        QVERIFY(!without.isAccepted());
        pointAt("sgemm");
        QKeyEvent with(QEvent::ShortcutOverride, Qt::Key_Alt, Qt::AltModifier);
        with.ignore();
        QApplication::sendEvent(m_view.get(), &with);
        QVERIFY(with.isAccepted());
    }

    void otherTracesEndIt()
    {
        pointAt("sgemm");
        m_session->setTraces({});
        QVERIFY(!card().isVisible());
        QVERIFY(!card().slice().valid());
    }

private:
    HoverCard &card() { return m_view->hoverCard(); }
    HoverCard &held() { return m_view->heldCard(); }
    void pointAt(const char *name)
    {
        QTest::mouseMove(&m_view->canvas(), QPoint(2, 2));
        QTest::mouseMove(&m_view->canvas(), pointOf(name));
        QCOMPARE(m_session->pane()->hovered(), named(name));
    }
    static QString textOf(const HoverCard &card)
    {
        return card.lines().join(QLatin1Char('|')).replace(QChar(0xa0), QLatin1Char(' '));
    }
};

RIFFLE_WIDGET_TEST(TimelineCardTest)
#include "timeline_card_test.moc"
