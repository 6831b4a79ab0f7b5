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

class ColumnMemory;

/// Memory for large scratch arrays: whole pages from the system, huge ones where it has them. Null when there is none.
void *allocateBig(size_t bytes);
void freeBig(void *memory, size_t bytes);

/// The same within the limits of a ColumnMemory: beyond them scratch lies in a file. Safe from any thread.
class ScratchMemory {
public:
    explicit ScratchMemory(ColumnMemory &memory);
    ~ScratchMemory();
    void *allocate(size_t bytes);
    void free(void *memory);

private:
    struct Blocks;
    ColumnMemory &m_memory;
    std::unique_ptr<Blocks> m_blocks;
};

/// Allocator of BigVector. Large arrays come from its source; without one, from the system.
template <typename T>
struct BigAllocator {
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    static constexpr size_t kBigFrom = 1 << 20;
    ScratchMemory *source = nullptr;

    BigAllocator() = default;
    BigAllocator(ScratchMemory *scratch) : source(scratch) {}
    template <typename U>
    BigAllocator(const BigAllocator<U> &other) : source(other.source)
    {
    }
    T *allocate(size_t count)
    {
        const size_t bytes = count * sizeof(T);
        void *memory = bytes < kBigFrom ? std::malloc(bytes) : source ? source->allocate(bytes) : allocateBig(bytes);
        if (!memory)
            throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, size_t count)
    {
        if (count * sizeof(T) < kBigFrom)
            std::free(memory);
        else if (source)
            source->free(memory);
        else
            freeBig(memory, count * sizeof(T));
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
    bool operator==(const BigAllocator &other) const { return source == other.source; }
};

/// A vector for millions of plain values. resize() does not zero them.
template <typename T>
using BigVector = std::vector<T, BigAllocator<T>>;

} // namespace riffle
