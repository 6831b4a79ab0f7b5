// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/table_bands.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle::test {
namespace {

struct Shown {
    TimeSpan span;
    std::string name;
    SliceId slice;
    bool operator==(const Shown &) const = default;
};

std::vector<Shown> shown(const BandTrack &track)
{
    std::vector<Shown> out;
    for (uint32_t band = 0; band < track.bands->size(); ++band)
        out.push_back(
            {{track.bands->slices.start[band], track.bands->end(band)}, track.nameOf(band), track.slices[band]});
    return out;
}

BandTrack titled(const char *title)
{
    BandTrack track;
    track.key = track.title = title;
    return track;
}

void addCounts(ResultTable &table, const char *key, std::vector<int64_t> cells)
{
    table.add(key, key, CellKind::Count).integers = std::move(cells);
}
void addTexts(ResultTable &table, const char *key, std::vector<std::string> cells)
{
    table.add(key, key, CellKind::Text).texts = std::move(cells);
}

TEST(TableBands, TakeTimesFromTsAndDurAndNamesFromName)
{
    const auto trace = trainingTrace();
    const Ns begin = trace->span.begin;
    ResultTable table;
    addTexts(table, "kind", {"x", "x", "x"});
    addTexts(table, "name", {"late", "early", ""});
    addCounts(table, "ts", {begin + 500, begin + 100, kNoInt});
    addCounts(table, "dur", {50, kNoInt, 7});
    ASSERT_TRUE(hasTimes(table));
    const SetBands bands = bandsOf(table, setOf(trace), titled("k"));
    ASSERT_EQ(bands[TraceId(0)].size(), 1u);
    EXPECT_EQ(bands[TraceId(0)][0]->key, "k");
    EXPECT_EQ(bands[TraceId(0)][0]->device, -1);
    EXPECT_EQ(shown(*bands[TraceId(0)][0]), (std::vector<Shown>{{{begin + 100, begin + 100}, "early", {}},
                                                                {{begin + 500, begin + 550}, "late", {}}}));
}

TEST(TableBands, OfSlicesStandAtTheirDeviceWithTheirNames)
{
    const auto trace = trainingTrace();
    const SliceId kernel = sliceNamed(*trace, "sgemm");
    ResultTable table;
    addCounts(table, "id", {kernel.value, 3});
    table.evidence = {{TraceId(0), kernel}, {}};
    const SetBands bands = bandsOf(table, setOf(trace), {});
    const auto slice = trace->slice(kernel)->data;
    EXPECT_EQ(bands[TraceId(0)][0]->device, 0);
    EXPECT_EQ(shown(*bands[TraceId(0)][0]),
              (std::vector<Shown>{{{slice.start, slice.start + slice.duration}, "sgemm", kernel}}));
}

TEST(TableBands, OfSeveralTracesAreOnTheirOwnClocks)
{
    TraceSet set;
    set.add(trainingTrace(), TimeMap());
    set.add(trainingTrace(), TimeMap({{0, 1'000'000'000}}));
    const Ns begin = set.loaded()[1].trace->span.begin;
    ResultTable table;
    addCounts(table, "trace", {1});
    addCounts(table, "ts", {1'000'000'000 + begin + 5});
    addCounts(table, "dur", {10});
    const SetBands bands = bandsOf(table, set, titled("t"));
    EXPECT_TRUE(bands[TraceId(0)].empty());
    EXPECT_EQ(shown(*bands[TraceId(1)][0]), (std::vector<Shown>{{{begin + 5, begin + 15}, "t", {}}}));
}

TEST(TableBands, StayWithinTheTrace)
{
    const auto trace = trainingTrace();
    ResultTable table;
    addCounts(table, "ts", {INT64_MIN + 1, INT64_MAX - 1, trace->span.end - 10, -1});
    addCounts(table, "dur", {INT64_MAX, INT64_MAX, INT64_MAX, -5});
    addTexts(table, "name", {"before", "behind", "over", "ends before it begins"});
    const SetBands bands = bandsOf(table, setOf(trace), {});
    EXPECT_EQ(shown(*bands[TraceId(0)][0]),
              (std::vector<Shown>{{{trace->span.end - 10, trace->span.end}, "over", {}}}));
}

TEST(TableBands, NeedTimesOrSlices)
{
    ResultTable table;
    addTexts(table, "name", {"a"});
    EXPECT_FALSE(hasTimes(table));
    EXPECT_TRUE(bandsOf(table, setOf(trainingTrace()), {})[TraceId(0)].empty());
    addTexts(table, "ts", {"1"});
    EXPECT_FALSE(hasTimes(table));
}

} // namespace
} // namespace riffle::test
