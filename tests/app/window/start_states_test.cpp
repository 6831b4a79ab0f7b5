// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The window when files are opened for the first time: one row per kind of file, as in docs/window.md.
#include "tests/app/window_case.h"

#include "app/window/shell/tab_dock.h"
#include "app/window/shell/tab_row.h"
#include "tests/support/byte_sink.h"
#include "tests/support/flight_job.h"
#include "tests/support/log_writer.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/snapshot_generator.h"
#include "tests/support/trace_generator.h"
#include "views/common/look/notice_bar.h"
#include "views/common/memory/memory_session.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_view.h"
#include "views/strip/strip_item.h"
#include "views/strip/strip_view.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/step_ribbon.h"
#include "views/timeline/timeline_state.h"

#include <QDir>
#include <QLabel>

#include <cstdio>

using namespace riffle;

class StartStatesTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase();
    void init() { QFile::remove(path(QStringLiteral("settings.ini"))); }
    void cleanup() { closeWindow(); }

    void theWindowAtFirst_data();
    void theWindowAtFirst();
    void pythonStacksHidePlumbing();
    void namesColourWhatIsNotFromMachineLearning();
    void hostLanesOpenWithEightRows();
    void theBandsOfASnapshotFillTheWindow();
    void aRankIsOneRowUntilItIsOpened();
    void ranksThatAreAddedDoNotFoldTheOthers();

private:
    void writeTrace(const QString &name, bool withPython, int rank);
    void write(const QString &name, const QByteArray &text)
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    }
    /// Opens files in a window of which nothing is remembered.
    void openFirst(const QStringList &names)
    {
        makeWindow();
        OpenRequest request;
        for (const QString &name : names)
            request.files += QDir::isAbsolutePath(name) ? name : path(name);
        m_window->open(request);
        QVERIFY(QTest::qWaitFor([this] {
            return !m_window->controller()->loading() && m_window->settled() &&
                   m_window->workspace()->page() != QLatin1String("welcome");
        }));
    }
    QString figures() const;
    QString lanes();
    QString offer() const
    {
        const auto *label = m_window->timeline()->steps().findChild<QLabel *>();
        return label->isHidden() ? QString() : label->text();
    }
    QStringList ranks() const
    {
        QStringList names;
        for (int rank = 0; rank < kRanks; ++rank)
            names += QStringLiteral("rank%1.json").arg(rank);
        return names;
    }

    static constexpr int kRanks = 8;
    /// The headings of an unfolded trace: PyTorch's have groups in which the profiler writes about itself.
    static inline const QString kOpen = QStringLiteral("device host (quiet) (quiet) (quiet)");
    static inline const QString kFolded = QStringLiteral(" (rank)");
    std::unique_ptr<test::LogFolder> m_log;
};

void StartStatesTest::writeTrace(const QString &name, bool withPython, int rank)
{
    test::TraceOptions options;
    options.steps = 3;
    options.layers = 1;
    options.withPython = withPython;
    options.rank = rank;
    options.worldSize = kRanks;
    std::FILE *file = std::fopen(path(name).toLocal8Bit().constData(), "wb");
    QVERIFY(file);
    test::ByteSink sink(test::ByteSink::toFile(file));
    test::generateTrace(options, sink);
    sink.flush();
    QCOMPARE(std::fclose(file), 0);
}

void StartStatesTest::initTestCase()
{
    prepare(QStringLiteral("riffle-start-states-test"));
    writeTrace(QStringLiteral("gpu.json"), false, 0);
    writeTrace(QStringLiteral("python.json"), true, 0);
    for (int rank = 0; rank < kRanks; ++rank)
        writeTrace(ranks().at(rank), false, rank);
    write(QStringLiteral("host.json"), R"({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":60},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":110,"dur":40,"args":{"External id": 1}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":160,"dur":60},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":170,"dur":40,"args":{"External id": 2}}]})");
    QByteArray serving = R"({"schemaVersion": 1, "traceEvents": [)";
    for (int at = 0; at < 10; ++at)
        serving += QStringLiteral(
                       R"({"ph":"X","cat":"user_annotation","name":"decode","pid":1,"tid":1,"ts":%1,"dur":800},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%2,"dur":5,"args":{"correlation":%4}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%3,"dur":500,"args":{"device":0,"stream":7,"correlation":%4}},
)")
                       .arg(at * 1000)
                       .arg(at * 1000 + 10)
                       .arg(at * 1000 + 100)
                       .arg(at + 1)
                       .toUtf8();
    serving.truncate(serving.lastIndexOf(','));
    write(QStringLiteral("serving.json"), serving + "]}");
    write(
        QStringLiteral("other.json"),
        R"([{"ph":"X","name":"load","pid":1,"tid":1,"ts":0,"dur":50},{"ph":"X","name":"parse","pid":1,"tid":1,"ts":10,"dur":20}])");
    test::FlightJob job({{"0", "default_pg", {0, 1}}});
    job.all(0, "all_reduce");
    test::FlightJob::wait(job.call(0, 0, "broadcast"));
    for (const int rank : {0, 1})
        write(QStringLiteral("nccl_trace_rank_%1").arg(rank), QByteArray::fromStdString(job.json(rank)));
    QByteArray snapshot;
    test::SnapshotOptions options;
    options.entries = 5000;
    test::generateSnapshot(
        options, [&](std::string_view part) { snapshot.append(part.data(), static_cast<qsizetype>(part.size())); });
    write(QStringLiteral("snapshot.pickle"), snapshot);
    QVERIFY(QFile::copy(QStringLiteral(":/sample-memory/generated_out_of_memory.pickle.gz"),
                        path(QStringLiteral("failed.pickle.gz"))));
    m_log = std::make_unique<test::LogFolder>();
    m_log->write("0001.part", test::everythingLog().bytes());
}

