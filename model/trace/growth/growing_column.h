// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/column.h"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace riffle {

/// A column that grows at its end. The columns that it has given out share its memory and stay as they are, because
/// what was appended never changes; other threads may read them meanwhile.
template <typename T>
class GrowingColumn {
public:
    size_t size() const { return m_size; }

    template <typename Iterator>
    void append(Iterator begin, Iterator end)
    {
        const auto count = static_cast<size_t>(std::distance(begin, end));
        if (m_size + count > m_capacity)
            grow(m_size + count);
        std::copy(begin, end, m_values.get() + m_size);
        m_size += count;
    }
    void append(const T &value) { append(&value, &value + 1); }
    Column<T> column() const { return Column<T>(m_values, m_values.get(), m_size); }

private:
    static_assert(std::is_trivially_copyable_v<T>);
    void grow(size_t needed)
    {
        m_capacity = std::max({needed, 2 * m_capacity, size_t{1024}});
        std::shared_ptr<T[]> larger = std::make_shared_for_overwrite<T[]>(m_capacity);
        std::copy(m_values.get(), m_values.get() + m_size, larger.get());
        m_values = std::move(larger);
    }

    std::shared_ptr<T[]> m_values;
    size_t m_size = 0, m_capacity = 0;
};

} // namespace riffle
