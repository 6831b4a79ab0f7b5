// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/chart_scale.h"

#include <gmock/gmock.h>

namespace riffle {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(ChartScale, StepsAreRoundAndNotTooMany)
{
    EXPECT_DOUBLE_EQ(roundStep(100, 5), 20);
    EXPECT_DOUBLE_EQ(roundStep(101, 5), 50);
    EXPECT_DOUBLE_EQ(roundStep(0.37, 4), 0.1);
    EXPECT_DOUBLE_EQ(roundStep(6e9, 6), 1e9);
    EXPECT_DOUBLE_EQ(roundStep(3000, 4, true), 1024);
    EXPECT_DOUBLE_EQ(roundStep(0, 4), 1);
}

TEST(ChartScale, LinearBinsHoldTheirLowerEdgeAndTheLastBoth)
{
    const int64_t values[] = {0, 9, 10, 19, 20, 40};
    const Histogram histogram = histogramOf(values, 4, false);
    EXPECT_THAT(histogram.counts, ElementsAre(2, 2, 1, 1));
    EXPECT_THAT(histogram.edges, ElementsAre(0, 10, 20, 30, 40));
}

TEST(ChartScale, LogarithmicBinsHaveEqualRatios)
{
    const int64_t values[] = {0, 1, 9, 11, 99, 150, 1000};
    const Histogram histogram = histogramOf(values, 3, true);
    EXPECT_THAT(histogram.counts, ElementsAre(3, 2, 2));
    EXPECT_THAT(histogram.edges,
                ElementsAre(DoubleNear(1, 1e-9), DoubleNear(10, 1e-9), DoubleNear(100, 1e-6), DoubleNear(1000, 1e-6)));
}

TEST(ChartScale, EqualValuesAreOneBinAndNoneAreNone)
{
    const int64_t values[] = {7, 7, 7};
    EXPECT_THAT(histogramOf(values, 10, true).counts, ElementsAre(3));
    EXPECT_TRUE(histogramOf({}, 10, false).counts.empty());
}

} // namespace
} // namespace riffle
