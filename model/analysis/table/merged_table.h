// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/row_union.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// How the tables of several traces become one.
enum class RankLayout : uint8_t {
    RankByRank, ///< the rows of one trace after those of another, with a first column that names the trace
    Merged,     ///< one row per key, with the spread of one column over the traces and the medians of the others
    Columns,    ///< one row per key, with the cells of one column side by side, one column per trace
    Difference, ///< of exactly two traces: one row per key, with the cells of both and their difference
};

/// The key of the column that says on how many traces a merged row occurs.
inline constexpr const char *kTracesColumn = "traces";
/// A text cell of a merged row about which the traces differ.
inline constexpr const char *kDifferentTexts = "…";

/// The column that a merged table spreads: `wanted` (a key with or without its suffix _ns, or the key of a column that
/// mergedTable() makes from it) if it has numbers to compare; otherwise the one by which the tables are sorted, or that
/// matters most. Empty if there is none.
std::string spreadColumn(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                         std::string_view wanted);

/// One row per key (RowUnion). A trace without a row, or without a value, counts as absent, not as 0.
///
/// The column `spread` has the medians of the traces' cells. Columns with the least value, the largest one, its trace
/// and their difference follow it. Of other numbers, a row has the median; of moments and ids, what all traces agree
/// on, or nothing; of texts the same, or kDifferentTexts. The rows are sorted by `spread` if those of the traces are. A
/// row's evidence is that of the trace with the largest value, and its slices are visited trace by trace in descending
/// order of the values.
ResultTable mergedTable(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                        const std::string &spread);

/// The same rows in the same order, with the median of `spread` and its cells in one column per trace.
ResultTable columnsTable(std::span<const LabelledTable> tables, std::span<const std::string_view> keys,
                         const std::string &spread);

} // namespace riffle
