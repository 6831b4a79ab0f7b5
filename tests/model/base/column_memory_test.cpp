// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/column_memory.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace riffle {
namespace {

bool usable(const std::shared_ptr<std::byte[]> &block, size_t bytes)
{
    const bool zeroed =
        std::all_of(block.get(), block.get() + bytes, [](std::byte byte) { return byte == std::byte{0}; });
    std::fill_n(block.get(), bytes, std::byte{0x5A});
    return zeroed && reinterpret_cast<uintptr_t>(block.get()) % 64 == 0;
}

TEST(ColumnMemoryTest, BlocksAreZeroedAlignedAndCounted)
{
    ColumnMemory memory;
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{1000}, size_t{300'000}, size_t{5'000'000}}) {
        auto block = memory.allocate(bytes);
        ASSERT_TRUE(block);
        EXPECT_TRUE(usable(block, bytes));
        EXPECT_GE(memory.anonymousBytes(), bytes);
        block.reset();
        EXPECT_EQ(memory.anonymousBytes(), 0u);
    }
    EXPECT_EQ(memory.spilledBytes(), 0u);
}

TEST(ColumnMemoryTest, SpillsBeyondTheLimit)
{
    ColumnMemory memory(1'000'000);
    std::vector<std::shared_ptr<std::byte[]>> blocks;
    for (int i = 0; i < 10; ++i) {
        blocks.push_back(memory.allocate(400'000));
        ASSERT_TRUE(blocks.back());
        EXPECT_TRUE(usable(blocks.back(), 400'000));
    }
    EXPECT_LE(memory.anonymousBytes(), 1'000'000u);
    EXPECT_GE(memory.spilledBytes(), 8u * 400'000);
    for (const auto &block : blocks)
        EXPECT_EQ(block[399'999], std::byte{0x5A});
    blocks.clear();
    EXPECT_EQ(memory.spilledBytes(), 0u);
}

TEST(ColumnMemoryTest, NoRoomGivesNull)
{
    ColumnMemory memory(0, "/nonexistent/folder");
    EXPECT_FALSE(memory.allocate(10));
    EXPECT_FALSE(memory.allocate(SIZE_MAX));
    EXPECT_FALSE(ColumnMemory(0).allocate(size_t{1} << 60));
}

TEST(ColumnMemoryTest, BlocksOutliveTheAllocator)
{
    std::shared_ptr<std::byte[]> heap, mapped, spilled;
    {
        ColumnMemory memory(600'000);
        heap = memory.allocate(100);
        mapped = memory.allocate(400'000);
        spilled = memory.allocate(400'000);
    }
    EXPECT_TRUE(usable(heap, 100));
    EXPECT_TRUE(usable(mapped, 400'000));
    EXPECT_TRUE(usable(spilled, 400'000));
}

TEST(ColumnMemoryTest, FreedPagesServeLaterBlocksAgainAndAgain)
{
    constexpr size_t kPart = 1 << 20;
    ColumnMemory memory;
    const auto rest = memory.allocate(150 * kPart); // so that it may keep the parts
    std::vector<std::shared_ptr<std::byte[]>> parts;
    for (int i = 0; i < 6; ++i) {
        parts.push_back(memory.allocateAny(kPart));
        std::fill_n(parts.back().get(), kPart, std::byte{1});
    }
    parts.clear();
    // The pages of a block that was made of freed blocks come from several places, and the next block takes them all.
    for (const size_t bytes : {6 * kPart, 6 * kPart, 5 * kPart, 6 * kPart}) {
        const auto block = memory.allocateAny(bytes);
        ASSERT_TRUE(block);
        EXPECT_EQ(memory.anonymousBytes(), 156 * kPart);
        std::fill_n(block.get(), bytes, std::byte{2});
    }
    memory.releaseKept();
    EXPECT_EQ(memory.anonymousBytes(), 150 * kPart);
}

TEST(ColumnMemoryTest, KeepsASmallShareOfTheMemory)
{
    constexpr size_t kPart = 1 << 20;
    ColumnMemory memory;
    std::vector<std::shared_ptr<std::byte[]>> parts;
    for (int i = 0; i < 160; ++i)
        parts.push_back(memory.allocateAny(kPart));
    EXPECT_EQ(memory.anonymousBytes(), 160 * kPart);
    parts.resize(80);
    EXPECT_GT(memory.anonymousBytes(), 80 * kPart);
    EXPECT_LE(memory.anonymousBytes(), 87 * kPart);
    parts.clear();
    EXPECT_LE(memory.anonymousBytes(), 7 * kPart);
}

} // namespace
} // namespace riffle
