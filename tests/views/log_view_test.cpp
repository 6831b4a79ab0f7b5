// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log_view.h"

#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_timeline/memory_timeline.h"
#include "tests/support/chunked_source.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/theme.h"

#include <QBuffer>
#include <QComboBox>
#include <QLabel>
#include <QTest>
#include <QTreeWidget>

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
        QVERIFY2(m_view->curves()->said(3).contains(QStringLiteral("153.50\u00a0MB")), qPrintable(m_view->curves()->said(3)));
        QCOMPARE(m_view->sunburst()->middleText(), QStringLiteral("153.50\u00a0MB"));
        QVERIFY(!m_view->otherSunburst()->isVisible());
        const QTreeWidgetItem *params = m_view->tree()->topLevelItem(0);
        QCOMPARE(params->text(0), QStringLiteral("params"));
        QCOMPARE(params->text(1), QStringLiteral("100.00\u00a0MB"));
        QCOMPARE(params->child(0)->text(1), QStringLiteral("66.67\u00a0MB"));
        QCOMPARE(params->child(0)->text(2), QStringLiteral("0.33\u00a0MB"));
    }

    void aClickAndKeysChooseThePoint()
    {
        open({{nullptr, twoRanks()}});
        MemoryCurvesView *curves = m_view->curves();
        QTest::mouseClick(curves, Qt::LeftButton, {}, QPointF(curves->xOf(1) + 2, curves->plot().center().y()).toPoint());
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
        const QTreeWidgetItem *grads = m_view->tree()->topLevelItem(1);
        QCOMPARE(grads->text(3), QStringLiteral("60.00\u00a0MB"));
        QCOMPARE(grads->text(4), QStringLiteral("−10.00\u00a0MB"));
        QCOMPARE(m_view->tree()->topLevelItem(0)->text(4), QStringLiteral("0.00\u00a0MB"));
        const QRgb here = m_view->sunburst()->colourOf(3), there = m_view->otherSunburst()->colourOf(3);
        QVERIFY(qBlue(here) > qRed(here)); // less
        QVERIFY(qRed(there) > qBlue(there)); // more
        QVERIFY(m_view->remarks().contains(QStringLiteral("1 rank below the largest is missing: 1")));
    }

    void aRowAndASunburstShowOneNode()
    {
        open({{nullptr, twoRanks()}});
        m_view->tree()->setCurrentItem(m_view->tree()->topLevelItem(0)->child(0));
        QCOMPARE(m_view->sunburst()->current(), 1u);
        QTest::keyClick(m_view->sunburst(), Qt::Key_Up);
        QCOMPARE(m_view->tree()->currentItem(), m_view->tree()->topLevelItem(0));
    }

    void anotherRankHasItsOwnPeak()
    {
        open({{nullptr, twoRanks()}});
        m_view->rankBox()->setCurrentIndex(1);
        QTRY_COMPARE(m_view->sunburst()->middleText(), QStringLiteral("163.50\u00a0MB"));
    }

    void aTimelineHasItsCategories()
    {
        open({{timeline("[[1000,2000,3000],[[0,4096,0,0,0,0,0,0,1],[0,4096,0,0,0,2048,0,0,1],[0,0,0,0,0,0,0,0,1]]]"), nullptr}, {nullptr, twoRanks()}});
        QCOMPARE(m_view->curves()->point(), 1u);
        QCOMPARE(m_view->sunburst()->tree().total(), 6145);
        QVERIFY(!m_view->rankBox()->isVisible());
        QCOMPARE(m_view->tree()->topLevelItemCount(), 8);
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
        QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(static_cast<int>(view.xOf(54'321)), static_cast<int>(view.plot().center().y())));
        QCOMPARE(view.point(), 54'321u);
    }

    void picturesAreSaved()
    {
        const QString folder = qEnvironmentVariable("RIFFLE_PICTURES");
        if (folder.isEmpty())
            QSKIP("RIFFLE_PICTURES names no folder");
        for (const bool dark : {false, true}) {
            applyTheme(dark ? ThemeKind::Dark : ThemeKind::Light);
            open({{nullptr, twoRanks()}});
            m_view->otherBox()->setCurrentIndex(dark ? 2 : 0);
            QTest::qWait(100);
            m_view->grab().save(folder + (dark ? QStringLiteral("/log-dark.png") : QStringLiteral("/log-light.png")));
        }
        applyTheme(ThemeKind::Light);
    }

private:
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
                text += "Memory State:\ntime: " + std::to_string(point + 1) + ".5\n---summary---\ntotal_memory: " + std::to_string(number * 5 + 150 + point) +
                        ".50 MB\nparams_memory: 100.00 MB, grads_memory: " + std::to_string(50 + number * 5) + ".00 MB, os_params_memory: 0.00 MB, os_state_memory: 0.00 MB, "
                        "activation_memory: " + std::to_string(point) + ".50 MB\n---Layout---\nparams_layout:\n"
                        "layer: param_mem, layer_mem: 0.00 MB, total_mem: 100.00 MB\nlayer: param_mem.a, layer_mem: 0.33 MB, total_mem: 66.67 MB\n"
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

QTEST_MAIN(LogViewTest)
#include "log_view_test.moc"
