// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_slices.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace riffle {
namespace {

TEST(RowSlices, ASliceBelongsToTheFirstOfItsRows)
{
    std::mt19937 random(3);
    for (const uint32_t count : {0u, 1u, 100u, 100'000u}) {
        BigVector<std::pair<uint32_t, uint32_t>> pairs;
        std::map<uint32_t, uint32_t> first;
        for (uint32_t at = 0; at < count; ++at) {
            const uint32_t slice = random() % 4 ? random() % (2 * count) : UINT32_MAX - 1 - random() % count;
            const uint32_t row = random() % 20;
            pairs.emplace_back(slice, row);
            const auto [found, isNew] = first.try_emplace(slice, row);
            found->second = std::min(found->second, row);
        }
        const auto rows = RowSlices::ofTrace(TraceId(0), pairs);
        std::vector<std::vector<SliceRef>> slicesOf(20);
        for (const auto &[slice, row] : first) {
            EXPECT_EQ(rows->rowOf({TraceId(0), SliceId(slice)}), row) << slice;
            slicesOf[row].push_back({TraceId(0), SliceId(slice)});
        }
        for (uint32_t row = 0; row < 20; ++row)
            EXPECT_EQ(rows->slicesOf(row), slicesOf[row]) << row;
    }
}

/// A set of two traces, the second with a clock that is 1 ms ahead, each with slices that start at these times.
TraceSet twoTraces(std::initializer_list<Ns> starts)
{
    test::SmallTrace small;
    const uint32_t thread = small.thread(1);
    for (const Ns start : starts)
        small.operation(thread, "aten::mm", start, 10);
    const auto trace = small.seal();
    TraceSet set = test::setOf(trace);
    set.add(trace, TimeMap({{0, 1'000'000}}));
    return set;
}

std::vector<SliceRef> visited(const TraceSet &set, const RowSlices &slices, uint32_t row, int direction)
{
    std::vector<SliceRef> all;
    for (SliceRef at = slices.neighbour(set, row, {}, direction); at.valid();
         at = slices.neighbour(set, row, at, direction))
        all.push_back(at);
    return all;
}

SliceRef slice(uint32_t trace, uint32_t id) { return {TraceId(trace), SliceId(id)}; }

TEST(RowSlices, PartsAreVisitedInTheOrderOfEachRow)
{
    const TraceSet set = twoTraces({100, 200, 300});
    // Rows of the parts: slices 0 and 2 of trace 0 are its row 0, slice 1 its row 1; trace 1 has the rows swapped.
    const RowSlices::Part first{RowSlices::ofTrace(TraceId(0), {{0, 0}, {2, 0}, {1, 1}}), {0, 1}};
    const RowSlices::Part second{RowSlices::ofTrace(TraceId(1), {{0, 1}, {2, 1}, {1, 0}}), {1, 0}};
    const std::vector<RowSlices::Part> parts{first, second};
    const std::vector<std::vector<uint32_t>> orders{{1, 0}, {0}};
    const auto slices = RowSlices::together(parts, orders);
    const std::vector<SliceRef> row{slice(1, 0), slice(1, 2), slice(0, 0), slice(0, 2)};
    EXPECT_EQ(visited(set, *slices, 0, 1), row) << "the part that comes first, although its clock is ahead";
    EXPECT_EQ(visited(set, *slices, 0, -1), std::vector<SliceRef>(row.rbegin(), row.rend()));
    EXPECT_EQ(slices->neighbour(set, 0, slice(0, 1), 1), slice(0, 2)) << "from a slice of another row";
    EXPECT_EQ(slices->rowOf(slice(1, 2)), 0u);
    EXPECT_EQ(slices->rowOf(slice(1, 1)), 1u);
    const RowSlices kept = slices->renumbered({1, 0}, 2);
    EXPECT_EQ(visited(set, kept, 1, 1), row);
}

TEST(RowSlices, ATraceWithoutSlicesOfTheRowStartsAtTheFirst)
{
    const TraceSet set = twoTraces({100, 200});
    const std::vector<RowSlices::Part> parts{{RowSlices::ofTrace(TraceId(0), {{0, 0}}), {0}}, {nullptr, {}}};
    const std::vector<std::vector<uint32_t>> orders{{0}};
    const auto slices = RowSlices::together(parts, orders);
    EXPECT_EQ(slices->neighbour(set, 0, slice(1, 1), 1), slice(0, 0));
    EXPECT_EQ(slices->neighbour(set, 0, slice(1, 1), -1), slice(0, 0));
}

} // namespace
} // namespace riffle
