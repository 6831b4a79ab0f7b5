// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/critical_path/critical_path_bands.h"

#include "model/analysis/summary/summary.h"
#include "tests/model/analysis/small_trace.h"

#include <gtest/gtest.h>

namespace riffle::test {
namespace {

const BandTrack &only(const SetBands &bands)
{
    EXPECT_EQ(bands[TraceId(0)].size(), 1u);
    return *bands[TraceId(0)][0];
}

/// True if the bands cover the span without gap or overlap.
bool covers(const Segment &bands, TimeSpan span)
{
    Ns at = span.begin;
    for (uint32_t band = 0; band < bands.size(); ++band) {
        if (bands.slices.start[band] != at)
            return false;
        at = bands.end(band);
    }
    return at == span.end && bands.rows() == 1;
}

TEST(CriticalPathBands, OfEverythingCoverTheTrace)
{
    const auto trace = trainingTrace();
    const SetBands bands = criticalPathBands(SetFacts(setOf(trace)), {}, {});
    EXPECT_TRUE(covers(*only(bands).bands, trace->span));
    EXPECT_EQ(only(bands).kinds.size(), only(bands).names.size());
}

TEST(CriticalPathBands, AreCalledWhatTheTimeWentToAndWhatTookIt)
{
    const auto trace = trainingTrace();
    SummaryRequest request;
    request.scope.range = TimeSpan{1'160'000, 1'184'000}; // only the second sgemm_bwd
    const SetBands bands = criticalPathBands(SetFacts(setOf(trace)), request, {});
    const BandTrack &track = only(bands);
    ASSERT_TRUE(covers(*track.bands, {1'160'000, 1'184'000}));
    ASSERT_EQ(track.bands->size(), 1u);
    EXPECT_EQ(track.nameOf(0), "Compute · sgemm_bwd");
    EXPECT_EQ(track.kindOf(0), "compute");
    EXPECT_EQ(trace->slice(track.slices[0])->data.start, 1'160'000);
}

TEST(CriticalPathBands, AreOfTheChosenSteps)
{
    SummaryRequest request;
    request.scope.stepNumbers = {1};
    const SetBands bands = criticalPathBands(SetFacts(setOf(trainingTrace())), request, {});
    EXPECT_TRUE(covers(*only(bands).bands, {1'100'000, 1'190'000}));
}

TEST(CriticalPathBands, LeaveOutOtherRanks)
{
    TraceSet set;
    set.add(trainingTrace(), TimeMap());
    set.add(trainingTrace(), TimeMap());
    SummaryRequest request;
    request.traces = {TraceId(1)};
    const SetBands bands = criticalPathBands(SetFacts(set), request, {});
    EXPECT_TRUE(bands[TraceId(0)].empty());
    EXPECT_EQ(bands[TraceId(1)].size(), 1u);
}

TEST(CriticalPathBands, AreNoneOnceStopped)
{
    std::stop_source stop;
    stop.request_stop();
    EXPECT_TRUE(criticalPathBands(SetFacts(setOf(trainingTrace())), {}, stop.get_token())[TraceId(0)].empty());
}

} // namespace
} // namespace riffle::test
