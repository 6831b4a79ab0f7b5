// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Saves and restores sessions with memory snapshots, timelines and logs.
#include "tests/app/window_case.h"

#include "model/analysis/memory/snapshot_facts.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_session.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_state.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/memory/log/log_view.h"

#include <QComboBox>
#include <QDir>
#include <QFile>

using namespace riffle;

class SessionMemoryTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-session-memory-test"));
        m_trace = path(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_trace));
        m_first = path(QStringLiteral("first.pickle"));
        m_second = path(QStringLiteral("second.pickle"));
        writeSnapshot(m_first, 1);
        writeSnapshot(m_second, 2);
        m_timeline = path(QStringLiteral("timeline.json"));
        write(m_timeline, "[[1000,2000],[[0,4096,0,0,0,0,0,0,1],[0,4096,0,0,0,2048,0,0,1]]]");
        m_logs = path(QStringLiteral("memory_trace"));
        QVERIFY(QDir().mkpath(m_logs + QStringLiteral("/rank0_dp0_tp0")));
        write(m_logs + QStringLiteral("/rank0_dp0_tp0/memory.log"),
              "Memory State:\ntime: 1.5\n---summary---\ntotal_memory: 10.00 MB\nparams_memory: 10.00 MB, grads_memory: "
              "0.00 MB, os_params_memory: 0.00 MB, "
              "os_state_memory: 0.00 MB, activation_memory: 0.00 MB\n\n");
        m_saved = path(QStringLiteral("saved.riffle"));
    }
    void init() { makeWindow(); }
    void cleanup()
    {
        closeWindow();
        writeSnapshot(m_first, 1);
        writeSnapshot(m_second, 2);
    }

    void everythingThatWasChosenComesBack()
    {
        openFiles({m_first, m_second});
        const SessionMemory saved = chooseAll();
        reopen();
        QCOMPARE(memory()->snapshots().size(), size_t(2));
        QCOMPARE(*m_window->sessionNow().memory == saved, true);
        QCOMPARE(memory()->place().snapshot, size_t(1));
        QCOMPARE(memory()->instant(), *saved.instant);
        QCOMPARE(memory()->range()->first, saved.range->first);
        QCOMPARE(memory()->selected(), *saved.selected);
        QCOMPARE(memory()->colour(), MemorySession::Colour::Pool);
        LandscapeView *page = m_window->memoryPage();
        QVERIFY(page->state()->timed());
        QCOMPARE(page->axes()->currentIndex(), 1);
        QCOMPARE(page->colourings()->currentText(), QStringLiteral("by pool"));
        QCOMPARE(page->places()->currentIndex(), 1);
    }
    void besideATraceToo()
    {
        openFiles({m_first, m_trace, m_second});
        session()->pane()->setVisibleRange(
            {session()->pane()->wholeRange().begin + 1000, session()->pane()->wholeRange().begin + 400'000});
        const TimeSpan visible = session()->pane()->visibleRange();
        const SessionMemory saved = chooseAll();
        QCOMPARE(saved.file, size_t(2));
        reopen();
        QCOMPARE(session()->traces().loaded().size(), size_t(1));
        QCOMPARE(session()->pane()->visibleRange(), visible);
        QVERIFY(*m_window->sessionNow().memory == saved);
    }
    void beforeTheHistoryIsAnInstantToo()
    {
        openFiles({m_first});
        memory()->setInstant(MemorySession::kNone);
        QVERIFY(m_window->sessionNow().write(m_saved));
        reopen();
        QCOMPARE(memory()->instant(), MemorySession::kNone);
        QVERIFY(!memory()->range());
        QCOMPARE(memory()->selected(), MemorySession::kNone);
    }
    void timelinesAndLogsComeBack()
    {
        openFiles({m_logs, m_timeline});
        const QString shown = m_window->logPage()->sunburst()->middleText();
        QVERIFY(m_window->sessionNow().write(m_saved));
        reopen();
        QCOMPARE(m_window->controller()->sideFiles().size(), size_t(2));
        QVERIFY(m_window->logPage()->isVisible());
        QCOMPARE(m_window->logPage()->sunburst()->middleText(), shown);
        QCOMPARE(m_window->noticeText(), QString());
    }
    void ofAMissingSnapshotItIsSaidAndTheRestOpens()
    {
        openFiles({m_trace, m_first, m_second, m_timeline});
        chooseAll();
        QVERIFY(QFile::remove(m_second));
        reopen();
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("second.pickle")), qPrintable(m_window->noticeText()));
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("No such file")), qPrintable(m_window->noticeText()));
        QCOMPARE(session()->traces().loaded().size(), size_t(1));
        QCOMPARE(memory()->snapshots().size(), size_t(1));
        QCOMPARE(m_window->controller()->sideFiles().size(), size_t(1));
        QCOMPARE(memory()->instant(),
                 memory()->device()->peakAllocatedEvent); // the saved instant was in the missing snapshot
        QCOMPARE(memory()->colour(), MemorySession::Colour::Pool);
    }
    void whereAnotherOneIsMissingThePlaceIsKept()
    {
        openFiles({m_first, m_second});
        const SessionMemory saved = chooseAll();
        QVERIFY(QFile::remove(m_first));
        reopen();
        QVERIFY(m_window->noticeText().contains(QStringLiteral("first.pickle")));
        QCOMPARE(memory()->snapshots().size(), size_t(1));
        QCOMPARE(memory()->instant(), *saved.instant);
        QCOMPARE(memory()->selected(), *saved.selected);
    }
    void aSnapshotThatIsAnotherOneIsSaid()
    {
        openFiles({m_first, m_second});
        chooseAll();
        test::SnapshotOptions small;
        small.entries = 200;
        writeSnapshot(m_second, small);
        reopen();
        QVERIFY2(
            m_window->noticeText().contains(QStringLiteral("second.pickle has changed since this session was saved")),
            qPrintable(m_window->noticeText()));
        QVERIFY(memory()->device());
        const DeviceReplay &device = *memory()->device();
        QVERIFY(memory()->instant() == MemorySession::kNone || memory()->instant() < device.firstEvent + device.events);
    }
    void whatMakesNoSenseIsLeftOut()
    {
        const QDir folder(path({}));
        QVERIFY(!SessionMemory::fromJson({}, folder));
        QVERIFY(!SessionMemory::fromJson({{"file", -1}, {"device", 0}}, folder));
        const auto odd = SessionMemory::fromJson(
            {{"file", 0}, {"device", 99}, {"instant", 1e30}, {"range", 3}, {"selected", "x"}, {"colour", "loud"}},
            folder);
        QVERIFY(odd);
        QVERIFY(!odd->instant && !odd->range && !odd->selected);
        openFiles({m_first});
        const uint32_t before = memory()->instant();
        odd->applyTo(memory(), 0);
        odd->applyTo(memory(), 7);
        QCOMPARE(memory()->instant(), before);
    }

