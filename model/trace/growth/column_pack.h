// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/column.h"
#include "model/trace/growth/growth_memory.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <tuple>

namespace riffle {

/// Memory for all columns of a segment, in one block, because most segments of a growing trace are small. First count
/// the columns with reserve(), in any order; then take() them.
class ColumnPack {
public:
    /// The block comes from `memory`, if there is one, which may refuse it; see allocate().
    explicit ColumnPack(GrowthMemory *memory = nullptr) : m_memory(memory) {}
    template <typename T>
    void reserve(size_t rows)
    {
        m_bytes += padded(rows * sizeof(T));
    }
    /// Reserves all columns of a table.
    template <template <template <typename> class> class TableT>
    void reserveTable(size_t rows)
    {
        TableT<Column> table;
        std::apply(
            [&](auto &...columns) { (reserve<typename std::decay_t<decltype(columns)>::value_type>(rows), ...); },
            table.members());
    }

    /// Allocates the block for all that is reserved; false if there is no memory. take() does it otherwise.
    bool allocate()
    {
        const size_t bytes = std::max<size_t>(m_bytes, 1);
        m_block = m_memory ? m_memory->allocate(bytes) : std::make_shared_for_overwrite<std::byte[]>(bytes);
        return m_block != nullptr;
    }
    template <typename T>
    std::span<T> take(size_t rows)
    {
        if (!m_block && !allocate())
            throw std::bad_alloc();
        assert(m_used + padded(rows * sizeof(T)) <= m_bytes);
        T *begin = reinterpret_cast<T *>(m_block.get() + m_used);
        m_used += padded(rows * sizeof(T));
        return {begin, rows};
    }
    template <typename T>
    Column<T> column(std::span<T> rows) const
    {
        return Column<T>(m_block, rows.data(), rows.size());
    }
    /// Makes a column of rows() values, value(row) each.
    template <typename T, typename F>
    Column<T> filled(size_t rows, F value)
    {
        const std::span<T> all = take<T>(rows);
        for (size_t row = 0; row < rows; ++row)
            all[row] = value(row);
        return column(all);
    }
    /// Makes all columns of a table; valueAt(column, row) returns a value, where decltype(column)::value is the number
    /// of the column in members().
    template <template <template <typename> class> class TableT, typename F>
    TableT<Column> gathered(size_t rows, F valueAt)
    {
        TableT<Column> table;
        auto columns = table.members();
        [&]<size_t... I>(std::index_sequence<I...>)
        {
            const auto one = [&]<size_t Index>(std::integral_constant<size_t, Index> column) {
                using T = typename std::decay_t<decltype(std::get<Index>(columns))>::value_type;
                std::get<Index>(columns) = filled<T>(rows, [&](size_t row) { return valueAt(column, row); });
            };
            (one(std::integral_constant<size_t, I>()), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(columns)>>());
        return table;
    }
    /// The same; rowAt(row) returns a row with the table's fields.
    template <template <template <typename> class> class TableT, typename F>
    TableT<Column> table(size_t rows, F rowAt)
    {
        return gathered<TableT>(
            rows, [&](auto column, size_t row) { return std::get<decltype(column)::value>(rowAt(row).members()); });
    }

private:
    static constexpr size_t kAlignment = 16;
    static size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

    GrowthMemory *m_memory;
    std::shared_ptr<std::byte[]> m_block;
    size_t m_bytes = 0, m_used = 0;
};

} // namespace riffle
