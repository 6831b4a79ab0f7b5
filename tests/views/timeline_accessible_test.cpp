// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/minimap.h"
#include "views/timeline/step_ribbon.h"

#include <QAccessible>
#include <QtTest>

using namespace riffle;

/// The timeline as assistive technology is told of it.
class TimelineAccessibleTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void theSelectionHasNameAndValues()
    {
        QCOMPARE(text(m_view.get(), QAccessible::Name), QStringLiteral("Timeline"));
        QCOMPARE(text(m_view.get(), QAccessible::Description), QStringLiteral("Nothing is selected"));
        m_session->select(named("sgemm"));
        QCOMPARE(text(m_view.get(), QAccessible::Description),
                 QStringLiteral("Selected: sgemm, Duration 12.00 µs, 13.3 % of step 0, Lane stream 7"));
        m_session->toggleSelected(named("sgemm_bwd"));
        QVERIFY(text(m_view.get(), QAccessible::Description).endsWith(QStringLiteral("and 1 more")));
        m_session->select({});
        m_session->setArea(AreaSelection{{1'000'000, 1'005'000}, {}});
        QCOMPARE(text(m_view.get(), QAccessible::Description), QStringLiteral("Range: 5.000 µs"));
    }

    void theMinimapTellsHowBusyTheDevicesAre()
    {
        QTRY_VERIFY(text(&m_view->minimap(), QAccessible::Description).contains(QStringLiteral("GPU 0 ")));
        QVERIFY(text(&m_view->minimap(), QAccessible::Description).endsWith(QStringLiteral("% busy")));
    }

    void theRibbonTellsTheNumberOfSteps()
    {
        QCOMPARE(text(&m_view->steps(), QAccessible::Description), QStringLiteral("2 steps"));
    }

private:
    static QString text(QWidget *widget, QAccessible::Text kind)
    {
        QAccessibleInterface *told = QAccessible::queryAccessibleInterface(widget);
        return told ? told->text(kind).replace(QChar(0xa0), QLatin1Char(' ')) : QString();
    }
};

RIFFLE_WIDGET_TEST(TimelineAccessibleTest)
#include "timeline_accessible_test.moc"
