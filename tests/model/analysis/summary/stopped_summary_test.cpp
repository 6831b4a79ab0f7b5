// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/critical_path/critical_path_bands.h"
#include "model/analysis/idle/idle_bands.h"
#include "model/analysis/summary/summary.h"
#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/small_trace.h"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <vector>

namespace riffle {
namespace {

SummaryRequest requestOf(const SummaryView &view)
{
    SummaryRequest request;
    request.view = view.word;
    return request;
}

std::string csvOf(const ResultTable &table) { return tableCsv(table, allRows(table)); }

std::string freshAnswer(const TraceSet &set, const SummaryView &view)
{
    return csvOf(*summarize(SetFacts(set), requestOf(view), {}));
}

TEST(StoppedSummary, IsAnErrorInEveryViewAndTheFactsAreMadeLater)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    for (const SummaryView &view : summaryViews()) {
        SCOPED_TRACE(view.word);
        const SetFacts facts(set);
        std::stop_source before;
        before.request_stop();
        const auto never = summarize(facts, requestOf(view), {before.get_token(), nullptr});
        ASSERT_FALSE(never);
        EXPECT_EQ(never.error().kind, ErrorKind::Cancelled);

        std::stop_source source;
        SummaryRequest request = requestOf(view);
        request.names = [&](std::string_view) { // asked at the start of the question
            source.request_stop();
            return true;
        };
        const auto stopped = summarize(facts, request, {source.get_token(), nullptr});
        ASSERT_FALSE(stopped);
        EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);

        const auto answer = summarize(facts, requestOf(view), {});
        ASSERT_TRUE(answer);
        EXPECT_EQ(csvOf(*answer), freshAnswer(set, view));
    }
}

TEST(StoppedSummary, BandsAreEmpty)
{
    const SetFacts facts(test::setOf(test::trainingTrace()));
    std::stop_source source;
    source.request_stop();
    EXPECT_TRUE(idleBands(facts, {}, source.get_token())[TraceId(0)].empty());
    EXPECT_TRUE(criticalPathBands(facts, {}, source.get_token())[TraceId(0)].empty());
    EXPECT_FALSE(idleBands(facts, {}, {})[TraceId(0)].empty());
    EXPECT_FALSE(criticalPathBands(facts, {}, {})[TraceId(0)].empty());
}

TEST(StoppedSummary, OthersAreAnsweredWhileQuestionsStopAtRandom)
{
    const TraceSet set = test::setOf(test::trainingTrace());
    std::map<std::string, std::string> expected;
    for (const SummaryView &view : summaryViews())
        expected[view.word] = freshAnswer(set, view);
    for (int round = 0; round < 20; ++round) {
        const SetFacts facts(set);
        std::vector<std::stop_source> sources(summaryViews().size());
        std::atomic<size_t> next = 0;
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (size_t at = next++; at < sources.size(); at = next++) {
                    const SummaryView &view = summaryViews()[at];
                    const bool stopsAnother = (at + static_cast<size_t>(round)) % 2;
                    if (stopsAnother && at > 0)
                        sources[at - 1].request_stop();
                    const Task task{stopsAnother ? std::stop_token() : sources[at].get_token(), nullptr};
                    const auto answer = summarize(facts, requestOf(view), task);
                    if (answer)
                        EXPECT_EQ(csvOf(*answer), expected.at(view.word));
                    else
                        EXPECT_TRUE(!stopsAnother && answer.error().kind == ErrorKind::Cancelled);
                }
            });
        for (std::thread &thread : threads)
            thread.join();
        for (const SummaryView &view : summaryViews())
            EXPECT_EQ(csvOf(*summarize(facts, requestOf(view), {})), expected[view.word]);
    }
}

} // namespace
} // namespace riffle
