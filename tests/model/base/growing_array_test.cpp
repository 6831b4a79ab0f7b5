// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/growing_array.h"

#include <gtest/gtest.h>

#include <new>

using namespace riffle;

TEST(GrowingArray, KeepsItsValuesWhileItGrows)
{
    GrowingArray<uint64_t> array;
    for (uint64_t at = 0; at < 300'000; ++at)
        array.push(at * 3);
    uint64_t *more = array.extend(2);
    more[0] = 7;
    more[1] = 8;
    array.fillTo(300'005, 9);
    ASSERT_EQ(array.size(), 300'005u);
    EXPECT_EQ(array[299'999], 299'999u * 3);
    EXPECT_EQ(array[300'001], 8u);
    EXPECT_EQ(array.back(), 9u);
    array.shrinkTo(299'000);
    array.shrinkTo(400'000);
    EXPECT_EQ(array.size(), 299'000u);
    const auto block = array.take();
    EXPECT_EQ(block[298'999], 298'999u * 3);
    EXPECT_TRUE(array.empty());
    array.push(1);
    EXPECT_EQ(array[0], 1u);
}

TEST(GrowingArray, EndsWhereItsBudgetDoes)
{
    MemoryBudget budget{1 << 20};
    GrowingArray<uint32_t> first(&budget), second(&budget);
    for (uint32_t at = 0; at < 100'000; ++at)
        first.push(at); // 512 KiB
    EXPECT_FALSE(budget.exceeded);
    EXPECT_THROW(second.extend(200'000), std::bad_alloc);
    EXPECT_TRUE(budget.exceeded);
    EXPECT_EQ(first[99'999], 99'999u) << "the values before stay";
}
