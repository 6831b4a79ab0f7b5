// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/memory_log.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/chart/sunburst_label.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <numbers>
#include <random>

using namespace riffle;

class SunburstTest : public QObject {
    Q_OBJECT

private slots:
    void aClickDescendsAndTheMiddleAndBackspaceLeadBack()
    {
        SunburstChart chart;
        fill(chart);
        QCOMPARE(chart.middleText(), QStringLiteral("100.50 MB"));
        QSignalSpy moved(&chart, &SunburstChart::rootChanged);
        click(chart, 0);
        QCOMPARE(chart.root(), 0u);
        QCOMPARE(chart.middleText(), QStringLiteral("60.50 MB"));
        QVERIFY(chart.pointOf(4).isNull());
        click(chart, 1);
        QCOMPARE(chart.root(), 1u);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.middle().toPoint());
        QCOMPARE(chart.root(), 0u);
        QTest::keyClick(&chart, Qt::Key_Backspace);
        QCOMPARE(chart.root(), IcicleTree::kNone);
        QCOMPARE(moved.size(), 4);
    }

    void aLeafIsChosenAndNotDescendedInto()
    {
        SunburstChart chart;
        fill(chart);
        QSignalSpy chosen(&chart, &SunburstChart::currentChanged);
        click(chart, 4);
        QCOMPARE(chart.root(), IcicleTree::kNone);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chart.accessibleDescription(), QStringLiteral("optimizer: 40.00 MB · 39.8\u00a0% of all"));
    }

    void thePathLeadsBack()
    {
        SunburstChart chart;
        fill(chart);
        chart.setRoot(1);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, {10, 10}); // the title
        QCOMPARE(chart.root(), IcicleTree::kNone);
    }

    void arrowsWalkTheTree()
    {
        SunburstChart chart;
        fill(chart);
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(chart.current(), 0u);
        QTest::keyClick(&chart, Qt::Key_Down);
        QCOMPARE(chart.current(), 1u);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.current(), 3u);
        QTest::keyClick(&chart, Qt::Key_Left);
        QTest::keyClick(&chart, Qt::Key_Up);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.current(), 4u);
        QSignalSpy activated(&chart, &SunburstChart::activated);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(chart.root(), 4u);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(chart.root(), IcicleTree::kNone);
    }

    void hoveringTellsExactValues()
    {
        SunburstChart chart;
        fill(chart);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        QTest::mouseMove(&chart, chart.pointOf(2).toPoint());
        QTRY_VERIFY(chart.toolTip().contains(QStringLiteral("15.25 MB")));
    }

    void differencesAreColoursThatDiffer()
    {
        SunburstChart chart;
        fill(chart);
        chart.setDifferences({0, 1, 0, -1, 0.2});
        const QRgb more = chart.colourOf(1), less = chart.colourOf(3), equal = chart.colourOf(0);
        QVERIFY(qRed(more) > qBlue(more));
        QVERIFY(qBlue(less) > qRed(less));
        QVERIFY(Palette::contrast(more, equal) > 1.5);
        QVERIFY(more != less);
    }

    void filesHoldWhatIsShown()
    {
        SunburstChart chart;
        fill(chart);
        QCOMPARE(
            chart.csv(),
            std::string("depth,name,path,value,text\n0,model,model,6050,60.50 MB\n1,layer1,model/layer1,3000,30.00 "
                        "MB\n2,\"conv,1\",\"model/layer1/conv,1\",1525,15.25 MB\n"
                        "1,layer2,model/layer2,2000,20.00 MB\n0,optimizer,optimizer,4000,40.00 MB\n"));
        const std::string svg = chart.svg();
        QVERIFY(svg.find("<title>layer1: 30.00 MB</title>") != std::string::npos);
        QCOMPARE(QImage::fromData(chart.png()).size(), QSize(1200, 1200));
        chart.setRoot(0);
        QVERIFY(chart.svg().find("optimizer") == std::string::npos);
    }

    /// Names that stay inside their pieces do not overlap, no matter how long they are.
    void namesStayInsideOfTheirPieces()
    {
        std::mt19937 random(3);
        int named = 0, bent = 0;
        for (int round = 0; round < 30; ++round) {
            std::vector<int64_t> values;
            std::vector<uint32_t> depth;
            const int nodes = round % 2 ? 120 : 6;
            for (int node = 0; node < nodes; ++node) {
                depth.push_back(depth.empty() ? 0 : random() % std::min<uint32_t>(9, depth.back() + 2));
                values.push_back(static_cast<int64_t>(1 + random() % 1000) << (12 - depth.back()));
            }
            const IcicleTree tree(values, depth);
            const SunburstShape shape = sunburstShape(tree, IcicleTree::kNone, 120 + random() % 400);
            QFont font;
            font.setPixelSize(9 + static_cast<int>(random() % 6));
            for (const SunburstArc &arc : sunburstArcs(tree, IcicleTree::kNone, shape)) {
                const QString name = QStringLiteral("gjÄ%1 at::_ops::empty_strided(MWMW)")
                                         .arg(arc.node)
                                         .repeated(1 + arc.node % 4)
                                         .left(2 + 3 * arc.node);
                const QPainterPath path = sunburstLabel(name, font, shape, arc);
                named += !path.isEmpty();
                const double inner = shape.inner(arc.ring);
                for (int at = 0; at < path.elementCount(); ++at) {
                    const QPointF point = path.elementAt(at);
                    const double away = std::hypot(point.x(), point.y());
                    QVERIFY2(away > inner - 1 && away < inner + shape.ring + 1, qPrintable(name));
                    double turn = std::atan2(point.x(), -point.y()) / (2 * std::numbers::pi) - (arc.from + arc.to) / 2;
                    turn -= std::round(turn);
                    QVERIFY2(std::abs(turn) * 2 <= arc.to - arc.from + 1e-9, qPrintable(name));
                    bent += std::abs(turn) > 0.03;
                }
            }
        }
        QVERIFY(named > 100);
        QVERIFY(bent > 100);
    }

