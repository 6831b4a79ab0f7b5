// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Several traces are members of one set from the first picture on, and each comes into its place when it is read.
#include "app/opening/open_controller.h"
#include "app/window/loading_bar.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/timeline_state.h"

#include <QFile>
#include <QSignalSpy>

#include <algorithm>

using namespace riffle;

class SeveralFilesTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-several-files"));
        m_broken = path(QStringLiteral("broken.json"));
        QFile file(m_broken);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("this is no trace") > 0);
        for (int rank = 0; rank < 3; ++rank)
            m_ranks += write(rank);
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void allAreMembersAtOnceAndComeIntoTheirPlaces()
    {
        std::vector<MemberState> states;
        QStringList notes;
        whenShown([&] {
            states = statesNow();
            notes = headingNotes();
            session()->pane()->setVisibleRange(kSeen);
        });
        open(request(m_ranks));
        QCOMPARE(states, (std::vector{MemberState::Loaded, MemberState::Loading, MemberState::Loading}));
        QCOMPARE(notes.mid(1),
                 (QStringList{QStringLiteral("Reading rank1.json"), QStringLiteral("Reading rank2.json")}));
        QCOMPARE(session()->pane()->visibleRange(), kSeen);
        QCOMPARE(statesNow(), std::vector(3, MemberState::Loaded));
        for (uint32_t rank = 0; rank < 3; ++rank)
            QCOMPARE(session()->traces().trace(TraceId(rank))->info.rank, std::optional<int64_t>(rank));
        QVERIFY(headingNotes().filter(QStringLiteral("Reading")).isEmpty());
        QVERIFY(!m_window->findChild<LoadingBar *>()->isVisible());
        QCOMPARE(m_window->controller()->request().files, m_ranks);
    }

    void theOneThatIsLookedAtComesFirstAndStaysWhereItIs()
    {
        std::vector<MemberState> states;
        int y = 0;
        whenShown([&] {
            states = statesNow();
            LaneState lanes = session()->pane()->lanes();
            lanes.ranksFolded = false;
            session()->pane()->setLanes(std::move(lanes));
            y = laneY(TraceId(2));
        });
        OpenRequest asked = request(m_ranks);
        asked.first = 2;
        m_window->resize(1280, 300); // so that the lanes do not all fit
        open(asked);
        QCOMPARE(states, (std::vector{MemberState::Loading, MemberState::Loading, MemberState::Loaded}));
        QCOMPARE(statesNow(), std::vector(3, MemberState::Loaded));
        QCOMPARE(laneY(TraceId(2)), y);
        QVERIFY(m_window->timeline()->state().viewport().scroll(LaneWindow::Part::Main) > 0);
    }

    void oneThatFailsSaysSoAndLeavesTheOthersAlone()
    {
        open(request({m_ranks[0], m_broken, m_ranks[2]}));
        QCOMPARE(statesNow(), (std::vector{MemberState::Loaded, MemberState::Failed, MemberState::Loaded}));
        const std::string why = session()->traces().member(TraceId(1))->why;
        QVERIFY2(QString::fromStdString(why).contains(QLatin1String("broken.json")), why.c_str());
        QVERIFY(m_window->noticeText().contains(QString::fromStdString(why)));
        QCOMPARE(headingNotes()[1], QStringLiteral("Failed: ") + QString::fromStdString(why));
        QCOMPARE(m_window->controller()->request().files, (QStringList{m_ranks[0], m_ranks[2]}));
        QCOMPARE(m_window->sessionNow().files.size(), size_t(3)); // it may be there again next time
    }

    void theFirstOneMayFail()
    {
        open(request({m_broken, m_ranks[0], m_ranks[1]}));
        QCOMPARE(statesNow(), (std::vector{MemberState::Failed, MemberState::Loaded, MemberState::Loaded}));
    }

    void afterACancelWhatIsOpenStaysAndAClickLoadsTheRest()
    {
        QSignalSpy opened(m_window->controller(), &OpenController::opened);
        whenShown([this] { m_window->controller()->cancel(); });
        open(request(m_ranks));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(statesNow(), (std::vector{MemberState::Loaded, MemberState::Unloaded, MemberState::Unloaded}));
        QCOMPARE(headingNotes()[2], QStringLiteral("Not in memory: click to load rank2.json"));
        LaneLabels &labels = m_window->timeline()->labels();
        QTest::mouseClick(&labels, Qt::LeftButton, {}, labels.rectOf(heading(TraceId(2))).center());
        QTRY_COMPARE(statesNow(), (std::vector{MemberState::Loaded, MemberState::Unloaded, MemberState::Loaded}));
        QCOMPARE(session()->traces().trace(TraceId(2))->info.rank, std::optional<int64_t>(2));
    }

    void aMemberThatIsRemovedWhileItIsReadDoesNotComeBack()
    {
        const auto remove = [this](uint32_t id) {
            TraceSet set = session()->traces();
            set.remove(TraceId(id));
            session()->changeTraces(std::move(set));
        };
        whenShown([&] { remove(2); });
        open(request(m_ranks));
        QCOMPARE(statesNow(), std::vector(2, MemberState::Loaded));
        QCOMPARE(m_window->controller()->request().files, (QStringList{m_ranks[0], m_ranks[1]}));
        TraceSet set = session()->traces();
        set.unload(TraceId(1));
        session()->changeTraces(std::move(set));
        m_window->controller()->load(TraceId(1));
        remove(1);
        QTRY_VERIFY(m_window->controller()->idle());
        QCOMPARE(statesNow(), std::vector{MemberState::Loaded});
        QCOMPARE(session()->traces().trace(TraceId(0))->info.rank, std::optional<int64_t>(0));
    }

    void aCancelBeforeTheFirstPictureKeepsThePreviousFiles()
    {
        open(request({m_ranks[0]}));
        m_window->open(request({m_ranks[1], m_ranks[2]}));
        m_window->controller()->cancel();
        QTRY_VERIFY(m_window->controller()->idle());
        QCOMPARE(session()->traces().size(), size_t(1));
        QCOMPARE(session()->traces().trace(TraceId(0))->info.rank, std::optional<int64_t>(0));
        QCOMPARE(m_window->controller()->request().files, QStringList{m_ranks[0]});
    }

    void anotherOpeningTakesThePlaceOfOneThatIsNotFinished()
    {
        whenShown([this] { m_window->open(request({m_ranks[2]})); });
        m_window->open(request(m_ranks));
        QTRY_COMPARE(session()->traces().members().size(), size_t(1));
        QVERIFY(opened());
        QCOMPARE(session()->traces().trace(TraceId(0))->info.rank, std::optional<int64_t>(2));
    }

    void whatPointsAtTheSameFilesStaysWhenTheyAreReadAgain()
    {
        open(request(m_ranks));
        session()->select({TraceId(1), SliceId(1)});
        session()->pane()->setVisibleRange(kSeen);
        QSignalSpy shown(m_window->controller(), &OpenController::shown);
        open(request(m_ranks));
        QCOMPARE(shown.count(), 0);
        QCOMPARE(session()->selected(), (SliceRef{TraceId(1), SliceId(1)}));
        QCOMPARE(session()->pane()->visibleRange(), kSeen);
    }

    void whileMemoryIsShortTheLeastRecentlyLookedAtIsUnloaded()
    {
        open(request(m_ranks));
        m_window->bringForward(QStringLiteral("operators")); // a table keeps facts of all ranks, which take memory
        const SliceRef selected{TraceId(0), SliceId(2)};
        session()->select(selected);
        QApplication::processEvents(); // a selected slice's trace is loaded
        QTRY_VERIFY(m_window->settled());
        for (const uint32_t id : {2, 1})
            session()->pane()->setHover({TraceId(id), SliceId(0)}, 1000);
        m_settings->setMemoryLimitBytes(1);
        m_window->controller()->keepToBudget();
        QCOMPARE(statesNow(), (std::vector{MemberState::Unloaded, MemberState::Loaded, MemberState::Loaded}));
        QCOMPARE(session()->selected(), selected);
        QVERIFY(m_window->sessionNow().files[0].identity); // so that a change of the file is noticed next time
        QTRY_VERIFY((m_window->controller()->keepToBudget(),
                     statesNow() == std::vector{MemberState::Unloaded, MemberState::Loaded, MemberState::Unloaded}));
        m_settings->setMemoryLimitBytes(qint64(1) << 40);
        session()->select({});
        session()->select(selected); // what is looked at is loaded again
        QTRY_COMPARE(statesNow(), (std::vector{MemberState::Loaded, MemberState::Loaded, MemberState::Unloaded}));
        QCOMPARE(session()->selected(), selected);
    }