private:
    static void write(const QString &name, const QByteArray &bytes)
    {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }
    static void writeSnapshot(const QString &name, const test::SnapshotOptions &options)
    {
        QByteArray bytes;
        test::generateSnapshot(
            options, [&](std::string_view part) { bytes.append(part.data(), static_cast<qsizetype>(part.size())); });
        write(name, bytes);
    }
    static void writeSnapshot(const QString &name, uint64_t seed)
    {
        test::SnapshotOptions options;
        options.entries = 3'000;
        options.seed = seed;
        writeSnapshot(name, options);
    }
    MemorySession *memory() { return session()->memory(); }
    /// Chooses an instant, a range, an allocation and a colouring in the second snapshot. Returns what was saved of
    /// them.
    SessionMemory chooseAll()
    {
        memory()->setPlace({1, 0});
        const uint32_t first = memory()->device()->firstEvent;
        memory()->setInstant(first + 1234);
        memory()->setRange(MemorySession::EventRange{first + 100, first + 2000});
        memory()->select(77);
        memory()->setColour(MemorySession::Colour::Pool);
        m_window->showPage(QStringLiteral("snapshot"));
        auto *timeline = m_window->memoryPage();
        [&] { QTRY_VERIFY(m_window->settled() && timeline->state()->canBeTimed()); }();
        timeline->axes()->setFocus();
        QTest::keyClick(timeline->axes(), Qt::Key_Down);
        [&] { QTRY_VERIFY(timeline->state()->timed()); }();
        const SessionFile file = m_window->sessionNow();
        if (!file.write(m_saved) || !file.memory)
            qFatal("the session could not be saved");
        return *file.memory;
    }
    void reopen()
    {
        makeWindow();
        openFiles({m_saved});
    }
    void openFiles(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->controller()->loading() && m_window->settled(); }));
    }

    QString m_trace, m_first, m_second, m_timeline, m_logs, m_saved;
};

RIFFLE_WIDGET_TEST(SessionMemoryTest)
#include "session_memory_test.moc"
