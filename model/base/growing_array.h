// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace riffle {

/// The number of bytes that the growing arrays that share this budget may still take. Growing beyond this throws
/// std::bad_alloc and sets `exceeded`.
struct MemoryBudget {
    uint64_t left = UINT64_MAX;
    bool exceeded = false;

    void take(uint64_t bytes)
    {
        if (bytes > left) {
            exceeded = true;
            throw std::bad_alloc();
        }
        left -= bytes;
    }
};

/// An array of plain values for columns of unknown length. It grows with realloc(): the system moves the pages of large
/// blocks, so the old and the new block are never in memory at the same time, and unused capacity takes no pages.
template <typename T>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit GrowingArray(MemoryBudget *budget = nullptr) : m_budget(budget) {}
    ~GrowingArray() { std::free(m_data); }
    GrowingArray(const GrowingArray &) = delete;
    GrowingArray &operator=(const GrowingArray &) = delete;

    size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    T *data() { return m_data; }
    const T *data() const { return m_data; }
    T &operator[](size_t at)
    {
        assert(at < m_size);
        return m_data[at];
    }
    const T &operator[](size_t at) const
    {
        assert(at < m_size);
        return m_data[at];
    }
    T &back()
    {
        assert(m_size > 0);
        return m_data[m_size - 1];
    }
    std::span<const T> span(size_t from, size_t count) const
    {
        assert(from <= m_size && count <= m_size - from);
        return {m_data + from, count};
    }

    void push(const T &value)
    {
        if (m_size == m_capacity)
            grow(m_size + 1);
        m_data[m_size++] = value;
    }
    /// Appends `count` values, which the caller must write, and returns a pointer to the first.
    T *extend(size_t count)
    {
        if (m_capacity - m_size < count)
            grow(m_size + count);
        T *at = m_data + m_size;
        m_size += count;
        return at;
    }
    void fillTo(size_t size, const T &value)
    {
        if (size > m_capacity)
            grow(size);
        while (m_size < size)
            m_data[m_size++] = value;
    }
    /// Drops all values from index `size` on.
    void shrinkTo(size_t size) { m_size = size < m_size ? size : m_size; }
    /// Hands over the values as a shared block; the array is then empty.
    std::shared_ptr<T[]> take()
    {
        if (m_size < m_capacity && m_size > 0)
            if (void *fitting = std::realloc(static_cast<void *>(m_data), m_size * sizeof(T)))
                m_data = static_cast<T *>(fitting);
        m_size = m_capacity = 0;
        return std::shared_ptr<T[]>(std::exchange(m_data, nullptr), [](T *data) { std::free(data); });
    }

private:
    void grow(size_t least)
    {
        assert(least > m_capacity);
        size_t capacity = m_capacity ? m_capacity * 2 : 64;
        capacity = capacity < least ? least : capacity;
        if (m_budget)
            m_budget->take((capacity - m_capacity) * sizeof(T));
        void *grown = std::realloc(static_cast<void *>(m_data), capacity * sizeof(T));
        if (!grown)
            throw std::bad_alloc();
        m_data = static_cast<T *>(grown);
        m_capacity = capacity;
    }

    MemoryBudget *m_budget;
    T *m_data = nullptr;
    size_t m_size = 0;
    size_t m_capacity = 0;
};

} // namespace riffle
