// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace riffle {

/// Memory for large scratch arrays: whole pages from the system, huge ones where it has them. Null when there is none.
void *allocateBig(size_t bytes);
void freeBig(void *memory, size_t bytes);

/// Allocator of BigVector.
template <typename T>
struct BigAllocator {
    using value_type = T;
    static constexpr size_t kBigFrom = 1 << 20;

    BigAllocator() = default;
    template <typename U>
    BigAllocator(const BigAllocator<U> &)
    {
    }
    T *allocate(size_t count)
    {
        const size_t bytes = count * sizeof(T);
        void *memory = bytes >= kBigFrom ? allocateBig(bytes) : std::malloc(bytes);
        if (!memory)
            throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, size_t count)
    {
        if (count * sizeof(T) >= kBigFrom)
            freeBig(memory, count * sizeof(T));
        else
            std::free(memory);
    }
    /// resize() leaves plain values as they come: whoever resizes writes them all.
    template <typename U>
    void construct(U *at)
    {
        ::new (static_cast<void *>(at)) U;
    }
    template <typename U, typename... Args>
    void construct(U *at, Args &&...args)
    {
        ::new (static_cast<void *>(at)) U(std::forward<Args>(args)...);
    }
    bool operator==(const BigAllocator &) const { return true; }
};

/// A vector for millions of plain values. resize() does not zero them.
template <typename T>
using BigVector = std::vector<T, BigAllocator<T>>;

} // namespace riffle
