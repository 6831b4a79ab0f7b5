// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/jobs.h"

#include <QScopeGuard>
#include <QSignalSpy>
#include <QThread>
#include <QtTest>

#include <atomic>
#include <new>
#include <stdexcept>

using namespace riffle;

class JobsTest : public QObject {
    Q_OBJECT
private slots:
    void aResultIsDeliveredOnTheGuiThread();
    void theNewestJobOfAKeyWins();
    void jobsOfDifferentKeysDoNotDisturbEachOther();
    void aCancelledJobDeliversNothing();
    void destructionStopsAndWaits();
    void stoppedJobsHoldUpNone();
    void anExceptionIsNoEnd();
    void anExceptionThatNobodyShowsIsTold();
    void anExceptionOfAReplacedJobIsDropped();
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

void JobsTest::stoppedJobsHoldUpNone()
{
    std::atomic<int> held{0};
    std::atomic<bool> release{false};
    bool delivered = false;
    Jobs jobs, others;
    const auto atTheEnd = qScopeGuard([&] { release = true; });
    const auto key = [](int number) { return QString::number(number); };
    constexpr int kMany = 500; // more than there are threads for jobs
    for (int number = 0; number < kMany; ++number)
        jobs.run(
            key(number),
            [&](std::stop_token) { // ignores that it is stopped
                for (++held; !release;)
                    QThread::msleep(1);
                return 0;
            },
            [](int) {});
    QTRY_VERIFY(held > 0);
    for (int number = kMany - 1; number >= 0; --number) // those that have not begun never begin
        jobs.cancel(key(number));
    others.run(
        QStringLiteral("next"), [](std::stop_token) { return 1; }, [&](int) { delivered = true; });
    QTRY_VERIFY(delivered);
    QVERIFY(held < kMany);
}

void JobsTest::anExceptionIsNoEnd()
{
    Jobs jobs;
    QStringList reasons;
    bool delivered = false;
    QSignalSpy told(&JobFailures::all(), &JobFailures::happened), idle(&jobs, &Jobs::becameIdle);
    const auto failed = [&](const QString &why) {
        QCOMPARE(QThread::currentThread(), jobs.thread());
        reasons.append(why);
    };
    const auto run = [&](auto exception) {
        jobs.run(
            QStringLiteral("k"), [exception](std::stop_token) -> int { throw exception; },
            [&](int) { delivered = true; }, failed);
        QTRY_VERIFY(jobs.idle());
    };
    run(std::bad_alloc());
    run(std::length_error("a text that is too long"));
    run(7);
    QCOMPARE(reasons, QStringList({QStringLiteral("There is not enough memory."),
                                   QStringLiteral("An unexpected error occurred: a text that is too long."),
                                   QStringLiteral("An unexpected error occurred.")}));
    QVERIFY(!delivered);
    QCOMPARE(told.count(), 0);
    QCOMPARE(idle.count(), 3);
}

void JobsTest::anExceptionThatNobodyShowsIsTold()
{
    Jobs jobs;
    QSignalSpy told(&JobFailures::all(), &JobFailures::happened);
    jobs.run(
        QStringLiteral("k"), [](std::stop_token) -> int { throw std::bad_alloc(); }, [](int) {});
    QTRY_COMPARE(told.count(), 1);
    QCOMPARE(told.first().first().toString(), QStringLiteral("There is not enough memory."));
}

void JobsTest::anExceptionOfAReplacedJobIsDropped()
{
    Jobs jobs;
    QSignalSpy told(&JobFailures::all(), &JobFailures::happened);
    int delivered = 0;
    jobs.run(
        QStringLiteral("k"), [](std::stop_token) -> int { throw std::bad_alloc(); }, [&](int) { ++delivered; });
    jobs.run(
        QStringLiteral("k"), [](std::stop_token) { return 1; }, [&](int) { ++delivered; });
    QTRY_COMPARE(delivered, 1);
    QTest::qWait(30);
    QCOMPARE(told.count(), 0);
}

RIFFLE_WIDGET_TEST(JobsTest)
#include "jobs_test.moc"
