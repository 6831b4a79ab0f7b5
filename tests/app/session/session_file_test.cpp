// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_file.h"
#include "tests/support/qt/widget_tests.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace riffle;

class SessionFileTest : public QObject {
    Q_OBJECT

private slots:
    void comesBackAsItWasSaved()
    {
        const QString trace = write(QStringLiteral("traces/a.json"), "[]");
        SessionFile file;
        file.files.push_back({trace, *SourceIdentity::of(trace.toStdString()), {}, {}});
        file.visible = TimeSpan{-5, 9007199254740993};
        file.area = TimeSpan{1, 2};
        file.areaLanes = {{0, QStringLiteral("1/thread/2")}, {0, QStringLiteral("0/stream/7")}};
        file.selected = SessionFile::SelectedSlice{QStringLiteral("aten::mm 名"), 12,
                                                   SessionFile::Lane{0, QStringLiteral("1/x/2")}, 3};
        file.areaOwn = RankSpan{0, {-4, 9007199254740993}};
        file.marks = {{{3, 3}, QStringLiteral("here\nit is")}, {{4, 8}, {}, RankSpan{0, {-7, 9007199254740993}}}};
        file.lanes = QJsonObject{{QStringLiteral("pinned"), QStringLiteral("x")}};
        const QString path = m_folder.filePath(QStringLiteral("a.riffle"));
        QVERIFY(file.write(path));
        const auto read = SessionFile::read(path);
        QVERIFY(read);
        QCOMPARE(read->files.front().path, trace);
        QCOMPARE(*read->visible, *file.visible);
        QCOMPARE(*read->area, *file.area);
        QCOMPARE(read->selected->name, file.selected->name);
        QCOMPARE(read->selected->start, Ns(12));
        QVERIFY(read->selected->lane == file.selected->lane);
        QCOMPARE(read->selected->row, 3u);
        QVERIFY(read->areaLanes == file.areaLanes);
        QVERIFY(read->areaOwn == file.areaOwn);
        QVERIFY(read->marks == file.marks);
        QCOMPARE(read->lanes, file.lanes);
        QVERIFY(!read->range);
        QVERIFY(read->changedFiles().isEmpty());
    }

    void filtersAndTheViewComeBack()
    {
        SessionFile file;
        file.files.push_back({m_folder.filePath(QStringLiteral("a.json")), {}, {}, {}});
        SessionFile::SavedFilters filters;
        filters.plain.stepMark = "iteration";
        filters.plain.withoutFirstStep = true;
        filters.plain.steps = {3, -9007199254740993};
        filters.plain.name = "aten::mm 名";
        filters.plain.text = "/gemm|x/";
        filters.plain.withoutNames = {"aten::empty", "名"};
        filters.plain.classes = bitOf(WorkClass::Communication) | bitOf(WorkClass::OtherHost);
        filters.lanes = {{0, QStringLiteral("1/thread/2")}};
        filters.traces = {0};
        filters.followsView = true;
        file.filters = filters;
        file.view = QJsonObject{{QStringLiteral("page"), QStringLiteral("timeline")}};
        const QString path = m_folder.filePath(QStringLiteral("filters.riffle"));
        QVERIFY(file.write(path));
        const auto read = SessionFile::read(path);
        QVERIFY(read && read->filters);
        QVERIFY(read->filters->plain == filters.plain);
        QVERIFY(read->filters->lanes == filters.lanes);
        QCOMPARE(read->filters->traces, filters.traces);
        QVERIFY(read->filters->followsView);
        QCOMPARE(read->view, file.view);
    }

    void aPartOfTheFilesTakesWhatIsSaidAboutThem()
    {
        SessionFile file;
        for (const char *name : {"a.json", "b.json", "c.pickle"})
            file.files.push_back({m_folder.filePath(QLatin1String(name)), {}, {}, {}});
        file.files[2].trace = 1;
        file.area = TimeSpan{1, 2};
        file.areaLanes = {{0, QStringLiteral("x")}, {1, QStringLiteral("y")}};
        file.areaOwn = RankSpan{0, {1, 2}};
        file.selected = SessionFile::SelectedSlice{QStringLiteral("mm"), 1, SessionFile::Lane{1, {}}, 0};
        file.marks = {{{3, 4}, QStringLiteral("m"), RankSpan{0, {3, 4}}}, {{5, 6}, {}, RankSpan{1, {5, 6}}}};
        file.filters = SessionFile::SavedFilters{{}, {{0, QStringLiteral("x")}}, {0, 1}, false};
        file.memory = SessionMemory{};
        file.memory->file = 2;
        const SessionFile kept = file.keeping({1, 2});
        QCOMPARE(kept.files.size(), size_t(2));
        QCOMPARE(kept.files[1].trace, std::optional<size_t>(0));
        QVERIFY(kept.areaLanes == (std::vector<SessionFile::Lane>{{0, QStringLiteral("y")}}));
        QVERIFY(kept.area && !kept.areaOwn);
        QCOMPARE(kept.selected->lane->file, size_t(0));
        QCOMPARE(kept.marks.size(), size_t(2)); // the first one keeps its place in the time of all
        QVERIFY(!kept.marks[0].own && kept.marks[1].own->file == 0);
        QVERIFY(kept.filters->lanes.empty());
        QCOMPARE(kept.filters->traces, std::vector<size_t>{0});
        QCOMPARE(kept.memory->file, size_t(1));
        QVERIFY(!file.keeping({0}).memory && !file.keeping({0}).selected);
    }

