// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Categories in the legend of a landscape and in the details of an allocation.
#include "model/analysis/memory/categories/memory_categories.h"
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/memory/small_stacks.h"
#include "tests/support/qt/widget_tests.h"
#include "views/memory/allocation/allocation_text.h"
#include "views/memory/landscape/band_colours.h"
#include "views/memory/landscape/landscape_data.h"

#include <QTest>

#include <set>

using namespace riffle;
using namespace riffle::test;

class BandColoursTest : public QObject {
    Q_OBJECT

private slots:
    void oneLargeKvCacheIsInTheLegendOfManySmallCategories_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void oneLargeKvCacheIsInTheLegendOfManySmallCategories()
    {
        QFETCH(bool, dark);
        const auto rules = MemoryRules::parse(rulesText(), "rules");
        QVERIFY(rules);
        const auto facts = std::make_shared<const SnapshotFacts>(sharedSnapshot(snapshot()));
        const MemoryCategories categories(*facts, *rules);
        const auto data = makeLandscapeData(facts, 0, {});
        const Landscape landscape(data->columns, 1000);
        const BandColours colours(landscape, *facts, 0, MemorySession::Colour::Category, &categories,
                                  dark ? Palette::dark() : Palette::light());
        QCOMPARE(colours.legend.size(), qsizetype(8));
        QCOMPARE(colours.legend.first().first, QStringLiteral("kv_cache"));
        QCOMPARE(colours.legend.at(1).first, QStringLiteral("parameter (inferred)"));
        std::set<QRgb> different;
        for (const auto &[name, colour] : colours.legend)
            different.insert(colour);
        QCOMPARE(different.size(), size_t(8));
    }
    void anInferredCategorySaysSoInDetails()
    {
        const auto rules = MemoryRules::parse(rulesText(), "rules");
        QVERIFY(rules);
        const SnapshotFacts facts(sharedSnapshot(snapshot()));
        const MemoryCategories categories(facts, *rules);
        QCOMPARE(categoryText(categories, 0, 0, {}),
                 QStringLiteral("parameter (inferred): p (fits 100 % of the gradient bytes)"));
    }

private:
    /// Ten small categories with two allocations each, one large KV cache, and a large block from before the history
    /// that is as large as a gradient.
    static MemorySnapshot snapshot()
    {
        SmallSnapshot small;
        SmallStacks stacks;
        std::vector<uint32_t> ofEvents;
        std::vector<MemoryBlock> blocks{SmallSnapshot::block(1 << 20, 1'000'000)};
        const auto alloc = [&](const std::string &function, int64_t size) {
            const uint64_t address = (ofEvents.size() + 2) << 30;
            small.add(MemoryAction::Alloc, address, size);
            ofEvents.push_back(stacks.add({{function, "server.py", 1}}));
            blocks.push_back(SmallSnapshot::block(address, size));
        };
        alloc("cache", 500'000'000);
        for (int at = 0; at < 10; ++at)
            for (int twice = 0; twice < 2; ++twice)
                alloc("small" + std::to_string(at), 100);
        alloc("gradient", 1'000'000);
        small.segment(0, int64_t(1) << 40, blocks);
        MemorySnapshot snapshot = small.take();
        stacks.give(snapshot, ofEvents);
        return snapshot;
    }
    static std::string rulesText()
    {
        std::string sets = R"("cache": ["cache"], "gradient": ["gradient"])",
                    rules = R"({"name": "c", "category": "kv_cache", "allocated_in": ["cache"]},
                               {"name": "g", "category": "gradient", "allocated_in": ["gradient"]},
                               {"name": "p", "category": "parameter", "sized_like": "gradient"})";
        for (int at = 0; at < 10; ++at) {
            const std::string word = "small" + std::to_string(at);
            sets += ", \"" + word + "\": [\"" + word + "\"]";
            rules += ", {\"name\": \"n\", \"category\": \"" + word + "\", \"allocated_in\": [\"" + word + "\"]}";
        }
        return "{\"sets\": {" + sets + "}, \"rules\": [" + rules + "]}";
    }
};

RIFFLE_WIDGET_TEST(BandColoursTest)
#include "band_colours_test.moc"