/// The figures of the strip by name; empty if it is hidden.
QString StartStatesTest::figures() const
{
    const StripView *strip = m_window->strip();
    constexpr std::pair<StripView::Item, const char *> kItems[]{{StripView::Step, "step"},
                                                                {StripView::Busy, "busy"},
                                                                {StripView::Exposed, "exposed"},
                                                                {StripView::Idle, "idle"},
                                                                {StripView::Findings, "findings"}};
    QStringList shown;
    for (const auto &[item, name] : kItems)
        if (strip->isVisible() && strip->item(item)->isVisible())
            shown += QString::fromLatin1(name);
    return shown.join(QLatin1Char(' '));
}

/// The headings of the lanes by their kind, in brackets if they are folded, on the Timeline.
QString StartStatesTest::lanes()
{
    if (session()->traces().empty())
        return {};
    m_window->showPage(QStringLiteral("timeline"));
    if (!QTest::qWaitFor([this] { return m_window->settled() && m_window->timeline()->settled(); }))
        return QStringLiteral("unsettled");
    QStringList headings;
    for (const LaneItem &item : m_window->timeline()->state().layout().items()) {
        if (!item.heading())
            continue;
        const QString kind = item.kind == LaneItem::Kind::TraceHeading ? QStringLiteral("rank")
                             : item.quiet                              ? QStringLiteral("quiet")
                             : item.gpu                                ? QStringLiteral("device")
                                                                       : QStringLiteral("host");
        headings += item.folded ? QLatin1Char('(') + kind + QLatin1Char(')') : kind;
    }
    return headings.join(QLatin1Char(' '));
}

void StartStatesTest::theWindowAtFirst_data()
{
    QTest::addColumn<QStringList>("files");
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("dock"); // the tabs; the one in front in brackets, if the dock is open
    QTest::addColumn<QString>("strip");
    QTest::addColumn<QString>("lanes");
    QTest::addColumn<QString>("said"); // a part of the notice or the offer
    const QString ofHost =
                      QStringLiteral("findings steps operators modules critical-path more memory comparison query"),
                  ofDevice = QStringLiteral(
                      "findings steps operators kernels modules critical-path more memory comparison query"),
                  ofMemory = QStringLiteral("memory-alive allocator memory-events memory-difference memory-range"),
                  all = QStringLiteral("step busy exposed idle findings"), plain = QStringLiteral("device host"),
                  folded = QStringList(kRanks, QStringLiteral("(rank)")).join(QLatin1Char(' ')),
                  log = QString::fromStdString(m_log->path()), none;
    const auto row = [](const char *name, const QStringList &files, const char *page, const QString &dock,
                        const QString &strip, const QString &lanes, const char *said = "") {
        QTest::addRow("%s", name) << files << QString::fromLatin1(page) << dock << strip << lanes
                                  << QString::fromUtf8(said);
    };
    constexpr const char *kLost = "freed allocations are from before the history";
    row("GPU trace", {"gpu.json"}, "overview", ofDevice, all, kOpen);
    row("no device work", {"host.json"}, "overview", ofHost, "step findings", "host");
    row("Python stacks", {"python.json"}, "overview", ofDevice, all, kOpen);
    row("many ranks", ranks(), "overview", QStringLiteral("stragglers waits ") + ofDevice, all, folded);
    row("serving, without steps", {"serving.json"}, "overview", ofDevice, "busy idle findings", plain,
        "Take as steps: <a href=\"decode\">");
    row("snapshot", {"snapshot.pickle"}, "snapshot", ofMemory, none, none, kLost);
    row("snapshot that ran out of memory", {"failed.pickle.gz"}, "snapshot", ofMemory + " [out-of-memory]", none, none);
    row("trace with snapshot", {"gpu.json", "snapshot.pickle"}, "overview",
        QString(ofDevice).replace(" comparison", ' ' + ofMemory + " comparison"), all, kOpen, kLost);
    row("not from machine learning", {"other.json"}, "timeline", "query", none, "host");
    row("dumps of the Flight Recorder", {"nccl_trace_rank_0", "nccl_trace_rank_1"}, "hang", none, none, none);
    row("log of the recorder", {log}, "overview", ofDevice, "step busy idle findings", "device device host host",
        "Some events were lost");
}

