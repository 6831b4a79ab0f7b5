// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Folders and archives open the set in them, files are added and closed, and changes on disk are noticed.
#include "app/opening/open_controller.h"
#include "tests/app/window_case.h"
#include "tests/support/file_archives.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <functional>

using namespace riffle;

class SetsTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-test-sets")); }
    void init()
    {
        QVERIFY(QDir(path(QStringLiteral("run"))).removeRecursively());
        QFile::remove(path(QStringLiteral("settings.ini")));
        makeWindow();
    }
    void cleanup() { closeWindow(); }

    void aDroppedFolderOpensTheSetInIt()
    {
        for (const int rank : {10, 2})
            write(QStringLiteral("run/rank%1.json").arg(rank), trace(rank));
        write(QStringLiteral("run/notes.txt"), "text");
        drop({path(QStringLiteral("run"))});
        QCOMPARE(ranks(), (std::vector<int64_t>{2, 10}));
        QVERIFY2(m_window->noticeText().contains(QLatin1String("run/notes.txt: It is no trace")),
                 qPrintable(m_window->noticeText()));
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("run – ")));
        const RecentSet recent = m_settings->recentSets().front();
        QCOMPARE(recent.files, QStringList{path(QStringLiteral("run"))});
        QCOMPARE(recent.title(), QStringLiteral("run, 2 files"));
        QVERIFY(m_window->mayWrite(path(QStringLiteral("run/notes.txt"))));
        QVERIFY(!m_window->mayWrite(path(QStringLiteral("run/rank2.json"))));
    }

    void filesWithoutAPageAreSaidAndLeftOut()
    {
        // Beside traces, they are no members of the set; alone, the message says which command reads them.
        write(QStringLiteral("run/rank2.json"), trace(2));
        const QString log = write(
            QStringLiteral("run/inspector.log"),
            R"({"header":{"id":"0x7f","comm_name":"dp","rank":2,"n_ranks":8,"nnodes":2},"metadata":)"
            R"({"inspector_output_format_version":"v4.0","dump_timestamp_us":1748030377748202,"hostname":"node-1",)"
            R"("pid":4711},"coll_perf":{"coll":"AllReduce","coll_sn":3,"coll_msg_size_bytes":1024,)"
            R"("coll_exec_time_us":61974}})"
            "\n");
        drop({path(QStringLiteral("run"))});
        QCOMPARE(ranks(), std::vector<int64_t>{2});
        QVERIFY2(m_window->noticeText().contains(QLatin1String("inspector.log: A log of NCCL Inspector")),
                 qPrintable(m_window->noticeText()));
        drop({log});
        QVERIFY2(m_window->noticeText().contains(QLatin1String("riffle-cli info")), qPrintable(m_window->noticeText()));
    }

    void aJsonThatIsStillWrittenIsReadAgain()
    {
        const auto events = [](int count) {
            QByteArray text = R"({"traceEvents": [)";
            for (int at = 0; at < count; ++at)
                text += (at ? "," : "") +
                        QStringLiteral(R"({"ph": "X", "name": "n%1", "pid": 1, "tid": 1, "ts": %2, "dur": 5})")
                            .arg(at)
                            .arg(at * 10)
                            .toUtf8();
            return text;
        };
        const QString file = path(QStringLiteral("run/growing.json"));
        write(QStringLiteral("run/growing.json"), events(10));
        drop({file});
        session()->select({TraceId(0), SliceId(3)});
        session()->pane()->setVisibleRange({20'000, 50'000});
        write(QStringLiteral("run/growing.json"), events(30));
        const auto slices = [this] { return session()->traces().trace(TraceId(0))->sliceCount(); };
        QTRY_COMPARE(slices(), uint64_t(30));
        QVERIFY(m_window->changesBar()->text().isEmpty());
        QCOMPARE(session()->selected(), (SliceRef{TraceId(0), SliceId(3)}));
        QCOMPARE(session()->pane()->visibleRange(), (TimeSpan{20'000, 50'000}));
        write(QStringLiteral("run/growing.json"), events(40) + "]}"); // its end
        QTRY_COMPARE(slices(), uint64_t(40));
        write(QStringLiteral("run/growing.json"), events(50) + "]}"); // another file
        QTRY_VERIFY(m_window->changesBar()->text().contains(QLatin1String("growing.json changed on disk")));
    }

    void aDroppedArchiveOpensAndASessionNamesItsFiles()
    {
        if (!test::opensFileArchives())
            QSKIP("This build lacks libarchive.");
        const QString archive = path(QStringLiteral("run.tar"));
        write(QStringLiteral("run.tar"),
              QByteArray::fromStdString(test::tarOf(
                  {{"run/rank1.json", trace(1).toStdString()}, {"run/rank0.json", trace(0).toStdString()}})));
        drop({archive});
        QCOMPARE(ranks(), (std::vector<int64_t>{0, 1}));
        QVERIFY(!m_window->mayWrite(archive));
        const SessionFile file = m_window->sessionNow();
        QCOMPARE(file.files.front().path, archive + QStringLiteral("/run/rank0.json"));
        const QString saved = path(QStringLiteral("archive.riffle"));
        QVERIFY(file.write(saved));
        makeWindow();
        m_window->openSession(saved);
        QVERIFY(opened());
        QCOMPARE(ranks(), (std::vector<int64_t>{0, 1}));
        QVERIFY2(m_window->noticeText().isEmpty(), qPrintable(m_window->noticeText()));
    }

    void aFolderWithoutASetSaysWhatIsInIt()
    {
        write(QStringLiteral("run/notes.txt"), "text");
        dropFiles(*m_window, {path(QStringLiteral("run"))});
        QTRY_VERIFY(m_window->noticeText().contains(QLatin1String("It contains no trace")));
        QVERIFY(m_window->noticeText().contains(QLatin1String("notes.txt")));
        QVERIFY(!m_window->controller()->loading());
        QVERIFY(session()->traces().empty());
    }

    void filesAreAddedBesideTheOthersWhichStay()
    {
        const QString first = write(QStringLiteral("run/rank0.json"), trace(0)),
                      second = write(QStringLiteral("run/rank1.json"), trace(1));
        drop({first});
        const SliceRef selected{TraceId(0), SliceId(1)};
        session()->select(selected);
        session()->pane()->setVisibleRange(kSeen);
        session()->setMarks({{kSeen, QStringLiteral("here")}});
        QSignalSpy changed(m_window->controller(), &OpenController::changed);
        dropFiles(*m_window, {second, first}, Qt::ShiftModifier);
        QTRY_COMPARE(changed.count(), 1);
        QCOMPARE(ranks(), (std::vector<int64_t>{0, 1}));
        QCOMPARE(session()->selected(), selected);
        QCOMPARE(session()->pane()->visibleRange(), kSeen);
        QCOMPARE(session()->marks().size(), size_t(1));
        QVERIFY(m_window->noticeText().contains(QLatin1String("Already open: rank0.json.")));
        QCOMPARE(m_window->controller()->request().files, (QStringList{first, second}));
        QCOMPARE(m_settings->recentSets().front().title(), QStringLiteral("2 ranks of run"));
    }

    void theKeyAndTheMenuChooseWhatToAddAndWhatToOpen()
    {
        const QString first = write(QStringLiteral("run/rank0.json"), trace(0)),
                      second = write(QStringLiteral("run/rank1.json"), trace(1));
        drop({first});
        choose(second,
               [this] { QTest::keyClick(m_window->timeline(), Qt::Key_O, Qt::ControlModifier | Qt::ShiftModifier); });
        QTRY_COMPARE(ranks(), (std::vector<int64_t>{0, 1}));
        closeInMenu(0);
        QTRY_COMPARE(ranks(), std::vector<int64_t>{1});
        choose(path(QStringLiteral("run")), [this] {
            QMenu *file = m_window->menuBar()->actions().front()->menu();
            file->popup(m_window->mapToGlobal(QPoint(40, 40)));
            QAction *folder = file->findChild<QAction *>(QStringLiteral("openFolder"));
            QTest::mouseClick(file, Qt::LeftButton, {}, file->actionGeometry(folder).center());
        });
        QTRY_COMPARE(ranks(), (std::vector<int64_t>{0, 1}));
        QVERIFY(m_window->windowTitle().startsWith(QStringLiteral("run – ")));
    }

    void aFileThatCannotBeAddedLeavesTheOthersAlone()
    {
        const QString first = write(QStringLiteral("run/rank0.json"), trace(0)),
                      broken = write(QStringLiteral("run/broken.json"), "this is no trace");
        drop({first});
        QSignalSpy changed(m_window->controller(), &OpenController::changed);
        dropFiles(*m_window, {broken}, Qt::ShiftModifier);
        QTRY_COMPARE(changed.count(), 1);
        QVERIFY(m_window->noticeText().contains(QLatin1String("broken.json")));
        QCOMPARE(session()->traces().members().back().state, MemberState::Failed);
        QCOMPARE(m_window->controller()->request().files, QStringList{first});
    }

    void oneIsClosedFromTheMenuAndTheOthersStay()
    {
        QStringList files;
        for (int rank = 0; rank < 3; ++rank)
            files += write(QStringLiteral("run/rank%1.json").arg(rank), trace(rank));
        drop(files);
        const SliceRef selected{TraceId(2), SliceId(1)};
        session()->select(selected);
        closeInMenu(1);
        QTRY_COMPARE(ranks(), (std::vector<int64_t>{0, 2}));
        QCOMPARE(session()->selected(), selected);
        QCOMPARE(m_window->controller()->request().files, (QStringList{files[0], files[2]}));
        closeInMenu(0);
        closeInMenu(0);
        QTRY_VERIFY(session()->traces().empty());
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("welcome"));
        QCOMPARE(m_window->windowTitle(), QStringLiteral("Riffle"));
    }

    void f5ReadsAgainAndKeepsThePlace()
    {
        const QString file = write(QStringLiteral("run/rank0.json"), trace(0));
        drop({file});
        session()->select({TraceId(0), SliceId(2)});
        session()->pane()->setVisibleRange(kSeen);
        session()->setMarks({{kSeen, QStringLiteral("here")}});
        write(QStringLiteral("run/rank0.json"), trace(0, 60));
        QTest::keyClick(m_window->timeline(), Qt::Key_F5);
        QTRY_COMPARE(session()->traces().trace(TraceId(0))->sliceCount(), uint64_t(60));
        QTRY_VERIFY(m_window->settled());
        QCOMPARE(session()->selected(), (SliceRef{TraceId(0), SliceId(2)}));
        QCOMPARE(session()->pane()->visibleRange(), kSeen);
        QCOMPARE(session()->marks().size(), size_t(1));
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("timeline"));
    }

    void aChangeOnDiskIsSaidOnceAndOneClickReadsAgain()
    {
        const QString file = write(QStringLiteral("run/rank0.json"), trace(0));
        drop({file});
        QTRY_VERIFY(m_window->controller()->idle());
        QTest::qWait(600); // the watch has seen the file
        QVERIFY(!m_window->changesBar()->isVisible());
        replace(file, trace(0, 60));
        QTRY_COMPARE(m_window->changesBar()->text(), QStringLiteral("rank0.json changed on disk."));
        QTest::mouseClick(button(0), Qt::LeftButton);
        QTRY_COMPARE(session()->traces().trace(TraceId(0))->sliceCount(), uint64_t(60));
        QTRY_VERIFY(!m_window->changesBar()->isVisible());
        QTest::qWait(600);
        write(QStringLiteral("run/rank0.json"),
              trace(0, 70)); // the file that took the other one's place is watched, too
        QTRY_COMPARE(m_window->changesBar()->text(), QStringLiteral("rank0.json changed on disk."));
        QTest::mouseClick(button(1), Qt::LeftButton);
        QVERIFY(!m_window->changesBar()->isVisible());
        QCOMPARE(session()->traces().trace(TraceId(0))->sliceCount(), uint64_t(60));
    }

    void aTouchedFileAndOurOwnFilesAreNoChange()
    {
        const QString file = write(QStringLiteral("run/rank0.json"), trace(0));
        drop({file});
        QTRY_VERIFY(m_window->controller()->idle());
        QTest::qWait(600);
        replace(file, trace(0)); // the same content at another time
        QVERIFY(m_window->sessionNow().write(path(QStringLiteral("run/own.riffle"))));
        QTest::qWait(1500);
        QVERIFY2(!m_window->changesBar()->isVisible(), qPrintable(m_window->changesBar()->text()));
    }

    void aRecentSetOpensAsOneAndNamesWhatIsMissing()
    {
        const QString first = write(QStringLiteral("run/rank0.json"), trace(0)),
                      second = write(QStringLiteral("run/rank1.json"), trace(1));
        drop({first, second});
        QVERIFY(QFile::remove(second));
        makeWindow();
        auto *recent = menu(QStringLiteral("openRecent"));
        recent->popup(m_window->mapToGlobal(QPoint(40, 40)));
        QAction *entry = recent->actions().front();
        QVERIFY2(entry->text().startsWith(QStringLiteral("2 ranks of run · ")) &&
                     entry->text().endsWith(QLatin1String("rank1.json is missing")),
                 qPrintable(entry->text()));
        QTest::mouseClick(recent, Qt::LeftButton, {}, recent->actionGeometry(entry).center());
        QVERIFY(opened());
        QCOMPARE(ranks(), std::vector<int64_t>{0});
        QVERIFY(m_window->noticeText().contains(QLatin1String("rank1.json")));
    }

