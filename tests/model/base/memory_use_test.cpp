// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/memory_use.h"

#include "model/base/big_vector.h"
#include "model/base/column_memory.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

constexpr size_t kMiB = 1 << 20;

TEST(MemoryUse, CountsColumnsAndBigVectorsWhileTheyLive)
{
    const uint64_t before = memoryInUse();
    {
        ColumnMemory memory;
        const auto column = memory.allocate(3 * kMiB);
        const auto any = memory.allocateAny(5 * kMiB);
        EXPECT_EQ(memoryInUse() - before, 8 * kMiB);
        const BigVector<uint64_t> values(kMiB, 1);
        EXPECT_EQ(memoryInUse() - before, 16 * kMiB);
        EXPECT_EQ(memory.anonymousBytes(), 8 * kMiB);
    }
    EXPECT_EQ(memoryInUse(), before);
}

TEST(MemoryUse, ScratchArraysCountOnceAsColumns)
{
    const uint64_t before = memoryInUse();
    ColumnMemory memory;
    ScratchMemory scratch(memory);
    const BigVector<uint32_t> values(kMiB, 1, &scratch);
    EXPECT_EQ(memoryInUse() - before, 4 * kMiB);
}

TEST(MemoryUse, AColumnBeyondTheLimitOfAllGoesToAFile)
{
    const uint64_t before = memoryInUse();
    const BigVector<uint64_t> other(kMiB, 1); // not a column, but it takes 8 MiB of the same memory
    ColumnMemory shared(before + 10 * kMiB, {}, ColumnMemory::Counts::AllInUse);
    ColumnMemory own(10 * kMiB);
    const auto fits = shared.allocate(kMiB);
    const auto spilled = shared.allocate(2 * kMiB);
    const auto alone = own.allocate(8 * kMiB);
    EXPECT_EQ(shared.anonymousBytes(), kMiB);
    EXPECT_EQ(shared.spilledBytes(), 2 * kMiB);
    EXPECT_EQ(own.anonymousBytes(), 8 * kMiB);
    EXPECT_EQ(memoryInUse() - before, 17 * kMiB);
}

} // namespace
} // namespace riffle
