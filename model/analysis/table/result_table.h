// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/empty/empty_state.h"
#include "model/analysis/table/row_slices.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The kind of a column's cells. It determines how they are stored, printed, sorted and summed.
enum class CellKind : uint8_t {
    Text,
    Count,  ///< integer
    Time,   ///< a length of time, integer ns
    Moment, ///< a point in time, integer ns on the trace's clock (the first one's if there are several); shown relative
            ///< to ResultTable::origin
    Bytes,  ///< integer
    Share,  ///< a ratio; 1 is 100 %
    Number, ///< any other number, in the unit that the title names
};

/// One column of a table: its cells, and what they mean. Cells are kept in the array that fits the kind, one per row;
/// kNoInt, NaN and an empty text mean "not recorded".
struct ResultColumn {
    std::string key;   ///< the name in JSON, CSV and --sort, in snake_case; it must not change
    std::string title; ///< shown to the user
    CellKind kind = CellKind::Text;
    std::string formula;   ///< how the number is computed; shown as the header's tool tip
    bool hidden = false;   ///< not shown by default
    bool summed = false;   ///< a total makes sense: the sum of all rows, or of the top rows of a tree
    bool prose = false;    ///< cells are sentences, shown in full; where a row takes one line, on lines of their own
    bool barred = false;   ///< cells show their share of the largest cell as a bar
    bool isChange = false; ///< the numbers are changes: those above 0 are shown with a plus sign
    bool isId = false;     ///< the numbers identify steps, devices or slices, and are shown without separators
    std::vector<std::string> words; ///< for texts that have an order of their own, such as severities: first to last
    std::string unnamed;            ///< shown for an empty text; if empty, "–" is shown
    std::vector<std::string> texts;
    std::vector<std::string> shorts; ///< shown instead of `texts` if these are long; empty, or one per row
    std::vector<int64_t> integers;
    std::vector<double> numbers;

    bool isInteger() const
    {
        return kind == CellKind::Count || kind == CellKind::Time || kind == CellKind::Moment || kind == CellKind::Bytes;
    }
    size_t size() const;
    bool absent(size_t row) const;
    /// The cell as a number, for sorting and bars; NaN for texts and for values that were not recorded.
    double number(size_t row) const;
};

/// The key of the first column of tables about several traces, which names the trace of a row.
inline constexpr const char *kTraceColumn = "trace";

/// The result of an analysis as a table, which commands print, views show and exports write to files. Rows are in the
/// order that the analysis considers useful. If `depth` is set, they form a tree, in which children follow their
/// parent.
struct ResultTable {
    std::string view;  ///< the name for --view, such as "operators"
    std::string title; ///< shown to the user
    std::vector<ResultColumn> columns;
    std::vector<uint32_t> depth;    ///< one per row, 0 at the top; empty if the rows are not a tree
    std::vector<std::string> notes; ///< sentences about the whole table: what was left out, what is unknown
    /// Why there are no rows, and how to record them; empty if the table could be computed.
    std::string absence;
    EmptyState empty;               ///< the same with the reason and what helps; its text is `absence`
    Ns origin = 0;                  ///< moments are shown relative to this: the trace's first event
    std::vector<SliceRef> evidence; ///< the slices to jump to; empty, or one per row (invalid if a row has none)
    std::shared_ptr<const RowSlices> slices; ///< null if the rows represent no slices

    size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
    /// True if every column has one cell per row, in the array of its kind, and if `depth` and `evidence` are empty or
    /// have one element per row. A finished table is rectangular.
    bool isRectangular() const;
    /// Null if there is no such column.
    const ResultColumn *column(std::string_view key) const;
    ResultColumn *column(std::string_view key);
    /// Appends an empty column, which the caller fills. The reference stays valid until the next call.
    ResultColumn &add(std::string key, std::string title, CellKind kind, std::string formula = {});
    /// Sets `absence` and `empty`.
    void setEmpty(EmptyState state);
    /// The keys of all columns, separated by commas.
    std::string keys() const;
    /// Appends the rows and notes of a table with the same columns. A table without columns becomes a copy of `more`.
    void append(ResultTable more);
    /// Keeps these rows, in this order.
    void keepRows(const std::vector<uint32_t> &rows);
};

struct SortKey {
    const ResultColumn *column = nullptr;
    bool descending = false;
};

/// True if the rows, in a tree all siblings, already are in this order, and not all values are equal.
bool isSortedBy(const ResultTable &table, const ResultColumn &by, bool descending);

/// The rows of the table in their own order.
std::vector<uint32_t> allRows(const ResultTable &table);
/// The rows of the table sorted by the first key, equal rows by the next; in a tree, siblings are sorted among
/// themselves. Texts that have a short form are sorted by it, because it is what readers see. Values that were not
/// recorded come last. The sort is stable.
std::vector<uint32_t> sortedRows(const ResultTable &table, std::span<const SortKey> by);
std::vector<uint32_t> sortedRows(const ResultTable &table, const ResultColumn &by, bool descending);

} // namespace riffle
