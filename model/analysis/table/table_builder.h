// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/analysis/table/text_room.h"
#include "model/base/stopping.h"

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// Turns rows of a struct into the columns of a table, one column per call.
template <typename Row>
class TableBuilder {
public:
    TableBuilder(ResultTable &table, std::span<const Row> rows) : m_table(table), m_rows(rows) {}

    template <typename Get>
    ResultColumn &text(std::string key, std::string title, std::string formula, Get get)
    {
        ResultColumn &column = m_table.add(std::move(key), std::move(title), CellKind::Text, std::move(formula));
        TextRoom room;
        fill(column.texts, [&](const Row &row) { return room.fit(std::string(get(row))); });
        return column;
    }
    /// A column of slice names, which may be empty.
    template <typename Get>
    ResultColumn &names(std::string key, std::string title, std::string formula, Get get)
    {
        ResultColumn &column = text(std::move(key), std::move(title), std::move(formula), get);
        column.unnamed = "(no name)";
        return column;
    }
    template <typename Get>
    ResultColumn &count(std::string key, std::string title, std::string formula, Get get)
    {
        return integer(std::move(key), std::move(title), CellKind::Count, std::move(formula), get);
    }
    template <typename Get>
    ResultColumn &id(std::string key, std::string title, std::string formula, Get get)
    {
        ResultColumn &column = count(std::move(key), std::move(title), std::move(formula), get);
        column.isId = true;
        return column;
    }
    /// A column of times, whose key ends in _ns.
    template <typename Get>
    ResultColumn &time(std::string key, std::string title, std::string formula, Get get)
    {
        return integer(std::move(key), std::move(title), CellKind::Time, std::move(formula), get);
    }
    template <typename Get>
    ResultColumn &integer(std::string key, std::string title, CellKind kind, std::string formula, Get get)
    {
        ResultColumn &column = m_table.add(std::move(key), std::move(title), kind, std::move(formula));
        fill(column.integers, get);
        return column;
    }
    template <typename Get>
    ResultColumn &share(std::string key, std::string title, std::string formula, Get get)
    {
        return number(std::move(key), std::move(title), CellKind::Share, std::move(formula), get);
    }
    template <typename Get>
    ResultColumn &number(std::string key, std::string title, CellKind kind, std::string formula, Get get)
    {
        ResultColumn &column = m_table.add(std::move(key), std::move(title), kind, std::move(formula));
        fill(column.numbers, get);
        return column;
    }

private:
    template <typename Cell, typename Get>
    void fill(std::vector<Cell> &cells, Get get)
    {
        cells.reserve(m_rows.size());
        for (const Row &row : m_rows) {
            throwIfStoppedAt(cells.size());
            cells.push_back(static_cast<Cell>(get(row)));
        }
    }

    ResultTable &m_table;
    std::span<const Row> m_rows;
};

/// part / whole, or NaN if `whole` is not positive.
inline double ratio(int64_t part, int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                     : std::numeric_limits<double>::quiet_NaN();
}

} // namespace riffle
