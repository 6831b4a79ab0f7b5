// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A window that is open follows a log that is still written, and what the user has set stays where it is.
#include "app/opening/open_controller.h"
#include "model/analysis/summary/summary.h"
#include "model/analysis/table/table_text.h"
#include "model/ingest/collector_log/importer.h"
#include "tests/app/window_case.h"
#include "tests/support/log_replay.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/recorded_log.h"
#include "views/common/look/as_of_label.h"
#include "views/common/look/notice_bar.h"
#include "views/common/look/qt_text.h"
#include "views/query/query_editor.h"
#include "views/query/query_view.h"
#include "views/strip/live_button.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/timeline_state.h"

#include <QSignalSpy>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace riffle;

class FollowingTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-test-following")); }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        m_whole = std::make_unique<test::LogFolder>();
        test::writeRecordedLog(*m_whole, kSeed, test::Calls::AtOnce);
        m_writer = std::make_unique<test::LogReplay>(*m_whole);
        m_writer->write(kFirstChunks);
        makeWindow();
        OpenRequest request;
        request.files = {log()};
        open(request);
        QVERIFY(m_window->controller()->follower().follows(kLive));
    }
    void cleanup()
    {
        closeWindow();
        m_writer.reset();
        m_whole.reset();
    }

    void theWindowSaysThatTheLogIsStillWritten()
    {
        QVERIFY(m_window->liveButton()->isVisible());
        QVERIFY2(m_window->liveButton()->text().startsWith(QLatin1String("Live")),
                 qPrintable(m_window->liveButton()->text()));
        QVERIFY(m_window->changesBar()->text().isEmpty());
    }

    void whatTheUserHasSetStaysWhileTheLogGrows()
    {
        const std::optional<SliceRef> slice = someSlice();
        QVERIFY(slice);
        session()->select(*slice);
        const Slice before = *session()->traces().trace(kLive)->slice(slice->slice);
        const std::string name(session()->traces().trace(kLive)->string(before.data.name));
        const TimeSpan span = session()->traces().span();
        session()->pane()->setVisibleRange({span.begin, span.begin + span.duration() / 4});
        const TimeSpan range = session()->pane()->visibleRange();
        Filters filters;
        filters.text = name;
        session()->setFilters(filters);
        session()->setMarks({Mark{{span.begin, span.begin + 10}, QStringLiteral("here"), kLive}});
        m_window->timeline()->state().highlightName(name);
        QTRY_VERIFY(!session()->highlight().empty());
        const auto highlight = session()->highlight();
        m_window->timeline()->state().setScroll(LaneWindow::Part::Main, 40);
        const int scroll = m_window->timeline()->state().viewport().scroll(LaneWindow::Part::Main);
        const QPoint over = m_window->timeline()->canvas().rect().center();
        QTest::mouseMove(&m_window->timeline()->canvas(), over);
        const std::optional<Ns> cursor = session()->pane()->cursor();
        QVERIFY(cursor);
        QSignalSpy changed(session(), &Session::changed);
        for (int generation = 0; generation < 8; ++generation)
            QVERIFY(grow(3));
        for (const QList<QVariant> &change : changed)
            QCOMPARE(change.at(0).value<Session::Changes>() & ~(Session::Grown | Session::Renewed | Session::Runs),
                     Session::Changes());
        QCOMPARE(session()->selected(), *slice);
        const Slice now = *session()->traces().trace(kLive)->slice(slice->slice);
        QCOMPARE(now.data.start, before.data.start);
        QCOMPARE(session()->traces().trace(kLive)->string(now.data.name), std::string_view(name));
        QCOMPARE(session()->pane()->visibleRange(), range);
        QCOMPARE(session()->filters().text, name);
        QCOMPARE(session()->marks().size(), size_t(1));
        QCOMPARE(session()->highlight(), highlight);
        QCOMPARE(m_window->timeline()->state().viewport().scroll(LaneWindow::Part::Main), scroll);
        QCOMPARE(session()->pane()->cursor(), cursor);
        QVERIFY(!m_window->controller()->loading());
        // F5 reads the log from its start, and follows it again.
        QTest::keyClick(m_window.get(), Qt::Key_F5);
        QTRY_VERIFY(!m_window->controller()->loading() && m_window->controller()->follower().follows(kLive));
        QTRY_VERIFY(session()->traces().trace(kLive)->slice(session()->selected().slice));
        QCOMPARE(session()->traces().trace(kLive)->slice(session()->selected().slice)->data.start, before.data.start);
        QVERIFY(grow(3));
    }

    void aTableStaysWhereItIsWhenItsFiguresFollow()
    {
        m_window->bringForward(QStringLiteral("operators"));
        auto *pane = qobject_cast<SummaryPane *>(m_window->view(QStringLiteral("operators")));
        QVERIFY(grow(90)); // so that enough has settled
        QTRY_VERIFY(pane->table()->table().rows() > 1);
        pane->table()->setCurrentRow(1);
        const auto nameOf = [&](uint32_t row) { return pane->table()->table().column("name")->texts[row]; };
        const std::string name = nameOf(1);
        QSignalSpy answered(pane, &ResultView::answered);
        for (int generation = 0; generation < 8 && answered.count() < 2; ++generation) {
            QVERIFY(grow(4));
            QTest::qWait(200);
        }
        QVERIFY(answered.count() >= 1);
        QVERIFY(pane->table()->currentRow());
        QCOMPARE(nameOf(*pane->table()->currentRow()), name);
    }

    void theEndKeyFollowsTheEndAndStays()
    {
        const TimeSpan span = session()->traces().span();
        session()->pane()->setVisibleRange({span.begin, span.begin + span.duration() / 4});
        m_window->timeline()->setFocus();
        QVERIFY(!session()->pane()->followsEnd() && !m_window->liveButton()->isChecked());
        QTest::keyClick(m_window->timeline(), Qt::Key_End);
        QVERIFY(session()->pane()->followsEnd() && m_window->liveButton()->isChecked());
        for (int generation = 0; generation < 3; ++generation) {
            QVERIFY(grow(4));
            QVERIFY(session()->pane()->visibleRange().contains(session()->traces().span().end - 1));
        }
        QTest::mouseClick(m_window->liveButton(), Qt::LeftButton);
        QVERIFY(!session()->pane()->followsEnd());
        const TimeSpan seen = session()->pane()->visibleRange();
        QVERIFY(grow(4));
        QCOMPARE(session()->pane()->visibleRange(), seen);
        QTest::keyClick(m_window->timeline(), Qt::Key_0);
        QTRY_COMPARE(session()->pane()->visibleRange(), session()->pane()->wholeRange());
        QVERIFY(session()->pane()->followsEnd());
    }

    void tablesSayAsOfWhenAndAreThoseOfTheWholeLogAtTheEnd()
    {
        m_window->bringForward(QStringLiteral("operators"));
        auto *pane = qobject_cast<SummaryPane *>(m_window->view(QStringLiteral("operators")));
        QVERIFY(pane && pane->isVisible());
        auto *asOf = pane->findChild<AsOfLabel *>();
        QVERIFY(grow(2));
        QTRY_VERIFY(asOf->isVisible());
        QVERIFY2(asOf->text().startsWith(QLatin1String("as of ")), qPrintable(asOf->text()));
        while (!m_writer->isDone())
            QVERIFY(grow(90));
        QTRY_VERIFY(!session()->grows());
        QTRY_VERIFY(!asOf->isVisible());
        QTRY_VERIFY(pane->settled());
        QVERIFY(!operators(*session()->facts()).empty());
        QCOMPARE(operators(*session()->facts()),
                 operators(SetFacts(TraceSet::of({*importCollectorLog(toUtf8(log()), {}, {})}))));
    }

    void ofALongRecordingTheTablesCountTheNewestPart()
    {
        m_window->bringForward(QStringLiteral("operators"));
        auto *pane = qobject_cast<SummaryPane *>(m_window->view(QStringLiteral("operators")));
        auto *asOf = pane->findChild<AsOfLabel *>();
        QVERIFY(grow(90)); // so that enough has settled
        QTRY_VERIFY(pane->table()->table().rows() > 1);
        QVERIFY(!asOf->text().contains(QLatin1String("the last")));
        session()->setMostSlicesOfFacts(session()->traces().trace(kLive)->sliceCount() * 9 / 10);
        for (int generation = 0; generation < 3; ++generation) {
            QVERIFY(grow(4));
            QTRY_VERIFY(session()->facts()->of(kLive).isPart());
            QTRY_VERIFY2(asOf->text().contains(QLatin1String(", the last ")), qPrintable(asOf->text()));
        }
        QVERIFY(!session()->emptyFacts().part); // the search, for example, is about everything
        const TraceFacts &facts = session()->facts()->of(kLive);
        QVERIFY(facts.trace().sliceCount() < facts.whole()->sliceCount());
        // The timeline and SQL have all of it.
        QVERIFY(session()->traces().trace(kLive)->sliceCount() >= facts.whole()->sliceCount());
        auto *query = qobject_cast<QueryView *>(m_window->view(QStringLiteral("query")));
        query->editor()->setPlainText(QStringLiteral("SELECT count(*) AS slices FROM slices"));
        const auto asked = session()->facts()->of(kLive).whole();
        query->run();
        QTRY_COMPARE(query->table()->table().rows(), uint32_t(1));
        QCOMPARE(query->table()->table().column("slices")->integers[0], static_cast<int64_t>(asked->sliceCount()));
        // Classes of the newest part do not stop other questions about the timeline.
        TimelineState &state = m_window->timeline()->state();
        QTRY_VERIFY(state.workClasses()[kLive]);
        for (uint32_t kind = 1; kind < kWorkClasses; ++kind) {
            state.pointAtClass(static_cast<WorkClass>(kind));
            QTRY_VERIFY(!state.workClasses()[kLive]->has(static_cast<WorkClass>(kind)) ||
                        !state.emphasisedSlices()[kLive].empty());
        }
    }

    void aClosedLogIsFollowedNoMore()
    {
        QVERIFY(grow(2));
        const std::weak_ptr<const Trace> trace = session()->traces().find(kLive)->trace;
        m_window->controller()->close(log());
        QVERIFY(session()->traces().members().empty());
        QVERIFY(!m_window->controller()->follower().follows(kLive));
        m_writer->write(3);
        QTest::qWait(300);
        QVERIFY(session()->traces().members().empty());
        QTRY_VERIFY(trace.expired());
        QVERIFY(!m_window->liveButton()->isVisible());
    }

    void anUnloadedLogIsFollowedAgainOnceItIsLoaded()
    {
        TraceSet traces = session()->traces();
        traces.unload(kLive);
        session()->changeTraces(traces);
        QVERIFY(!m_window->controller()->follower().follows(kLive));
        m_window->controller()->load(kLive);
        QTRY_VERIFY(m_window->controller()->follower().follows(kLive));
        QVERIFY(grow(3));
    }

    void aLogAtRestIsFollowedOnceItIsWrittenAgain()
    {
        namespace fs = std::filesystem;
        for (const auto &entry : fs::directory_iterator(m_writer->path()))
            fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::minutes(1));
        makeWindow();
        OpenRequest request;
        request.files = {log()};
        open(request);
        QVERIFY(!m_window->controller()->follower().follows(kLive) && !session()->grows());
        const std::optional<SliceRef> slice = someSlice();
        session()->select(*slice);
        const Ns start = session()->traces().trace(kLive)->slice(slice->slice)->data.start;
        m_writer->write(3);
        QTRY_VERIFY(m_window->controller()->follower().follows(kLive));
        QVERIFY(m_window->changesBar()->text().isEmpty());
        QVERIFY(session()->selected().valid());
        QCOMPARE(session()->traces().trace(kLive)->slice(session()->selected().slice)->data.start, start);
        QVERIFY(grow(3));
    }

    void aLogThatIsDeletedStaysAsItWas()
    {
        QVERIFY(grow(2));
        std::filesystem::remove_all(toUtf8(log()));
        QTest::qWait(400);
        QVERIFY(session()->traces().trace(kLive)->sliceCount() > 0);
        QVERIFY(m_window->isVisible());
    }

    void aLogWhoseOldFilesGoIsFollowed()
    {
        while (!m_writer->isDone()) {
            QVERIFY(grow(60));
            m_writer->roll();
        }
        QVERIFY(session()->traces().trace(kLive)->sliceCount() > 0);
    }

    void aClassThatIsPointedAtIsEmphasisedWhileTheLogGrows()
    {
        TimelineState &state = m_window->timeline()->state();
        QVERIFY(grow(90)); // so that enough has settled
        QTRY_VERIFY(state.workClasses()[kLive]);
        int emphasised = 0;
        for (uint32_t kind = 1; kind < kWorkClasses && !m_writer->isDone(); ++kind) {
            if (!state.workClasses()[kLive]->has(static_cast<WorkClass>(kind)))
                continue;
            state.pointAtClass(static_cast<WorkClass>(kind));
            const auto facts = session()->facts();
            QVERIFY(grow(3));
            QTRY_VERIFY(session()->facts() != facts); // the known classes are those of an earlier generation now
            QTRY_VERIFY(!state.emphasisedSlices()[kLive].empty());
            ++emphasised;
        }
        QVERIFY(emphasised > 0);
    }

    void everyPageAndTableIsAnsweredWhileTheLogGrows()
    {
        QVERIFY(grow(90)); // so that enough has settled
        for (const char *id : {"overview", "timeline", "findings", "steps", "operators", "kernels", "modules",
                               "critical-path", "more", "query"}) {
            m_window->bringForward(QString::fromLatin1(id));
            QVERIFY(m_window->view(QString::fromLatin1(id)));
            const auto facts = session()->facts();
            QVERIFY(grow(2));
            if (!m_writer->isDone())
                QTRY_VERIFY(session()->facts() != facts);
        }
    }

    void noStoreIsWrittenWhileTheLogGrows()
    {
        QVERIFY(grow(2));
        QTest::qWait(600); // stores are written 400 ms after the opening
        QVERIFY(!QFile::exists(QString::fromStdString(StoreFolder().storePath(toUtf8(log())))));
    }

