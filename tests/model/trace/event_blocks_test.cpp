// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/trace_builder.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(BlockTable, SpareBlocksDoNotKeepGatheredColumns)
{
    const auto memory = std::make_shared<ColumnMemory>();
    memory->releaseKept(); // freed blocks return to the system at once
    BlockTable<PlacementTableT> table(memory);
    for (uint32_t row = 0; row < 9 * kBlockRows + 1; ++row) // the last two blocks are the start of a group
        table.append({row, row});
    table.freeSpare();
    const uint64_t before = memory->anonymousBytes();
    for (auto &block : table.blocks())
        block.owners[0].reset();
    EXPECT_EQ(memory->anonymousBytes(), before / 2);
    for (auto &block : table.blocks())
        block.owners[1].reset();
    EXPECT_EQ(memory->anonymousBytes(), 0u);
}

TEST(BlockTable, GrowsAfterItsSpareBlocksWereFreed)
{
    BlockTable<PlacementTableT> table(std::make_shared<ColumnMemory>());
    for (uint32_t row = 0; row < 30 * kBlockRows; ++row) {
        table.append({row, ~row});
        if (row % (3 * kBlockRows) == 17)
            table.freeSpare(); // in the middle of a block
    }
    size_t wrong = 0;
    for (uint32_t row = 0; row < table.rows(); ++row) {
        const auto &columns = table.blocks()[row >> kBlockBits].columns;
        wrong += columns.lane[row & (kBlockRows - 1)] != row || columns.detailRow[row & (kBlockRows - 1)] != ~row;
    }
    EXPECT_EQ(table.rows(), 30 * kBlockRows);
    EXPECT_EQ(wrong, 0u);
}

} // namespace
} // namespace riffle