private:
    static constexpr TimeSpan kSeen{1'020'000, 1'050'000};

    QString write(const QString &name, const QByteArray &content)
    {
        QDir(m_folder.path()).mkpath(QFileInfo(path(name)).path());
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("no room for a file");
        return path(name);
    }
    /// Puts another file in the place of one, as editors and profilers do.
    void replace(const QString &file, const QByteArray &content)
    {
        const QString other = write(QStringLiteral("other"), content);
        if (std::rename(QFile::encodeName(other).constData(), QFile::encodeName(file).constData()) != 0)
            qFatal("a file cannot be replaced");
    }
    static QByteArray trace(int rank, int slices = 30)
    {
        QByteArray text = R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + QByteArray::number(rank) +
                          R"(, "world_size": 16}, "baseTimeNanoseconds": 0, "traceEvents": [)";
        for (int at = 0; at < slices; ++at)
            text += R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" +
                    QByteArray::number(1000 + 10 * at) + ",\"dur\":9},\n";
        text.chop(2);
        return text + "]}";
    }
    std::vector<int64_t> ranks()
    {
        std::vector<int64_t> found;
        for (const LoadedTrace &member : session()->traces().loaded())
            found.push_back(member.trace->info.rank.value_or(-1));
        return found;
    }
    /// Does something that opens a file dialog, and chooses a file or folder there.
    void choose(const QString &name, const std::function<void()> &open)
    {
        QTimer answering;
        connect(&answering, &QTimer::timeout, this, [&] {
            if (auto *dialog = qobject_cast<QFileDialog *>(QApplication::activeModalWidget())) {
                dialog->findChild<QLineEdit *>()->setText(name);
                QMetaObject::invokeMethod(dialog, "accept");
            }
        });
        answering.start(20);
        open();
    }
    QMenu *menu(const QString &name) { return m_window->menuBar()->findChild<QMenu *>(name); }
    void closeInMenu(int place)
    {
        QMenu *open = menu(QStringLiteral("closeOne"));
        open->popup(m_window->mapToGlobal(QPoint(40, 40)));
        QTest::mouseClick(open, Qt::LeftButton, {}, open->actionGeometry(open->actions().at(place)).center());
    }
    /// The buttons of the bar: "Read again", and the one that dismisses it.
    QToolButton *button(int place) { return m_window->changesBar()->findChildren<QToolButton *>().value(place); }
};

RIFFLE_WIDGET_TEST(SetsTest)
#include "sets_test.moc"