private:
    static constexpr TimeSpan kSeen{1'020'000, 1'050'000};

    QString write(int rank) const
    {
        QFile file(path(QStringLiteral("rank%1.json").arg(rank)));
        QByteArray text = R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + QByteArray::number(rank) +
                          R"(, "world_size": 3}, "baseTimeNanoseconds": 0, "traceEvents": [)";
        for (int thread = 1; thread <= 12; ++thread)
            for (int at = 0; at < 10; ++at)
                text += R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":)" + QByteArray::number(thread) +
                        ",\"ts\":" + QByteArray::number(1000 + 10 * at) + ",\"dur\":9},\n";
        text.chop(2);
        if (!file.open(QIODevice::WriteOnly) || file.write(text + "]}") < 0)
            qFatal("no room for a file");
        return file.fileName();
    }
    /// Without stores, so that traces stay in memory.
    static OpenRequest request(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        request.useStore = false;
        return request;
    }
    /// Runs code once, when the first trace of the next opening is shown.
    template <typename F>
    void whenShown(F run)
    {
        connect(m_window->controller(), &OpenController::shown, m_window.get(), run, Qt::SingleShotConnection);
    }
    std::vector<MemberState> statesNow()
    {
        std::vector<MemberState> states;
        for (const TraceMember &member : session()->traces().members())
            states.push_back(member.state);
        return states;
    }
    const LaneLayout &layout() { return m_window->timeline()->state().layout(); }
    QStringList headingNotes()
    {
        QStringList notes;
        for (const LaneItem &item : layout().items())
            if (item.kind == LaneItem::Kind::TraceHeading)
                notes += QString::fromStdString(item.note);
        return notes;
    }
    const LaneItem &heading(TraceId id)
    {
        return *std::ranges::find_if(layout().items(), [id](const LaneItem &item) {
            return item.kind == LaneItem::Kind::TraceHeading && item.trace == id;
        });
    }
    /// Where the first lane of a trace is drawn.
    int laneY(TraceId id)
    {
        return layout().find({id, LaneId(0)})->y -
               m_window->timeline()->state().viewport().scroll(LaneWindow::Part::Main);
    }

    QStringList m_ranks;
    QString m_broken;
};

RIFFLE_WIDGET_TEST(SeveralFilesTest)
#include "several_files_test.moc"
