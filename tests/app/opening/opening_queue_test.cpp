// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/opening_queue.h"
#include "tests/support/qt/widget_tests.h"

#include <QTest>

using namespace riffle;

class OpeningQueueTest : public QObject {
    Q_OBJECT

private slots:
    void filesAreReadOneAtATimeUntilOneIsOpen()
    {
        OpeningQueue queue(5, 3);
        QCOMPARE(queue.take(), std::optional<size_t>(0));
        QCOMPARE(queue.take(), std::optional<size_t>());
        queue.end(false);
        QVERIFY(!queue.anyOpen());
        QCOMPARE(queue.take(), std::optional<size_t>(1));
        QCOMPARE(queue.take(), std::optional<size_t>());
        queue.end(true);
        for (const size_t file : {2, 3, 4})
            QCOMPARE(queue.take(), std::optional<size_t>(file));
        QCOMPARE(queue.reading(), size_t(3));
    }

    void neverMoreAreReadThanThereAreWorkers()
    {
        OpeningQueue queue(40, 4);
        queue.take();
        queue.end(true);
        size_t taken = 1;
        while (!queue.done()) {
            while (queue.take())
                ++taken;
            QVERIFY(queue.reading() <= 4);
            queue.end(taken % 3 != 0);
        }
        QCOMPARE(taken, size_t(40));
    }

    void theFileThatIsLookedAtComesNext()
    {
        OpeningQueue queue(4, 1);
        queue.lookAt(2);
        QCOMPARE(queue.take(), std::optional<size_t>(2));
        queue.end(true);
        queue.lookAt(2); // it has been read
        queue.lookAt(3);
        for (const size_t file : {3, 0, 1}) {
            QCOMPARE(queue.take(), std::optional<size_t>(file));
            queue.end(true);
        }
        QVERIFY(queue.done());
    }
};

RIFFLE_WIDGET_TEST(OpeningQueueTest)
#include "opening_queue_test.moc"
