// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace riffle {

/// What growing arrays may take together, in bytes. Growing beyond it throws std::bad_alloc and leaves `exceeded` set.
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

/// An array of plain values for columns whose length nobody knows before. It grows in place: the system moves the pages
/// of large blocks, so old and new never lie in memory at once, and what is reserved but unused takes no pages.
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
    T &operator[](size_t at) { return m_data[at]; }
    const T &operator[](size_t at) const { return m_data[at]; }
    T &back() { return m_data[m_size - 1]; }
    std::span<const T> span(size_t from, size_t count) const { return {m_data + from, count}; }

    void push(const T &value)
    {
        if (m_size == m_capacity)
            grow(m_size + 1);
        m_data[m_size++] = value;
    }
    /// Room for `count` more, to be written by the caller.
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
    /// Forgets what lies behind.
    void shrinkTo(size_t size) { m_size = size < m_size ? size : m_size; }
    /// The values as a block that lives on by itself; the array is empty then.
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
