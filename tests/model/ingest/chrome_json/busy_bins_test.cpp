// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/preview_collector.h"

#include <gtest/gtest.h>

#include <numeric>

namespace riffle::test {
namespace {

constexpr Ns kBegin = 1'774'353'536'539'013'415;
constexpr Ns kSecond = 1'000'000'000;

TEST(BusyBins, ALongFirstSliceDoesNotStretchTheSpanToTimeZero)
{
    BusyBins bins;
    bins.add(kBegin, kBegin + 11 * kSecond);
    EXPECT_GT(bins.span().begin, kBegin - kSecond);
    EXPECT_LT(bins.span().end, kBegin + 12 * kSecond);
    BusyBins sum;
    sum.add(bins);
    EXPECT_GT(sum.span().begin, kBegin - kSecond);
    EXPECT_LT(sum.span().end, kBegin + 12 * kSecond);
}

TEST(BusyBins, SharesAreRightAfterBinsHaveGrown)
{
    BusyBins bins;
    for (Ns time = 0; time < 10 * kSecond; time += 20'000)
        bins.add(kBegin + time, kBegin + time + 5'000);
    std::vector<float> shares(100);
    bins.sample({kBegin, kBegin + 10 * kSecond}, shares);
    for (const float share : shares)
        EXPECT_NEAR(share, 0.25f, 0.05f);
}

} // namespace
} // namespace riffle::test
