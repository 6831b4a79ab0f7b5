// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Opens a log that the collector recorded on a CPU, alone and beside the bundled sample.
#include "model/trace/details.h"
#include "tests/app/window_case.h"

#include "riffle/collector.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"

#include <QDir>
#include <QPushButton>
#include <QTest>

#include <algorithm>
#include <thread>

using namespace riffle;

class RecordingTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-recording-test"));
        for (const QString &name : QDir(QStringLiteral(":/sample")).entryList(QDir::Files, QDir::Name)) {
            m_sample += path(name);
            QVERIFY(QFile::copy(QStringLiteral(":/sample/") + name, m_sample.back()));
        }
        QCOMPARE(m_sample.size(), 2);
        record();
        QVERIFY(QDir(m_log).exists());
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void theRecordingHasItsStepsThreadsAndOperators()
    {
        open({m_log});
        QCOMPARE(traces().loaded().size(), size_t(1));
        const Trace &trace = *traces().trace(TraceId(0));
        QCOMPARE(trace.steps.size(), size_t(3));
        QCOMPARE(trace.steps[2].number, int64_t(2));
        QCOMPARE(detailCount(trace, &Segment::operators), size_t(3 * kOperators));
        QCOMPARE(trace.info.rank, std::optional<int64_t>(1));
        QCOMPARE(trace.report.total(Severity::Lost), uint64_t(0));
        QVERIFY(laneNames().filter(QLatin1String("loader")).size() == 1);
        QVERIFY(m_window->windowTitle().contains(QLatin1String(".rifflelog")));
        QVERIFY2(m_window->noticeText().isEmpty(), qPrintable(m_window->noticeText()));
    }

    void itOpensBesideTheSample()
    {
        open(m_sample + QStringList{m_log});
        QCOMPARE(traces().loaded().size(), size_t(3));
        // It was recorded at another time, so it is shifted to start with the sample.
        const TimeSpan whole = traces().span();
        for (size_t at = 0; at < 3; ++at) {
            const LoadedTrace &member = traces().loaded()[at];
            QVERIFY(member.time.toSet(member.trace->span).duration() > whole.duration() / 100);
        }
        const QImage all = m_window->picture();
        QVERIFY(!all.isNull());
        QVERIFY(m_window->timeline()->isVisible());
    }

    void theLogOpensFirstAndTheSampleBesideIt()
    {
        open(QStringList{m_log} + m_sample);
        QCOMPARE(traces().loaded().size(), size_t(3));
        QVERIFY(traces().loaded()[0].time.identity());
        // The delay between the two ranks does not change.
        const Ns apart = traces().trace(TraceId(2))->span.begin - traces().trace(TraceId(1))->span.begin;
        const auto begin = [&](size_t at) {
            return traces().loaded()[at].time.toSet(traces().loaded()[at].trace->span.begin);
        };
        QCOMPARE(begin(2) - begin(1), apart);
    }

    void aDroppedFolderIsALog()
    {
        drop({m_log + QLatin1Char('/')});
        QCOMPARE(traces().loaded().size(), size_t(1));
        QVERIFY(m_window->windowTitle().startsWith(QDir(m_log).dirName()));
        QCOMPARE(m_settings->recentSets().front().files, QStringList{m_log});
    }

    void aFileOfTheLogStandsForAllOfIt()
    {
        drop({parts().front()});
        QCOMPARE(traces().loaded().size(), size_t(1));
        QCOMPARE(traces().trace(TraceId(0))->steps.size(), size_t(3));
        QVERIFY(m_window->windowTitle().startsWith(QDir(m_log).dirName()));
    }

    void allFilesOfTheLogAreOneTrace()
    {
        drop(parts() + parts());
        QCOMPARE(traces().loaded().size(), size_t(1));
    }

    void theSampleSaysThatItWasNotRecorded()
    {
        QTest::mouseClick(m_window->findChild<QPushButton *>(QStringLiteral("welcomeSample")), Qt::LeftButton);
        QTRY_COMPARE(traces().loaded().size(), size_t(2));
        QVERIFY2(m_window->noticeText().contains(QLatin1String("not recorded")), qPrintable(m_window->noticeText()));
        QVERIFY(m_window->windowTitle().startsWith(QLatin1String("generated")));
        for (size_t rank = 0; rank < 2; ++rank) {
            const Trace &trace = *traces().trace(TraceId(static_cast<uint32_t>(rank)));
            QCOMPARE(trace.info.rank, std::optional<int64_t>(static_cast<int64_t>(rank)));
            QCOMPARE(trace.steps.size(), size_t(3));
            QVERIFY(trace.report.empty());
            QVERIFY(trace.memory.time.size() > 100);
            QVERIFY(trace.flows.time.size() > 100);
        }
        // Both ranks have the same collectives in the same order.
        const auto collectives = [&](uint32_t rank) {
            std::vector<std::pair<int64_t, int64_t>> found;
            forEachDetail(*traces().trace(TraceId(rank)), &Segment::collectives,
                          [&](const Segment &segment, uint32_t, uint32_t row) {
                              found.emplace_back(segment.collectives.inElements[row],
                                                 segment.collectives.sequence[row]);
                          });
            return found;
        };
        QVERIFY(collectives(0).size() >= 18);
        QVERIFY(collectives(0) == collectives(1));
    }

private:
    static constexpr int kOperators = 50;

    static void work(int step)
    {
        riffle_step(step);
        riffle_range_push("forward");
        for (int at = 0; at < kOperators; ++at) {
            riffle_range_push_category("aten::addmm, seq = 3, op_id = 7, sizes = [[10], [2, 3], [3, 10]]", "nvtx");
            std::this_thread::sleep_for(std::chrono::microseconds(20));
            riffle_range_pop();
            riffle_counter("loss", "train", 1.0 / (at + 1));
        }
        riffle_range_pop();
        riffle_mark("step done");
    }
    void record()
    {
        const QByteArray options = "cupti=0\nrank=1\nworld_size=2\ndir=" + m_folder.path().toUtf8();
        QCOMPARE(riffle_start(options.constData()), int(RIFFLE_OK));
        std::thread loader([] {
            pthread_setname_np(pthread_self(), "loader");
            for (int at = 0; at < 20; ++at) {
                riffle_range_push("load");
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                riffle_range_pop();
            }
        });
        for (int step = 0; step < 3; ++step)
            work(step);
        riffle_step(-1);
        loader.join();
        riffle_stats stats{};
        stats.size = sizeof(stats);
        riffle_get_stats(&stats);
        QCOMPARE(riffle_stop(), int(RIFFLE_OK));
        m_log = QString::fromUtf8(stats.path);
    }

    const TraceSet &traces() { return session()->traces(); }
    QStringList parts() const
    {
        QStringList found;
        for (const QFileInfo &file : QDir(m_log).entryInfoList(QDir::Files, QDir::Name))
            found += file.filePath();
        return found;
    }
    QStringList laneNames()
    {
        QStringList names;
        for (uint32_t lane = 0; lane < traces().trace(TraceId(0))->lanes.size(); ++lane)
            names += QString::fromStdString(traces().trace(TraceId(0))->laneName(LaneId(lane)));
        return names;
    }
    void open(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        WindowCase::open(request);
    }

    QStringList m_sample;
    QString m_log;
};

RIFFLE_WIDGET_TEST(RecordingTest)
#include "recording_test.moc"
