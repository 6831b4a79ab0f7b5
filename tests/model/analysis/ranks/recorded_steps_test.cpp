// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/recorded_steps.h"

#include "model/analysis/ranks/rank_facts_of.h"
#include "model/trace/table_rows.h"
#include "tests/model/analysis/findings/kineto_text.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using test::KinetoText;

TraceInfo infoWith(std::string summaries)
{
    TraceInfo info;
    info.metadata = {{"stepSummaries", std::move(summaries)}};
    return info;
}

TEST(RecordedSteps, AreReadWithWhatTheyDoNotKnow)
{
    const std::vector<StepFigures> rows = recordedSteps(infoWith(
        R"([{"step": 2, "start_ns": 1000, "duration_ns": 500, "wait_ns": 60, "device": 1, "kernel_ns": 200,
             "busy_ns": 999, "communication_ns": 90, "exposed_communication_ns": 40, "idle_ns": 150,
             "not_recorded_ns": 100, "memory_peak_bytes": 4096},
            {"step": 1, "start_ns": 100, "duration_ns": 400}])"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].number, 1);
    EXPECT_EQ(rows[0].device, kNoInt32);
    EXPECT_EQ(rows[0].busy, kNoInt);
    EXPECT_EQ(rows[0].hostWait, kNoInt);
    const StepFigures &row = rows[1];
    EXPECT_EQ(row.start, 1000);
    EXPECT_EQ(row.device, 1);
    EXPECT_EQ(row.hostWait, 60);
    EXPECT_EQ(row.kernelTime, 200);
    EXPECT_EQ(row.busy, 250) << "what is neither idle nor missing";
    EXPECT_EQ(row.communication, 90);
    EXPECT_EQ(row.exposed, 40);
    EXPECT_EQ(row.missing, 100);
    EXPECT_EQ(row.memoryPeak, 4096);
    EXPECT_EQ(row.deviceStart, kNoInt);
    EXPECT_EQ(row.idleByCause[0], kNoInt);
    EXPECT_EQ(row.flags, step_flag::ByRecorder);
}

TEST(RecordedSteps, DamagedOnesAreLeftOutOrUnknown)
{
    EXPECT_TRUE(recordedSteps(infoWith("")).empty());
    EXPECT_TRUE(recordedSteps(infoWith("[")).empty());
    EXPECT_TRUE(recordedSteps(infoWith("{}")).empty());
    const std::vector<StepFigures> rows = recordedSteps(infoWith(
        R"([7, {"step": 1}, {"start_ns": 5, "duration_ns": -1}, {"start_ns": 9223372036854775807, "duration_ns": 1},
            {"start_ns": "x", "duration_ns": 1}, {"start_ns": 5, "duration_ns": 10, "device": 99999999999},
            {"start_ns": 6, "duration_ns": 10, "device": 0, "idle_ns": 11, "kernel_ns": -4, "not_recorded_ns": 3,
             "memory_peak_bytes": -1}])"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].device, kNoInt32);
    EXPECT_EQ(rows[0].number, kNoInt);
    EXPECT_EQ(rows[1].idle, kNoInt);
    EXPECT_EQ(rows[1].busy, kNoInt);
    EXPECT_EQ(rows[1].kernelTime, kNoInt);
    EXPECT_EQ(rows[1].missing, 3);
    EXPECT_EQ(rows[1].memoryPeak, kNoInt);
}

