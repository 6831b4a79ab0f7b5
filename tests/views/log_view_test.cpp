// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/memory/log/log_view.h"

#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_timeline/memory_timeline.h"
#include "tests/support/chunked_source.h"
#include "tests/support/memory_log_generator.h"
#include "views/common/chart/chart.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/memory/memory_curves_view.h"

#include <QBuffer>
#include <QComboBox>
#include <QLabel>
#include <QTest>
#include <QTreeView>

#include <set>
#include <tuple>

using namespace riffle;

class LogViewTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_files = std::make_unique<MemoryFiles>();
        m_view = std::make_unique<LogView>(m_files.get());
        m_view->resize(1100, 640);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_files.reset();
    }

    void aLogIsShownWhereItsMemoryIsLargest()
    {
        open({{nullptr, twoRanks()}});
        QCOMPARE(m_view->curves()->point(), 3u);
        QVERIFY2(m_view->curves()->said(3).contains(QStringLiteral("153.50\u00a0MB")),
                 qPrintable(m_view->curves()->said(3)));
        QCOMPARE(m_view->sunburst()->middleText(), QStringLiteral("153.50\u00a0MB"));
        QVERIFY(!m_view->otherSunburst()->isVisible());
        QCOMPARE(cell(0, 0), QStringLiteral("params"));
        QCOMPARE(cell(0, 1), QStringLiteral("100.00\u00a0MB"));
        QCOMPARE(cell(0, 1, row(0)), QStringLiteral("66.67\u00a0MB"));
        QCOMPARE(cell(0, 2, row(0)), QStringLiteral("0.33\u00a0MB"));
    }

    /// The sample of the task's document: the rounded parts sum up to a different hundredth.
    void whatTheLogPrintsAsATotalIsShownAndASumToldApart()
    {
        auto log = std::make_shared<MemoryLog>();
        log->path = "memory.log";
        parseMemoryLog("Memory State:\ntime: 37.56313228607178\n---summary---\ntotal_memory: 55953.56 "
                       "MB\nparams_memory: 13965.51 MB, grads_memory: 13965.51 MB, "
                       "os_params_memory: 3461.52 MB, os_state_memory: 6923.03 MB, activation_memory: 17638.00 MB\n\n"
                       "Memory State:\ntime: 38.46969723701477\n---summary---\ntotal_memory: 38315.57 "
                       "MB\nparams_memory: 13965.51 MB, grads_memory: 13965.51 MB, "
                       "os_params_memory: 3461.52 MB, os_state_memory: 6923.03 MB, activation_memory: 0.00 MB\n\n",
                       log->ranks.emplace_back(), {});
        open({{nullptr, log}});
        QCOMPARE(m_view->sunburst()->middleText(), QStringLiteral("55953.56\u00a0MB (sum of parts 55953.57\u00a0MB)"));
        QVERIFY(m_view->curves()->said(0).contains(QStringLiteral(": 55953.56\u00a0MB · params")));
        QVERIFY(m_view->curves()->said(0).endsWith(QStringLiteral(" · sum of parts 55953.57\u00a0MB")));
        QCOMPARE(m_view->curves()->scaleText(),
                 QStringLiteral("sum of parts 55953.57\u00a0MB, largest total 55953.56\u00a0MB"));
        // The log's own numbers and seconds, as in the command line.
        QVERIFY2(m_view->curves()->said(0).startsWith(QStringLiteral("Point 0 (0 to 1), 37.56313228607178\u00a0s: ")),
                 qPrintable(m_view->curves()->said(0)));
        QVERIFY2(m_view->curves()->said(1).startsWith(QStringLiteral("Point 1 (0 to 1), 38.46969723701477\u00a0s: ")),
                 qPrintable(m_view->curves()->said(1)));
        QCOMPARE(ticksOf(*m_view->curves()), (QStringList{"37.6", "37.8", "38.0", "38.2", "38.4"}));
        const std::string svg = m_view->sunburst()->svg();
        QVERIFY(svg.find("55953.56") != std::string::npos);
        QTest::keyClick(m_view->curves(), Qt::Key_End);
        QTRY_COMPARE(m_view->sunburst()->middleText(),
                     QStringLiteral("38315.57\u00a0MB")); // total and sum are equal, so there is one number
        QVERIFY(!m_view->curves()->said(1).contains(QStringLiteral("sum of parts")));
    }

    void aClickAndKeysChooseThePoint()
    {
        open({{nullptr, twoRanks()}});
        MemoryCurvesView *curves = m_view->curves();
        QTest::mouseClick(curves, Qt::LeftButton, {},
                          QPointF(curves->xOf(1) + 2, curves->plot().center().y()).toPoint());
        QTRY_COMPARE(m_view->sunburst()->middleText(), QStringLiteral("151.50\u00a0MB"));
        QTest::keyClick(curves, Qt::Key_Home);
        QTRY_COMPARE(m_view->sunburst()->middleText(), QStringLiteral("150.50\u00a0MB"));
        QTest::keyClick(curves, Qt::Key_Right);
        QTest::keyClick(curves, Qt::Key_Right);
        QCOMPARE(curves->point(), 2u);
        QTRY_COMPARE(m_view->sunburst()->middleText(), QStringLiteral("152.50\u00a0MB"));
    }

    void twoRanksStandSideBySideWithTheirDifferences()
    {
        open({{nullptr, twoRanks()}});
        m_view->otherBox()->setCurrentIndex(2);
        QTRY_VERIFY(m_view->otherSunburst()->isVisible());
        QCOMPARE(m_view->otherSunburst()->middleText(), QStringLiteral("163.50\u00a0MB"));
        QCOMPARE(cell(1, 3), QStringLiteral("60.00\u00a0MB"));
        QCOMPARE(cell(1, 4), QStringLiteral("−10.00\u00a0MB"));
        QCOMPARE(cell(0, 4), QStringLiteral("0.00\u00a0MB"));
        const QRgb here = m_view->sunburst()->colourOf(3), there = m_view->otherSunburst()->colourOf(3);
        QVERIFY(qBlue(here) > qRed(here));   // less than the other rank
        QVERIFY(qRed(there) > qBlue(there)); // more than the other rank
        QVERIFY(m_view->remarks().contains(QStringLiteral("1 rank below the highest rank is missing: 1")));
    }

    /// Ranks write the same state at slightly different times.
    void aRankIsComparedAtTheSamePointAndItsTimeIsTold()
    {
        auto log = std::make_shared<MemoryLog>();
        log->path = "memory_trace";
        for (const auto &[folder, clock, grows] : {std::tuple("rank0", 0, 10), std::tuple("rank2", 3, 40)}) {
            std::string text;
            for (int point = 0; point < 4; ++point)
                text += "Memory State:\ntime: " + std::to_string(point) + '.' + std::to_string(clock) +
                        "\n---summary---\ntotal_memory: " + std::to_string(100 + grows * point) +
                        ".00 MB\nparams_memory: 100.00 MB, grads_memory: 0.00 MB, os_params_memory: 0.00 MB, "
                        "os_state_memory: 0.00 MB, activation_memory: " +
                        std::to_string(grows * point) + ".00 MB\n\n";
            MemoryLogRank &rank = log->ranks.emplace_back();
            rank.folder = folder;
            parseMemoryLog(text, rank, {});
        }
        open({{nullptr, log}});
        m_view->otherBox()->setCurrentIndex(2);
        QTRY_COMPARE(cell(4, 3),
                     QStringLiteral("120.00\u00a0MB")); // the last points are compared, although the other one is later
        QCOMPARE(cell(4, 4), QStringLiteral("−90.00\u00a0MB"));
        const auto header = [this] { return m_view->tree()->model()->headerData(3, Qt::Horizontal).toString(); };
        QCOMPARE(header(), QStringLiteral("rank2: point 3, 3.300\u00a0s"));
        QTest::keyClick(m_view->curves(), Qt::Key_Left);
        QTRY_COMPARE(cell(4, 4), QStringLiteral("−60.00\u00a0MB"));
        QCOMPARE(header(), QStringLiteral("rank2: point 2, 2.300\u00a0s"));
        QCOMPARE(m_view->sunburst()->accessibleName(), QStringLiteral("rank0: point 2, 2.000\u00a0s"));
        QCOMPARE(m_view->otherSunburst()->accessibleName(), header());
    }

    void aRowAndASunburstShowOneNode()
    {
        open({{nullptr, twoRanks()}});
        m_view->tree()->setCurrentIndex(row(0, row(0)));
        QCOMPARE(m_view->sunburst()->current(), 1u);
        QTest::keyClick(m_view->sunburst(), Qt::Key_Up);
        QCOMPARE(m_view->tree()->currentIndex(), row(0));
    }

    void rowsSortByTheirNumbersAndBackToTheFilesOrder()
    {
        open({{nullptr, twoRanks()}});
        const auto names = [this] {
            QStringList all;
            for (int at = 0; at < m_view->tree()->model()->rowCount(); ++at)
                all << cell(at, 0);
            return all;
        };
        const QStringList inFile = names();
        QCOMPARE(inFile, QStringList({"params", "grads", "os_params", "os_state", "activation"}));
        m_view->tree()->setCurrentIndex(row(1));
        m_view->tree()->sortByColumn(1, Qt::AscendingOrder);
        QCOMPARE(names(), QStringList({"os_params", "os_state", "activation", "grads", "params"}));
        QCOMPARE(cell(m_view->tree()->currentIndex().row(), 0),
                 QStringLiteral("grads")); // the same node stays selected
        m_view->tree()->sortByColumn(1, Qt::DescendingOrder);
        QCOMPARE(names().first(), QStringLiteral("params"));
        QCOMPARE(cell(0, 0, row(0)), QStringLiteral("a"));
        m_view->tree()->sortByColumn(-1, Qt::AscendingOrder);
        QCOMPARE(names(), inFile);
    }

    void whatIsLookedAtStaysWhenThePointMoves()
    {
        open({{nullptr, twoRanks()}});
        m_view->tree()->expand(row(0));
        m_view->tree()->setCurrentIndex(row(1, row(0)));
        m_view->sunburst()->setRoot(0);
        QTest::keyClick(m_view->curves(), Qt::Key_Home);
        QTRY_COMPARE(cell(4, 1), QStringLiteral("0.50\u00a0MB"));
        QVERIFY(m_view->tree()->isExpanded(row(0)));
        QCOMPARE(m_view->tree()->currentIndex(), row(1, row(0)));
        QCOMPARE(m_view->sunburst()->root(), 0u);
        QCOMPARE(m_view->sunburst()->current(), 2u);
        m_view->rankBox()->setCurrentIndex(1); // the other rank has the same layers
        QTRY_COMPARE(cell(1, 1), QStringLiteral("60.00\u00a0MB"));
        QCOMPARE(m_view->sunburst()->root(), 0u);
    }

    /// Steps through every point of a generated log, which is as large as the logs of jobs.
    void everyPointOfALargeLogIsWhatItsTextSays()
    {
        auto log = std::make_shared<MemoryLog>();
        log->path = "memory_trace";
        for (uint32_t number = 0; number < 2; ++number) {
            test::MemoryLogOptions options;
            options.points = 10;
            options.blocks = 12;
            options.rank = number;
            MemoryLogRank &rank = log->ranks.emplace_back();
            rank.folder = "rank" + std::to_string(number);
            parseMemoryLog(test::generateMemoryLog(options), rank, {});
        }
        open({{nullptr, log}});
        m_view->otherBox()->setCurrentIndex(2);
        QTest::keyClick(m_view->curves(), Qt::Key_Home);
        for (uint32_t point = 0; point < 10; ++point) {
            const LogTree wanted = logTreeAt(log->ranks[0], point), there = logTreeAt(log->ranks[1], point);
            QTRY_VERIFY(m_view->settled() && m_view->sunburst()->tree().values == wanted.values);
            uint32_t node = 0;
            for (int at = 0; at < m_view->tree()->model()->rowCount(); ++at)
                compareRows(row(at), wanted, there, node);
            QCOMPARE(node, wanted.size());
            QTest::keyClick(m_view->curves(), Qt::Key_Right);
        }
    }

    void patternsTellNarrowColumnsApart()
    {
        auto curves = std::make_shared<MemoryCurves>();
        curves->names = {"a", "b"};
        curves->values.resize(2);
        for (int point = 0; point < 5000; ++point) {
            curves->times.push_back(point);
            curves->values[0].push_back(100 + point % 3);
            curves->values[1].push_back(100);
            curves->totals.push_back(200 + point % 3);
        }
        MemoryCurvesView view;
        view.resize(600, 240);
        view.setCurves(curves, [](int64_t value) { return QString::number(value); });
        const auto coloursAt = [&](double share) {
            const QImage image = view.grab().toImage();
            std::set<QRgb> colours;
            const int y = static_cast<int>(view.plot().bottom() - view.plot().height() * share);
            for (int x = 100; x < 400; ++x)
                for (int down = -6; down <= 6; ++down)
                    colours.insert(image.pixel(x, y + down));
            return colours.size();
        };
        QCOMPARE(coloursAt(0.75), size_t(1)); // series are plain
        SeriesStyle::setPatterns(true);
        QCOMPARE(coloursAt(0.25), size_t(1)); // the first series has no pattern
        QVERIFY(coloursAt(0.75) > 1);
        SeriesStyle::setPatterns(false);
    }

    void anotherRankHasItsOwnPeak()
    {
        open({{nullptr, twoRanks()}});
        m_view->rankBox()->setCurrentIndex(1);
        QTRY_COMPARE(m_view->sunburst()->middleText(), QStringLiteral("163.50\u00a0MB"));
    }

    void aTimelineHasItsCategories()
    {
        open({{timeline("[[1000,2000,3000],[[0,4096,0,0,0,0,0,0,1],[0,4096,0,0,0,2048,0,0,1],[0,0,0,0,0,0,0,0,1]]]"),
               nullptr},
              {nullptr, twoRanks()}});
        QCOMPARE(m_view->curves()->point(), 1u);
        QCOMPARE(m_view->sunburst()->tree().total(), 6145);
        QVERIFY2(m_view->curves()->said(1).startsWith(QStringLiteral("Point 1 (0 to 2), 1.000000\u00a0ms")),
                 qPrintable(m_view->curves()->said(1)));
        QCOMPARE(ticksOf(*m_view->curves()), (QStringList{"0", "500", "1.0", "1.5", "2.0"}));
        QVERIFY(!m_view->rankBox()->isVisible());
        QCOMPARE(m_view->tree()->model()->rowCount(), 8);
        m_view->fileBox()->setCurrentIndex(1);
        QTRY_COMPARE(m_view->sunburst()->middleText(), QStringLiteral("153.50\u00a0MB"));
    }

    void aPageWithAPictureIsShownAsThat()
    {
        auto page = std::make_shared<MemoryTimeline>();
        page->path = "page.html";
        page->form = MemoryTimeline::Form::Picture;
        QByteArray bytes;
        QBuffer buffer(&bytes);
        QImage image(40, 30, QImage::Format_RGB32);
        image.fill(Qt::red);
        image.save(&buffer, "PNG");
        page->picture = bytes.toStdString();
        open({{page, nullptr}});
        QVERIFY(m_view->picture()->isVisible());
        QCOMPARE(m_view->picture()->pixmap().size(), QSize(40, 30));
        QVERIFY(m_view->remarks().contains(QStringLiteral("no numbers")));
    }

    void theRulerSaysExactlyWhereItsTicksAre()
    {
        auto curves = std::make_shared<MemoryCurves>();
        curves->names = {"a"};
        curves->values = {{1, 2, 3}};
        curves->totals = {1, 2, 3};
        curves->times = {1'234'567, 5'000'000, 9'876'543};
        MemoryCurvesView view;
        view.resize(700, 200);
        view.setCurves(curves, [](int64_t value) { return QString::number(value); });
        QCOMPARE(ticksOf(view), (QStringList{"2", "4", "6", "8"})); // ms
        // The tick at 4 ms is as far from the ends of the curve as 4 ms is from its first and last time.
        const double share = (4'000'000.0 - 1'234'567) / (9'876'543.0 - 1'234'567);
        QVERIFY(std::abs(view.ticks()[1].x - (view.xOf(0) + share * (view.xOf(2) - view.xOf(0)))) < 0.01);
    }

    void manyPointsShareTheirColumnsWithTheLargest()
    {
        auto curves = std::make_shared<MemoryCurves>();
        curves->names = {"a"};
        curves->values.resize(1);
        for (int point = 0; point < 100'000; ++point) {
            curves->times.push_back(point);
            curves->values[0].push_back(point == 54'321 ? 1000 : 10);
            curves->totals.push_back(curves->values[0].back());
        }
        MemoryCurvesView view;
        view.resize(600, 200);
        view.setCurves(curves, [](int64_t value) { return QString::number(value); });
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          QPoint(static_cast<int>(view.xOf(54'321)), static_cast<int>(view.plot().center().y())));
        QCOMPARE(view.point(), 54'321u);
    }

private:
    /// The numbers of the ruler, without their unit.
    static QStringList ticksOf(const MemoryCurvesView &curves)
    {
        QStringList texts;
        for (const auto &tick : curves.ticks())
            texts += tick.text.section(QChar(0xa0), 0, 0);
        return texts;
    }
    QModelIndex row(int at, const QModelIndex &parent = {}) const
    {
        return m_view->tree()->model()->index(at, 0, parent);
    }
    QString cell(int at, int column, const QModelIndex &parent = {}) const
    {
        return m_view->tree()->model()->index(at, column, parent).data().toString();
    }
    /// Compares a row and all rows inside it with the tree's nodes from `node` on, and moves `node` past them.
    void compareRows(const QModelIndex &index, const LogTree &tree, const LogTree &there, uint32_t &node)
    {
        const auto size = [](int64_t value) {
            return QString::fromStdString(printedText(value)) + QStringLiteral("\u00a0MB");
        };
        QVERIFY(node < tree.size());
        QCOMPARE(index.data().toString(), QString::fromStdString(tree.names[node]));
        QCOMPARE(index.siblingAtColumn(1).data().toString(), size(tree.values[node]));
        QCOMPARE(index.siblingAtColumn(2).data().toString(), size(tree.own[node]));
        const auto twin = std::find(there.paths.begin(), there.paths.end(), tree.paths[node]);
        QCOMPARE(index.siblingAtColumn(3).data().toString(),
                 twin == there.paths.end() ? QStringLiteral("–")
                                           : size(there.values[static_cast<size_t>(twin - there.paths.begin())]));
        ++node;
        for (int at = 0; at < index.model()->rowCount(index); ++at)
            compareRows(row(at, index), tree, there, node);
    }
    void open(std::vector<MemoryFiles::File> files)
    {
        m_files->setFiles(std::move(files));
        QTRY_VERIFY(m_view->settled());
    }
    static std::shared_ptr<const MemoryTimeline> timeline(std::string_view text)
    {
        test::ChunkedSource source(text);
        return *readMemoryTimelineText(source, "timeline.json", 1 << 20, {});
    }
    static std::shared_ptr<const MemoryLog> twoRanks()
    {
        auto log = std::make_shared<MemoryLog>();
        log->path = "memory_trace";
        for (const int number : {0, 2}) {
            std::string text;
            for (int point = 0; point < 4; ++point)
                text += "Memory State:\ntime: " + std::to_string(point + 1) +
                        ".5\n---summary---\ntotal_memory: " + std::to_string(number * 5 + 150 + point) +
                        ".50 MB\nparams_memory: 100.00 MB, grads_memory: " + std::to_string(50 + number * 5) +
                        ".00 MB, os_params_memory: 0.00 MB, os_state_memory: 0.00 MB, "
                        "activation_memory: " +
                        std::to_string(point) +
                        ".50 MB\n---Layout---\nparams_layout:\n"
                        "layer: param_mem, layer_mem: 0.00 MB, total_mem: 100.00 MB\nlayer: param_mem.a, layer_mem: "
                        "0.33 MB, total_mem: 66.67 MB\n"
                        "layer: param_mem.b, layer_mem: 33.33 MB, total_mem: 33.33 MB\n\n";
            MemoryLogRank &rank = log->ranks.emplace_back();
            rank.folder = "rank" + std::to_string(number) + "_dp0";
            rank.coordinates = {{"rank", number}, {"dp", 0}};
            parseMemoryLog(text, rank, {});
        }
        return log;
    }

    std::unique_ptr<MemoryFiles> m_files;
    std::unique_ptr<LogView> m_view;
};

RIFFLE_WIDGET_TEST(LogViewTest)
#include "log_view_test.moc"
