// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/summary.h"

#include "tests/model/analysis/small_trace.h"

#include <gmock/gmock.h>

namespace riffle {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

ResultTable steps(std::shared_ptr<const Trace> trace, std::vector<TraceId> wanted = {})
{
    TraceSet set = test::setOf(trace);
    set.add(std::move(trace), TimeMap({{0, 500'000}})); // half a millisecond later
    SummaryRequest request;
    request.view = "steps";
    request.traces = std::move(wanted);
    return *summarize(SetFacts(set), request, {});
}

TEST(SeveralTraces, MomentsAreOnOneClock)
{
    const ResultTable table = steps(test::trainingTrace());
    EXPECT_EQ(table.origin, 1'000'000); // the first step is the first event
    EXPECT_THAT(table.column("start_ns")->integers, ElementsAre(1'000'000, 1'100'000, 1'500'000, 1'600'000));
}

TEST(SeveralTraces, OneOfThemKeepsTheirClock)
{
    const ResultTable table = steps(test::trainingTrace(), {TraceId(1)});
    EXPECT_EQ(table.origin, 1'000'000);
    EXPECT_THAT(table.column("start_ns")->integers, ElementsAre(1'500'000, 1'600'000));
}

TEST(SeveralTraces, NotesNameTheirTrace)
{
    test::SmallTrace plain;
    plain.operation(plain.thread(1), "aten::mm", 1'000, 500);
    EXPECT_THAT(steps(plain.seal()).notes, ElementsAre(StartsWith("All traces: No steps")))
        << "a note of several traces is there once";
}

} // namespace
} // namespace riffle
