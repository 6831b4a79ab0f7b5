// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/analysis/small_trace.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

namespace riffle::test {
namespace {

constexpr int kPairs = 150'000; ///< more slices than the seal moves at a time
constexpr Ns kEvery = 100;

/// Each pair is an outer slice of 50 ns with an inner one of 20 ns. `order` is the order in the source.
std::shared_ptr<const Trace> pairsInOrder(const std::vector<int> &order, uint32_t segmentSlices)
{
    SmallTrace trace;
    const uint32_t thread = trace.thread(1, "main");
    for (const int pair : order) {
        trace.plain(thread, "inner", "", kEvery * pair + 10, 20);
        trace.plain(thread, "outer", "", kEvery * pair, 50);
    }
    return trace.seal(segmentSlices);
}

void expectPairs(const Trace &trace)
{
    ASSERT_EQ(trace.sliceCount(), uint64_t{2} * kPairs);
    std::map<Ns, uint32_t> outers; // ids by start
    size_t wrong = 0;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at)
            if (segment->slices.duration[at] == 50)
                outers.emplace(segment->slices.start[at], segment->firstSlice + at);
    ASSERT_EQ(outers.size(), size_t{kPairs});
    for (const auto &segment : trace.segments) {
        ASSERT_EQ(segment->rows(), 2u);
        for (uint32_t row = 0; row < 2; ++row)
            wrong += !std::is_sorted(segment->slices.start.begin() + segment->rowBegin[row],
                                     segment->slices.start.begin() + segment->rowBegin[row + 1]);
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const bool isOuter = segment->slices.duration[at] == 50;
            const Ns start = segment->slices.start[at];
            wrong += trace.string(segment->slices.name[at]) != (isOuter ? "outer" : "inner");
            wrong += segment->nesting.depth[at] != (isOuter ? 0u : 1u);
            wrong += segment->nesting.self[at] != (isOuter ? 30 : 20);
            wrong += segment->nesting.parent[at] != (isOuter ? SliceId::kNone : outers.at(start - 10));
        }
    }
    EXPECT_EQ(wrong, 0u);
}

std::vector<int> ascending()
{
    std::vector<int> order(kPairs);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

TEST(LongLane, IsOrderedIfNeighboursAreSwapped)
{
    std::vector<int> order = ascending();
    std::mt19937 random(5);
    for (size_t begin = 0; begin + 50 <= order.size(); begin += 50)
        std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.begin() + static_cast<std::ptrdiff_t>(begin + 50), random);
    for (const uint32_t segmentSlices : {Segment::kMaxSlices, 100'001u, 20'000u})
        expectPairs(*pairsInOrder(order, segmentSlices));
}

TEST(LongLane, IsOrderedIfTwoStretchesAreInterleaved)
{
    std::vector<int> order = ascending();
    std::stable_partition(order.begin(), order.end(), [](int pair) { return pair % 2 == 0; });
    expectPairs(*pairsInOrder(order, Segment::kMaxSlices));
}

TEST(LongLane, IsOrderedIfItIsBackwards)
{
    std::vector<int> order = ascending();
    std::reverse(order.begin(), order.end());
    expectPairs(*pairsInOrder(order, 70'000));
}

} // namespace
} // namespace riffle::test
