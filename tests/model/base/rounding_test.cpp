// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/rounding.h"

#include <gtest/gtest.h>

#include <vector>

namespace riffle {
namespace {

TEST(Rounding, HalvesGoToTheEvenNumber)
{
    EXPECT_EQ(roundedQuotient(5, 2), 2);
    EXPECT_EQ(roundedQuotient(7, 2), 4);
    EXPECT_EQ(roundedQuotient(8, 3), 3);
    EXPECT_EQ(roundedQuotient(7, 3), 2);
    EXPECT_EQ(roundedQuotient(-5, 2), -2);
    EXPECT_EQ(roundedQuotient(-7, 2), -4);
    EXPECT_EQ(roundedQuotient(-7, 3), -2);
    EXPECT_EQ(roundedQuotient(INT64_MAX, 2), INT64_MAX / 2 + 1); // …3.5 becomes …4
}

TEST(Rounding, MedianOfSortedAndUnsortedAgree)
{
    std::vector<int64_t> values{9, 1, 4, 2};
    EXPECT_EQ(medianOf(values), 3);
    values = {9, 1, 4, 3};
    EXPECT_EQ(medianOf(values), 4) << "3.5";
    values = {3, 2};
    EXPECT_EQ(medianOf(values), 2) << "2.5";
    values = {INT64_MAX, INT64_MIN};
    EXPECT_EQ(medianOf(values), 0) << "-0.5";
    values = {5};
    EXPECT_EQ(medianOf(values), 5);
    const std::vector<int64_t> sorted{-4, -3, -1, 10};
    EXPECT_EQ(medianOfSorted(sorted), -2);
}

} // namespace
} // namespace riffle
