// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace riffle {

class ColumnMemory;

/// Allocates memory for large arrays: whole huge pages from the system, or ordinary pages on a machine without them.
/// Returns null when memory runs out. In builds with sanitizers, the memory comes from malloc(), so that the sanitizers
/// see overruns.
void *allocateBig(size_t bytes);
void freeBig(void *memory, size_t bytes);

/// Allocates scratch arrays from a ColumnMemory, so they count against its limit and spill to its file beyond it.
/// Thread-safe.
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

/// The allocator of BigVector. Large arrays come from `source` if there is one, otherwise from the system.
template <typename T>
struct BigAllocator {
    using value_type = T;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    static constexpr size_t kScratchFrom = 1 << 20; ///< the size from which arrays come from `source`
    /// The size from which arrays come from the system. Smaller ones would waste much of their last huge page, and
    /// malloc reuses memory that is already mapped.
    static constexpr size_t kBigFrom = 4 << 20;
    ScratchMemory *source = nullptr;

    BigAllocator() = default;
    BigAllocator(ScratchMemory *scratch) : source(scratch) {}
    template <typename U>
    BigAllocator(const BigAllocator<U> &other) : source(other.source)
    {
    }
    T *allocate(size_t count)
    {
        static_assert(alignof(T) <= alignof(std::max_align_t), "malloc does not align for more");
        if (count > SIZE_MAX / sizeof(T))
            throw std::bad_array_new_length();
        const size_t bytes = count * sizeof(T);
        void *memory = isSmall(bytes) ? std::malloc(bytes) : source ? source->allocate(bytes) : allocateBig(bytes);
        if (!memory)
            throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, size_t count)
    {
        assert(memory);
        if (isSmall(count * sizeof(T)))
            std::free(memory);
        else if (source)
            source->free(memory);
        else
            freeBig(memory, count * sizeof(T));
    }
    /// Leaves plain values uninitialized, so the caller of resize() must write them all.
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

private:
    bool isSmall(size_t bytes) const { return bytes < (source ? kScratchFrom : kBigFrom); }
};

/// A vector for millions of plain values. BigVector(count) and resize() do not zero them; BigVector(count, 0) does.
template <typename T>
using BigVector = std::vector<T, BigAllocator<T>>;

} // namespace riffle
