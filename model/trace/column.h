// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace riffle {

/// An immutable array of plain values: a view into memory that `owner` keeps alive (a heap block or a mapped store).
/// Copying a column shares the memory. Any number of threads may read it.
template <typename T>
class Column {
public:
    using value_type = T;

    Column() = default;
    Column(std::shared_ptr<const void> owner, const T *data, size_t size)
        : m_owner(std::move(owner))
        , m_data(data)
        , m_size(size)
    {
        assert(data || size == 0);
    }

    size_t size() const { return m_size; }
    bool empty() const { return m_size == 0; }
    const T *data() const { return m_data; }
    const T *begin() const { return m_data; }
    const T *end() const { return m_data + m_size; }
    /// Returns a row that is known to exist, for example in a loop up to size().
    const T &operator[](size_t row) const
    {
        assert(row < m_size);
        return m_data[row];
    }
    /// Returns a row, or `otherwise` if it does not exist; for row numbers that come from a stored file.
    T at(size_t row, T otherwise) const { return row < m_size ? m_data[row] : otherwise; }
    std::span<const T> span() const { return {m_data, m_size}; }
    /// Returns rows [first, first + count), clipped to the column; they share its memory.
    Column slice(size_t first, size_t count) const
    {
        first = first < m_size ? first : m_size;
        count = count < m_size - first ? count : m_size - first;
        return Column(m_owner, m_data + first, count);
    }

private:
    std::shared_ptr<const void> m_owner;
    const T *m_data = nullptr;
    size_t m_size = 0;
};

/// The table parameter that makes the fields plain values, so that the struct is one row. See tables.h.
template <typename T>
using Value = T;

} // namespace riffle
