// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/landscape.h"
#include "model/layout/landscape_image.h"
#include "model/layout/level_graph.h"
#include "model/layout/slot_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace riffle {
namespace {

LandscapeColumns randomColumns(uint32_t rows, uint32_t slotCount, uint64_t seed)
{
    std::mt19937_64 random(seed);
    LandscapeColumns columns;
    columns.slotCount = slotCount;
    for (uint32_t row = 0; row < rows; ++row)
        columns.begin.push_back(static_cast<uint32_t>(random() % slotCount));
    std::sort(columns.begin.begin(), columns.begin.end());
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t most = slotCount - columns.begin[row];
        columns.end.push_back(columns.begin[row] +
                              static_cast<uint32_t>(random() % (random() % 4 ? std::min(most, 40u) + 1 : most + 1)));
        columns.size.push_back(static_cast<int64_t>(random() % 8 ? random() % 100'000 : 512));
    }
    return columns;
}

/// The rows that get their own bands, found by sorting all rows.
std::vector<uint32_t> wantedBands(const LandscapeColumns &columns, size_t most)
{
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < columns.size.size(); ++row)
        if (columns.end[row] > columns.begin[row] && columns.size[row] > 0)
            rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return columns.size[a] > columns.size[b]; });
    rows.resize(std::min(most, rows.size()));
    std::sort(rows.begin(), rows.end());
    return rows;
}

TEST(Landscape, BandsLieOnThoseThatAreAliveAndOlder)
{
    // Three bands: the second starts on top of the first and slides down when the first ends.
    const LandscapeColumns columns{{0, 2, 3}, {4, 9, 6}, {100, 50, 20}, 9};
    const Landscape landscape(columns, 10);
    ASSERT_EQ(landscape.bands(), 3u);
    EXPECT_EQ(landscape.base(1, 1), std::nullopt);
    EXPECT_EQ(landscape.base(1, 3), 100);
    EXPECT_EQ(landscape.base(2, 3), 150);
    EXPECT_EQ(landscape.base(1, 4), 0);
    EXPECT_EQ(landscape.base(2, 4), 50);
    EXPECT_EQ(landscape.top(5), 70);
    EXPECT_EQ(landscape.top(8), 50);
    EXPECT_EQ(landscape.bandAt(3, 149), 1u);
    EXPECT_EQ(landscape.bandAt(3, 150), 2u);
    EXPECT_EQ(landscape.bandAt(3, 170), Landscape::kNone);
}

TEST(Landscape, HitsEqualAReplayOfAllAllocations)
{
    for (const auto &[rows, most] : {std::pair(1u, 1u), std::pair(500u, 1000u), std::pair(2000u, 300u),
                                     std::pair(3000u, 1u), std::pair(800u, 0u)}) {
        const LandscapeColumns columns = randomColumns(rows, 1500, rows + most);
        const Landscape landscape(columns, most);
        const std::vector<uint32_t> bands = wantedBands(columns, most);
        ASSERT_EQ(landscape.bands(), bands.size());
        std::mt19937_64 random(7);
        for (int look = 0; look < 1000; ++look) {
            const auto slot = static_cast<uint32_t>(random() % columns.slotCount);
            int64_t top = 0;
            std::vector<std::pair<uint32_t, int64_t>> stacked; // band, base
            for (uint32_t band = 0; band < bands.size(); ++band) {
                const uint32_t row = bands[band];
                ASSERT_EQ(landscape.row(band), row);
                if (columns.begin[row] > slot || columns.end[row] <= slot)
                    continue;
                stacked.emplace_back(band, top);
                top += columns.size[row];
            }
            ASSERT_EQ(landscape.top(slot), top);
            const auto height = static_cast<int64_t>(random() % static_cast<uint64_t>(top + 1000));
            uint32_t wanted = Landscape::kNone;
            for (const auto &[band, base] : stacked) {
                ASSERT_EQ(landscape.base(band, slot), base);
                if (height >= base && height < base + columns.size[bands[band]])
                    wanted = band;
            }
            ASSERT_EQ(landscape.bandAt(slot, height), wanted);
        }
        for (uint32_t row = 0; row < rows; ++row) {
            const auto at = std::find(bands.begin(), bands.end(), row);
            EXPECT_EQ(landscape.bandOf(row),
                      at == bands.end() ? Landscape::kNone : static_cast<uint32_t>(at - bands.begin()));
        }
    }
}

