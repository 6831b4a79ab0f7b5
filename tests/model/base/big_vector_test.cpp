// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/big_vector.h"

#include "model/base/column_memory.h"

#include <gtest/gtest.h>
#include <new>
#include <stdexcept>

namespace riffle {
namespace {

/// Fills arrays of many sizes and expects that each holds what was written, also after a copy and a move.
void expectKept(ScratchMemory *source)
{
    constexpr size_t kMega = 1 << 20;
    for (const size_t bytes : {size_t{4}, size_t{4096}, kMega - 4, kMega, 4 * kMega - 4, 4 * kMega, 9 * kMega + 4}) {
        BigVector<uint32_t> written(bytes / sizeof(uint32_t), source);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(written.data()) % alignof(std::max_align_t), 0u);
        for (size_t at = 0; at < written.size(); ++at)
            written[at] = static_cast<uint32_t>(at);
        const BigVector<uint32_t> copy = written;
        const BigVector<uint32_t> moved = std::move(written);
        EXPECT_TRUE(copy == moved);
        EXPECT_EQ(copy.get_allocator().source, source);
        for (size_t at = 0; at < copy.size(); ++at)
            ASSERT_EQ(copy[at], at);
    }
}

TEST(BigVector, KeepsArraysOfAnySize)
{
    expectKept(nullptr);
    ColumnMemory memory(UINT64_MAX, {});
    ScratchMemory scratch(memory);
    expectKept(&scratch);
}

TEST(BigVector, GrowsFromSmallToBig)
{
    BigVector<uint64_t> numbers;
    for (uint64_t at = 0; at < 2'000'000; ++at)
        numbers.push_back(at);
    for (uint64_t at = 0; at < numbers.size(); ++at)
        ASSERT_EQ(numbers[at], at);
    EXPECT_EQ(BigVector<uint64_t>(3, 0), (BigVector<uint64_t>{0, 0, 0}));
}

TEST(BigVector, SizesThatOverflowThrow)
{
    BigAllocator<uint64_t> allocator;
    // Volatile, because the compiler warns about sizes that it knows.
    volatile size_t tooMany = SIZE_MAX / sizeof(uint64_t) + 2, tooLarge = SIZE_MAX / sizeof(uint64_t);
    EXPECT_THROW(allocator.allocate(tooMany), std::bad_array_new_length);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // their malloc ends the process
    EXPECT_THROW(allocator.allocate(tooLarge), std::bad_alloc);
#endif
    EXPECT_THROW(BigVector<uint64_t>(tooLarge, 0), std::length_error);
}

} // namespace
} // namespace riffle
