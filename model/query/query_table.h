// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/cell.h"
#include "model/query/query_row.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace riffle {

/// One column of a table: its name, what it means, and how to read it. Exactly one of the three readers is set;
/// `texts` comes with `integer`.
struct QueryColumn {
    /// How the table speeds up searches by an integer column. Searches by a string column are always sped up.
    enum class Search : uint8_t {
        No,
        Ascending, ///< rows of a file are ordered by it
        Unique,    ///< Ascending, and no two rows of a file have the same value
        Own,       ///< the table's `narrow` looks at the bounds of this column
    };

    const char *name;
    const char *type; ///< as declared; determines SQLite's affinity
    const char *meaning;
    int64_t (*integer)(QueryRow &row) = nullptr; ///< kNoInt is NULL
    uint32_t (*string)(QueryRow &row) = nullptr; ///< StringId
    void (*write)(QueryRow &row, Cell &cell) = nullptr;
    Search search = Search::No;
    bool emptyIsNull = false; ///< for a string: the empty one means "not recorded"
    /// For a text that is not a string of the file: the texts of a file, of which `integer` returns the index.
    const std::vector<std::string> &(*texts)(const QueryFile &file) = nullptr;
    bool fewValues = false; ///< an integer of which a file has few different values, such as a lane or a stream

    /// True if rows can be grouped by the column.
    bool groupable() const { return string || texts || (integer && fewValues); }
};

/// Reads the number of the row, for tables whose ids are row numbers.
inline int64_t numberOf(QueryRow &row) { return row.number; }

/// The QueryTable::enter of tables whose rows need no preparation.
inline bool enterAny(QueryRow &) { return true; }

/// The declared type of a column of slice ids: a row of a result with such a column leads to the slice in the timeline.
inline constexpr const char *kSliceIdType = "INTEGER SLICE";

inline QueryColumn integerColumn(const char *name, const char *meaning, int64_t (*read)(QueryRow &),
                                 QueryColumn::Search search = QueryColumn::Search::No)
{
    return {name, "INTEGER", meaning, read, nullptr, nullptr, search, false};
}
/// An integer column with few different values.
inline QueryColumn idColumn(const char *name, const char *meaning, int64_t (*read)(QueryRow &),
                            QueryColumn::Search search = QueryColumn::Search::No)
{
    QueryColumn column = integerColumn(name, meaning, read, search);
    column.fewValues = true;
    return column;
}
/// A column of texts; `index` returns the index of the row's text.
inline QueryColumn textColumn(const char *name, const char *meaning, int64_t (*index)(QueryRow &),
                              const std::vector<std::string> &(*texts)(const QueryFile &))
{
    return {name, "TEXT", meaning, index, nullptr, nullptr, QueryColumn::Search::No, false, texts};
}
inline QueryColumn sliceColumn(const char *name, const char *meaning, int64_t (*read)(QueryRow &),
                               QueryColumn::Search search = QueryColumn::Search::No)
{
    return {name, kSliceIdType, meaning, read, nullptr, nullptr, search, false};
}
inline QueryColumn stringColumn(const char *name, const char *meaning, uint32_t (*read)(QueryRow &),
                                bool emptyIsNull = false)
{
    return {name, "TEXT", meaning, nullptr, read, nullptr, QueryColumn::Search::No, emptyIsNull};
}
inline QueryColumn cellColumn(const char *name, const char *type, const char *meaning,
                              void (*write)(QueryRow &, Cell &))
{
    return {name, type, meaning, nullptr, nullptr, write, QueryColumn::Search::No, false};
}

/// The bounds [low, high] that a query sets for an integer column.
struct QueryBounds {
    int64_t low = std::numeric_limits<int64_t>::min();
    int64_t high = std::numeric_limits<int64_t>::max();

    bool empty() const { return low > high; }
    bool open() const { return *this == QueryBounds(); }
    bool operator==(const QueryBounds &) const = default;
    void clip(QueryBounds to)
    {
        low = low < to.low ? to.low : low;
        high = high > to.high ? to.high : high;
    }
};

/// Rows [first, last) of a table.
struct RowRange {
    uint32_t first = 0;
    uint32_t last = 0;
};

/// A table that queries see: a file's columns under SQL names. Rows are numbered; nothing is copied.
struct QueryTable {
    const char *name;
    const char *meaning;
    std::vector<QueryColumn> columns;        ///< the last one is the id of the file
    uint32_t (*rows)(const QueryFile &file); ///< number of rows
    /// Moves `row` to the row with its number; false if that row is not in the table.
    bool (*enter)(QueryRow &row);
    /// Appends ascending ranges of the rows in which the bounds (one per column) may hold. If null, all rows are looked
    /// at, whose numbers then have no gaps.
    void (*narrow)(const QueryFile &file, std::span<const QueryBounds> bounds, std::vector<RowRange> &ranges) = nullptr;
    /// True if every argument of a row's slice is a separate row.
    bool unfoldsArguments = false;
    bool isComputed = false; ///< the rows are computed when they are first needed, even their number
};

/// Returns all tables of traces, in the order in which they are shown to the user.
std::span<const QueryTable> queryTables();
/// Returns all tables of snapshots, in the same way.
std::span<const QueryTable> snapshotTables();

} // namespace riffle
