// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/chart/heat_map.h"

#include "model/trace/tables.h"
#include "views/common/chart/cell_card.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <random>

using namespace riffle;

class HeatMapTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_map = std::make_unique<HeatMap>();
        m_map->resize(500, 300);
        m_map->show();
        QVERIFY(QTest::qWaitForWindowActive(m_map.get()));
    }
    void cleanup() { m_map.reset(); }

    void colourTellsTheValueAndAHatchWhatIsUnknown()
    {
        show(2, 2, {10, 20, kNoInt, 10});
        const QImage picture = m_map->grab().toImage();
        const auto at = [&](HeatMap::Cell cell) { return picture.pixel(m_map->cellRect(cell).center()); };
        const Palette &colours = Palette::fitting(m_map->palette());
        QCOMPARE(at({0, 1}), heatColour(colours, 20, 10, 20));
        QCOMPARE(at({0, 0}), at({1, 1}));
        QVERIFY(at({0, 0}) != at({0, 1}));
        QSet<QRgb> unknown;
        const QRect box = m_map->cellRect({1, 0}).adjusted(3, 3, -3, -3);
        for (int x = box.left(); x < box.right(); ++x)
            unknown += picture.pixel(x, box.center().y());
        QCOMPARE(unknown.size(), 2); // lines and paper
        QVERIFY(m_map->scaleText().isEmpty());
    }

    void namesHaveRoomInBold()
    {
        show(2, 2, {10, 20, 30, 40});
        const auto wanted = [this] {
            QFont bold = m_map->font();
            bold.setBold(true);
            return QFontMetrics(bold).horizontalAdvance(QStringLiteral("rank 0"));
        };
        const int before = m_map->plot().left();
        QVERIFY(before > wanted());
        QFont large = m_map->font();
        large.setPixelSize(4 * m_map->fontMetrics().height());
        m_map->setFont(large);
        QVERIFY(m_map->plot().left() > before);
        QVERIFY(m_map->plot().left() > std::min(wanted(), 200));
    }

    void keysMoveTheCurrentCellAndChooseIt()
    {
        show(3, 4, std::vector<int64_t>(12, 1));
        QSignalSpy moved(m_map.get(), &HeatMap::currentChanged), chosen(m_map.get(), &HeatMap::chosen);
        QTest::keyClick(m_map.get(), Qt::Key_Right);
        QCOMPARE(m_map->current(), (HeatMap::Cell{0, 0}));
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Left})
            QTest::keyClick(m_map.get(), key);
        QCOMPARE(m_map->current(), (HeatMap::Cell{1, 1}));
        QCOMPARE(m_map->accessibleDescription(), QStringLiteral("cell 1 1"));
        QTest::keyClick(m_map.get(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(m_map->current(), (HeatMap::Cell{2, 3}));
        QTest::keyClick(m_map.get(), Qt::Key_Right); // there is no further one
        QTest::keyClick(m_map.get(), Qt::Key_Return);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.front(), (QVariantList{2, 3}));
        QTest::keyClick(m_map.get(), Qt::Key_Home);
        QCOMPARE(m_map->current(), (HeatMap::Cell{2, 0}));
        QCOMPARE(moved.count(), 7);
        show(1, 1, {5});
        QVERIFY(!m_map->current().valid());
    }

    void aClickChoosesAndTheCardSaysWhatIsUnderThePointer()
    {
        show(3, 4, std::vector<int64_t>(12, 1));
        QSignalSpy chosen(m_map.get(), &HeatMap::chosen);
        const QPoint there = m_map->cellRect({2, 1}).center();
        QTest::mouseMove(m_map.get(), there);
        QTRY_VERIFY(m_map->card()->isVisible());
        QCOMPARE(m_map->card()->lines().front(), QStringLiteral("cell 2 1"));
        QTest::mouseClick(m_map.get(), Qt::LeftButton, {}, there);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.front(), (QVariantList{2, 1}));
        QVERIFY(!m_map->card()->isVisible());
        QTest::mouseClick(m_map.get(), Qt::LeftButton, {}, QPoint(2, 2)); // beside the cells
        QCOMPARE(chosen.count(), 1);
    }

    /// No outlier is lost where many cells share a pixel, and the pointer finds it.
    void aPixelHasTheLargestOfItsValues()
    {
        std::mt19937 random(3);
        std::vector<int64_t> values(size_t{1500} * 1000);
        for (int64_t &value : values)
            value = static_cast<int64_t>(random() % 100);
        const HeatMap::Cell outlier{777, 333};
        values[size_t{777} * 1000 + 333] = 1000;
        show(1500, 1000, values);
        QVERIFY2(m_map->scaleText().contains(QStringLiteral("largest of up to")), qPrintable(m_map->scaleText()));
        const QPoint there = m_map->cellRect(outlier).topLeft();
        QCOMPARE(m_map->cellAt(there), outlier);
        const QImage picture = m_map->grab().toImage();
        const QRgb strongest = heatColour(Palette::fitting(m_map->palette()), 1000, 0, 1000);
        QCOMPARE(picture.pixel(there), strongest);
        const QRect plot = m_map->plot();
        int strong = 0;
        for (int y = plot.top(); y <= plot.bottom(); ++y)
            for (int x = plot.left(); x <= plot.right(); ++x)
                strong += picture.pixel(x, y) == strongest;
        QCOMPARE(strong, 1);
    }

    void valuesBelowZeroHaveColoursOfTheirOwn()
    {
        show(1, 3, {-10, 0, 20}, -10, 20);
        const Palette &colours = Palette::fitting(m_map->palette());
        QVERIFY(heatColour(colours, -10, -10, 20) != heatColour(colours, 10, -10, 20));
        QCOMPARE(m_map->cellAt(m_map->cellRect({0, 0}).center()), (HeatMap::Cell{0, 0}));
        QCOMPARE(m_map->grab().toImage().pixel(m_map->cellRect({0, 0}).center()), heatColour(colours, -10, -10, 20));
    }

private:
    void show(int rows, int columns, std::vector<int64_t> values, int64_t low = 0, int64_t high = 0)
    {
        HeatMapData data;
        data.rows = rows;
        data.columns = columns;
        data.low = low;
        data.high = high ? high : std::ranges::max(values);
        data.values = std::make_shared<const std::vector<int64_t>>(std::move(values));
        if (rows == 2)
            data.low = 10;
        data.rowName = [](int row) { return QStringLiteral("rank %1").arg(row); };
        data.columnName = [](int column) { return QString::number(column); };
        data.valueText = [](int64_t value) { return QString::number(value); };
        data.describe = [](int row, int column) {
            return QStringList{QStringLiteral("cell %1 %2").arg(row).arg(column)};
        };
        m_map->setData(std::move(data));
    }

    std::unique_ptr<HeatMap> m_map;
};

RIFFLE_WIDGET_TEST(HeatMapTest)
#include "heat_map_test.moc"
