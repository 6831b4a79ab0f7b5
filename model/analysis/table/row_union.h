// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The answer for one of several traces (or parts of traces), and the label by which users know it.
struct LabelledTable {
    std::string label;
    ResultTable table;
};

/// The rows of several tables of one view, each row once, and where the tables have it. Two rows are the same if the
/// cells in the key columns are, and in a tree those of their ancestors, too. If a table has several such rows, the
/// first is the same as the first of another table, the second as the second, and so on.
///
/// Rows stand in the order in which the tables have them, those of earlier tables first; in a tree, below their parent.
class RowUnion {
public:
    static constexpr uint32_t kNoRow = UINT32_MAX;

    /// A row of one of the tables.
    struct Place {
        uint32_t table = 0, row = 0;
    };

    /// `keys` name the key columns; a column that a table lacks has no cells there.
    RowUnion(std::span<const LabelledTable> tables, std::span<const std::string_view> keys);

    size_t rows() const { return m_first.size(); }
    /// The first table that has the row.
    Place first(size_t row) const { return m_first[row]; }
    /// The row's number in a table; kNoRow if the table has no such row.
    uint32_t rowIn(size_t table, size_t row) const { return m_rows[row * m_tables + table]; }
    /// One per row; empty if the tables are not trees.
    const std::vector<uint32_t> &depth() const { return m_depth; }

private:
    size_t m_tables;
    std::vector<Place> m_first;
    std::vector<uint32_t> m_rows; ///< by row, then by table
    std::vector<uint32_t> m_depth;
};

} // namespace riffle