void StartStatesTest::theWindowAtFirst()
{
    QFETCH(QStringList, files);
    QFETCH(QString, said);
    openFirst(files);
    QTEST(m_window->workspace()->page(), "page");
    TabDock *dock = m_window->workspace()->dock();
    QVERIFY(m_window->workspace()->side()->isHidden());
    QTEST(figures(), "strip");
    QTEST(lanes(), "lanes");
    QStringList tabs;
    for (const QString &tab : dock->tabs()->shown())
        tabs += !dock->isFolded() && dock->current() == tab ? QLatin1Char('[') + tab + QLatin1Char(']') : tab;
    QTEST(tabs.join(QLatin1Char(' ')), "dock");
    const QString all = m_window->noticeBar()->text() + offer();
    QVERIFY2(said.isEmpty() ? all.isEmpty() : all.contains(said), qPrintable(all));
}

void StartStatesTest::pythonStacksHidePlumbing()
{
    QByteArray frames;
    int64_t at = 0;
    for (const char *name : {"train.py(3): main", "torch/nn/modules/module.py(1773): _wrapped_call_impl",
                             "torch/nn/modules/module.py(1784): _call_impl", "nn.Module: Net_0",
                             "torch/nn/modules/module.py(1784): _call_impl"}) {
        frames += QStringLiteral(R"({"ph":"X","cat":"python_function","name":"%1","pid":1,"tid":1,"ts":%2,"dur":%3},)")
                      .arg(QLatin1String(name))
                      .arg(at)
                      .arg(1'000 - 2 * at)
                      .toUtf8();
        ++at;
    }
    write(QStringLiteral("stacks.json"),
          R"({"schemaVersion": 1, "with_stack": 1, "traceEvents": [)" + frames +
              R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":20,"dur":40}]})");
    openFirst({QStringLiteral("stacks.json")});
    m_window->showPage(QStringLiteral("timeline"));
    m_window->timeline()->finishJobs();
    const auto &items = m_window->timeline()->state().layout().items();
    QVERIFY(std::ranges::any_of(items, [](const LaneItem &item) { return item.squeezed && item.squeezedRows > 0; }));
    QVERIFY(!m_window->timeline()->showsAllFrames());
}

void StartStatesTest::namesColourWhatIsNotFromMachineLearning()
{
    openFirst({QStringLiteral("other.json")});
    QVERIFY(session()->traces().trace(TraceId(0)));
    QTRY_VERIFY(m_window->settled());
    const auto &classes = m_window->timeline()->state().workClasses()[TraceId(0)];
    QVERIFY(classes && classes->slices.empty()); // so that colours follow names
}

void StartStatesTest::hostLanesOpenWithEightRows()
{
    openFirst({QStringLiteral("python.json")});
    QCOMPARE(lanes(), kOpen);
    uint32_t most = 0;
    bool isAnyCut = false;
    for (const LaneItem &item : m_window->timeline()->state().layout().items())
        if (item.kind == LaneItem::Kind::Slices && !item.gpu) {
            most = std::max(most, item.rows);
            isAnyCut |= item.hiddenRows > 0;
        }
    QCOMPARE(most, 8u);
    QVERIFY(isAnyCut);
}

void StartStatesTest::theBandsOfASnapshotFillTheWindow()
{
    openFirst({QStringLiteral("snapshot.pickle")});
    const LandscapeCanvas *canvas = m_window->memoryPage()->canvas();
    QVERIFY(m_window->workspace()->dock()->isFolded());
    QVERIFY2(canvas->height() >= m_window->height() * 6 / 10, qPrintable(QString::number(canvas->height())));
}

void StartStatesTest::aRankIsOneRowUntilItIsOpened()
{
    openFirst(ranks());
    QVERIFY(lanes().startsWith(QStringLiteral("(rank) (rank)")));
    const std::vector<LaneItem> &items = m_window->timeline()->state().layout().items();
    QCOMPARE(items.size(), size_t{kRanks});
    QVERIFY(items.back().y + items.back().height <= m_window->timeline()->canvas().height()); // all are in view
    const LaneItem heading = items[1];
    QTest::mouseClick(&m_window->timeline()->canvas(), Qt::LeftButton, {}, QPoint(300, heading.y + heading.height / 2));
    const QString oneIsOpen = QStringLiteral("(rank) rank ") + kOpen + kFolded.repeated(kRanks - 2);
    QCOMPARE(lanes(), oneIsOpen);
    m_window->close();
    makeWindow();
    OpenRequest request;
    for (const QString &name : ranks())
        request.files += path(name);
    open(request);
    QCOMPARE(lanes(), oneIsOpen); // as it was left
}

void StartStatesTest::ranksThatAreAddedDoNotFoldTheOthers()
{
    openFirst(ranks().mid(0, 2));
    const QString rank = QStringLiteral("rank ") + kOpen;
    QCOMPARE(lanes(), rank + ' ' + rank);
    dropFiles(*m_window, {path(ranks().at(2))}, Qt::ShiftModifier);
    QTRY_COMPARE(lanes(), rank + ' ' + rank + ' ' + rank);
}

RIFFLE_WIDGET_TEST(StartStatesTest)
#include "start_states_test.moc"
