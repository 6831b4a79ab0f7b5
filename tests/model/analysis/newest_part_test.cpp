// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"
#include "model/analysis/table/table_text.h"
#include "model/trace/details.h"
#include "model/trace/growth/newest_part.h"
#include "tests/model/changing_set/questions.h"
#include "tests/support/followed_log.h"
#include "tests/support/recorded_log.h"
#include "tests/support/training_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace riffle::test {
namespace {

std::shared_ptr<const Trace> recordedTrace(uint32_t seed)
{
    const LogFolder recorded;
    writeRecordedLog(recorded, seed, seed % 2 ? Calls::AtOnce : Calls::HeldBack, 4);
    return *followedLog(recorded, {seed, 20});
}

std::shared_ptr<const Trace> trainingTrace()
{
    const LogFolder training;
    writeTrainingLog(training, 70'000, 500'000);
    return *followedLog(training, {1, 4});
}

std::vector<std::shared_ptr<const Trace>> grownTraces()
{
    return {recordedTrace(1), recordedTrace(2), trainingTrace()};
}

TEST(NewestPart, HasEverySliceSinceItBegins)
{
    size_t parts = 0;
    for (const auto &trace : grownTraces())
        for (const uint64_t share : {2u, 4u, 10u}) {
            const uint64_t most = trace->sliceCount() / share;
            const auto part = newestPart(trace, most);
            ASSERT_NE(part, trace);
            ++parts;
            ASSERT_TRUE(part->info.part);
            const Ns since = part->span.begin;
            EXPECT_GT(since, trace->span.begin);
            EXPECT_EQ(part->span.end, trace->span.end);
            EXPECT_LE(since, part->info.part->begin);
            EXPECT_LE(part->info.part->begin, since + (part->span.end - since) / 8);
            uint64_t slices = 0;
            for (const auto &segment : trace->segments)
                for (uint32_t at = 0; at < segment->size(); ++at) {
                    const auto found = part->slice(segment->idAt(at));
                    slices += found.has_value();
                    if (!found) {
                        ASSERT_LE(segment->end(at), since);
                        continue;
                    }
                    ASSERT_EQ(found->data.start, segment->slices.start[at]);
                    ASSERT_EQ(found->data.sourceOffset, segment->slices.sourceOffset[at]);
                    ASSERT_EQ(found->lane, segment->lane);
                    const SliceId parent = trace->parentOf(*segment, at);
                    ASSERT_EQ(found->parent, part->segmentOf(parent) ? parent : SliceId());
                }
            EXPECT_EQ(part->sliceCount(), slices);
            Ns last = INT64_MIN;
            for (const auto &segment : trace->segments)
                last = std::max(last, segment->span.end);
            uint64_t ofLast = 0; // those that end last stay in any case
            for (const auto &segment : trace->segments)
                ofLast += segment->span.end == last ? segment->size() : 0;
            EXPECT_LE(slices, std::max(most, ofLast));
            for (const Step &step : trace->steps)
                EXPECT_EQ(step.span.end > since,
                          std::ranges::any_of(part->steps, [&](const Step &one) { return one.slice == step.slice; }));
        }
    EXPECT_EQ(parts, 9u);
}

TEST(NewestPart, ATraceThatHasNoMoreIsItself)
{
    const auto trace = recordedTrace(1);
    EXPECT_EQ(newestPart(trace, trace->sliceCount()), trace);
    EXPECT_EQ(newestPart(trace, UINT64_MAX), trace);
}

/// True if the launch of all device work in a time is there.
bool hasLaunchesIn(const Trace &whole, const Trace &part, TimeSpan span)
{
    bool hasAll = true;
    forEachDetail(whole, &Segment::device, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const SliceId launch = whole.launchOf(segment, row);
        if (segment.end(at) > span.begin)
            hasAll &= !whole.segmentOf(launch) || part.segmentOf(launch);
    });
    return hasAll;
}

