// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/column_pack.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace riffle {

/// The order of the rows in the tables of events without a duration.
inline auto orderOf(const MemoryRow &row) { return std::tuple(row.time, row.sourceOffset); }
inline auto orderOf(const InstantRow &row) { return std::tuple(row.lane, row.time, row.sourceOffset); }
inline auto orderOf(const CounterRow &row) { return std::tuple(row.lane, row.series, row.time, row.sourceOffset); }

/// A table of events without a duration that grows. The table is made anew when it has new rows.
template <template <template <typename> class> class TableT>
class TimedRows {
public:
    using Row = TableT<Value>;

    void add(const Row &row)
    {
        m_rows.push_back(row);
        m_isMade = false;
    }
    const std::vector<Row> &rows() const { return m_rows; }
    const TableT<Column> &table()
    {
        if (m_isMade)
            return m_table;
        const auto isBefore = [](const Row &a, const Row &b) { return orderOf(a) < orderOf(b); };
        std::sort(m_rows.begin() + static_cast<std::ptrdiff_t>(m_ordered), m_rows.end(), isBefore);
        std::inplace_merge(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(m_ordered), m_rows.end(),
                           isBefore);
        m_ordered = m_rows.size();
        ColumnPack pack;
        pack.reserveTable<TableT>(m_rows.size());
        m_table = pack.table<TableT>(m_rows.size(), [&](size_t row) -> const Row & { return m_rows[row]; });
        m_isMade = true;
        return m_table;
    }

private:
    std::vector<Row> m_rows;
    size_t m_ordered = 0;
    TableT<Column> m_table;
    bool m_isMade = true;
};

} // namespace riffle
