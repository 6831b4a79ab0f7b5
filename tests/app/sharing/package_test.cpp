// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A package opens elsewhere with the same place and the same figures, and says nothing about this machine.
#include "app/sharing/package_file.h"
#include "app/sharing/packages.h"
#include "app/sharing/private_texts.h"
#include "model/analysis/summary/summary.h"
#include "model/analysis/table/table_text.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "tests/support/text_file.h"
#include "tests/support/trace_difference.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"
#include "views/summary/summary_pane.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QSysInfo>

using namespace riffle;

class PackageTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-package"));
        QVERIFY(QDir().mkpath(path(QStringLiteral("home/alicia/runs"))));
        qputenv("HOME", path(QStringLiteral("home/alicia")).toUtf8());
        for (const char *rank : {"rank0", "rank1"}) {
            const QString name = QStringLiteral("generated_%1.pt.trace.json.gz").arg(QLatin1String(rank));
            QVERIFY(QFile::copy(QStringLiteral(":/sample/") + name, own(name)));
        }
    }
    void init()
    {
        makeWindow();
        openRanks();
    }
    void cleanup() { closeWindow(); }

    void thePlaceComesBack()
    {
        const TimeSpan span = session()->traces().span();
        const TimeSpan range{span.begin + span.duration() / 4, span.begin + span.duration() / 2};
        session()->pane()->setVisibleRange(range);
        session()->setArea(AreaSelection{{range.begin + 1000, range.end - 1000}, {}});
        session()->setMarks({Mark{{range.begin + 10, range.begin + 20}, QStringLiteral("look | here")}});
        Filters filters;
        filters.text = "gemm";
        filters.traces = {session()->traces().members()[1].id};
        session()->setFilters(filters);
        m_window->bringForward(QStringLiteral("kernels"));
        auto *kernels = qobject_cast<SummaryPane *>(m_window->view(QStringLiteral("kernels")));
        kernels->choose(QStringLiteral("kernels"), QStringLiteral("stream"));
        QVERIFY(settle());
        const QString grouping = kernels->grouping();
        const TimeSpan shown = session()->pane()->visibleRange();
        const Ns origin = session()->traces().origin();
        const QString package = save(QStringLiteral("place.rifflepack"), range, false);

        makeWindow();
        openPackage(package);
        QCOMPARE(session()->traces().members().size(), size_t(2));
        QCOMPARE(session()->traces().origin(), origin);
        QCOMPARE(session()->pane()->visibleRange(), shown);
        QCOMPARE(session()->area()->in(session()->traces()), (TimeSpan{range.begin + 1000, range.end - 1000}));
        QCOMPARE(session()->marks().size(), size_t(1));
        QCOMPARE(session()->marks().front().note, QStringLiteral("look | here"));
        QCOMPARE(session()->filters().text, std::string("gemm"));
        QCOMPARE(session()->filters().traces, std::vector<TraceId>{session()->traces().members()[1].id});
        QVERIFY(m_window->isInFront(QStringLiteral("kernels")));
        kernels = qobject_cast<SummaryPane *>(m_window->view(QStringLiteral("kernels")));
        QCOMPARE(kernels->grouping(), grouping);
        QCOMPARE(m_window->windowTitle(), QStringLiteral("place.rifflepack – Riffle"));
    }

    void theTracesAreThePartsThatAreSaved()
    {
        const TimeSpan span = session()->traces().span();
        const TimeSpan range{span.begin + span.duration() / 3, span.begin + span.duration() / 2};
        const QString package = save(QStringLiteral("part.rifflepack"), range, false);
        const QString folder = unpack(package);
        const Ns begin = session()->traces().loaded()[0].trace->info.recorded.begin;
        ImportOptions options;
        options.range = TimeSpan{range.begin - begin, range.end - begin};
        const auto part = importTrace(toUtf8(own(QStringLiteral("generated_rank0.pt.trace.json.gz"))), options, {});
        const auto saved =
            importTrace(toUtf8(QDir(folder).filePath(QStringLiteral("generated_rank0.pt.trace.json.gz"))), {}, {});
        QVERIFY(part && saved);
        QVERIFY((*saved)->sliceCount() > 10);
        QCOMPARE(toQString(test::contentDifference(**part, **saved)), QString());
    }

    void hashedNamesKeepTheFigures()
    {
        Filters filters;
        filters.classes = bitOf(WorkClass::Communication); // which names decide
        session()->setFilters(filters);
        const QString package = save(QStringLiteral("hashed.rifflepack"), std::nullopt, true);
        session()->setFilters({});
        openPackage(save(QStringLiteral("named.rifflepack"), std::nullopt, false));
        const QStringList before = figures();
        const QByteArray content = inflated(package);
        for (const char *name : {"generated_rank", "train.py", "Llama", "simulated"})
            QVERIFY2(!content.contains(name), name);
        makeWindow();
        openPackage(package);
        QVERIFY(session()->filters().empty());
        const QStringList after = figures();
        QVERIFY(before.size() > 100);
        for (qsizetype row = 0; row < before.size(); ++row)
            QVERIFY2(after.value(row) == before[row], qPrintable(after.value(row) + "\n" + before[row]));
        QCOMPARE(after.size(), before.size());
    }

    void nothingNamesThisMachine()
    {
        const QString trace = own(QStringLiteral("with_paths.json"));
        const QByteArray home = QDir::homePath().toUtf8(), host = QSysInfo::machineHostName().toUtf8();
        writeFile(trace, R"({"traceName": ")" + trace.toUtf8() + R"(", "hostname": ")" + host +
                             R"(", "traceEvents": [)"
                             R"({"ph":"X","cat":"python_function","name":")" +
                             home + R"(/runs/train.py(3): main","pid":1,"tid":1,"ts":1,"dur":5,"args":{"at":")" +
                             QByteArray(home).replace("/", "\\/") + R"(\/x","log":"/scratch/alicia/log on )" + host +
                             R"("}}]})");
        // The generator's frames are in another folder; here they are in a user's.
        std::string pickle;
        test::SnapshotOptions options;
        options.entries = 500;
        test::generateSnapshot(options, [&](std::string_view part) { pickle += part; });
        const QString snapshot = own(QStringLiteral("snapshot_alicia.pickle"));
        QByteArray bytes = QByteArray::fromStdString(pickle);
        QVERIFY(bytes.contains("/opt/train/"));
        bytes.replace("/opt/train/", "/op/alicia/");
        writeFile(snapshot, bytes);
        makeWindow();
        OpenRequest request;
        request.files = {trace, snapshot};
        open(request);
        const QString package = save(QStringLiteral("plain.rifflepack"), std::nullopt, false);
        const QByteArray content = inflated(package);
        QVERIFY(content.contains("train.py(3): main"));
        QVERIFY(content.contains("memory"));
        for (const QByteArray &word : {home, QByteArray("alicia"), m_folder.path().toUtf8(), QByteArray("/tmp"),
                                       "log on " + host, '"' + host + '"'})
            QVERIFY2(!content.contains(word), word.constData());
        makeWindow();
        openPackage(package);
        QCOMPARE(session()->memory()->snapshots().size(), size_t(1));
    }

    void compressedMemoryFilesAreLeftOutBecauseTheirPathsCannotBeCovered()
    {
        QFile sample(QStringLiteral(":/sample-memory/generated_out_of_memory.pickle.gz"));
        QVERIFY2(sample.open(QIODevice::ReadOnly), "the sample");
        const QString snapshot = own(QStringLiteral("snapshot.pickle.gz"));
        writeFile(snapshot, sample.readAll());
        makeWindow();
        OpenRequest request;
        request.files = {snapshot};
        m_window->open(request);
        QTRY_VERIFY(!session()->memory()->empty() && m_window->settled());
        const QString package = path(QStringLiteral("compressed.rifflepack"));
        m_window->savePackage(package, std::nullopt, false);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->packages()->busy(); }, 60'000));
        QVERIFY(!QFileInfo::exists(package));
        QVERIFY2(m_window->noticeText().contains(QLatin1String("cannot be covered")),
                 qPrintable(m_window->noticeText()));
    }

    void aPackageNeverReplacesWhatItIsMadeOf()
    {
        const QString trace = own(QStringLiteral("generated_rank0.pt.trace.json.gz"));
        const QByteArray before = readFile(trace);
        m_window->savePackage(trace, std::nullopt, false);
        QVERIFY2(m_window->noticeText().contains(QLatin1String("is being read")), qPrintable(m_window->noticeText()));
        QCOMPARE(readFile(trace), before);
        const QString package = save(QStringLiteral("kept.rifflepack"), std::nullopt, false);
        const QByteArray packed = readFile(package);
        openPackage(package);
        m_window->savePackage(package, std::nullopt, false);
        QVERIFY2(m_window->noticeText().contains(QLatin1String("is being read")), qPrintable(m_window->noticeText()));
        QCOMPARE(readFile(package), packed);
    }

    void nothingIsLeftOfWhatIsCancelledOrFails()
    {
        const auto files = [&] {
            QStringList found;
            for (QDirIterator it(m_folder.path(), QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                                 QDirIterator::Subdirectories);
                 it.hasNext();)
                if (const QString file = it.next(); !file.contains(QLatin1String("/stores")))
                    found += file;
            found.sort();
            return found;
        };
        const QStringList before = files();
        m_window->savePackage(path(QStringLiteral("cancelled.rifflepack")), std::nullopt, false);
        m_window->packages()->cancel();
        QTRY_COMPARE(files(), before);
        m_window->savePackage(path(QStringLiteral("no such folder/x.rifflepack")), std::nullopt, false);
        QTRY_VERIFY(!m_window->packages()->busy());
        QVERIFY(!m_window->noticeText().isEmpty());
        QCOMPARE(files(), before);
        m_window->noticeBar()->dismiss();
        if (QFileInfo::exists(QStringLiteral("/dev/full"))) { // a device is no place for a package
            m_window->savePackage(QStringLiteral("/dev/full"), std::nullopt, false);
            QTRY_VERIFY(!m_window->packages()->busy());
            QVERIFY2(!m_window->noticeText().isEmpty(), qPrintable(m_window->noticeText()));
        }
        QCOMPARE(files(), before);
    }

    void badPackagesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("why");
        makeWindow();
        openRanks();
        const QByteArray good = readFile(save(QStringLiteral("good.rifflepack"), std::nullopt, false));
        closeWindow();
        QTest::addRow("empty") << QByteArray() << "ends too early";
        QTest::addRow("text") << QByteArray(2000, 'x') << "no tar archive";
        QTest::addRow("cut") << good.left(good.size() / 2) << "ends too early";
        QTest::addRow("without its end") << good.left(good.size() - 1024) << "ends too early";
        QTest::addRow("zeros") << QByteArray(1024, '\0') << "empty";
        QTest::addRow("no session") << tar({{"a.json", "{}"}}) << "does not start with a session";
        const QByteArray session = R"({"riffle": 1, "files": [{"path": "a.json"}]})";
        QTest::addRow("path") << tar({{"session.riffle", session}, {"../a.json", "{}"}}) << "plain files";
        QTest::addRow("absolute") << tar({{"session.riffle", session}, {"/etc/a.json", "{}"}}) << "plain files";
        QTest::addRow("link") << tar({{"session.riffle", session}, {"a.json", "{}"}}, '2') << "plain files";
        QTest::addRow("twice") << tar({{"session.riffle", session}, {"a.json", "{}"}, {"a.json", "[]"}}) << "same name";
        QTest::addRow("outside") << tar({{"session.riffle", R"({"riffle": 1, "files": [{"path": "../a.json"}]})"}})
                                 << "names a file that is not in it";
        QTest::addRow("rules outside") << tar({{"session.riffle",
                                                R"({"riffle": 1, "files": [{"path": "a.json"}], "memory": {"file": 0,)"
                                                R"( "device": 0, "rules": "/etc/passwd"}})"}})
                                       << "names a file that is not in it";
        QTest::addRow("huge") << tar({{"session.riffle", session}}, '0', "77777777777") << "ends too early";
        QTest::addRow("negative") << tar({{"session.riffle", session}}, '0', "-0000000001") << "head of a file";
        QByteArray flipped = good;
        flipped[150] = '9';
        QTest::addRow("sum") << flipped << "no tar archive";
    }
    void badPackagesAreRefused()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, why);
        const QString file = path(QStringLiteral("bad.rifflepack"));
        writeFile(file, content);
        const auto traces = session()->traces().members().size();
        OpenRequest request;
        request.files = {file};
        m_window->open(request);
        QTRY_VERIFY(!m_window->packages()->busy());
        if (QTest::currentDataTag() == QLatin1String("negative"))
            why = m_window->noticeText().contains(why) ? why : QStringLiteral("no tar archive");
        QVERIFY2(m_window->noticeText().contains(why), qPrintable(m_window->noticeText()));
        QCOMPARE(session()->traces().members().size(), traces); // what was open stays
        QVERIFY(!QFileInfo::exists(path(QStringLiteral("stores/a.json"))));
        const QDir cache(path(QStringLiteral("stores/packages")));
        QVERIFY(cache.entryList({QStringLiteral("unpacking-*")}, QDir::Dirs | QDir::Hidden).isEmpty());
    }

    void onlyWholeWordsArePrivate()
    {
        const PrivateTexts texts({"/data/run"});
        std::string text = "/data/run/a.json /data/running " + toUtf8(QDir::homePath()) + "/b";
        texts.replaceIn(text);
        QCOMPARE(toQString(text), QStringLiteral("./a.json /data/running ~/b"));
        std::string bytes = "x/data/run/a";
        texts.coverIn(bytes, true);
        QCOMPARE(toQString(bytes), QStringLiteral("x/xxxx/xxx/a"));
        std::string cut = "/data/run";
        texts.coverIn(cut, false); // "/data/running" may follow
        QCOMPARE(toQString(cut), QStringLiteral("/data/run"));
    }