private:
    static QString megabytes(int64_t hundredths) { return toQString(printedText(hundredths)) + QStringLiteral(" MB"); }
    void click(SunburstChart &chart, uint32_t node)
    {
        QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.pointOf(node).toPoint());
    }
    void fill(SunburstChart &chart)
    {
        chart.resize(400, 440);
        chart.setTree(IcicleTree({6050, 3000, 1525, 2000, 4000}, {0, 1, 2, 1, 0}),
                      {"model", "layer1", "conv,1", "layer2", "optimizer"}, QStringLiteral("Parameters"), megabytes);
    }
    void fillLarge(SunburstChart &chart)
    {
        std::vector<int64_t> values;
        std::vector<uint32_t> depth;
        std::vector<std::string> names;
        const auto add = [&](uint32_t level, int64_t value, const std::string &name) {
            depth.push_back(level);
            values.push_back(value);
            names.push_back(name);
        };
        add(0, 80'600, "embedding");
        add(1, 80'600, "weight");
        add(0, 1'235'350, "blocks");
        for (int block = 0; block < 32; ++block) {
            add(1, 38'605, std::to_string(block));
            add(2, 12'803, "mixer");
            add(3, 9'602, "Wqkv");
            add(3, 3'201, "out_proj");
            add(2, 25'800, "mlp");
            for (const char *name : {"w1", "w2", "w3"})
                add(3, 8600, name);
            add(2, 2, "norm");
        }
        add(0, 80'600, "head");
        chart.setTree(IcicleTree(values, depth), names, QStringLiteral("params_memory"), megabytes);
        chart.setCurrent(3);
    }
};

RIFFLE_WIDGET_TEST(SunburstTest)
#include "sunburst_test.moc"
