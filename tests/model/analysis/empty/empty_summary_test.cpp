// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/table/table_text.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace riffle;
using namespace riffle::test;

namespace {

ResultTable ask(const SetFacts &facts, SummaryRequest request, const char *view)
{
    request.view = view;
    auto table = summarize(facts, request, {});
    EXPECT_TRUE(table);
    return table ? std::move(*table) : ResultTable();
}

std::string csvOf(const ResultTable &table)
{
    std::vector<uint32_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), 0u);
    return tableCsv(table, rows);
}

TextMatcher onlyName(std::string name)
{
    return [name = std::move(name)](std::string_view one) { return one == name; };
}

/// A trace of a program that is not a training run.
std::shared_ptr<const Trace> otherProgram(const char *category = "toplevel")
{
    SmallTrace trace;
    trace.plain(trace.thread(1), "Frontend", category, 0, 100);
    auto sealed = std::make_shared<Trace>(*trace.seal());
    sealed->info.format = "Chrome JSON";
    return sealed;
}

} // namespace

TEST(EmptySummary, ANameFilterThatLeavesNothingIsBlamed)
{
    const SetFacts facts(setOf(trainingTrace()));
    SummaryRequest request;
    request.names = onlyName("no such name");
    for (const char *view : {"operators", "kernels"}) {
        const ResultTable table = ask(facts, request, view);
        EXPECT_EQ(table.empty.reason, EmptyReason::Narrowed) << view;
        EXPECT_EQ(table.empty.drops, narrowed_by::Names) << view;
    }
    EXPECT_EQ(ask(facts, request, "kernels").absence,
              "The name filter leaves nothing here. Without it there are 2 rows.");
    request.names = onlyName("sgemm");
    EXPECT_EQ(ask(facts, request, "kernels").absence, "");
}

TEST(EmptySummary, AClassFilterThatLeavesNothingIsBlamed)
{
    const SetFacts facts(setOf(trainingTrace()));
    SummaryRequest request;
    request.scope.classes = bitOf(WorkClass::Communication);
    EXPECT_EQ(narrowedBy(request, facts.set()), narrowed_by::Classes);
    for (const char *view : {"operators", "kernels"})
        EXPECT_EQ(ask(facts, request, view).empty.drops, narrowed_by::Classes) << view;
    EXPECT_EQ(ask(facts, request, "kernels").absence,
              "The class filter leaves nothing here. Without it there are 2 rows.");
    request.scope.classes |= bitOf(WorkClass::MatrixProducts);
    EXPECT_EQ(ask(facts, request, "kernels").absence, "");
    EXPECT_EQ(narrowedBy(widened(request, narrowed_by::Classes), facts.set()), 0u);
}

TEST(EmptySummary, ARangeThatLeavesNothingIsBlamed)
{
    const SetFacts facts(setOf(trainingTrace()));
    SummaryRequest request;
    request.scope.range = TimeSpan{1'092'000, 1'095'000}; // between the steps
    for (const char *view : {"operators", "kernels", "modules", "steps"}) {
        const ResultTable table = ask(facts, request, view);
        EXPECT_EQ(table.rows(), 0u) << view;
        EXPECT_EQ(table.empty.drops, narrowed_by::Range) << view << ": " << table.absence;
    }
}

TEST(EmptySummary, WhatWasNeverThereIsNotBlamedOnAFilter)
{
    const SetFacts facts(setOf(trainingTrace()));
    SummaryRequest request;
    request.names = onlyName("no such name");
    EXPECT_EQ(ask(facts, request, "memory").empty.reason, EmptyReason::NotRecorded);
    EXPECT_EQ(ask(facts, request, "memcpy").absence, "No device copied or set memory.");
}

TEST(EmptySummary, FindingsWithoutRowsAreAnAnswer)
{
    const SetFacts facts(setOf(trainingTrace()));
    SummaryRequest request;
    request.scope.range = TimeSpan{1'092'000, 1'095'000};
    EXPECT_EQ(ask(facts, request, "findings").absence, "");
}

