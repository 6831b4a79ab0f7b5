// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/session.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <QTest>

using namespace riffle;

/// The keys that go to the next and the previous slice with the same name.
class SameNameTest : public QObject {
    Q_OBJECT

private slots:
    void nAndPGoOverAllLanesInOrderOfTheirStarts()
    {
        test::SmallTrace trace;
        const uint32_t first = trace.thread(1);
        const uint32_t second = trace.thread(2);
        for (const Ns start : {1000, 3000, 5000})
            trace.operation(first, "same", start, 100);
        for (const Ns start : {2000, 4000})
            trace.operation(second, "same", start, 100);
        trace.operation(second, "other", 2500, 100);
        Session session;
        session.setTraces(test::setOf(trace.seal()));
        TimelineView view(session.pane());
        view.navigation().setAnimated(false);
        view.resize(800, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));

        const Trace &sealed = *session.traces().trace(TraceId(0));
        const auto start = [&] { return sealed.slice(session.selected().slice)->data.start; };
        session.select({TraceId(0), test::sliceNamed(sealed, "same")});
        while (start() > 1000)
            QTest::keyClick(&view, Qt::Key_P);
        for (const Ns next : {2000, 3000, 4000, 5000, 5000}) {
            QTest::keyClick(&view, Qt::Key_N);
            QCOMPARE(start(), next);
        }
        for (const Ns previous : {4000, 3000, 2000, 1000, 1000}) {
            QTest::keyClick(&view, Qt::Key_P);
            QCOMPARE(start(), previous);
        }
        QTest::keyClick(&view, Qt::Key_Period); // stays on the lane
        QCOMPARE(start(), Ns(3000));
    }
};

RIFFLE_WIDGET_TEST(SameNameTest)
#include "same_name_test.moc"
