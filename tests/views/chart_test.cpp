// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/chart/bar_chart.h"
#include "views/common/chart/histogram_chart.h"
#include "views/common/chart/icicle_chart.h"
#include "views/common/chart/line_chart.h"
#include "views/common/look/theme.h"

#include <QSet>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

using namespace riffle;

class ChartTest : public QObject {
    Q_OBJECT

private slots:
    void barsSayTheirPartsAndAreChosenByAClick()
    {
        BarChart chart;
        fill(chart);
        QCOMPARE(chart.itemCount(), 3);
        QCOMPARE(chart.said(1),
                 QStringLiteral(
                     "Step 1: 20.00\u00a0ms · Kernel 15.00\u00a0ms (75.0\u00a0%) · Other 5.000\u00a0ms (25.0\u00a0%)"));
        QSignalSpy chosen(&chart, &Chart::chosen);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.itemRect(1).center().toPoint());
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.at(0).at(0).toInt(), 1);
        QCOMPARE(chart.accessibleDescription(), chart.said(1));
    }

    void barsAreAsHighAsTheirValues()
    {
        BarChart chart;
        fill(chart);
        const double first = chart.itemRect(0).height(), second = chart.itemRect(1).height();
        QVERIFY(std::abs(first / second - 0.5) < 0.01); // 10 and 20 ms
        QVERIFY(std::abs(second - chart.plot().height()) < 1);
        QVERIFY(chart.itemRect(0).right() < chart.itemRect(1).left());
    }

    void arrowsWalkAndEnterChooses()
    {
        BarChart chart;
        fill(chart);
        QSignalSpy chosen(&chart, &Chart::chosen);
        QTest::keyClick(&chart, Qt::Key_End);
        QCOMPARE(chart.currentItem(), 2);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.currentItem(), 2);
        QTest::keyClick(&chart, Qt::Key_Left);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen.at(0).at(0).toInt(), 1);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(chart.currentItem(), 0);
    }

    void tenThousandBarsLoseNoneThatStandsOut()
    {
        applyTheme(ThemeKind::Light);
        BarChart chart;
        QStringList labels;
        QList<double> values;
        for (int step = 0; step < 10'000; ++step) {
            labels += QString::number(step);
            values += step == 7'777 ? 100 : 1;
        }
        chart.setBars(labels, {{QStringLiteral("Time"), values}});
        chart.resize(600, 300);
        const QImage image = chart.grab().toImage();
        const int x = static_cast<int>(chart.itemRect(7'777).center().x());
        const int y = static_cast<int>(chart.plot().top()) + 5;
        const QRgb colour = SeriesStyle::of(Palette::light(), 0).colour;
        bool found = false;
        for (int near = x - 1; near <= x + 1; ++near)
            found = found || image.pixel(near, y) == colour;
        QVERIFY(found);
    }

    void neighboursDifferInLightnessAndInPatternsIfWanted()
    {
        for (int series = 0; series < 8; ++series)
            QVERIFY(SeriesStyle::of(Palette::light(), series).pattern == Qt::SolidPattern);
        SeriesStyle::setPatterns(true);
        for (const Palette *palette : {&Palette::light(), &Palette::dark()})
            for (int series = 0; series + 1 < 8; ++series) {
                const SeriesStyle one = SeriesStyle::of(*palette, series), next = SeriesStyle::of(*palette, series + 1);
                QVERIFY(one.pattern != next.pattern);
                QVERIFY2(
                    Palette::contrast(one.colour, next.colour) > 1.3,
                    qPrintable(QStringLiteral("%1: %2").arg(series).arg(Palette::contrast(one.colour, next.colour))));
            }
        SeriesStyle::setPatterns(false);
    }

    void seriesStandOutFromTheCanvas()
    {
        for (const Palette *palette : {&Palette::light(), &Palette::dark()})
            for (int series = 0; series < 8; ++series)
                QVERIFY2(Palette::contrast(SeriesStyle::of(*palette, series).colour, palette->canvas) >= 3,
                         qPrintable(QString::number(series)));
    }

    /// The labels of counts read 0, 1, 2, never 0, 0, 1, 1.
    void noLabelOfAnAxisIsRepeated()
    {
        struct Labelled : HistogramChart {
            using Chart::valueLabels;
        };
        for (const int highest : {1, 2, 3, 5, 7, 40, 1234}) {
            Labelled chart;
            chart.resize(500, 600);
            std::vector<int64_t> values(static_cast<size_t>(highest), 10);
            values.push_back(1000);
            chart.setValues(values, CellKind::Time);
            QList<double> places;
            const QStringList labels = chart.valueLabels(&places);
            QVERIFY(labels.size() >= 2);
            QCOMPARE(QSet<QString>(labels.begin(), labels.end()).size(), labels.size());
            for (qsizetype at = 0; at < labels.size(); ++at)
                QCOMPARE(QString(labels[at]).remove(QLatin1Char(',')).toDouble(), places[at]);
        }
    }

    void aButtonSwitchesTheScaleOfAHistogram()
    {
        HistogramChart chart;
        chart.resize(500, 300);
        chart.setValues({1, 10, 100, 1000}, CellKind::Time);
        chart.show();
        auto *button = chart.findChild<QToolButton *>();
        QVERIFY(!button->isChecked());
        const std::vector<double> linear = chart.histogram().edges;
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(button->isChecked() && chart.histogram().edges != linear);
        QTest::keyClick(&chart, Qt::Key_L);
        QVERIFY(!button->isChecked() && chart.histogram().edges == linear);
    }

    void aHistogramCountsAndSwitchesItsAxis()
    {
        HistogramChart chart;
        chart.resize(500, 300);
        std::vector<int64_t> values;
        for (int64_t value = 1; value <= 1'000'000; value *= 10)
            values.insert(values.end(), 3, value);
        chart.setValues(values, CellKind::Time);
        QCOMPARE(chart.itemCount(), 40);
        QVERIFY(chart.said(0).startsWith(QStringLiteral("1\u00a0ns to 25.00\u00a0µs: 15 "))); // 1, 10 … 10,000
        QTest::keyClick(&chart, Qt::Key_L);
        int filled = 0;
        for (const uint64_t count : chart.histogram().counts)
            filled += count == 3;
        QCOMPARE(filled, 7);
    }

    void linesSayAllValuesAndLeaveGaps()
    {
        LineChart chart;
        chart.resize(500, 300);
        chart.setUnit(CellKind::Bytes);
        chart.setLines({"Step 0", "Step 1"}, {{"Allocated", {1024, NAN}}, {"Reserved", {2048, 4096}}});
        QCOMPARE(chart.said(0), QStringLiteral("Step 0: Allocated 1.00\u00a0KiB · Reserved 2.00\u00a0KiB"));
        QCOMPARE(chart.said(1), QStringLiteral("Step 1: Reserved 4.00\u00a0KiB"));
        QVERIFY(!chart.grab().isNull());
    }

    void anIcicleDescendsByClickAndComesBack()
    {
        IcicleChart chart;
        fill(chart);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.rectOf(1).center().toPoint());
        QCOMPARE(chart.root(), 1u);
        QCOMPARE(chart.rectOf(1).width(), chart.width() - 12.0);
        QVERIFY(chart.rectOf(4).isEmpty());
        QTest::keyClick(&chart, Qt::Key_Backspace);
        QCOMPARE(chart.root(), 0u);
        QTest::keyClick(&chart, Qt::Key_Backspace);
        QCOMPARE(chart.root(), IcicleTree::kNone);
        QVERIFY(!chart.rectOf(4).isEmpty());
    }

    void arrowsWalkTheTree()
    {
        IcicleChart chart;
        fill(chart);
        QTest::keyClick(&chart, Qt::Key_Down); // the first root
        QCOMPARE(chart.current(), 0u);
        QTest::keyClick(&chart, Qt::Key_Down); // the larger of its children
        QCOMPARE(chart.current(), 1u);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.current(), 3u);
        QTest::keyClick(&chart, Qt::Key_Right); // there is no further sibling
        QCOMPARE(chart.current(), 3u);
        QTest::keyClick(&chart, Qt::Key_Left);
        QCOMPARE(chart.current(), 1u);
        QTest::keyClick(&chart, Qt::Key_Up);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.current(), 4u);
        QCOMPARE(chart.accessibleDescription(), QStringLiteral("optimizer: 40.00\u00a0ms · 40.0\u00a0% of all"));
        QSignalSpy activated(&chart, &IcicleChart::activated);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(chart.root(), 4u);
        QTest::keyClick(&chart, Qt::Key_Up); // zooms out
        QCOMPARE(chart.root(), IcicleTree::kNone);
    }

    void anIciclesFilesHoldWhatIsShown()
    {
        IcicleChart chart;
        fill(chart);
        QVERIFY(chart.svg().find("<title>optimizer: 40.00\u00a0ms</title>") != std::string::npos);
        const std::string csv = chart.csv();
        QVERIFY(csv.find("0,optimizer,optimizer,40000000,40.00\u00a0ms\n") != std::string::npos);
        QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 6);
        const QImage image = QImage::fromData(chart.png());
        QCOMPARE(image.size(), chart.size() * 2);
        const QImage seen = chart.grab().toImage();
        for (const uint32_t node : {0u, 1u, 2u, 3u, 4u}) {
            const QPoint corner = chart.rectOf(node).bottomLeft().toPoint() + QPoint(2, -2); // not on the name
            QCOMPARE(image.pixelColor(corner * 2), seen.pixelColor(corner));
        }
        chart.setRoot(0);
        QVERIFY(chart.svg().find("optimizer") == std::string::npos);
        QVERIFY(chart.csv().find("optimizer") != std::string::npos); // the whole tree
    }

    void thePathAboveTheBoxesLeadsBack()
    {
        IcicleChart chart;
        fill(chart);
        chart.setRoot(2);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, {10, 10}); // "All"
        QCOMPARE(chart.root(), IcicleTree::kNone);
    }

private:
    void fill(BarChart &chart)
    {
        chart.resize(500, 300);
        chart.setUnit(CellKind::Time);
        chart.setBars({"Step 0", "Step 1", "Step 2"}, {{"Kernel", {6e6, 15e6, 3e6}}, {"Other", {4e6, 5e6, 3e6}}});
    }
    void fill(IcicleChart &chart)
    {
        chart.resize(500, 200);
        chart.setTree(IcicleTree({60'000'000, 30'000'000, 15'000'000, 20'000'000, 40'000'000}, {0, 1, 2, 1, 0}),
                      {"model", "layer1", "conv", "layer2", "optimizer"}, CellKind::Time);
    }
};

RIFFLE_WIDGET_TEST(ChartTest)
#include "chart_test.moc"