    void clocksAndTheTracesOfSnapshotsComeBack()
    {
        SessionFile file;
        file.files.push_back({m_folder.filePath(QStringLiteral("a.json")),
                              {},
                              TimeMap({{-7, 1}, {9007199254740993, 12345678901234567}}),
                              {}});
        file.files.push_back({m_folder.filePath(QStringLiteral("b.json")), {}, {}, {}});
        file.files.push_back({m_folder.filePath(QStringLiteral("c.pickle")), {}, {}, 1});
        const QString path = m_folder.filePath(QStringLiteral("clocks.riffle"));
        QVERIFY(file.write(path));
        const auto read = SessionFile::read(path);
        QVERIFY(read);
        for (size_t at = 0; at < 3; ++at) {
            QVERIFY(read->files[at].time == file.files[at].time);
            QCOMPARE(read->files[at].trace, file.files[at].trace);
        }
    }

    void clocksThatCannotBeAreLeftOut()
    {
        for (const char *knots :
             {"[]", "7", R"([{"trace": 1, "set": 2}])", R"([{"trace": "1", "set": "2"}, {"trace": "1", "set": "3"}])",
              R"([{"trace": "1", "set": "2"}, {"trace": "2", "set": "2"}])",
              R"([{"trace": "1", "set": "9223372036854775807"}])",
              R"([{"trace": "1", "set": "99999999999999999999"}])"}) {
            const QByteArray text =
                QByteArray(R"({"riffle": 1, "files": [{"path": "a.json", "trace": -1, "clock": )") + knots + "}]}";
            const auto read = SessionFile::read(write(QStringLiteral("bad.riffle"), text));
            QVERIFY(read);
            QVERIFY2(!read->files.at(0).time, knots);
            QVERIFY(!read->files.at(0).trace);
        }
    }

    void aFileOfAnOlderVersionNamesNoLanes()
    {
        const auto read =
            SessionFile::read(write(QStringLiteral("old.riffle"), R"({"riffle": 1, "files": [{"path": "a.json"}],
            "area": {"begin": "1", "end": "2"}, "selected": {"name": "x", "start": "5"}})"));
        QVERIFY(read);
        QCOMPARE(*read->area, (TimeSpan{1, 2}));
        QVERIFY(read->areaLanes.empty());
        QCOMPARE(read->selected->start, Ns(5));
        QVERIFY(!read->selected->lane);
    }

    void pathsAreRelativeSoThatTheFolderCanMove()
    {
        const QString trace = write(QStringLiteral("traces/b.json"), "[]");
        SessionFile file;
        file.files.push_back({trace, std::nullopt, {}, {}});
        const QString path = m_folder.filePath(QStringLiteral("b.riffle"));
        QVERIFY(file.write(path));
        QFile text(path);
        QVERIFY(text.open(QIODevice::ReadOnly));
        const QByteArray content = text.readAll();
        QVERIFY(content.contains("\"traces/b.json\""));
        QVERIFY(!content.contains(m_folder.path().toUtf8()));
    }

    void marksOfOldFilesAndImpossibleRangesOnRanksAreInSetTime()
    {
        const QByteArray begin = R"({"riffle": 1, "files": [{"path": "a"}], "area": {"begin": "1", "end": "2"},)"
                                 R"( "marks": [{"begin_ns": "3", "end_ns": "4", "note": "n")";
        for (const char *own : {"", R"(, "own": 5)", R"(, "own": {"file": -1, "begin": "1", "end": "2"})",
                                R"(, "own": {"file": 0, "begin": "2", "end": "1"})",
                                R"(, "own": {"file": 0, "begin": "-9223372036854775808", "end": "1"})",
                                R"(, "own": {"file": 0, "begin": 1, "end": 2})"}) {
            const auto read = SessionFile::read(write(QStringLiteral("old.riffle"), begin + own + "}]}"));
            QVERIFY(read);
            QCOMPARE(read->marks.size(), size_t(1));
            QVERIFY2(read->marks[0] == (SavedMark{{3, 4}, QStringLiteral("n")}), own);
            QVERIFY(!read->areaOwn);
        }
    }

    void aChangedTraceIsNoticed()
    {
        const QString trace = write(QStringLiteral("c.json"), "[]");
        SessionFile file;
        file.files.push_back({trace, *SourceIdentity::of(trace.toStdString()), {}, {}});
        write(QStringLiteral("c.json"), "[{}]");
        QCOMPARE(file.changedFiles(), QStringList{trace});
    }

    void whatIsNoSessionIsSaidToBeNone()
    {
        for (const char *text : {"", "[]", "{}", "not json", R"({"riffle": 1, "files": []})", R"({"riffle": 99})"}) {
            const auto read = SessionFile::read(write(QStringLiteral("d.riffle"), text));
            QVERIFY2(!read, text);
            QVERIFY(!read.error().message.empty());
        }
        QVERIFY(!SessionFile::read(m_folder.filePath(QStringLiteral("missing.riffle"))));
        const QString pipe = m_folder.filePath(QStringLiteral("pipe.riffle"));
        QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QVERIFY(!SessionFile::read(pipe)); // and does not wait for a writer
    }

private:
    QString write(const QString &name, const QByteArray &text)
    {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(path).absolutePath());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            qFatal("cannot write");
        return path;
    }

    QTemporaryDir m_folder;
};

RIFFLE_WIDGET_TEST(SessionFileTest)
#include "session_file_test.moc"