private:
    static constexpr TraceId kLive{0};
    static constexpr size_t kFirstChunks = 60;
    static constexpr uint32_t kSeed = 5; ///< much of this one has settled early

    QString log() const { return QString::fromStdString(m_writer->path()); }
    /// Writes further chunks, and waits for a generation that has them.
    bool grow(size_t chunks)
    {
        const std::shared_ptr<const Trace> before = session()->traces().find(kLive)->trace;
        m_writer->write(chunks);
        return QTest::qWaitFor([&] { return session()->traces().find(kLive)->trace != before; });
    }
    static std::vector<std::string> operators(const SetFacts &facts)
    {
        SummaryRequest request;
        request.view = "operators";
        const auto table = summarize(facts, request, {});
        std::vector<std::string> rows; // in any order; ids differ
        for (uint32_t row = 0; table && row < table->rows(); ++row) {
            std::string text;
            for (const ResultColumn &column : table->columns)
                text += column.isId ? std::string() : cellValue(column, row) + ' ';
            rows.push_back(text);
        }
        std::ranges::sort(rows);
        return rows;
    }
    /// Ends the log if it has no end.
    void endLog() const
    {
        std::filesystem::path last;
        for (const auto &entry : std::filesystem::directory_iterator(m_writer->path()))
            if (entry.path().filename() != wire::kStepsFile)
                last = std::max(last, entry.path());
        std::ofstream(last, std::ios::binary | std::ios::app) << test::LogChunkText(wire::ChunkType::End).bytes();
    }
    std::optional<SliceRef> someSlice()
    {
        const Trace &trace = *session()->traces().trace(kLive);
        for (const auto &segment : trace.segments)
            if (segment->size() > 0)
                return SliceRef{kLive, segment->idAt(segment->size() / 2)};
        return std::nullopt;
    }
    std::unique_ptr<test::LogFolder> m_whole;
    std::unique_ptr<test::LogReplay> m_writer;
};

RIFFLE_WIDGET_TEST(FollowingTest)
#include "following_test.moc"