TEST(EmptySummary, OtherProgramsGetNoZerosAndNoAdvice)
{
    const SetFacts facts(setOf(otherProgram()));
    for (const SummaryView &view : summaryViews()) {
        const ResultTable table = ask(facts, {}, view.word);
        if (std::string(view.word) == "overview") {
            for (const std::string &section : table.column("section")->texts)
                EXPECT_EQ(section, "trace");
            continue;
        }
        EXPECT_EQ(table.rows(), 0u) << view.word;
        EXPECT_EQ(table.empty.reason, EmptyReason::OtherProgram) << view.word;
        EXPECT_TRUE(table.notes.empty()) << view.word;
    }
}

TEST(EmptySummary, LostEventsAreAFindingInAnyTrace)
{
    auto trace = std::make_shared<Trace>(*otherProgram());
    trace->report.add(Trouble::BrokenEvent, 0, "{");
    const ResultTable table = ask(SetFacts(setOf(trace)), {}, "findings");
    EXPECT_EQ(table.rows(), 1u);
    EXPECT_EQ(table.absence, "");
    EXPECT_TRUE(table.notes.empty());
}

TEST(EmptySummary, ChosenStepsMakeAnyTraceOneWithSteps)
{
    const SetFacts facts(setOf(otherProgram()));
    SummaryRequest request;
    request.scope.stepMark = "Frontend";
    EXPECT_EQ(ask(facts, request, "steps").rows(), 1u);
}

TEST(EmptySummary, OneTrainingRunAmongTheTracesIsEnough)
{
    TraceSet set = setOf(otherProgram());
    set.add(trainingTrace(), TimeMap());
    const SetFacts facts(set);
    EXPECT_EQ(ask(facts, {}, "kernels").rows(), 2u);
    SummaryRequest request;
    request.traces = {TraceId(0)};
    EXPECT_EQ(ask(facts, request, "kernels").empty.reason, EmptyReason::OtherProgram);
}

TEST(EmptySummary, EvidenceOfTraining)
{
    for (const char *category : {"operator", "kernel", "gpu_memcpy", "Dataloader"})
        EXPECT_TRUE(isOfTraining(TraceFacts(otherProgram(category)))) << category;
    for (const char *category : {"", "v8", "python_function", "toplevel", "user_annotation"})
        EXPECT_FALSE(isOfTraining(TraceFacts(otherProgram(category)))) << category;
}

TEST(EmptySummary, EveryViewIgnoresExactlyTheLimitsThatItNames)
{
    SmallTrace small;
    const uint32_t host = small.thread(1), gpu = small.stream(7);
    small.step(host, 1, 0, 1000);
    small.frame(host, "nn.Module: Net_0", 10, 900, 0);
    small.operation(host, "aten::mm", 20, 100);
    small.launch(host, 30, 10, 1);
    small.plain(host, "my range", "user_annotation", 300, 50);
    small.kernel(gpu, "gemm", 60, 100, 1);
    const SetFacts facts(setOf(small.seal()));
    SummaryRequest byName, byClass;
    byName.names = onlyName("no such name");
    byClass.scope.classes = bitOf(WorkClass::Attention); // which no slice is
    for (const SummaryView &view : summaryViews()) {
        const std::string whole = csvOf(ask(facts, {}, view.word));
        const bool isEmpty = ask(facts, {}, view.word).rows() == 0;
        const auto isLimited = [&](uint32_t limit) { return !(view.ignores & limit) && !isEmpty; };
        EXPECT_EQ(csvOf(ask(facts, byName, view.word)) != whole, isLimited(narrowed_by::Names)) << view.word;
        EXPECT_EQ(csvOf(ask(facts, byClass, view.word)) != whole, isLimited(narrowed_by::Classes)) << view.word;
    }
}