/// A log of which the start was deleted: step 1 has no details, those of step 2 are not complete.
TEST(RecordedSteps, CompleteStepsWithoutDetails)
{
    KinetoText text;
    text.step(2, 20'000, 10'000);
    text.kernel("gemm", 7, 28'000, 1'000, 21'000);
    text.step(3, 30'000, 10'000);
    text.kernel("gemm", 7, 31'000, 2'000, 30'500);
    text.top(
        "stepSummaries",
        R"([{"step": 1, "start_ns": 10000, "duration_ns": 9000, "device": 0, "idle_ns": 4000, "not_recorded_ns": 0},
                 {"step": 2, "start_ns": 20000, "duration_ns": 10000, "device": 0, "idle_ns": 5000, "not_recorded_ns": 0},
                 {"step": 3, "start_ns": 30000, "duration_ns": 10000, "device": 0, "idle_ns": 8000, "not_recorded_ns": 0}])");
    const TraceFacts facts(text.trace());
    const RankFacts rank = rankFactsOf(facts);
    ASSERT_EQ(rank.steps.start.size(), 3u);
    const StepFigures first = rowAt(rank.steps, 0), second = rowAt(rank.steps, 1), third = rowAt(rank.steps, 2);
    EXPECT_EQ(first.number, 1);
    EXPECT_EQ(first.busy, 5'000);
    EXPECT_EQ(first.mark, kNoRow);
    EXPECT_EQ(second.busy, 5'000);
    EXPECT_EQ(second.flags, step_flag::ByRecorder);
    EXPECT_EQ(second.mark, facts.steps().steps[0].slice.value);
    EXPECT_EQ(third.busy, 2'000);
    EXPECT_EQ(third.flags, 0);
    EXPECT_EQ(third.deviceStart, 31'000);

    ScopeRequest request;
    request.steps = TimeSpan{3, 3};
    EXPECT_EQ(rankFactsOf(Scope(facts, request)).steps.start.size(), 1u) << "only what was asked for";
}

/// The start of the log was deleted, and with it all details of device 1.
TEST(RecordedSteps, DevicesWithoutDetails)
{
    KinetoText text;
    text.step(3, 30'000, 10'000);
    text.kernel("gemm", 7, 31'000, 2'000, 30'500);
    text.top(
        "stepSummaries",
        R"([{"step": 2, "start_ns": 20000, "duration_ns": 9000, "device": 1, "idle_ns": 4000, "not_recorded_ns": 0},
            {"step": 3, "start_ns": 30000, "duration_ns": 10000, "device": 0, "idle_ns": 8000, "not_recorded_ns": 0},
            {"step": 3, "start_ns": 30000, "duration_ns": 10000, "device": 1, "idle_ns": 10000, "not_recorded_ns": 0},
            {"step": 3, "start_ns": 30000, "duration_ns": 10000, "device": 2, "idle_ns": 10000, "not_recorded_ns": 0}])");
    const TraceFacts facts(text.trace());
    const RankFacts rank = rankFactsOf(facts);
    ASSERT_EQ(rank.steps.start.size(), 3u) << "device 2 never worked";
    EXPECT_EQ(rank.steps.device[0], 1);
    EXPECT_EQ(rank.steps.device[1], 0);
    EXPECT_EQ(rank.steps.flags[1], 0);
    EXPECT_EQ(rank.steps.device[2], 1);
    EXPECT_EQ(rank.steps.idle[2], 10'000);
    EXPECT_EQ(rank.steps.mark[2], facts.steps().steps[0].slice.value);
}

TEST(RecordedSteps, WorkInTimeThatWasNotRecordedIsNotKnown)
{
    const std::vector<StepFigures> rows = recordedSteps(infoWith(
        R"([{"step": 1, "start_ns": 0, "duration_ns": 100, "device": 0, "kernel_ns": 80, "communication_ns": 81,
             "exposed_communication_ns": 20, "idle_ns": 0, "not_recorded_ns": 80}])"));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].busy, 20);
    EXPECT_EQ(rows[0].kernelTime, kNoInt);
    EXPECT_EQ(rows[0].communication, kNoInt);
    EXPECT_EQ(rows[0].exposed, 20);
}

TEST(RecordedSteps, ReplaceTheRowOfEverything)
{
    KinetoText text;
    text.operation("aten::mm", 50'000, 100);
    text.top("stepSummaries", R"([{"step": 1, "start_ns": 10000, "duration_ns": 9000}])");
    const TraceFacts facts(text.trace());
    const RankFacts rank = rankFactsOf(facts);
    ASSERT_EQ(rank.steps.start.size(), 1u);
    EXPECT_EQ(rank.steps.number[0], 1);
    EXPECT_EQ(rank.steps.device[0], kNoInt32);
}

} // namespace
} // namespace riffle
