// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/row_slices.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// What the cells of a column are, which decides how they are stored, printed, sorted and summed.
enum class CellKind : uint8_t {
    Text,
    Count,  ///< integer
    Time,   ///< a length of time, integer ns
    Moment, ///< a point in time, integer ns on the trace's clock (of several: the first one's); people see it relative
            ///< to ResultTable::origin
    Bytes,  ///< integer
    Share,  ///< a ratio; 1 is 100 %
    Number, ///< any other number, in the unit that the title names
};

/// One column of a table: its cells, and what they mean. Cells are kept in the array that fits the kind, one a row;
/// kNoInt, NaN and an empty text stand for "not recorded".
struct ResultColumn {
    std::string key;   ///< snake_case: the name in JSON, CSV and --sort; a contract
    std::string title; ///< for people
    CellKind kind = CellKind::Text;
    std::string formula; ///< how the number is made; shown as the header's tool tip
    bool hidden = false; ///< not shown until asked for
    bool summed = false; ///< a total makes sense: the sum of the rows, in a tree of those that are in no other row
    bool prose = false;  ///< sentences: to be shown whole, on lines of their own where a row is one line
    bool barred = false; ///< cells show their share of the largest cell as a bar
    bool isId = false;   ///< the numbers are names, of steps, devices, slices: people see them without separators
    std::string unnamed; ///< what people are shown for an empty text; empty: that it is not recorded
    std::vector<std::string> texts;
    std::vector<std::string>
        shorts; ///< what people are shown instead of `texts` where these are long; empty, or one a row
    std::vector<int64_t> integers;
    std::vector<double> numbers;

    bool isInteger() const
    {
        return kind == CellKind::Count || kind == CellKind::Time || kind == CellKind::Moment || kind == CellKind::Bytes;
    }
    size_t size() const;
    bool absent(size_t row) const;
    /// The cell as a number, for sorting and bars; NaN for texts and what was not recorded.
    double number(size_t row) const;
};

/// The first column of tables about several traces: which one a row is of.
inline constexpr const char *kTraceColumn = "trace";

/// A table that answers a question, whatever the question: what commands print, views show and files export. Rows stand
/// in the order that the analysis found useful; as a tree when `depth` says so, children behind their parent.
struct ResultTable {
    std::string view;  ///< "operators": the word of --view
    std::string title; ///< for people
    std::vector<ResultColumn> columns;
    std::vector<uint32_t> depth;    ///< empty: no tree; else one a row, 0 at the top
    std::vector<std::string> notes; ///< sentences about all of it: what was left out, what could not be known
    /// Why there are no rows, and the line that turns recording on; empty when the table could be made.
    std::string absence;
    Ns origin = 0;                           ///< from where moments count for people: the trace's first event
    std::vector<SliceRef> evidence;          ///< a row: the slice to jump to; empty, or one a row (invalid: none)
    std::shared_ptr<const RowSlices> slices; ///< may be null: the rows stand for no slices

    size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
    /// Null when there is no such column.
    const ResultColumn *column(std::string_view key) const;
    ResultColumn *column(std::string_view key);
    /// Columns in the order of the calls; cells are appended to what is returned, which stays valid until the next
    /// call.
    ResultColumn &add(std::string key, std::string title, CellKind kind, std::string formula = {});
    /// The keys of all columns, separated by commas.
    std::string keys() const;
    /// Keeps these rows, in this order.
    void keepRows(const std::vector<uint32_t> &rows);
};

struct SortKey {
    const ResultColumn *column = nullptr;
    bool descending = false;
};

/// Rows of the table ordered by the first key, equal ones by the next; siblings of a tree among each other. What was
/// not recorded comes last. Stable.
std::vector<uint32_t> sortedRows(const ResultTable &table, std::span<const SortKey> by);
std::vector<uint32_t> sortedRows(const ResultTable &table, const ResultColumn &by, bool descending);

} // namespace riffle
