// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The small facts about ranks: they are made of each trace in the background and stored, and read from there the next
// time, before and without the trace.
#include "app/opening/open_controller.h"
#include "model/trace/run/rank_store.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "views/ranks/rank_grid.h"
#include "views/ranks/ranks_page.h"

#include <QFile>

#include <filesystem>

using namespace riffle;

class KnownRanksTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-test-known-ranks")); }
    void init()
    {
        for (int rank = 0; rank < 3; ++rank)
            m_ranks += write(rank, 100 + rank);
        makeWindow();
    }
    void cleanup()
    {
        closeWindow();
        m_ranks.clear();
        std::filesystem::remove_all(StoreFolder::defaultFolder());
    }

    void factsAreMadeOfEachTraceAndStored()
    {
        openAll();
        for (const TraceMember &member : session()->traces().members()) {
            QVERIFY(member.facts);
            QCOMPARE(member.facts->rank, member.rank);
            QCOMPARE(member.facts->steps.start.size(), size_t(2));
            QCOMPARE(member.facts->steps.duration[1], Ns(1'000) * (100 + *member.rank));
            const auto stored = openStoredRank(StoreFolder(), member.path, *SourceIdentity::of(member.path));
            QVERIFY(stored);
            QCOMPARE((*stored)->steps.duration[1], member.facts->steps.duration[1]);
        }
        QVERIFY(session()->run()->isComplete);
        QCOMPARE(session()->run()->layout.runs.size(), size_t(1));
        QCOMPARE(session()->run()->layout.runs[0].cells.size(), size_t(3));
    }

    void storedFactsAreReadFirstAndWithoutTheTrace()
    {
        for (const QString &file : m_ranks)
            storeMarked(file);
        // Cancelled when the first trace is there: the others are known and not loaded.
        connect(
            m_window->controller(), &OpenController::shown, m_window.get(),
            [this] { m_window->controller()->cancel(); }, Qt::SingleShotConnection);
        OpenRequest request;
        request.files = m_ranks;
        m_window->open(request);
        QTRY_VERIFY(session()->traces().members().size() == 3 && m_window->controller()->idle());
        for (const TraceMember &member : session()->traces().members()) {
            QVERIFY(member.facts);
            QCOMPARE(member.facts->host, std::string("from the store"));
            QVERIFY(member.isKnown);
        }
        const TraceId last = session()->traces().members()[2].id;
        QCOMPARE(session()->traces().members()[2].state, MemberState::Unloaded);
        QCOMPARE(session()->traces().title(last), std::string("Rank 2"));
        QCOMPARE(session()->run()->layout.runs[0].hosts, std::vector<std::string>{"from the store"});
        m_window->controller()->load(last);
        QTRY_COMPARE(session()->traces().size(), size_t(2));
        QVERIFY(session()->traces().member(last)->facts); // they fit
    }

    void factsFollowAFileThatChanges()
    {
        openAll();
        write(1, 500);
        openAll();
        const TraceMember &changed = session()->traces().members()[1];
        QVERIFY(changed.facts);
        QCOMPARE(changed.facts->steps.duration[1], Ns(500'000));
    }

    void aPartOfAFileHasFactsThatAreNotStored()
    {
        OpenRequest request;
        request.files = m_ranks;
        request.range = TimeSpan{0, 60'000};
        open(request);
        QTRY_VERIFY(m_window->controller()->idle());
        QVERIFY(session()->traces().members()[0].facts);
        QVERIFY(!openStoredRank(StoreFolder(), toPath(0), *SourceIdentity::of(toPath(0))));
    }

    void withoutStoresNothingIsWrittenAndDamagedOnesAreMadeAgain()
    {
        OpenRequest request;
        request.files = m_ranks;
        request.useStore = false;
        open(request);
        QTRY_VERIFY(m_window->controller()->idle());
        QVERIFY(session()->traces().members()[2].facts);
        const std::string place = StoreFolder().storePath(toPath(2), StoreFolder::Contents::Rank);
        QVERIFY(!std::filesystem::exists(place));
        storeMarked(m_ranks[2]);
        QFile damaged(QString::fromStdString(place));
        QVERIFY(damaged.open(QIODevice::ReadWrite) && damaged.seek(damaged.size() - 3) && damaged.write("x") == 1);
        damaged.close();
        openAll();
        QVERIFY(session()->traces().members()[2].facts->host.empty());
    }

    void aMemberThatWentOutOfMemoryTooEarlyIsReadOnceMore()
    {
        connect(
            m_window->controller(), &OpenController::opened, m_window.get(),
            [this] {
                TraceSet set = session()->traces();
                QVERIFY(!set.members()[1].facts);
                set.unload(TraceId(1));
                session()->changeTraces(std::move(set));
            },
            Qt::SingleShotConnection);
        openAll();
        QCOMPARE(session()->traces().members()[1].state, MemberState::Unloaded);
        QVERIFY(session()->traces().members()[1].facts);
    }

    void thePageOfRanksIsOfferedAndLeadsToTheTimeline()
    {
        openAll();
        m_window->showPage(QStringLiteral("ranks"));
        auto *page = qobject_cast<RanksPage *>(m_window->view(QStringLiteral("ranks")));
        QVERIFY(page);
        QTRY_VERIFY(m_window->settled() && page->grid()->data().cells.size() == 3);
        page->grid()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(page->grid(), Qt::Key_End);
        QTest::keyClick(page->grid(), Qt::Key_Return);
        QTRY_COMPARE(m_window->workspace()->page(), QStringLiteral("timeline"));
    }

private:
    void openAll()
    {
        OpenRequest request;
        request.files = m_ranks;
        open(request);
        QTRY_VERIFY(m_window->controller()->idle());
    }
    std::string toPath(int rank) const { return m_ranks[rank].toStdString(); }
    /// Stores facts about a file that tell where they come from.
    static void storeMarked(const QString &file)
    {
        const std::string path = file.toStdString();
        const auto trace = importTrace(path, {}, {});
        QVERIFY(trace);
        RankFacts facts;
        facts.host = "from the store";
        facts.format = (*trace)->info.format;
        facts.rank = (*trace)->info.rank;
        facts.worldSize = (*trace)->info.worldSize;
        facts.baseTimeNs = (*trace)->info.baseTimeNs;
        facts.span = (*trace)->span;
        facts.asked = (*trace)->askedSpan();
        facts.recorded = (*trace)->recordedSpan();
        facts.slices = (*trace)->sliceCount();
        QVERIFY(storeRank(StoreFolder(), facts, path, *SourceIdentity::of(path), {}));
    }
    /// Writes a trace with two steps, of which the second takes `length` µs.
    QString write(int rank, int length) const
    {
        QFile file(path(QStringLiteral("rank%1.json").arg(rank)));
        const QByteArray text = R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + QByteArray::number(rank) +
                                R"(, "world_size": 3}, "baseTimeNanoseconds": 0, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":1000,"dur":50},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1010,"dur":20},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":1050,"dur":)" +
                                QByteArray::number(length) + "}]}";
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            qFatal("no room for a file");
        return file.fileName();
    }

    QStringList m_ranks;
};

RIFFLE_WIDGET_TEST(KnownRanksTest)
#include "known_ranks_test.moc"