private:
    QString own(const QString &name) const { return path(QStringLiteral("home/alicia/runs/") + name); }
    void openRanks()
    {
        OpenRequest request;
        request.files = {own(QStringLiteral("generated_rank0.pt.trace.json.gz")),
                         own(QStringLiteral("generated_rank1.pt.trace.json.gz"))};
        open(request);
    }
    bool settle() const
    {
        return QTest::qWaitFor([this] { return m_window->settled(); });
    }
    static QByteArray readFile(const QString &name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void writeFile(const QString &name, const QByteArray &content)
    {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }
    QString save(const QString &name, std::optional<TimeSpan> range, bool hashed)
    {
        const QString package = path(name);
        m_window->savePackage(package, range, hashed);
        if (!QTest::qWaitFor([this] { return !m_window->packages()->busy(); }, 60'000) || !QFileInfo::exists(package))
            qFatal("%s", qPrintable(m_window->noticeText()));
        return package;
    }
    void openPackage(const QString &package)
    {
        OpenRequest request;
        request.files = {package};
        m_window->open(request);
        QVERIFY2(QTest::qWaitFor([this] { return !m_window->packages()->busy(); }), "unpacking");
        QVERIFY(QTest::qWaitFor([this] { return !session()->traces().empty() && m_window->settled(); }, 30'000));
    }
    QString unpack(const QString &package)
    {
        const QString folder = path(QStringLiteral("unpacked"));
        QDir(folder).removeRecursively();
        QDir().mkpath(folder);
        const auto hash = unpackPackage(package, folder, {});
        if (!hash)
            qFatal("%s", hash.error().text().c_str());
        return folder;
    }
    /// All bytes of a package, with its traces inflated.
    QByteArray inflated(const QString &package)
    {
        QByteArray all = readFile(package);
        const QDir folder(unpack(package));
        for (const QString &name : folder.entryList({QStringLiteral("*.gz")}, QDir::Files)) {
            const auto text = test::inflateGzip(readFile(folder.filePath(name)).toStdString());
            if (!text)
                qFatal("The trace of the package is damaged.");
            all += QByteArray::fromStdString(*text);
        }
        return all;
    }
    /// The figures of the tables of the open traces, without names; sorted, because names order rows that are equal.
    QStringList figures()
    {
        QStringList all;
        for (const char *view : {"overview", "steps", "kernels", "operators", "collectives", "memcpy", "device",
                                 "critical-path", "distribution"}) {
            SummaryRequest request;
            request.view = view;
            const auto table = summarize(*session()->facts(), request, {});
            if (!table)
                continue;
            for (uint32_t row = 0; row < table->rows(); ++row) {
                QStringList cells{QLatin1String(view)};
                for (const ResultColumn &column : table->columns)
                    if (column.kind != CellKind::Text)
                        cells += toQString(column.key + '=' + cellValue(column, row));
                all += cells.join(QLatin1Char(' '));
            }
        }
        all.sort();
        return all;
    }
    /// A tar archive with these files. The type and the size replace those of the last one.
    static QByteArray tar(const std::vector<std::pair<QByteArray, QByteArray>> &files, char type = '0',
                          const QByteArray &size = {})
    {
        QByteArray all;
        for (size_t at = 0; at < files.size(); ++at) {
            const auto &[name, content] = files[at];
            QByteArray head(512, '\0');
            head.replace(0, name.size(), name);
            head.replace(100, 7, "0000644");
            const bool isLast = at + 1 == files.size();
            const QByteArray octal =
                isLast && !size.isEmpty() ? size : QByteArray::number(content.size(), 8).rightJustified(11, '0');
            head.replace(124, 11, octal);
            head[156] = isLast ? type : '0';
            head.replace(257, 8,
                         QByteArray("ustar\0"
                                    "00",
                                    8));
            head.replace(148, 8, "        ");
            unsigned sum = 0;
            for (const char c : head)
                sum += static_cast<unsigned char>(c);
            head.replace(148, 7, QByteArray::number(sum, 8).rightJustified(6, '0') + '\0');
            all += head + content + QByteArray((512 - content.size() % 512) % 512, '\0');
        }
        return all + QByteArray(1024, '\0');
    }
};

RIFFLE_WIDGET_TEST(PackageTest)
#include "package_test.moc"