TEST(Landscape, APixelShowsTheBandAtItsCentre)
{
    const LandscapeColumns columns = randomColumns(1500, 900, 3);
    const Landscape landscape(columns, 700);
    std::vector<Landscape::Run> runs;
    for (const double perPixel : {7.0, 900.0, 5111.5, 60'000.0}) {
        for (const double bottom : {0.0, 12'345.0}) {
            for (uint32_t slot = 0; slot < columns.slotCount; slot += 37) {
                constexpr int32_t kRows = 300;
                landscape.runs(slot, bottom, perPixel, kRows, runs);
                std::vector<uint32_t> seen(kRows, Landscape::kNone);
                for (const Landscape::Run &run : runs)
                    for (int32_t y = run.low; y < run.high; ++y)
                        seen[static_cast<size_t>(y)] = run.band;
                for (int32_t y = 0; y < kRows; ++y)
                    ASSERT_EQ(seen[static_cast<size_t>(y)],
                              landscape.bandAt(slot, static_cast<int64_t>(std::floor(bottom + (y + 0.5) * perPixel))))
                        << slot << " " << y;
            }
        }
    }
}

TEST(Landscape, ThePictureHasTheColoursOfItsBands)
{
    const LandscapeColumns columns = randomColumns(300, 200, 5);
    const Landscape landscape(columns, 100);
    std::vector<uint32_t> colours;
    for (uint32_t band = 0; band < landscape.bands(); ++band)
        colours.push_back(0xff000000u | band);
    std::vector<LandscapeColumn> shown;
    for (uint32_t column = 0; column < 133; ++column)
        shown.push_back({column * 3 / 2, landscape.top(column * 3 / 2) + 40'000});
    LandscapeLook look{shown, 0, 20'000, 90, colours, 0xffffffffu, {0xffaa0000u, 0xffbb0000u}};
    std::vector<uint32_t> pixels(150 * 90);
    paintLandscape(landscape, look, pixels.data(), 150);
    for (size_t x = 0; x < shown.size(); ++x)
        for (int y = 0; y < 90; ++y) {
            const int64_t height = (89 - y) * 20'000 + 10'000;
            const uint32_t band = landscape.bandAt(shown[x].slot, height),
                           pixel = pixels[static_cast<size_t>(y) * 150 + x];
            if (band != Landscape::kNone)
                ASSERT_TRUE(pixel == colours[band] || landscape.size(band) >= 3 * 20'000) << x << " " << y;
            else if (height < shown[x].active)
                ASSERT_TRUE(pixel == look.rest[0] || pixel == look.rest[1]);
            else
                ASSERT_EQ(pixel, look.background);
        }
}

TEST(Landscape, APictureIsTheSameWhateverStandsBesideAColumn)
{
    const LandscapeColumns columns = randomColumns(1200, 800, 9);
    const Landscape landscape(columns, 900);
    std::vector<uint32_t> colours;
    for (uint32_t band = 0; band < landscape.bands(); ++band)
        colours.push_back(0xff000000u | band * 7919);
    for (const auto &[bottom, perPixel] :
         {std::pair(0.0, 25'000.0), std::pair(333'333.0, 2'500.0), std::pair(1000.0, 400.0)}) {
        constexpr int32_t kHeight = 211;
        std::vector<LandscapeColumn> shown;
        for (uint32_t slot = 0; slot < columns.slotCount; slot += 5)
            shown.push_back({slot, landscape.top(slot) + 30'000});
        std::vector<uint32_t> together(shown.size() * kHeight), alone(kHeight);
        LandscapeLook look{shown, bottom, perPixel, kHeight, colours, 0xffffffffu, {1, 1}};
        paintLandscape(landscape, look, together.data(), shown.size());
        for (size_t x = 0; x < shown.size(); ++x) {
            look.columns = std::span(shown).subspan(x, 1);
            paintLandscape(landscape, look, alone.data(), 1);
            for (size_t y = 0; y < kHeight; ++y)
                ASSERT_EQ(together[y * shown.size() + x], alone[y]) << x << " " << y;
        }
    }
}

TEST(Landscape, ImpossibleSizesOverflowNothing)
{
    const LandscapeColumns columns{{0, 0, 0}, {2, 2, 2}, {INT64_MAX, INT64_MAX, 3}, 2};
    const Landscape landscape(columns, 10);
    std::vector<Landscape::Run> runs;
    landscape.runs(1, 0, 1e6, 100, runs);
    landscape.bandAt(1, INT64_MAX);
    EXPECT_EQ(landscape.bands(), 3u);
}

TEST(LevelGraph, KeepsLowestAndHighestOfAnyStretch)
{
    std::mt19937_64 random(11);
    for (const uint32_t slotCount : {1u, 63u, 64u, 65u, 20'000u}) {
        std::vector<LevelGraph::Levels> levels(slotCount);
        for (auto &level : levels)
            for (auto &value : level)
                value = static_cast<int64_t>(random() % 1000);
        const LevelGraph graph(
            slotCount, [&](uint32_t first, const LevelGraph::Levels &before, std::span<LevelGraph::Levels> out) {
                EXPECT_EQ(before, first > 0 ? levels[first - 1] : LevelGraph::Levels());
                std::copy_n(levels.begin() + first, out.size(), out.begin());
            });
        for (int look = 0; look < 300; ++look) {
            const auto first = static_cast<uint32_t>(random() % slotCount);
            const uint32_t last = first + 1 + static_cast<uint32_t>(random() % (slotCount - first));
            const LevelGraph::Extent extent = graph.over(first, last);
            uint32_t highest = first;
            LevelGraph::Levels low = levels[first], high = levels[first];
            for (uint32_t slot = first; slot < last; ++slot) {
                if (levels[slot][1] > levels[highest][1])
                    highest = slot;
                for (size_t at = 0; at < low.size(); ++at) {
                    low[at] = std::min(low[at], levels[slot][at]);
                    high[at] = std::max(high[at], levels[slot][at]);
                }
            }
            ASSERT_EQ(extent.low, low);
            ASSERT_EQ(extent.high, high);
            ASSERT_EQ(extent.highest, highest);
            ASSERT_EQ(graph.at(first), levels[first]);
        }
    }
}

TEST(SlotAxis, EveryColumnShowsWhatBeginsInItOrLastsOn)
{
    std::vector<int64_t> times;
    std::mt19937_64 random(13);
    int64_t time = 1'000'000;
    for (int at = 0; at < 400; ++at)
        times.push_back(time += static_cast<int64_t>(random() % 3 ? random() % 50 : random() % 3000));
    for (const SlotAxis &axis : {SlotAxis(uint32_t(401)), SlotAxis(std::span<const int64_t>(times))}) {
        const TimeSpan whole = axis.whole();
        for (const TimeSpan range : {whole, TimeSpan{whole.begin - 100, whole.end + 500},
                                     TimeSpan{whole.begin + whole.duration() / 3, whole.begin + whole.duration() / 2},
                                     TimeSpan{whole.begin + 100, whole.begin + 110}}) {
            const TimeScale scale(range, 173);
            const auto columns = axis.columns(scale);
            ASSERT_EQ(columns.size(), 173u);
            for (int column = 0; column < 173; ++column) {
                const auto [first, last] = columns[static_cast<size_t>(column)];
                ASSERT_LT(first, last);
                ASSERT_LE(last, axis.slotCount());
                const Ns begin = scale.columnBegin(column), end = scale.columnBegin(column + 1);
                uint32_t wantedFirst = axis.slotCount(), wantedLast = 0, lasting = 0;
                for (uint32_t slot = 0; slot < axis.slotCount(); ++slot) {
                    if (axis.begin(slot) < end)
                        lasting = slot;
                    if (axis.begin(slot) >= begin && axis.begin(slot) < end) {
                        wantedFirst = std::min(wantedFirst, slot);
                        wantedLast = slot + 1;
                    }
                }
                if (wantedLast == 0) {
                    wantedFirst = lasting;
                    wantedLast = lasting + 1;
                }
                ASSERT_EQ(first, wantedFirst) << column;
                ASSERT_EQ(last, wantedLast) << column;
            }
        }
        for (uint32_t slot = 0; slot < axis.slotCount(); ++slot)
            ASSERT_EQ(axis.begin(axis.slotAt(axis.begin(slot))), axis.begin(slot));
    }
}

} // namespace
} // namespace riffle
