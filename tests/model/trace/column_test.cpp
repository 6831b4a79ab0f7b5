// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/column.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace riffle {
namespace {

Column<int> columnOf(int count)
{
    auto values = std::make_shared<std::vector<int>>(static_cast<size_t>(count));
    std::iota(values->begin(), values->end(), 0);
    return {values, values->data(), values->size()};
}

TEST(ColumnTest, ChecksRowsFromOutside)
{
    const Column<int> column = columnOf(5);
    EXPECT_EQ(column.at(4, -1), 4);
    EXPECT_EQ(column.at(5, -1), -1);
    EXPECT_EQ(column.at(SIZE_MAX, -1), -1);
    EXPECT_EQ(Column<int>().at(0, -1), -1);
    EXPECT_TRUE(Column<int>().empty());
    EXPECT_EQ(Column<int>().begin(), Column<int>().end());
}

TEST(ColumnTest, PartsAreClippedAndShareTheMemory)
{
    const Column<int> column = columnOf(10);
    const auto values = [](const Column<int> &part) { return std::vector<int>(part.begin(), part.end()); };
    EXPECT_EQ(values(column.slice(2, 3)), (std::vector<int>{2, 3, 4}));
    EXPECT_EQ(column.slice(2, 3).data(), column.data() + 2);
    EXPECT_EQ(values(column.slice(8, 100)), (std::vector<int>{8, 9}));
    EXPECT_EQ(values(column.slice(8, SIZE_MAX)), (std::vector<int>{8, 9}));
    EXPECT_TRUE(column.slice(10, 1).empty());
    EXPECT_TRUE(column.slice(SIZE_MAX, SIZE_MAX).empty());
    EXPECT_EQ(values(column.slice(1, 8).slice(1, 2)), (std::vector<int>{2, 3}));
}

TEST(ColumnTest, PartsKeepTheMemoryAlive)
{
    auto values = std::make_shared<std::vector<int>>(3, 42);
    const std::weak_ptr<std::vector<int>> watched = values;
    Column<int> column(values, values->data(), values->size());
    Column<int> part = column.slice(1, 1);
    values.reset();
    column = {};
    ASSERT_FALSE(watched.expired());
    EXPECT_EQ(part[0], 42);
    part = {};
    EXPECT_TRUE(watched.expired());
}

} // namespace
} // namespace riffle
