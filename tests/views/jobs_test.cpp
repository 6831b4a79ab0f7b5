// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/jobs.h"

#include <QSignalSpy>
#include <QThread>
#include <QtTest>

#include <atomic>

using namespace riffle;

class JobsTest : public QObject {
    Q_OBJECT
private slots:
    void aResultIsDeliveredOnTheGuiThread();
    void theNewestJobOfAKeyWins();
    void jobsOfDifferentKeysDoNotDisturbEachOther();
    void aCancelledJobDeliversNothing();
    void destructionStopsAndWaits();
};

void JobsTest::aResultIsDeliveredOnTheGuiThread()
{
    Jobs jobs;
    int answer = 0;
    QThread *worked = nullptr;
    QThread *delivered = nullptr;
    QSignalSpy idle(&jobs, &Jobs::becameIdle);
    jobs.run(
        QStringLiteral("sum"),
        [&](std::stop_token) {
            worked = QThread::currentThread();
            return 42;
        },
        [&](int result) {
            delivered = QThread::currentThread();
            answer = result;
        });
    QVERIFY(!jobs.idle());
    QTRY_COMPARE(answer, 42);
    QCOMPARE(delivered, QThread::currentThread());
    QVERIFY(worked != delivered);
    QVERIFY(jobs.idle());
    QCOMPARE(idle.count(), 1);
}

void JobsTest::theNewestJobOfAKeyWins()
{
    Jobs jobs;
    std::atomic<int> stopped{0};
    QVector<int> delivered;
    for (int number = 0; number < 20; ++number)
        jobs.run(
            QStringLiteral("same"),
            [number, &stopped](std::stop_token stop) {
                for (int i = 0; i < 2000 && number < 19; ++i) {
                    if (stop.stop_requested()) {
                        ++stopped;
                        return number;
                    }
                    QThread::usleep(100);
                }
                return number;
            },
            [&delivered](int got) { delivered.append(got); });
    QTRY_COMPARE(delivered, QVector<int>{19});
    QTest::qWait(20);
    QCOMPARE(delivered, QVector<int>{19});
}

void JobsTest::jobsOfDifferentKeysDoNotDisturbEachOther()
{
    Jobs jobs;
    QString text;
    jobs.run(
        QStringLiteral("a"), [](std::stop_token) { return QStringLiteral("a"); }, [&](const QString &t) { text += t; });
    jobs.run(
        QStringLiteral("b"), [](std::stop_token) { return QStringLiteral("b"); }, [&](const QString &t) { text += t; });
    QTRY_COMPARE(text.size(), 2);
}

void JobsTest::aCancelledJobDeliversNothing()
{
    Jobs jobs;
    bool delivered = false;
    jobs.run(
        QStringLiteral("k"), [](std::stop_token) { return 1; }, [&](int) { delivered = true; });
    jobs.cancel(QStringLiteral("k"));
    QVERIFY(jobs.idle());
    QTest::qWait(30);
    QVERIFY(!delivered);
}

void JobsTest::destructionStopsAndWaits()
{
    std::atomic<bool> ended{false};
    bool delivered = false;
    {
        Jobs jobs;
        jobs.run(
            QStringLiteral("long"),
            [&ended](std::stop_token stop) {
                while (!stop.stop_requested())
                    QThread::usleep(200);
                ended = true;
                return 0;
            },
            [&](int) { delivered = true; });
        QTest::qWait(20); // so that it has started
    }
    QVERIFY(ended);
    QTest::qWait(20);
    QVERIFY(!delivered);
}

RIFFLE_WIDGET_TEST(JobsTest)
#include "jobs_test.moc"
