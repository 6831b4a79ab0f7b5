// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A session file restores the selection in the same file and on the same lane.
#include "tests/app/window_case.h"

#include "app/session/place.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"

#include <QFile>
#include <QTest>

using namespace riffle;

class SessionPlacesTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-places-test"));
        m_saved = path(QStringLiteral("saved.riffle"));
    }
    void init()
    {
        m_files.clear();
        // Every file and every lane has the same slices, so only the file and the lane distinguish them.
        for (const char *name : {"rank0.json", "rank1.json"}) {
            m_files += path(QLatin1String(name));
            QFile file(m_files.back());
            QVERIFY(file.open(QIODevice::WriteOnly));
            QByteArray text("{\"traceEvents\":[");
            for (int thread = 1; thread <= 3; ++thread)
                text += "{\"ph\":\"X\",\"name\":\"same\",\"pid\":1,\"tid\":" + QByteArray::number(thread) +
                        ",\"ts\":1000,\"dur\":500},\n" +
                        "{\"ph\":\"X\",\"name\":\"same\",\"pid\":1,\"tid\":" + QByteArray::number(thread) +
                        ",\"ts\":1000,\"dur\":200},\n";
            file.write(text + "{\"ph\":\"M\"}]}");
        }
        makeWindow();
        open(m_files);
    }
    void cleanup() { closeWindow(); }

    void theSelectedSliceStaysOnItsFileLaneAndRow()
    {
        for (uint32_t trace = 0; trace < 2; ++trace)
            for (uint32_t id = 0; id < 6; ++id) {
                const SliceRef slice{TraceId(trace), SliceId(id)};
                session()->select(slice);
                saveAndReopen();
                QCOMPARE(session()->selected(), slice);
            }
    }

    void anAreaKeepsItsLanes()
    {
        const AreaSelection area{session()->traces().span(), {{TraceId(0), LaneId(1)}, {TraceId(1), LaneId(2)}}};
        session()->setArea(area);
        saveAndReopen();
        QVERIFY(session()->area() == area);
    }

    void anAreaOverAllLanesStaysOne()
    {
        const AreaSelection area{session()->traces().span(), {}};
        session()->setArea(area);
        saveAndReopen();
        QVERIFY(session()->area() == area);
    }

    void aFileThatIsGoneTakesItsLanesAlong()
    {
        session()->setArea(
            AreaSelection{session()->traces().span(), {{TraceId(0), LaneId(0)}, {TraceId(1), LaneId(2)}}});
        session()->select({TraceId(1), SliceId(3)});
        QVERIFY(m_window->sessionNow().write(m_saved));
        QVERIFY(QFile::remove(m_files.front()));
        makeWindow();
        open({m_saved});
        QCOMPARE(session()->traces().loaded().size(), size_t(1));
        QVERIFY(session()->area());
        QCOMPARE(session()->area()->lanes, (std::vector<LaneRef>{{TraceId(1), LaneId(2)}}));
        QCOMPARE(session()->selected(), (SliceRef{TraceId(1), SliceId(3)}));
        QCOMPARE(m_window->sessionNow().files.size(), size_t(2)); // the file may be there again next time
    }

    void aClockThatWasSetComesBack()
    {
        TraceSet set = session()->traces();
        set.setTime(TraceId(1), TimeMap({{1'000'000, 1'000'250}, {1'400'000, 1'400'300}}));
        session()->changeTraces(set);
        const Ns between = startOf(TraceId(1)) - startOf(TraceId(0));
        QCOMPARE(between, Ns(250));
        session()->setMarks({{{startOf(TraceId(1)), startOf(TraceId(1))}, QStringLiteral("start")}});
        saveAndReopen();
        QVERIFY(session()->traces().isTimeSet(TraceId(1)));
        QCOMPARE(startOf(TraceId(1)) - startOf(TraceId(0)), between);
        QCOMPARE(session()->traces().time(TraceId(1)).toSet(Ns(1'400'000)) - startOf(TraceId(0)), Ns(400'300));
        QCOMPARE(session()->marks().at(0).span.begin, startOf(TraceId(1)));
    }

    void marksAndAreasStayOnTheirRank()
    {
        TraceSet set = session()->traces();
        set.setTime(TraceId(1), TimeMap({{0, 250}}));
        session()->changeTraces(set);
        const std::vector<Mark> marks{{{1'000'000, 1'200'000}, QStringLiteral("rank"), TraceId(1)},
                                      {{1'000'100, 1'000'100}, QStringLiteral("set")}};
        const auto area = AreaSelection::of(session()->traces(), {1'000'300, 1'000'900}, {{TraceId(1), LaneId(2)}});
        QCOMPARE(area.trace, TraceId(1));
        session()->setMarks(marks);
        session()->setArea(area);
        saveAndReopen();
        QCOMPARE(session()->marks().size(), marks.size());
        QCOMPARE(session()->marks().at(0), marks[0]);
        QCOMPARE(session()->marks().at(1).span.begin - session()->traces().origin(), Ns(100));
        QCOMPARE(session()->area(), std::optional(area));
        m_window->close(); // the marks are also remembered for the same files
        makeWindow();
        open(m_files);
        QCOMPARE(session()->marks(), marks);
    }

    void rememberedMarksAreOnTheirFilesWhateverTheOrderWas()
    {
        const std::vector<Mark> marks{{{1'000'000, 1'200'000}, QStringLiteral("rank"), TraceId(1)}};
        session()->setMarks(marks);
        TraceSet set = session()->traces();
        set.move(TraceId(1), 0);
        session()->changeTraces(set);
        m_window->close();
        makeWindow();
        open(m_files);
        QCOMPARE(session()->marks(), marks);
    }

    void aMarkOnARankThatIsGoneStaysAtItsLastPlace()
    {
        session()->setMarks({{{1'000'100, 1'000'200}, QStringLiteral("note"), TraceId(0)}});
        QVERIFY(m_window->sessionNow().write(m_saved));
        QVERIFY(QFile::remove(m_files.front()));
        makeWindow();
        open({m_saved});
        QCOMPARE(session()->marks(), (std::vector<Mark>{{{1'000'100, 1'000'200}, QStringLiteral("note")}}));
    }

    void withoutASetClockNoneIsWritten()
    {
        for (const SessionFile::File &file : m_window->sessionNow().files)
            QVERIFY(!file.time);
    }

    void anAreaWithoutAnyOfItsLanesIsNoAreaOverAll()
    {
        session()->setArea(AreaSelection{session()->traces().span(), {{TraceId(0), LaneId(0)}}});
        QVERIFY(m_window->sessionNow().write(m_saved));
        QVERIFY(QFile::remove(m_files.front()));
        makeWindow();
        open({m_saved});
        QVERIFY(!session()->area());
    }

    void aSliceThatIsGoneIsMissed()
    {
        SessionFile file = m_window->sessionNow();
        file.selected = SessionFile::SelectedSlice{QStringLiteral("gone"), 0,
                                                   SessionFile::Lane{0, QStringLiteral("1/thread/1")}, 0};
        QVERIFY(file.write(m_saved));
        makeWindow();
        open({m_saved});
        QVERIFY(!session()->selected().valid());
        QVERIFY2(m_window->noticeText().contains(QLatin1String("gone")), qPrintable(m_window->noticeText()));
    }

    void aSliceWithoutALaneIsFoundByItsName()
    {
        SessionFile file = m_window->sessionNow();
        file.selected = SessionFile::SelectedSlice{QStringLiteral("same"), 0, std::nullopt, 0};
        QVERIFY(file.write(m_saved));
        makeWindow();
        open({m_saved});
        QCOMPARE(selectedName(*session()), QStringLiteral("same"));
    }

private:
    /// The set time at which the trace's slices start.
    Ns startOf(TraceId id) { return session()->traces().time(id).toSet(session()->traces().trace(id)->span.begin); }
    void open(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        request.useStore = false;
        WindowCase::open(request);
    }
    void saveAndReopen()
    {
        QVERIFY(m_window->sessionNow().write(m_saved));
        makeWindow();
        open({m_saved});
        QCOMPARE(session()->traces().loaded().size(), size_t(2));
    }

    QStringList m_files;
    QString m_saved;
};

RIFFLE_WIDGET_TEST(SessionPlacesTest)
#include "session_places_test.moc"
