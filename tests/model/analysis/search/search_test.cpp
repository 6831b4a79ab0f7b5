// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/search.h"

#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

namespace riffle {
namespace {

using Mode = SearchQuery::Mode;

SearchHits hitsOf(const TraceSet &set, SearchQuery query)
{
    auto hits = search(set, query, {});
    EXPECT_TRUE(hits);
    return std::move(*hits);
}

std::vector<std::string> walk(const TraceSet &set, const SearchHits &hits)
{
    std::vector<std::string> names;
    SliceRef at;
    for (uint64_t i = 0; i < hits.count(); ++i) {
        at = hits.next(at);
        EXPECT_EQ(hits.rank(at), i);
        EXPECT_TRUE(hits.contains(at));
        const Trace &trace = *set.trace(at.trace);
        names.emplace_back(trace.string(trace.slice(at.slice)->data.name));
    }
    return names;
}

TEST(Search, SubstringInEitherCaseInOrderOfTime)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const SearchHits hits = hitsOf(set, {"GEMM"});
    EXPECT_EQ(walk(set, hits), (std::vector<std::string>{"sgemm", "sgemm_bwd", "sgemm", "sgemm_bwd"}));
    EXPECT_EQ(hits.names()[TraceId(0)].size(), 2u);
    EXPECT_EQ(hitsOf(set, {"GEMM", Mode::Substring, true}).count(), 0u);
}

TEST(Search, SpreadTellsInWhichPartsHitsStart)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const SearchHits hits = hitsOf(set, {"sgemm"});
    const TimeSpan span = set.span();
    constexpr size_t kParts = 50;
    std::vector<bool> expected(kParts);
    SliceRef at;
    for (uint64_t i = 0; i < hits.count(); ++i) {
        at = hits.next(at);
        const Ns start = set.trace(at.trace)->slice(at.slice)->data.start;
        expected[static_cast<size_t>(start - span.begin) * kParts / static_cast<size_t>(span.duration())] = true;
    }
    EXPECT_EQ(hits.spread(span, kParts), expected);
    EXPECT_EQ(hits.spread({span.end, span.end + 10}, 3), std::vector<bool>(3));
}

TEST(Search, NextAndPreviousGoAround)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const SearchHits hits = hitsOf(set, {"aten::mm"});
    ASSERT_EQ(hits.count(), 2u);
    const SliceRef first = hits.next({});
    const SliceRef second = hits.next(first);
    EXPECT_NE(first, second);
    EXPECT_EQ(hits.next(second), first);
    EXPECT_EQ(hits.previous(first), second);
    EXPECT_EQ(hits.previous(second), first);
    EXPECT_EQ(hits.atOrAfter(1'050'000), second);
    EXPECT_EQ(hits.atOrAfter(9'000'000), first);
}

TEST(Search, FromASliceThatIsNoHit)
{
    const auto trace = test::trainingTrace();
    const TraceSet set = test::setOf(trace);
    const SearchHits hits = hitsOf(set, {"sgemm_bwd"});
    const SliceRef found = hits.next({TraceId(0), test::sliceNamed(*trace, "aten::mm")});
    EXPECT_EQ(trace->slice(found.slice)->data.start, 1'060'000);
    EXPECT_FALSE(hits.contains({TraceId(0), test::sliceNamed(*trace, "aten::mm")}));
}

TEST(Search, RegularExpression)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    EXPECT_EQ(hitsOf(set, {"^aten::(mm|linear)$", Mode::Regex}).count(), 4u);
    EXPECT_EQ(hitsOf(set, {"^SGEMM$", Mode::Regex}).count(), 2u);
    const auto broken = search(set, {"(", Mode::Regex}, {});
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().message, "'(' is not a regular expression: a parenthesis is not closed.");
}

TEST(Search, Category)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    EXPECT_EQ(hitsOf(set, {"kernel", Mode::Category}).count(), 4u);
    EXPECT_EQ(hitsOf(set, {"cuda_runtime", Mode::Category}).count(), 4u);
    EXPECT_EQ(hitsOf(set, {"python", Mode::Category}).count(), 6u);
}

TEST(Search, ArgumentTextOnRequestOnly)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    EXPECT_EQ(hitsOf(set, {"Input Dims"}).count(), 0u);
    EXPECT_EQ(hitsOf(set, {"input dims", Mode::Substring, false, true}).count(), 2u);
    EXPECT_EQ(hitsOf(set, {"32, *64", Mode::Regex, false, true}).count(), 2u);
    EXPECT_EQ(hitsOf(set, {"cudaLaunch", Mode::Substring, false, true}).count(), 4u);
}

TEST(Search, NothingForAnEmptyQueryOrSet)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    const SearchHits none = hitsOf(set, {""});
    EXPECT_EQ(none.count(), 0u);
    EXPECT_FALSE(none.next({}).valid());
    EXPECT_FALSE(none.previous({}).valid());
    EXPECT_EQ(hitsOf({}, {"x"}).count(), 0u);
}

TEST(SearchSlow, NamesOfManySlicesWithinTheLimit)
{
    test::SmallTrace small;
    const uint32_t lane = small.stream(7);
    for (int i = 0; i < 2'000'000; ++i)
        small.kernel(lane, "kernel" + std::to_string(i % 20'000), i * 10, 8, i);
    const TraceSet set = test::setOf(small.seal());
    hitsOf(set, {"kernel19"});
    const auto begin = std::chrono::steady_clock::now();
    const SearchHits hits = hitsOf(set, {"nel1"});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(hits.count(), 0u);
    std::cout << "search over 2 M slices: " << took.count() << " ms\n";
    EXPECT_LT(took.count(), 100.0);
}

} // namespace
} // namespace riffle