/// The rows of an answer, without the length of the trace.
std::string linesOf(const Result<ResultTable> &answer)
{
    EXPECT_TRUE(answer);
    std::string rows;
    for (uint32_t row = 0; answer && row < answer->rows(); ++row) {
        std::string line;
        for (const ResultColumn &column : answer->columns)
            line += cellValue(column, row) + ' ';
        if (!line.starts_with("trace span"))
            rows += line + '\n';
    }
    return rows;
}

TEST(NewestPart, HasTheTablesOfItsTime)
{
    size_t rows = 0;
    for (const uint32_t seed : {2u, 4u}) { // in other logs, kernels come too long after their launches
        const auto trace = recordedTrace(seed);
        const SetFacts whole(TraceSet::of({trace}));
        const SetFacts facts(TraceSet::of({trace}), &whole, trace->sliceCount() / 2);
        const TraceFacts &part = facts.of(TraceId(0));
        ASSERT_TRUE(part.isPart());
        EXPECT_EQ(&facts.ofWholeTraces().of(TraceId(0)).trace(), trace.get());
        ASSERT_TRUE(hasLaunchesIn(*trace, part.trace(), *part.settledSpan())) << seed;
        for (const SummaryView &view : summaryViews()) {
            SummaryRequest request;
            request.view = view.word;
            const std::string found = linesOf(summarize(facts, request, {}));
            request.scope.range = whole.set().time(TraceId(0)).toSet(*part.settledSpan());
            EXPECT_EQ(answerDifference(found, linesOf(summarize(whole, request, {}))), "") << view.word;
            rows += static_cast<size_t>(std::ranges::count(found, '\n'));
        }
    }
    EXPECT_GT(rows, 100u);
}

TEST(NewestPart, AQuietEndDoesNotTakeTheFiguresAway)
{
    const auto quiet = std::make_shared<Trace>(*trainingTrace());
    quiet->info.recorded.end += 3'600'000'000'000; // only counters, for an hour
    const auto part = newestPart(quiet, quiet->sliceCount() / 3);
    ASSERT_TRUE(part->info.part);
    EXPECT_LE(part->info.part->begin, part->span.begin + 1'000'000'000);
}

TEST(NewestPart, WhatHasSettledIsNotEmpty)
{
    for (const auto &trace : grownTraces())
        for (const Ns share : {2, 3, 5}) {
            const Ns settled = trace->span.begin + trace->span.duration() / share;
            for (const uint64_t most : {trace->sliceCount() / 10, uint64_t{0}}) {
                const TraceFacts facts(trace, settled, most);
                ASSERT_TRUE(facts.settledSpan());
                EXPECT_FALSE(facts.settledSpan()->empty());
                EXPECT_EQ(facts.settledSpan()->end, settled);
            }
        }
}

TEST(NewestPart, IdsAndLaunchesAreFoundInAnyOrder)
{
    std::mt19937 random(7);
    for (const auto &trace : grownTraces()) {
        for (const auto &segment : trace->segments) {
            std::map<uint32_t, uint32_t> indices;
            for (uint32_t at = 0; at < segment->size(); ++at)
                indices[segment->idAt(at).value] = at;
            for (const auto &[id, index] : indices)
                for (const uint32_t near : {id - 1, id, id + 1}) {
                    const auto found = indices.find(near);
                    ASSERT_EQ(segment->indexOf(SliceId(near)), found == indices.end() ? kNoRow : found->second);
                }
        }
        std::vector<std::pair<SliceId, SliceId>> links;
        trace->launches.forEachLaunchedBy(SliceId(0), SliceId(),
                                          [&](SliceId launch, SliceId work) { links.emplace_back(work, launch); });
        EXPECT_FALSE(links.empty());
        LaunchLinks::Place near;
        for (const bool shuffled : {false, true}) {
            std::ranges::sort(links);
            if (shuffled)
                std::ranges::shuffle(links, random);
            for (const auto &[work, launch] : links)
                ASSERT_EQ(trace->launches.launchOf(work, near), launch);
        }
    }
}

} // namespace
} // namespace riffle::test
